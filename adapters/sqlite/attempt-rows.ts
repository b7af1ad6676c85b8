/** Columns of attempts and outbox entries, and how rows become domain objects. */
import type { Attempt, MatchedComment, StateHistoryEntry } from '../../core/engagement/attempts/attempt.ts';
import type { AttemptState } from '../../core/engagement/attempts/states.ts';
import type { EventEntry, OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import { fromJson, millis, millisOrNull, toDate, toDateOrNull, type Value } from './values.ts';

export interface AttemptRow {
  readonly id: number;
  readonly userId: number;
  readonly challengeId: number;
  readonly state: AttemptState;
  readonly retryCount: number;
  readonly maxRetries: number;
  readonly lastVerificationAt: number | null;
  readonly verificationDeadline: number | null;
  readonly stateHistory: string;
  readonly recheckAt: number | null;
  readonly recheckCount: number;
  readonly recheckWhy: string | null;
  readonly metadata: string;
  readonly matchedComment: string | null;
  readonly pointsAwarded: number;
  readonly verifiedAt: number | null;
  readonly rewardedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number;
}

export const ATTEMPT_COLUMNS = `a.id, a.user_id AS userId, a.challenge_id AS challengeId, a.state,
  a.retry_count AS retryCount, a.max_retries AS maxRetries, a.last_verification_at AS lastVerificationAt,
  a.verification_deadline AS verificationDeadline, a.state_history AS stateHistory, a.recheck_at AS recheckAt,
  a.recheck_count AS recheckCount, a.recheck_why AS recheckWhy, a.metadata,
  a.matched_comment AS matchedComment, a.points_awarded AS pointsAwarded, a.verified_at AS verifiedAt,
  a.rewarded_at AS rewardedAt, a.created_at AS createdAt, a.updated_at AS updatedAt, a.revision`;

/** What a transition may change, in the order of `changingValues`. */
export const CHANGING_COLUMNS = [
  'state',
  'retry_count',
  'max_retries',
  'last_verification_at',
  'verification_deadline',
  'state_history',
  'recheck_at',
  'recheck_count',
  'recheck_why',
  'metadata',
  'matched_comment',
  'points_awarded',
  'verified_at',
  'rewarded_at',
  'updated_at',
  'revision',
] as const;

export function changingValues(attempt: Omit<Attempt, 'id'>): Value[] {
  return [
    attempt.state,
    attempt.retryCount,
    attempt.maxRetries,
    millisOrNull(attempt.lastVerificationAt),
    millisOrNull(attempt.verificationDeadline),
    JSON.stringify(attempt.stateHistory),
    millisOrNull(attempt.recheck?.at ?? null),
    attempt.recheck?.count ?? 0,
    attempt.recheck?.why ?? null,
    JSON.stringify(attempt.metadata),
    attempt.matchedComment === null ? null : JSON.stringify(attempt.matchedComment),
    attempt.pointsAwarded,
    millisOrNull(attempt.verifiedAt),
    millisOrNull(attempt.rewardedAt),
    millis(attempt.updatedAt),
    attempt.revision,
  ];
}

/** JSON has no dates: they come back as text. */
type AsJson<T> = { readonly [K in keyof T]: T[K] extends Date ? string : T[K] };

export function toAttempt(row: AttemptRow): Attempt {
  const matched = row.matchedComment === null ? null : fromJson<AsJson<MatchedComment>>(row.matchedComment);
  return {
    id: row.id,
    userId: row.userId,
    challengeId: row.challengeId,
    state: row.state,
    retryCount: row.retryCount,
    maxRetries: row.maxRetries,
    lastVerificationAt: toDateOrNull(row.lastVerificationAt),
    verificationDeadline: toDateOrNull(row.verificationDeadline),
    stateHistory: fromJson<AsJson<StateHistoryEntry>[]>(row.stateHistory).map((entry) => ({
      state: entry.state,
      at: new Date(entry.at),
      reason: entry.reason,
    })),
    recheck:
      row.recheckAt === null ? null : { at: toDate(row.recheckAt), count: row.recheckCount, why: row.recheckWhy ?? '' },
    metadata: fromJson<Record<string, unknown>>(row.metadata),
    matchedComment:
      matched === null ? null : { commentText: matched.commentText, commentedAt: new Date(matched.commentedAt) },
    pointsAwarded: row.pointsAwarded,
    verifiedAt: toDateOrNull(row.verifiedAt),
    rewardedAt: toDateOrNull(row.rewardedAt),
    createdAt: toDate(row.createdAt),
    updatedAt: toDate(row.updatedAt),
    revision: row.revision,
  };
}

export function toOutboxEntry(text: string): OutboxEntry {
  const entry = fromJson<OutboxEntry>(text);
  return entry.kind === 'event' ? withTime(entry) : entry;
}

export function toEventEntry(text: string): EventEntry {
  return withTime(fromJson<EventEntry>(text));
}

function withTime(entry: EventEntry): EventEntry {
  return { ...entry, event: { ...entry.event, timestamp: new Date(entry.event.timestamp) } };
}
