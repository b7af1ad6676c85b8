/** One creator's try at one challenge (docs/specification/engagement.md#attempt). */
import type { Withheld } from '../challenge-data/comment.ts';
import type { AttemptState } from './states.ts';

/** One state that an attempt was in, and why. */
export interface StateHistoryEntry {
  readonly state: AttemptState;
  readonly at: Date;
  readonly reason: string;
}

/** The comment by which an attempt was verified. */
export interface MatchedComment {
  readonly commentText: string;
  readonly commentedAt: Date;
  /** Absent for attempts of earlier releases. */
  readonly platformCommentId?: string;
  /** That it was deleted or hidden, and when; absent while it can be seen. What was rewarded stays so. */
  readonly removed?: { readonly at: Date; readonly how: Withheld };
}

/** A claim that was handed back undecided, and is checked again without the creator's doing. */
export interface Recheck {
  /** Not before this time. */
  readonly at: Date;
  /** How often the claim was handed back since the creator made it; 1 after the first time. */
  readonly count: number;
  /** What kept the last verification from a decision. */
  readonly why: string;
}

/** One creator's try at one challenge. */
export interface Attempt {
  readonly id: number;
  readonly userId: number;
  readonly challengeId: number;
  readonly state: AttemptState;
  readonly retryCount: number;
  readonly maxRetries: number;
  readonly lastVerificationAt: Date | null;
  /** Set at the first claim; after it a claimed attempt fails terminally. */
  readonly verificationDeadline: Date | null;
  readonly stateHistory: readonly StateHistoryEntry[];
  /** Null unless the last claim is undecided. Kept while it is being checked again. */
  readonly recheck: Recheck | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly matchedComment: MatchedComment | null;
  readonly pointsAwarded: number;
  /** When the attempt first became `verified`; stays set. */
  readonly verifiedAt: Date | null;
  readonly rewardedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Counts transitions; the compare-and-set token of `AttemptStore.transition`. Starts at 0. */
  readonly revision: number;
}

/** An attempt that is about to be stored for the first time. */
export type NewAttempt = Omit<Attempt, 'id'>;
