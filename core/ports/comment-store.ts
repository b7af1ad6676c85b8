import type {
  NewComment,
  StoredComment,
  SweepProgress,
  VisibilityChange,
} from '../engagement/challenge-data/comment.ts';
import type { AuthorKey } from '../platforms/author-key.ts';
import type { Page, PageRequest } from './paging.ts';

/** A later sweep of the challenge has begun: this one must stop. */
export class SweepTakenOver extends Error {
  override readonly name = 'SweepTakenOver';
}

/** Which comments a whole list has not shown. */
export interface UnmetSince {
  readonly unmetSince: Date;
  readonly now: Date;
  readonly topLevelOnly?: boolean;
}

/** Stored comments, and how far their sweeps have come. */
export interface CommentStore {
  /**
   * Inserts the comments that are new by `platformCommentId` within the challenge. Known ones are noted as met at `now`. They
   * stay unchanged, but one that was stored without `authorId`, `scopedAuthorId` or `isReply`, or with an empty `username` or text, gets it, and `isHidden` is noted. Returns how many were inserted. Concurrent calls with overlapping comments store each once. For a challenge
   * whose campaign was deleted nothing is kept, and 0 returned. `progress` is saved as by `saveSweep`, in one go with the last
   * comments or right after them, never before.
   * @throws SweepTakenOver as `saveSweep`; the comments are stored all the same
   */
  insertNew(challengeId: number, comments: readonly NewComment[], now: Date, progress?: SweepProgress): Promise<number>;
  /**
   * Newest first by `commentedAt`, then by descending id. With `metSince`, only those that `insertNew` was given then or later, and
   * no removed ones.
   */
  page(challengeId: number, page: PageRequest, which?: { readonly metSince: Date }): Promise<Page<StoredComment>>;
  /**
   * Which of these `platformCommentId`s, about a page of them, are stored for the challenge. With `since`, only those that
   * `insertNew` was given then or later, new or known.
   */
  knownAmong(challengeId: number, platformCommentIds: readonly string[], since?: Date): Promise<ReadonlySet<string>>;
  /**
   * The earliest comment of each of these authors that has commented, without those that are withheld. Handles are compared case-insensitively, numbers as they
   * are. With `unnumbered`, the comment of each handle that was stored first, of those without `authorId`. With `countHidden`, hidden
   * ones as well. At most 1,000 authors a call.
   */
  earliestByAuthors(
    challengeId: number,
    authors: readonly AuthorKey[],
    which?: 'unnumbered',
    countHidden?: boolean,
  ): Promise<ReadonlyMap<AuthorKey, StoredComment>>;
  /** As `earliestByAuthors`, all comments of each author, oldest first; of an author with more than 100 the newest 100. */
  ofAuthors(
    challengeId: number,
    authors: readonly AuthorKey[],
    countHidden?: boolean,
  ): Promise<ReadonlyMap<AuthorKey, readonly StoredComment[]>>;
  /** The earliest comment with each of these keys of a text (`textKeyOf`), withheld ones as well. At most 1,000 keys a call. */
  firstOfTexts(challengeId: number, keys: readonly string[]): Promise<ReadonlyMap<string, StoredComment>>;
  /**
   * How many comments were written at most so long before or after each of these times, withheld ones as well, up to `most`. By the time
   * in milliseconds; at most 1,000 times a call.
   */
  countAround(
    challengeId: number,
    times: readonly Date[],
    withinMs: number,
    most: number,
  ): Promise<ReadonlyMap<number, number>>;
  /**
   * Notes what became of comments. One that is not stored is stored without a text, so that it stays withheld if it comes later. Or
   * withholds as `removed` all comments with a `scopedAuthorId` that no call of `insertNew` was given since a time; with `topLevelOnly`
   * no replies.
   */
  withhold(challengeId: number, changes: readonly VisibilityChange[] | UnmetSince): Promise<void>;
  /**
   * The comments that are withheld since a time or later, oldest first, at most 1,000. Of that very time only those with an id after
   * `afterId`; all of them by default.
   */
  withheldSince(challengeId: number, since: Date, afterId?: number): Promise<readonly StoredComment[]>;
  /** How far the sweep has come; null before the first one. */
  sweep(challengeId: number): Promise<SweepProgress | null>;
  /**
   * Begins a sweep: saves `start` if what is stored is still `last`, by its `lease` and `updatedAt`; null means that nothing is
   * stored. True for at most one of concurrent callers with the same `last`. False also for a deleted challenge.
   */
  beginSweep(start: SweepProgress, last: SweepProgress | null): Promise<boolean>;
  /**
   * Replaces what is stored; the last of concurrent calls with one `lease` stands. Nothing is kept for a deleted challenge.
   * @throws SweepTakenOver if what is stored has a higher `lease`; it stays
   */
  saveSweep(progress: SweepProgress): Promise<void>;
}
