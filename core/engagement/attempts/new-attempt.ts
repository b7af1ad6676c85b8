/** How attempts begin. */
import type { MatchedComment, NewAttempt } from './attempt.ts';

/** How often a creator may claim again after a verification that found nothing. */
export const MAX_RETRIES = 3;

export interface NewAttemptFacts {
  readonly userId: number;
  readonly challengeId: number;
  /** The creator's handle on the challenge's platform. */
  readonly username: string;
  readonly now: Date;
}

/** An attempt in state `created`. */
export function newAttempt(facts: NewAttemptFacts): NewAttempt {
  return {
    userId: facts.userId,
    challengeId: facts.challengeId,
    state: 'created',
    retryCount: 0,
    maxRetries: MAX_RETRIES,
    lastVerificationAt: null,
    verificationDeadline: null,
    stateHistory: [{ state: 'created', at: facts.now, reason: 'created' }],
    recheck: null,
    metadata: { origin: 'request', platformUsername: facts.username },
    matchedComment: null,
    pointsAwarded: 0,
    verifiedAt: null,
    rewardedAt: null,
    createdAt: facts.now,
    updatedAt: facts.now,
    revision: 0,
  };
}

/** An attempt that the batch found fulfilled already: it begins in state `verified`. */
export function newVerifiedAttempt(
  facts: NewAttemptFacts,
  comment: MatchedComment | null,
  note: string | null,
  signals?: NewAttempt['signals'],
): NewAttempt {
  const reason = 'match found by verify-and-reward';
  return {
    ...newAttempt(facts),
    state: 'verified',
    lastVerificationAt: facts.now,
    stateHistory: [{ state: 'verified', at: facts.now, reason: note === null ? reason : `${reason}: ${note}` }],
    metadata: { origin: 'batch', platformUsername: facts.username },
    matchedComment: comment,
    verifiedAt: facts.now,
    ...(signals && { signals }),
  };
}
