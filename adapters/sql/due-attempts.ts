/** `AttemptStore.due`: attempts that expire, that wait for a job, and that are checked again. */
import type { Attempt } from '../../core/engagement/attempts/attempt.ts';
import { PENDING_GRACE_MS, VERIFICATION_WINDOW_MS } from '../../core/engagement/attempts/deadline.ts';
import type { DueKind } from '../../core/ports/attempt-store.ts';
import type { WaitingCursor } from '../../core/ports/waiting.ts';
import { AWAITING_JOBS, AWAITING_RECHECK, BEING_VERIFIED, OPEN } from './attempt-states.ts';
import { ATTEMPTS } from './tables.ts';
import { behind, millis } from './values.ts';
import type { Sql, Work } from './work.ts';

// The conditions repeat those of the partial indexes. Without the plus, SQLite would walk over all attempts by their ids.
const BY_DEADLINE = `SELECT +id FROM attempts WHERE ${OPEN} AND verification_deadline < ?
  AND (NOT ${BEING_VERIFIED} OR verification_deadline <= ?) AND +id > ?`;
const BY_CAMPAIGN = `SELECT +a.id FROM campaigns c JOIN challenges h ON h.campaign_id = c.id
    JOIN attempts a ON a.challenge_id = h.id AND a.verification_deadline IS NOT NULL AND a.${OPEN}
  WHERE c.ends_at >= ? AND c.ends_at < ? AND (NOT a.${BEING_VERIFIED} OR c.ends_at <= ?) AND +a.id > ?`;
const OVERDUE = `WHERE id IN (${BY_DEADLINE} UNION ${BY_CAMPAIGN} ORDER BY 1 LIMIT ?) ORDER BY id`;

const JOB = `WHERE held IS NULL AND ${AWAITING_JOBS} AND updated_at < ? AND (updated_at, id) > (?, ?) ORDER BY updated_at, id LIMIT ?`;
const RECHECK = `WHERE recheck IS NOT NULL AND ${AWAITING_RECHECK} AND recheck ->> 'at' <= ?
  AND (recheck ->> 'at', id) > (?, ?) ORDER BY recheck ->> 'at', id LIMIT ?`;
const CHECK = 'WHERE check_at > 0 AND check_at <= ? AND (check_at, id) > (?, ?) ORDER BY check_at, id LIMIT ?';

export function readDue(
  sql: Sql,
  kind: DueKind,
  at: Date,
  limit: number,
  after: WaitingCursor | undefined,
): Work<readonly Attempt[]> {
  const now = millis(at);
  if (kind === 'job') return ATTEMPTS.select(sql, JOB, now, ...behind(after), limit);
  if (kind === 'check') return ATTEMPTS.select(sql, CHECK, now, ...behind(after), limit);
  if (kind === 'recheck') {
    const cursor = after === undefined ? ['', 0] : [after.since.toISOString(), after.id];
    return ATTEMPTS.select(sql, RECHECK, at.toISOString(), ...cursor, limit);
  }
  const patient = now - PENDING_GRACE_MS;
  const afterId = after?.id ?? 0;
  const byDeadline = [now, patient, afterId];
  const byCampaign = [patient - VERIFICATION_WINDOW_MS, now, patient, afterId];
  return ATTEMPTS.select(sql, OVERDUE, ...byDeadline, ...byCampaign, limit);
}
