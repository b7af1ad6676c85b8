import type { NewComment, StoredComment, SweepProgress } from '../engagement/challenge-data/comment.ts';
import type { Page, PageRequest } from './paging.ts';

/** Stored comments, and how far their sweeps have come. */
export interface CommentStore {
  /**
   * Inserts the comments that are new by `platformCommentId` within the challenge; known ones stay unchanged. Returns how
   * many were inserted. Concurrent calls with overlapping comments store each once. For a challenge whose campaign was
   * deleted nothing is kept, and 0 returned. `progress` is saved as by `saveSweep`, in one go with the last comments or
   * right after them, never before.
   */
  insertNew(challengeId: number, comments: readonly NewComment[], now: Date, progress?: SweepProgress): Promise<number>;
  /** Newest first by `commentedAt`, then by descending id. */
  page(challengeId: number, page: PageRequest): Promise<Page<StoredComment>>;
  /** Which of these `platformCommentId`s, about a page of them, are stored for the challenge. */
  knownAmong(challengeId: number, platformCommentIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** How many comments of the challenge are stored. */
  count(challengeId: number): Promise<number>;
  /**
   * For each of these handles (normalised; compared with the author case-insensitively) that has commented, its earliest
   * comment. At most 1,000 handles a call. The key of the map is the handle.
   */
  earliestByAuthors(challengeId: number, handles: readonly string[]): Promise<ReadonlyMap<string, StoredComment>>;
  /** How far the sweep has come; null before the first one. */
  sweep(challengeId: number): Promise<SweepProgress | null>;
  /** Replaces what is stored; the last of concurrent calls stands. Nothing is kept for a deleted challenge. */
  saveSweep(progress: SweepProgress): Promise<void>;
}
