/**
 * Subscribers of the host's own process. `next_try_at` of a pending delivery is when it may be claimed: the end of its lease
 * while it is claimed. `lease` is the fence: it grows with every claim and with its end.
 */

import {
  type SubscriberDelivery,
  type Subscription,
  subscribedEvents,
} from '../../core/engagement/webhooks/subscriber.ts';
import type { ClaimedDelivery, SubscriberStore } from '../../core/ports/subscriber-store.ts';
import type { Connection, Sql } from './database.ts';
import { filteredDeliveries } from './delivery-lists.ts';
import {
  CANCELLED,
  DELIVERY_COLUMNS,
  type DeliveryRow,
  INSERTED_COLUMNS,
  insertedValues,
  TRIED,
  toDelivery,
  triedValues,
} from './delivery-rows.ts';
import { type OrderedList, readPage } from './pages.ts';
import { BULK_ROWS, millis, pageOf } from './values.ts';

const COLUMNS = `${DELIVERY_COLUMNS}, subscriber`;

const NEWEST_FIRST: Omit<OrderedList, 'where'> = {
  select: `SELECT ${COLUMNS} FROM subscriber_deliveries`,
  from: 'subscriber_deliveries',
  order: ['id'],
  direction: 'DESC',
};

// A subscriber that was forgotten meanwhile gets nothing.
const INSERT = `INSERT INTO subscriber_deliveries (${INSERTED_COLUMNS}, subscriber, lease)
  SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0 WHERE EXISTS (SELECT 1 FROM subscriptions WHERE subscriber = ?)
  ON CONFLICT (message_id, subscriber) DO NOTHING`;
const DUE = `SELECT id, next_try_at AS at FROM subscriber_deliveries
  WHERE subscriber = ? AND event = ? AND status = 'pending' AND next_try_at <= ? ORDER BY next_try_at, id LIMIT ?`;
const CLAIM = `UPDATE subscriber_deliveries SET lease = lease + 1, next_try_at = ? WHERE id IN (SELECT value FROM json_each(?))
  RETURNING ${COLUMNS}, lease`;
const FENCED = "id = ? AND lease = ? AND status = 'pending'";
const RECORD_TRY = `UPDATE subscriber_deliveries SET ${TRIED}, lease = lease + 1 WHERE ${FENCED}`;
const SUBSCRIBED = 'SELECT subscriber, event FROM subscriptions ORDER BY subscriber, event';
const IS_NEGLECTED = `SELECT 1 FROM subscriber_deliveries
  WHERE subscriber = ? AND event = ? AND status = 'pending' AND next_try_at < ? LIMIT 1`;

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

interface SubscriberRow extends DeliveryRow {
  readonly subscriber: string;
}

function toSubscriberDelivery<R extends SubscriberRow>(row: R) {
  return { ...toDelivery(row), brandId: row.brandId as number | null };
}

function insert(sql: Sql, delivery: Omit<SubscriberDelivery, 'id'>): void {
  sql.run(INSERT, ...insertedValues(delivery), delivery.subscriber, delivery.subscriber);
}

const CANCEL_SOME = `UPDATE subscriber_deliveries SET ${CANCELLED} WHERE id IN (
    SELECT id FROM subscriber_deliveries WHERE subscriber = ? AND status = 'pending' LIMIT ${BULK_ROWS})`;

export function createSubscriberStore(connection: Connection): SubscriberStore {
  return {
    subscribe: (subscriptions) =>
      connection.write((sql) => {
        for (const { subscriber, event, brandId = null } of subscriptions) {
          sql.run(
            'INSERT INTO subscriptions (subscriber, event, brand_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
            subscriber,
            event,
            brandId,
          );
        }
      }),

    list: () =>
      connection.read((sql) =>
        sql
          .all<Omit<Subscription, 'brandId'> & { readonly brandId: number | null }>(
            'SELECT subscriber, event, brand_id AS brandId FROM subscriptions ORDER BY subscriber, event',
          )
          .map(({ brandId, ...rest }) => (brandId === null ? rest : { ...rest, brandId })),
      ),

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
      await connection.writeMany(deliveries, (sql, some) => {
        for (const delivery of some) insert(sql, delivery);
        return [];
      });
    },

    claim: ({ subscriber, events }, limit, now, leaseUntil) =>
      connection.write((sql): ClaimedDelivery[] => {
        const ids = dueOf(sql, subscriber, events, limit, millis(now));
        if (ids.length === 0) return [];
        return (
          sql
            .all<SubscriberRow & { readonly lease: number }>(CLAIM, millis(leaseUntil), JSON.stringify(ids))
            .map(toSubscriberDelivery)
            // What an UPDATE returns has no order.
            .sort((one, other) => one.id - other.id)
        );
      }),

    extend: (claimed, leaseUntil) =>
      connection.write((sql) =>
        claimed
          .filter(({ id, lease }) => {
            const text = `UPDATE subscriber_deliveries SET next_try_at = ? WHERE ${FENCED}`;
            return sql.run(text, millis(leaseUntil), id, lease).changes > 0;
          })
          .map(({ id }) => id),
      ),

    recordTry: ({ id, lease }, one, outcome) =>
      connection.write((sql) => sql.run(RECORD_TRY, ...triedValues(one, outcome), id, lease).changes > 0),

    release: ({ id, lease }, at) =>
      connection.write((sql) => {
        const text = `UPDATE subscriber_deliveries SET next_try_at = ?, lease = lease + 1 WHERE ${FENCED}`;
        return sql.run(text, millis(at), id, lease).changes > 0;
      }),

    neglected: (before) =>
      connection.read((sql) =>
        subscribedEvents(sql.all<Pick<Subscription, 'subscriber' | 'event'>>(SUBSCRIBED)).filter(
          ({ subscriber, event }) => sql.get(IS_NEGLECTED, subscriber, event, millis(before)) !== undefined,
        ),
      ),

    listBySubscriber(subscriber, page, filter = {}) {
      const { where, values } = filteredDeliveries(filter);
      const list = { ...NEWEST_FIRST, where: `subscriber = ?${where}` };
      return connection.read((sql) =>
        pageOf(readPage<SubscriberRow>(sql, list, [subscriber, ...values], page), toSubscriberDelivery),
      );
    },
  };
}
