import type { Accounts, WorldAccount } from './accounts.ts';
import { hashAt, hashText, pick } from './seeded.ts';
import type { PlacedComment } from './world-inputs.ts';

export interface WorldComment {
  readonly id: string;
  readonly parentId: string | null;
  readonly handle: string;
  readonly accountId: string;
  readonly displayName: string;
  readonly text: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly likes: number;
  /** Replies this comment has; 0 for a reply. */
  readonly replies: number;
}

export interface CommentThreadOptions {
  /** Seed and post together. */
  readonly stream: string;
  /** Unix seconds of the post; comments follow one minute apart. */
  readonly startsAt: number;
  readonly comments: number;
  readonly replies: { readonly every: number; readonly count: number } | null;
  readonly placed: readonly PlacedComment[];
  /** The accounts of those who comment by hand. */
  readonly accounts: Accounts;
}

interface ByHand {
  readonly handle: string;
  readonly account: WorldAccount;
  readonly text: string;
}

/** Replies to one comment are numbered below this, so an id alone tells comment and reply apart. */
const REPLIES_PER_COMMENT = 1000;
const WORDS = [
  'Love this',
  'So good',
  'First!',
  'Need it',
  'Wow 😍',
  '🔥🔥🔥',
  'Where can I get one?',
  'Haha',
  'ياه',
  '同意',
];

/** The comments of one post: computed from the seed when asked for, save the ones placed by hand. */
export class CommentThread {
  readonly #options: CommentThreadOptions;
  readonly #stream: number;
  readonly #base: bigint;
  readonly #placed = new Map<number, ByHand>();
  readonly #placedReplies = new Map<number, ByHand[]>();
  #size: number;

  constructor(options: CommentThreadOptions) {
    this.#options = options;
    this.#stream = hashText(options.stream);
    // 19 digits, like the ids of both platforms: too large for a double, so that a lossy JSON reader is found out.
    this.#base = 7_100_000_000_000_000_000n + BigInt(this.#stream) * 10_000_000n;
    this.#size = options.comments;
    for (const [order, entry] of options.placed.entries()) {
      const drawn = this.#size === 0 ? 0 : hashAt(this.#stream ^ 0x5eed, order) % this.#size;
      const index = entry.index ?? drawn;
      if (entry.asReply) this.#addReply(index, entry);
      else {
        let free = index;
        while (this.#placed.has(free)) free += 1;
        this.#place(free, entry);
      }
    }
  }

  /** Top-level comments. */
  get size(): number {
    return this.#size;
  }

  /** Top-level comments and replies together. */
  get total(): number {
    const { comments, replies } = this.#options;
    let total = this.#size + (replies === null ? 0 : Math.ceil(comments / replies.every) * replies.count);
    for (const list of this.#placedReplies.values()) total += list.length;
    return total;
  }

  /** Up to `limit` top-level comments from position `offset`. */
  page(offset: number, limit: number): readonly WorldComment[] {
    const page: WorldComment[] = [];
    for (let index = offset; index < Math.min(this.#size, offset + limit); index += 1)
      page.push(this.#commentAt(index));
    return page;
  }

  /** Up to `limit` replies to a comment, or null when the post has no such comment. */
  replies(commentId: string, offset: number, limit: number): readonly WorldComment[] | null {
    const index = this.#indexOf(commentId);
    if (index === null) return null;
    const page: WorldComment[] = [];
    const end = Math.min(this.#replyCountAt(index), offset + limit);
    for (let position = offset; position < end; position += 1) page.push(this.#replyAt(index, position));
    return page;
  }

  replyCount(commentId: string): number | null {
    const index = this.#indexOf(commentId);
    return index === null ? null : this.#replyCountAt(index);
  }

  /** Adds one comment: at the end, or as a reply to the comment at `index`. Returns its id. */
  add(comment: { readonly handle: string; readonly text: string; readonly replyToIndex?: number }): string {
    if (comment.replyToIndex !== undefined) return this.#addReply(comment.replyToIndex, comment);
    return this.#place(this.#size, comment);
  }

  #place(index: number, { handle, text }: Pick<ByHand, 'handle' | 'text'>): string {
    this.#placed.set(index, { handle, account: this.#options.accounts.of(handle), text });
    this.#size = Math.max(this.#size, index + 1);
    return this.#commentId(index);
  }

  #addReply(index: number, { handle, text }: Pick<ByHand, 'handle' | 'text'>): string {
    if (index >= this.#size) throw new RangeError(`There is no comment ${index} to reply to.`);
    const list = this.#placedReplies.get(index) ?? [];
    const position = this.#generatedReplies(index) + list.length;
    if (position >= REPLIES_PER_COMMENT) throw new RangeError(`Comment ${index} holds no more replies.`);
    list.push({ handle, account: this.#options.accounts.of(handle), text });
    this.#placedReplies.set(index, list);
    return this.#replyId(index, position);
  }

  #commentId(index: number): string {
    return String(this.#base + BigInt(index));
  }

  #replyId(index: number, position: number): string {
    return String(this.#base + 100_000_000_000_000_000n + BigInt(index * REPLIES_PER_COMMENT + position));
  }

  #indexOf(commentId: string): number | null {
    if (!/^\d{1,20}$/.test(commentId)) return null;
    const index = BigInt(commentId) - this.#base;
    return index >= 0n && index < BigInt(this.#size) ? Number(index) : null;
  }

  #generatedReplies(index: number): number {
    const { comments, replies } = this.#options;
    return replies !== null && index < comments && index % replies.every === 0 ? replies.count : 0;
  }

  #replyCountAt(index: number): number {
    return this.#generatedReplies(index) + (this.#placedReplies.get(index)?.length ?? 0);
  }

  #commentAt(index: number): WorldComment {
    const hash = hashAt(this.#stream, index);
    const hand = this.#placed.get(index);
    return {
      id: this.#commentId(index),
      parentId: null,
      ...authorOf(hand, hash),
      text: hand?.text ?? `${pick(WORDS, hash >>> 8)} #${index}`,
      createdAt: this.#options.startsAt + 60 * (index + 1),
      likes: hash % 50,
      replies: this.#replyCountAt(index),
    };
  }

  #replyAt(index: number, position: number): WorldComment {
    const hash = hashAt(this.#stream ^ 0x7e91, index * 1000 + position);
    const hand = this.#placedReplies.get(index)?.[position - this.#generatedReplies(index)];
    return {
      id: this.#replyId(index, position),
      parentId: this.#commentId(index),
      ...authorOf(hand, hash),
      text: hand?.text ?? `${pick(WORDS, hash >>> 8)} ${index}.${position}`,
      createdAt: this.#options.startsAt + 60 * (index + 1) + position + 1,
      likes: hash % 5,
      replies: 0,
    };
  }
}

function authorOf(hand: ByHand | undefined, hash: number): Pick<WorldComment, 'handle' | 'accountId' | 'displayName'> {
  if (hand !== undefined) {
    const handle = hand.account.renamedTo ?? hand.handle;
    return { handle, accountId: hand.account.accountId, displayName: handle };
  }
  const number = hash % 1_000_000;
  const accountId = String(6_800_000_000_000_000_000n + BigInt(number));
  return { handle: `fan_${number}`, accountId, displayName: `Fan ${number}` };
}
