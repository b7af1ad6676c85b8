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

/** The comments of one post: computed from the seed when asked for, save the ones placed by hand. */
export interface CommentThread {
  /** Top-level comments. */
  readonly size: number;
  /** Top-level comments and replies together. */
  readonly total: number;
  /** Up to `limit` top-level comments from position `offset`. */
  page(offset: number, limit: number): readonly WorldComment[];
  /** Up to `limit` replies to a comment, or null when the post has no such comment. */
  replies(commentId: string, offset: number, limit: number): readonly WorldComment[] | null;
  replyCount(commentId: string): number | null;
  /** Adds one comment: at the end, or as a reply to the comment at `index`. Returns its id. */
  add(comment: { readonly handle: string; readonly text: string; readonly replyToIndex?: number }): string;
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
const REPLIES_PER_COMMENT = 1000n;
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

export function createCommentThread(options: CommentThreadOptions): CommentThread {
  const stream = hashText(options.stream);
  // 19 digits, like the ids of both platforms: too large for a double, so that a lossy JSON reader is found out.
  const base = 7_100_000_000_000_000_000n + BigInt(stream) * 10_000_000n;
  const replyBase = base + 100_000_000_000_000_000n;
  const { accounts } = options;
  const placed = new Map<number, ByHand>();
  const placedReplies = new Map<number, ByHand[]>();
  let size = options.comments;

  const generatedReplies = (index: number): number =>
    options.replies !== null && index < options.comments && index % options.replies.every === 0
      ? options.replies.count
      : 0;
  const replyCountAt = (index: number): number => generatedReplies(index) + (placedReplies.get(index)?.length ?? 0);

  const addReply = (index: number, handle: string, text: string): string => {
    const list = placedReplies.get(index) ?? [];
    const position = generatedReplies(index) + list.length;
    if (position >= Number(REPLIES_PER_COMMENT)) throw new RangeError(`Comment ${index} holds no more replies.`);
    list.push({ handle, account: accounts.of(handle), text });
    placedReplies.set(index, list);
    return replyId(index, position);
  };
  const replyId = (index: number, position: number): string =>
    String(replyBase + BigInt(index) * REPLIES_PER_COMMENT + BigInt(position));

  for (const [order, entry] of options.placed.entries()) {
    const index = entry.index ?? (size === 0 ? 0 : hashAt(stream ^ 0x5eed, order) % size);
    if (entry.asReply) {
      if (index >= size) throw new RangeError(`There is no comment ${index} to reply to.`);
      addReply(index, entry.handle, entry.text);
    } else {
      let free = index;
      while (placed.has(free)) free += 1;
      const { handle, text } = entry;
      placed.set(free, { handle, account: accounts.of(handle), text });
      size = Math.max(size, free + 1);
    }
  }

  const author = (hash: number): { handle: string; accountId: string; displayName: string } => {
    const number = hash % 1_000_000;
    return {
      handle: `fan_${number}`,
      accountId: String(6_800_000_000_000_000_000n + BigInt(number)),
      displayName: `Fan ${number}`,
    };
  };
  const byHand = ({ handle: typed, account }: ByHand): { handle: string; accountId: string; displayName: string } => {
    const handle = account.renamedTo ?? typed;
    return { handle, accountId: account.accountId, displayName: handle };
  };

  const commentAt = (index: number): WorldComment => {
    const hash = hashAt(stream, index);
    const hand = placed.get(index);
    return {
      id: String(base + BigInt(index)),
      parentId: null,
      ...(hand === undefined ? author(hash) : byHand(hand)),
      text: hand?.text ?? `${pick(WORDS, hash >>> 8)} #${index}`,
      createdAt: options.startsAt + 60 * (index + 1),
      likes: hash % 50,
      replies: replyCountAt(index),
    };
  };
  const replyAt = (index: number, position: number): WorldComment => {
    const hash = hashAt(stream ^ 0x7e91, index * 1000 + position);
    const hand = placedReplies.get(index)?.[position - generatedReplies(index)];
    return {
      id: replyId(index, position),
      parentId: String(base + BigInt(index)),
      ...(hand === undefined ? author(hash) : byHand(hand)),
      text: hand?.text ?? `${pick(WORDS, hash >>> 8)} ${index}.${position}`,
      createdAt: options.startsAt + 60 * (index + 1) + position + 1,
      likes: hash % 5,
      replies: 0,
    };
  };
  const indexOf = (commentId: string): number | null => {
    if (!/^\d{1,20}$/.test(commentId)) return null;
    const index = BigInt(commentId) - base;
    return index >= 0n && index < BigInt(size) ? Number(index) : null;
  };

  return {
    get size() {
      return size;
    },
    get total() {
      const generated =
        options.replies === null ? 0 : Math.ceil(options.comments / options.replies.every) * options.replies.count;
      let byHandCount = 0;
      for (const list of placedReplies.values()) byHandCount += list.length;
      return size + generated + byHandCount;
    },
    page(offset, limit) {
      const page: WorldComment[] = [];
      for (let index = offset; index < Math.min(size, offset + limit); index += 1) page.push(commentAt(index));
      return page;
    },
    replies(commentId, offset, limit) {
      const index = indexOf(commentId);
      if (index === null) return null;
      const page: WorldComment[] = [];
      const end = Math.min(replyCountAt(index), offset + limit);
      for (let position = offset; position < end; position += 1) page.push(replyAt(index, position));
      return page;
    },
    replyCount(commentId) {
      const index = indexOf(commentId);
      return index === null ? null : replyCountAt(index);
    },
    add({ handle, text, replyToIndex }) {
      if (replyToIndex !== undefined) {
        if (replyToIndex >= size) throw new RangeError(`There is no comment ${replyToIndex} to reply to.`);
        return addReply(replyToIndex, handle, text);
      }
      placed.set(size, { handle, account: accounts.of(handle), text });
      size += 1;
      return String(base + BigInt(size - 1));
    },
  };
}
