/** What verify-and-reward reads: who engaged with a post, who is linked, and what it has not compared yet. */
import type { LinkedCreator } from '../engagement/creators/creator.ts';
import type { AuthorKey } from '../platforms/author-key.ts';
import type { PlatformName } from '../platforms/platform-name.ts';

/** How far the authors or likers of a challenge have been compared with the links of creators. */
export interface MatchingProgress {
  readonly challengeId: number;
  /** What was compared. Progress under another rule says nothing. */
  readonly rule: string;
  /** Links up to this number have been compared with every stored author but those named below. */
  readonly linkedUpTo: number;
  /** Stored authors after this one have not been compared; null if only the comments of new batches have not. */
  readonly handlesAfter: string | null;
  /** Counts saves: the compare-and-set token of `save`. Starts at 0. */
  readonly revision: number;
}

/** Comments that were stored together, by the range of their ids. The range may hold comments of other challenges. */
export interface CommentBatch {
  readonly firstId: number;
  readonly lastId: number;
  /** False while comments of this range may still arrive: look at it, but do not settle it. */
  readonly isComplete: boolean;
}

/** An active link. */
export interface Link {
  /** Grows with every link that is made, made again, or gets or loses its number, over all creators of a platform. */
  readonly number: number;
  readonly creatorId: number;
  /** Normalised. */
  readonly handle: string;
  /** The number of the account, if it is known: proven, or remembered from a match. */
  readonly accountId: string | null;
}

/** Lists are bounded by the caller; a call takes at most 1,000 keys, ids or batches. */
export interface MatchingStore {
  /** Null before the first `save`. */
  progress(challengeId: number): Promise<MatchingProgress | null>;
  /**
   * Stores the progress if what is stored has `revision - 1`, or nothing is stored and `revision` is 1. Of concurrent callers
   * with one revision exactly one gets true. Nothing is kept for a deleted challenge.
   */
  save(progress: MatchingProgress): Promise<boolean>;
  /**
   * Batches of comments that were stored and not settled yet, oldest first. `CommentStore.insertNew` adds each new comment to
   * one, in the same write or before it. Comments of earlier releases are in none.
   */
  newBatches(challengeId: number): Promise<readonly CommentBatch[]>;
  /** The distinct authors of the challenge's comments in these batches, under each of their keys. */
  authorsIn(challengeId: number, batches: readonly CommentBatch[]): Promise<readonly AuthorKey[]>;
  /** Forgets these batches; the comments stay. Unknown ones are ignored. */
  settle(challengeId: number, batches: readonly CommentBatch[]): Promise<void>;
  /**
   * The next distinct authors of the challenge's comments after `after`, under each of their keys: all numbers, then all handles,
   * each in ascending order. At most `limit`, maybe fewer. `''` is before the first; an empty list means the end.
   */
  authors(challengeId: number, after: AuthorKey | '', limit: number): Promise<readonly AuthorKey[]>;
  /** As `authors`, for the likers of a fetch. */
  likers(fetchId: number, after: AuthorKey | '', limit: number): Promise<readonly AuthorKey[]>;
  /** The highest number up to which every link can be read: a link that appears later has a higher one. 0 without links. */
  lastLink(platform: PlatformName): Promise<number>;
  /** The next active links after this number, in ascending order: at most `limit`, maybe fewer. An empty list means the end. */
  links(platform: PlatformName, after: number, limit: number): Promise<readonly Link[]>;
  /** How many active links come after this number; `atMost` if there are more. */
  countLinks(platform: PlatformName, after: number, atMost: number): Promise<number>;
  /**
   * The creators with an active link of one of these accounts: of the handle, whatever number is known, or for the number. Each
   * once.
   */
  creatorsByAuthors(platform: PlatformName, authors: readonly AuthorKey[]): Promise<readonly number[]>;
  /** The active links of these creators on the platform, by creator id. */
  linksOf(platform: PlatformName, creatorIds: readonly number[]): Promise<readonly LinkedCreator[]>;
}
