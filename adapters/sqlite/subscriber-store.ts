/**
 * Subscribers of the host's own process. `next_try_at` of a pending delivery is when it may be claimed: the end of its lease
 * while it is claimed. `lease` is the fence: it grows with every claim and with its end.
 */
import { type SubscriberDelivery, subscribedEvents } from '../../core/engagement/webhooks/subscriber.ts';
import type { ClaimedDelivery, SubscriberStore } from '../../core/ports/subscriber-store.ts';
import type { Connection, Sql } from './database.ts';
import { filteredDeliveries, keptTries } from './deliveries.ts';
import { type OrderedList, readPage } from './pages.ts';
import { SUBSCRIBER_DELIVERIES, SUBSCRIPTIONS } from './tables.ts';
import { BULK_ROWS, millis } from './values.ts';

const NEWEST_FIRST: OrderedList<SubscriberDelivery> = {
  table: SUBSCRIBER_DELIVERIES,
  order: ['id'],
  direction: 'DESC',
};

const DUE = `SELECT id, next_try_at AS at FROM subscriber_deliveries
  WHERE subscriber = ? AND event = ? AND status = 'pending' AND next_try_at <= ? ORDER BY next_try_at, id LIMIT ?`;
const CLAIM = `UPDATE subscriber_deliveries SET lease = lease + 1, next_try_at = ?
  WHERE id IN (SELECT value FROM json_each(?)) RETURNING id, lease`;
const FENCED = "WHERE id = ? AND lease = ? AND status = 'pending'";
const IS_NEGLECTED = `SELECT 1 FROM subscriber_deliveries
  WHERE subscriber = ? AND event = ? AND status = 'pending' AND next_try_at < ? LIMIT 1`;
const CANCEL_SOME = `UPDATE subscriber_deliveries SET status = 'cancelled', next_try_at = NULL, finished_at = ? WHERE id IN (
    SELECT id FROM subscriber_deliveries WHERE subscriber = ? AND status = 'pending' LIMIT ${BULK_ROWS})`;

interface Due {
  readonly id: number;
  readonly at: number;
}

/** Reads the oldest of each event alone: what waits of other events may be long. */
function dueOf(sql: Sql, subscriber: string, events: readonly string[], limit: number, now: number): readonly number[] {
  return [...new Set(events)]
    .flatMap((event) => sql.all<Due>(DUE, subscriber, event, now, limit))
    .sort((one, other) => one.at - other.at || one.id - other.id)
    .slice(0, limit)
    .map(({ id }) => id);
}

/** A subscriber that was forgotten meanwhile gets nothing. */
function insert(sql: Sql, delivery: Omit<SubscriberDelivery, 'id'>): void {
  if (SUBSCRIPTIONS.count(sql, 'subscriber = ?', delivery.subscriber) === 0) return;
  const row = { ...delivery, tries: keptTries(delivery.tries), lease: 0 };
  SUBSCRIBER_DELIVERIES.insertNew(sql, row, 'message_id, subscriber');
}

export function createSubscriberStore(connection: Connection): SubscriberStore {
  return {
    subscribe: (subscriptions) =>
      connection.write((sql) => {
        for (const each of subscriptions) SUBSCRIPTIONS.insertNew(sql, each, 'subscriber, event');
      }),

    list: () => connection.read((sql) => SUBSCRIPTIONS.select(sql, 'ORDER BY subscriber, event')),

    async unsubscribe(subscriber, now) {
      const at = millis(now);
      const cancelSome = (sql: Sql) => sql.run(CANCEL_SOME, at, subscriber).changes;
      while ((await connection.write(cancelSome)) === BULK_ROWS);
      return await connection.write((sql) => {
        const { changes } = sql.run('DELETE FROM subscriptions WHERE subscriber = ?', subscriber);
        // What has come meanwhile; nothing can follow it.
        while (cancelSome(sql) === BULK_ROWS);
        return changes > 0;
      });
    },

    async createDeliveries(deliveries) {
      await connection.writeMany(deliveries, (sql, some) => some.map((delivery) => insert(sql, delivery)));
    },

    claim: ({ subscriber, events }, limit, now, leaseUntil) =>
      connection.write((sql): ClaimedDelivery[] => {
        const ids = JSON.stringify(dueOf(sql, subscriber, events, limit, millis(now)));
        const claimed = sql.all<Pick<ClaimedDelivery, 'id' | 'lease'>>(CLAIM, millis(leaseUntil), ids);
        const leases = new Map(claimed.map(({ id, lease }) => [id, lease]));
        return SUBSCRIBER_DELIVERIES.select(sql, 'WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id', ids).map(
          (delivery) => ({ ...delivery, lease: leases.get(delivery.id) ?? 0 }),
        );
      }),

    extend: (claimed, leaseUntil) =>
      connection.write((sql) =>
        claimed
          .filter(
            ({ id, lease }) => SUBSCRIBER_DELIVERIES.update(sql, { nextTryAt: leaseUntil }, FENCED, id, lease) > 0,
          )
          .map(({ id }) => id),
      ),

    recordTry: ({ id, lease }, one, outcome) =>
      connection.write((sql) => {
        const stored = SUBSCRIBER_DELIVERIES.find(sql, FENCED, id, lease);
        if (stored === null) return false;
        const tries = keptTries([...stored.tries, one]);
        return SUBSCRIBER_DELIVERIES.update(sql, { ...outcome, tries, lease: lease + 1 }, 'WHERE id = ?', id) > 0;
      }),

    release: ({ id, lease }, at) =>
      connection.write((sql) => {
        return SUBSCRIBER_DELIVERIES.update(sql, { nextTryAt: at, lease: lease + 1 }, FENCED, id, lease) > 0;
      }),

    neglected: (before) =>
      connection.read((sql) =>
        subscribedEvents(SUBSCRIPTIONS.select(sql, 'ORDER BY subscriber, event')).filter(
          ({ subscriber, event }) => sql.get(IS_NEGLECTED, subscriber, event, millis(before)) !== undefined,
        ),
      ),

    listBySubscriber: (subscriber, page, filter = {}) =>
      connection.read((sql) => readPage(sql, NEWEST_FIRST, filteredDeliveries({ subscriber }, filter), page)),
  };
}
