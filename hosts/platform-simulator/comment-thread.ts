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
type Viewer = 'anybody' | 'owner';

interface Given {
  readonly handle: string;
  readonly text: string;
  /** Unix seconds; by its place among the others if left out. */
  readonly createdAt?: number | undefined;
}

interface ByHand extends Omit<Given, 'handle'> {
  readonly account: WorldAccount;
}

/** Where a comment is: at the top level, or the reply at this position to it. */
interface Place {
  readonly index: number;
  readonly reply: number | null;
}

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
  /** Comments and replies by hand, by their ids. */
  readonly #byHand = new Map<string, ByHand>();
  /** The number of replies to each comment that has some by hand, with those that were generated; by its index. */
  readonly #replyCounts = new Map<number, number>();
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
      let index = entry.index ?? drawn;
      while (!entry.asReply && this.#byHand.has(this.#idOf({ index, reply: null }))) index += 1;
      this.#place(index, entry.asReply, entry);
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
    for (const [index, count] of this.#replyCounts) total += count - this.#generatedReplies(index);
    return total - new Set([...this.#removed, ...this.#hidden]).size;
  }

  /** Those of `limit` top-level comments from position `offset` on that the viewer sees. */
  page(offset: number, limit: number, viewer: Viewer = 'anybody'): readonly WorldComment[] {
    const places: Place[] = [];
    for (let index = offset; index < Math.min(this.#size, offset + limit); index += 1)
      places.push({ index, reply: null });
    return this.#seen(places, viewer);
  }

  /** Those of `limit` replies to a comment that the viewer sees, or null when the post has no such comment. */
  replies(
    commentId: string,
    offset: number,
    limit: number,
    viewer: Viewer = 'anybody',
  ): readonly WorldComment[] | null {
    const count = this.replyCount(commentId);
    const index = this.#placeOf(commentId)?.index;
    if (count === null || index === undefined) return null;
    const places: Place[] = [];
    for (let reply = offset; reply < Math.min(count, offset + limit); reply += 1) places.push({ index, reply });
    return this.#seen(places, viewer);
  }

  /** Null when the post has no such comment, or it is a reply. */
  replyCount(commentId: string): number | null {
    const place = this.#placeOf(commentId);
    if (place === null || place.reply !== null || this.#removed.has(commentId)) return null;
    return this.#replyCountAt(place.index);
  }

  /** Adds one comment: at the end, or as a reply to the comment at `index`. Returns its id. */
  add({ replyToIndex, ...comment }: Given & { readonly replyToIndex?: number | undefined }): string {
    const id = this.#place(replyToIndex ?? this.#size, replyToIndex !== undefined, comment);
    this.#options.onChange(this.#find(id), 'added');
    return id;
  }

  /** Deletes a comment or reply, a comment with its replies. @throws RangeError if there is none */
  remove(id: string): void {
    this.#options.onChange(this.#find(id), 'removed');
    for (const reply of this.replies(id, 0, REPLIES_PER_COMMENT, 'owner') ?? []) this.#removed.add(reply.id);
    this.#removed.add(id);
  }

  /** Hides a comment or reply from all but the owner of the post, or shows it again. @throws RangeError if there is none */
  hide(id: string, isHidden: boolean): void {
    this.#find(id);
    this.#hidden[isHidden ? 'add' : 'delete'](id);
    this.#options.onChange(this.#find(id), isHidden ? 'hidden' : 'shown');
  }

  #seen(places: readonly Place[], viewer: Viewer): readonly WorldComment[] {
    return places
      .map((place) => this.#at(place))
      .filter(({ id, isHidden }) => !this.#removed.has(id) && (viewer === 'owner' || !isHidden));
  }

  #find(id: string): WorldComment {
    const place = this.#placeOf(id);
    if (place === null || this.#removed.has(id)) throw new RangeError(`There is no comment ${id}.`);
    return this.#at(place);
  }

  #place(index: number, asReply: boolean, { handle, text, createdAt }: Given): string {
    const reply = asReply ? this.#replyCountAt(index) : null;
    if (reply !== null) {
      if (index >= this.#size) throw new RangeError(`There is no comment ${index} to reply to.`);
      if (reply >= REPLIES_PER_COMMENT) throw new RangeError(`Comment ${index} holds no more replies.`);
      this.#replyCounts.set(index, reply + 1);
    }
    this.#size = Math.max(this.#size, index + 1);
    const id = this.#idOf({ index, reply });
    this.#byHand.set(id, { text, createdAt, account: this.#options.accounts.of(handle) });
    return id;
  }

  #idOf({ index, reply }: Place): string {
    if (reply === null) return String(this.#base + BigInt(index));
    return String(this.#base + REPLY_IDS + BigInt(index * REPLIES_PER_COMMENT + reply));
  }

  /** Null for an id that the post does not have. */
  #placeOf(id: string): Place | null {
    if (!/^\d{1,20}$/.test(id)) return null;
    const offset = Number(BigInt(id) - this.#base);
    const ofReply = Number(BigInt(id) - this.#base - REPLY_IDS);
    if (offset >= 0 && offset < this.#size) return { index: offset, reply: null };
    const [index, reply] = [Math.floor(ofReply / REPLIES_PER_COMMENT), ofReply % REPLIES_PER_COMMENT];
    return ofReply >= 0 && index < this.#size && reply < this.#replyCountAt(index) ? { index, reply } : null;
  }

  #generatedReplies(index: number): number {
    const { comments, replies } = this.#options;
    return replies !== null && index < comments && index % replies.every === 0 ? replies.count : 0;
  }

  #replyCountAt(index: number): number {
    return this.#replyCounts.get(index) ?? this.#generatedReplies(index);
  }

  #at(place: Place): WorldComment {
    const { index, reply } = place;
    const id = this.#idOf(place);
    const isTop = reply === null;
    const hash = isTop
      ? hashAt(this.#stream, index)
      : hashAt(this.#stream ^ 0x7e91, index * REPLIES_PER_COMMENT + reply);
    const hand = this.#byHand.get(id);
    const at = isTop ? `#${index}` : `${index}.${reply}`;
    return {
      id,
      parentId: isTop ? null : this.#idOf({ index, reply: null }),
      ...authorOf(hand?.account, hash),
      text: hand?.text ?? `${pick(WORDS, hash >>> 8)} ${at}`,
      createdAt: hand?.createdAt ?? this.#options.startsAt + 60 * (index + 1) + (isTop ? 0 : reply + 1),
      likes: hash % (isTop ? 50 : 5),
      replies: isTop ? this.#replyCountAt(index) : 0,
      isHidden: this.#hidden.has(id),
    };
  }
}

function authorOf(account: WorldAccount | undefined, hash: number) {
  if (account !== undefined) return { ...account, displayName: account.handle };
  const number = hash % 1_000_000;
  const accountId = String(6_800_000_000_000_000_000n + BigInt(number));
  return { handle: `fan_${number}`, accountId, displayName: `Fan ${number}` };
}
