/** Deliveries that may be sent now, and their leases. `next_try_at` is the end of the lease while a delivery is claimed. */
import { pieces } from '../../core/bulk.ts';
import type { DeliveryTarget } from '../../core/engagement/webhooks/webhook.ts';
import type { ClaimLimits, DeliveryStore, LeasedDelivery } from '../../core/ports/webhook-store.ts';
import { SUBSCRIBER, targetValue } from './columns.ts';
import type { Row } from './table.ts';
import { DELIVERIES } from './tables.ts';
import { type Due, each, extendLeases, integer, longestWaiting, millis } from './values.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

/** From one webhook to the next in the index of pending deliveries, past all that waits for each. Ids come before names there. */
const WEBHOOKS = `WITH RECURSIVE waiting (target) AS (
    SELECT min(target) FROM deliveries WHERE status = 'pending' AND target < '${SUBSCRIBER}'
    UNION ALL
    SELECT (SELECT min(target) FROM deliveries
      WHERE status = 'pending' AND target > waiting.target AND target < '${SUBSCRIBER}')
    FROM waiting WHERE waiting.target IS NOT NULL)
  SELECT webhooks.id FROM waiting JOIN webhooks ON webhooks.id = CAST(waiting.target AS BIGINT) WHERE active = 1`;
const IS_DUE = "FROM deliveries WHERE target = ? AND status = 'pending' AND next_try_at <= ?";
const OLDEST = 'ORDER BY next_try_at, id LIMIT ? FOR UPDATE SKIP LOCKED';
const DUE = `SELECT id, next_try_at AS at ${IS_DUE} ${OLDEST}`;
const DUE_OF_EVENTS = `SELECT id, next_try_at AS at ${IS_DUE} AND event IN (?) ${OLDEST}`;
const CLAIM = `UPDATE deliveries SET lease = lease + 1, next_try_at = ? WHERE id IN (?)
  RETURNING *`;
const LEASE = { live: 'pending', ends: 'next_try_at' };
const BRING_FORWARD = `UPDATE deliveries SET next_try_at = greatest(now, next_try_at - by_ms)
  FROM (SELECT CAST(? AS BIGINT) AS now, CAST(? AS BIGINT) AS by_ms) AS clock WHERE status = 'pending' AND next_try_at > now`;

/** Webhooks that one statement looks through. */
const TARGETS_A_STATEMENT = 50;

function* dueOf(sql: Sql, { total, each: most, of, handled }: ClaimLimits, now: number): Work<readonly number[]> {
  const room = (target: DeliveryTarget) => Math.min(integer(total), of.get(target) ?? integer(most));
  const due: Due[] = [];
  for (const some of pieces(yield* sql.all<{ readonly id: number }>(WEBHOOKS), TARGETS_A_STATEMENT)) {
    const values = some.flatMap(({ id }) => [targetValue(id), now, room(id)]);
    due.push(...(yield* sql.all<Due>(each(DUE, some.length), ...values)));
  }
  for (const [subscriber, events] of handled ?? []) {
    const values = [targetValue(subscriber), now, new Among(events), room(subscriber)];
    due.push(...(yield* sql.all<Due>(DUE_OF_EVENTS, ...values)));
  }
  return longestWaiting(due, total);
}

export function dueDeliveries(connection: SqlConnection): Pick<DeliveryStore, 'claim' | 'extend' | 'afterSetBack'> {
  return {
    claim: (limits, now, leaseUntil) =>
      connection.write(function* (sql): Work<LeasedDelivery[]> {
        const ids = yield* dueOf(sql, limits, millis(now));
        if (ids.length === 0) return [];
        const claimed = yield* sql.all<Row>(CLAIM, millis(leaseUntil), new Among(ids));
        const own = claimed.map((row) => DELIVERIES.toWhole(row));
        return own.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
      }),

    extend: (leased, leaseUntil) =>
      connection.write((sql) => extendLeases(sql, 'deliveries', LEASE, leased, leaseUntil)),

    afterSetBack: (now, byMs, target) =>
      connection.write(function* (sql) {
        const values = [millis(now), integer(byMs)];
        if (target === undefined) yield* sql.run(BRING_FORWARD, ...values);
        else yield* sql.run(`${BRING_FORWARD} AND target = ?`, ...values, targetValue(target));
      }),
  };
}
