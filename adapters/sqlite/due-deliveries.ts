/** Deliveries that may be sent now, and their leases. `next_try_at` is the end of the lease while a delivery is claimed. */
import type { DeliveryTarget } from '../../core/engagement/webhooks/webhook.ts';
import type { ClaimLimits, DeliveryStore, LeasedDelivery } from '../../core/ports/webhook-store.ts';
import type { Connection, Sql } from './database.ts';
import { DELIVERIES } from './tables.ts';
import { integer, millis } from './values.ts';

interface Due {
  readonly id: number;
  readonly at: number;
}

/** From one webhook to the next in the index of pending deliveries, past all that waits for each. Numbers come before names there. */
const WEBHOOKS = `WITH RECURSIVE waiting (target) AS (
    SELECT min(target) FROM deliveries WHERE status = 'pending' AND target < ''
    UNION ALL
    SELECT (SELECT min(target) FROM deliveries WHERE status = 'pending' AND target > waiting.target AND target < '')
    FROM waiting WHERE waiting.target IS NOT NULL)
  SELECT webhooks.id FROM waiting JOIN webhooks ON webhooks.id = waiting.target WHERE active = 1`;
const IS_DUE = "FROM deliveries WHERE target = ? AND status = 'pending' AND next_try_at <= ?";
const OLDEST = 'ORDER BY next_try_at, id LIMIT ?';
const DUE = `SELECT id, next_try_at AS at ${IS_DUE} ${OLDEST}`;
const DUE_OF_EVENTS = `SELECT id, next_try_at AS at ${IS_DUE} AND event IN (SELECT value FROM json_each(?)) ${OLDEST}`;
const CLAIM = `UPDATE deliveries SET lease = lease + 1, next_try_at = ? WHERE id IN (SELECT value FROM json_each(?))
  RETURNING id, lease`;
const EXTEND = "UPDATE deliveries SET next_try_at = ? WHERE id = ? AND lease = ? AND status = 'pending'";
const BRING_FORWARD = `UPDATE deliveries SET next_try_at = max(now, next_try_at - by)
  FROM (SELECT ? AS now, ? AS by) WHERE status = 'pending' AND next_try_at > now`;

function dueOf(sql: Sql, { total, each, of, handled }: ClaimLimits, now: number): readonly number[] {
  const room = (target: DeliveryTarget) => Math.min(integer(total), of.get(target) ?? integer(each));
  const ofWebhooks = sql
    .all<{ readonly id: number }>(WEBHOOKS)
    .flatMap(({ id }) => sql.all<Due>(DUE, id, now, room(id)));
  const ofSubscribers = [...(handled ?? [])].flatMap(([subscriber, events]) =>
    sql.all<Due>(DUE_OF_EVENTS, subscriber, now, JSON.stringify(events), room(subscriber)),
  );
  return [...ofWebhooks, ...ofSubscribers]
    .sort((one, other) => one.at - other.at || one.id - other.id)
    .slice(0, total)
    .map(({ id }) => id);
}

export function dueDeliveries(connection: Connection): Pick<DeliveryStore, 'claim' | 'extend' | 'afterSetBack'> {
  return {
    claim: (limits, now, leaseUntil) =>
      connection.write((sql): LeasedDelivery[] => {
        const ids = dueOf(sql, limits, millis(now));
        const list = JSON.stringify(ids);
        const claimed = sql.all<Pick<LeasedDelivery, 'id' | 'lease'>>(CLAIM, millis(leaseUntil), list);
        const leases = new Map(claimed.map(({ id, lease }) => [id, lease]));
        const rows = DELIVERIES.select(sql, 'WHERE id IN (SELECT value FROM json_each(?))', list);
        const byId = new Map(rows.map((row) => [row.id, { ...row, lease: leases.get(row.id) ?? 0 }]));
        return ids.flatMap((id) => byId.get(id) ?? []);
      }),

    extend: (leased, leaseUntil) =>
      connection.write((sql) =>
        leased.flatMap(({ id, lease }) => (sql.run(EXTEND, millis(leaseUntil), id, lease).changes > 0 ? [id] : [])),
      ),

    afterSetBack: (now, byMs) => connection.write((sql) => void sql.run(BRING_FORWARD, millis(now), integer(byMs))),
  };
}
