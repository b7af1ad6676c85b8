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
  /** Only the owner of the post sees it. */
  readonly isHidden: boolean;
}

/** What can happen to a comment while the simulator runs. */
export type CommentAction = 'added' | 'removed' | 'hidden' | 'shown';

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
  /** Told of every change, after it was made and before a removal. */
  readonly onChange: (comment: WorldComment, action: CommentAction) => void;
}

/** Who looks: the owner of the post sees what is hidden too. */
export interface Viewer {
  readonly isOwner: boolean;
}
const ANYBODY: Viewer = { isOwner: false };

interface ByHand {
  readonly handle: string;
  readonly account: WorldAccount;
  readonly text: string;
  /** Unix seconds; by its place among the others if left out. */
  readonly createdAt?: number | undefined;
}
type Given = Pick<ByHand, 'handle' | 'text' | 'createdAt'>;

/** Replies to one comment are numbered below this, so an id alone tells comment and reply apart. */
const REPLIES_PER_COMMENT = 1000;
/** The ids of replies begin so much above those of comments. */
const REPLY_IDS = 100_000_000_000_000_000n;
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
  readonly #removed = new Set<string>();
  readonly #hidden = new Set<string>();
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

  /** Places of top-level comments, those that are removed or hidden included. */
  get size(): number {
    return this.#size;
  }

  /** Top-level comments and replies together, as anybody sees them. */
  get total(): number {
    const { comments, replies } = this.#options;
    let total = this.#size + (replies === null ? 0 : Math.ceil(comments / replies.every) * replies.count);
    for (const list of this.#placedReplies.values()) total += list.length;
    return total - new Set([...this.#removed, ...this.#hidden]).size;
  }

  /** Those of `limit` top-level comments from position `offset` on that the viewer sees. */
  page(offset: number, limit: number, viewer = ANYBODY): readonly WorldComment[] {
    const page: WorldComment[] = [];
    for (let index = offset; index < Math.min(this.#size, offset + limit); index += 1)
      page.push(this.#commentAt(index));
    return page.filter((comment) => this.#isSeen(comment, viewer));
  }

  /** Those of `limit` replies to a comment that the viewer sees, or null when the post has no such comment. */
  replies(commentId: string, offset: number, limit: number, viewer = ANYBODY): readonly WorldComment[] | null {
    const index = this.#indexOf(commentId);
    if (index === null || this.#removed.has(commentId)) return null;
    const page: WorldComment[] = [];
    const end = Math.min(this.#replyCountAt(index), offset + limit);
    for (let position = offset; position < end; position += 1) page.push(this.#replyAt(index, position));
    return page.filter((comment) => this.#isSeen(comment, viewer));
  }

  replyCount(commentId: string): number | null {
    const index = this.#indexOf(commentId);
    return index === null || this.#removed.has(commentId) ? null : this.#replyCountAt(index);
  }

  /** Adds one comment: at the end, or as a reply to the comment at `index`. Returns its id. */
  add(comment: Given & { readonly replyToIndex?: number }): string {
    const { replyToIndex } = comment;
    const id = replyToIndex === undefined ? this.#place(this.#size, comment) : this.#addReply(replyToIndex, comment);
    this.#options.onChange(this.#find(id), 'added');
    return id;
  }

  /** Deletes a comment or reply, a comment with its replies. @throws RangeError if there is none */
  remove(id: string): void {
    const comment = this.#find(id);
    this.#options.onChange(comment, 'removed');
    for (const reply of this.replies(id, 0, REPLIES_PER_COMMENT, { isOwner: true }) ?? []) this.#removed.add(reply.id);
    this.#removed.add(id);
  }

  /** Hides a comment or reply from all but the owner of the post, or shows it again. @throws RangeError if there is none */
  hide(id: string, isHidden: boolean): void {
    this.#find(id);
    this.#hidden[isHidden ? 'add' : 'delete'](id);
    this.#options.onChange(this.#find(id), isHidden ? 'hidden' : 'shown');
  }

  #isSeen({ id, isHidden }: WorldComment, { isOwner }: Viewer): boolean {
    return !this.#removed.has(id) && (isOwner || !isHidden);
  }

  #find(id: string): WorldComment {
    const offset = /^\d{1,20}$/.test(id) ? BigInt(id) - this.#base - REPLY_IDS : -1n;
    const index = this.#indexOf(id) ?? (offset < 0n ? null : Number(offset / BigInt(REPLIES_PER_COMMENT)));
    const position = offset < 0n ? null : Number(offset % BigInt(REPLIES_PER_COMMENT));
    const isThere = index !== null && index < this.#size && (position === null || position < this.#replyCountAt(index));
    if (!isThere || this.#removed.has(id)) throw new RangeError(`There is no comment ${id}.`);
    return position === null ? this.#commentAt(index) : this.#replyAt(index, position);
  }

  #place(index: number, { handle, ...given }: Given): string {
    this.#placed.set(index, { ...given, handle, account: this.#options.accounts.of(handle) });
    this.#size = Math.max(this.#size, index + 1);
    return this.#commentId(index);
  }

  #addReply(index: number, { handle, ...given }: Given): string {
    if (index >= this.#size) throw new RangeError(`There is no comment ${index} to reply to.`);
    const list = this.#placedReplies.get(index) ?? [];
    const position = this.#generatedReplies(index) + list.length;
    if (position >= REPLIES_PER_COMMENT) throw new RangeError(`Comment ${index} holds no more replies.`);
    list.push({ ...given, handle, account: this.#options.accounts.of(handle) });
    this.#placedReplies.set(index, list);
    return this.#replyId(index, position);
  }

  #commentId(index: number): string {
    return String(this.#base + BigInt(index));
  }

  #replyId(index: number, position: number): string {
    return String(this.#base + REPLY_IDS + BigInt(index * REPLIES_PER_COMMENT + position));
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
      createdAt: hand?.createdAt ?? this.#options.startsAt + 60 * (index + 1),
      likes: hash % 50,
      replies: this.#replyCountAt(index),
      isHidden: this.#hidden.has(this.#commentId(index)),
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
      createdAt: hand?.createdAt ?? this.#options.startsAt + 60 * (index + 1) + position + 1,
      likes: hash % 5,
      replies: 0,
      isHidden: this.#hidden.has(this.#replyId(index, position)),
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
