/** What verify-and-reward reads: who engaged with a post, who is linked, and what it has not compared yet. */
import type { LinkedCreator } from '../engagement/creators/creator.ts';
import type { PlatformName } from '../platforms/platform-name.ts';

/** How far the handles of a challenge have been compared with the links of creators. */
export interface MatchingProgress {
  readonly challengeId: number;
  /** What was compared. Progress under another rule says nothing. */
  readonly rule: string;
  /** Links up to this number have been compared with every stored handle but those named below. */
  readonly linkedUpTo: number;
  /** Stored handles after this one have not been compared; null if only the comments of new batches have not. */
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
  /** Grows with every link that is made or made again, over all creators of a platform. */
  readonly number: number;
  readonly creatorId: number;
  /** Normalised. */
  readonly handle: string;
}

/** Handles are normalised. Lists are bounded by the caller; a call takes at most 1,000 handles, ids or batches. */
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
  /** The distinct authors of the challenge's comments in these batches. */
  authorsIn(challengeId: number, batches: readonly CommentBatch[]): Promise<readonly string[]>;
  /** Forgets these batches; the comments stay. Unknown ones are ignored. */
  settle(challengeId: number, batches: readonly CommentBatch[]): Promise<void>;
  /**
   * The next distinct authors of the challenge's comments after `after`, in ascending order: at most `limit`, maybe fewer. An
   * empty list means the end.
   */
  authors(challengeId: number, after: string, limit: number): Promise<readonly string[]>;
  /** As `authors`, for the handles of a fetch of likers. */
  likers(fetchId: number, after: string, limit: number): Promise<readonly string[]>;
  /** The highest number up to which every link can be read: a link that appears later has a higher one. 0 without links. */
  lastLink(platform: PlatformName): Promise<number>;
  /** The next active links after this number, in ascending order: at most `limit`, maybe fewer. An empty list means the end. */
  links(platform: PlatformName, after: number, limit: number): Promise<readonly Link[]>;
  /** How many active links come after this number; `atMost` if there are more. */
  countLinks(platform: PlatformName, after: number, atMost: number): Promise<number>;
  /** The creators to whom one of these handles is actively linked; each once. */
  creatorsByHandles(platform: PlatformName, handles: readonly string[]): Promise<readonly number[]>;
  /** The active links of these creators on the platform, by creator id. */
  linksOf(platform: PlatformName, creatorIds: readonly number[]): Promise<readonly LinkedCreator[]>;
}
