/** Attempts that are overdue, by id: claims whose deadline, or whose campaign's end, is over. */
import type { Attempt } from '../../core/engagement/attempts/attempt.ts';
import { PENDING_GRACE_MS, VERIFICATION_WINDOW_MS } from '../../core/engagement/attempts/deadline.ts';
import { BEING_VERIFIED, OPEN } from './attempt-states.ts';
import type { Sql } from './statements.ts';
import { ATTEMPTS } from './tables.ts';

// The conditions repeat those of the partial indexes.
const BY_DEADLINE = `SELECT id FROM attempts WHERE ${OPEN} AND verification_deadline < ?
  AND (NOT ${BEING_VERIFIED} OR verification_deadline <= ?) AND id > ?`;
const BY_CAMPAIGN = `SELECT a.id FROM campaigns c JOIN challenges h ON h.campaign_id = c.id
    JOIN attempts a ON a.challenge_id = h.id AND a.verification_deadline IS NOT NULL AND a.${OPEN}
  WHERE c.ends_at >= ? AND c.ends_at < ? AND (NOT a.${BEING_VERIFIED} OR c.ends_at <= ?) AND a.id > ?`;
const OVERDUE = `WHERE id IN (${BY_DEADLINE} UNION ${BY_CAMPAIGN} ORDER BY 1 LIMIT ?) ORDER BY id`;

/** The first `limit` attempts that are overdue at `now`, behind `afterId`. */
export function readOverdue(sql: Sql, now: number, limit: number, afterId: number): readonly Attempt[] {
  const patient = now - PENDING_GRACE_MS;
  const byDeadline = [now, patient, afterId];
  const byCampaign = [patient - VERIFICATION_WINDOW_MS, now, patient, afterId];
  return ATTEMPTS.select(sql, OVERDUE, ...byDeadline, ...byCampaign, limit);
}
