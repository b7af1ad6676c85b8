/** Deliveries that may be sent now, and their leases. `next_try_at` is the end of the lease while a delivery is claimed. */
import type { ClaimLimits, DeliveryStore, LeasedDelivery } from '../../core/ports/webhook-store.ts';
import type { Connection, Sql } from './database.ts';
import { DELIVERIES } from './tables.ts';
import { integer, millis } from './values.ts';

interface Due {
  readonly id: number;
  readonly at: number;
}

/** From one webhook to the next in the index of pending deliveries, past all that waits for each. */
const TARGETS = `WITH RECURSIVE target (id) AS (
    SELECT min(webhook_id) FROM deliveries WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(webhook_id) FROM deliveries WHERE status = 'pending' AND webhook_id > target.id)
    FROM target WHERE target.id IS NOT NULL)
  SELECT webhooks.id FROM target JOIN webhooks USING (id) WHERE active = 1`;
const DUE = `SELECT id, next_try_at AS at FROM deliveries
  WHERE webhook_id = ? AND status = 'pending' AND next_try_at <= ? ORDER BY next_try_at, id LIMIT ?`;
const CLAIM = `UPDATE deliveries SET lease = lease + 1, next_try_at = ? WHERE id IN (SELECT value FROM json_each(?))
  RETURNING id, lease`;
const EXTEND = "UPDATE deliveries SET next_try_at = ? WHERE id = ? AND lease = ? AND status = 'pending'";
const BRING_FORWARD = `UPDATE deliveries SET next_try_at = max(now, next_try_at - by)
  FROM (SELECT ? AS now, ? AS by) WHERE status = 'pending' AND next_try_at > now`;

function dueOf(sql: Sql, { total, each, of }: ClaimLimits, now: number): readonly number[] {
  return sql
    .all<{ readonly id: number }>(TARGETS)
    .flatMap(({ id }) => sql.all<Due>(DUE, id, now, Math.min(integer(total), of.get(id) ?? integer(each))))
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
