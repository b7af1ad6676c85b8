/** One creator's try at one challenge (docs/specification/engagement.md#attempt). */
import type { Withheld } from '../challenge-data/comment.ts';
import type { UnmetRule } from '../rules/unmet-rules.ts';
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

/** Why a verified attempt is not rewarded yet, or never: see `whyHeld`. */
export const HELD_REASONS = ['holding', 'limit', 'taken', 'review', 'refused', 'draw', 'not-drawn', 'gone'] as const;
export type HeldReason = (typeof HELD_REASONS)[number];

/** What keeps a verified attempt from its reward. No job is due for it. */
export interface Held {
  readonly why: HeldReason;
  readonly since: Date;
  readonly note?: string;
}

/** One line of an attempt's ledger; `pointsAwarded` is the sum of the lines. */
export interface PointsEntry {
  readonly at: Date;
  /** Negative if they were taken back. */
  readonly points: number;
  readonly reason: 'reward' | 'reversal';
  readonly note?: string;
}

/** The lines of an attempt's ledger, oldest first; their sum is `pointsAwarded`. */
export function entriesOf(attempt: Pick<Attempt, 'entries' | 'rewardedAt' | 'pointsAwarded'>): readonly PointsEntry[] {
  const { entries, rewardedAt: at, pointsAwarded: points } = attempt;
  return entries ?? (at === null ? [] : [{ at, points, reason: 'reward' }]);
}

/** What a person decided about a reward. */
export interface Review {
  readonly decision: 'hold' | 'approve' | 'refuse';
  readonly at: Date;
  readonly reason: string;
  /** Who decided, as the audit log names callers. */
  readonly by: string;
}

/** Each decision in the history, before what the person wrote. */
export const REVIEWED = { hold: 'held for review', approve: 'reward approved', refuse: 'reward refused' } as const;

/** What may be worth a look; never a verdict. */
export const SIGNAL_NAMES = ['shared-account', 'same-text', 'burst', 'new-account', 'first-second'] as const;
export type SignalName = (typeof SIGNAL_NAMES)[number];

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
  /** Of a verified attempt: absent or null unless something keeps it from its reward. */
  readonly held?: Held | null;
  /** When the comment or like is looked for again. */
  readonly checkAt?: Date | null;
  /** Append-only. Absent while the reward is the only line: `entriesOf` makes it of `pointsAwarded` and `rewardedAt`. */
  readonly entries?: readonly PointsEntry[] | null;
  readonly review?: Review | null;
  readonly signals?: readonly SignalName[] | null;
  /** What the creator's nearest comment did not meet when it was last looked for; absent or null if there was none, or no rules. */
  readonly unmetRules?: readonly UnmetRule[] | null;
  /** When the comment or like was found to be gone. */
  readonly removedAt?: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Counts transitions; the compare-and-set token of `AttemptStore.transition`. Starts at 0. */
  readonly revision: number;
}

/** An attempt that is about to be stored for the first time. */
export type NewAttempt = Omit<Attempt, 'id'>;
