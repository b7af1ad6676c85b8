import type { Delivery } from '../../core/engagement/webhooks/webhook.ts';
import type { DeliveryStore, StoredDelivery } from '../../core/ports/webhook-store.ts';
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
import { dueDeliveries } from './due-deliveries.ts';
import { type OrderedList, readPage } from './pages.ts';
import { BULK_ROWS, millis, pageOf, type Value } from './values.ts';

const COLUMNS = `${DELIVERY_COLUMNS}, webhook_id AS webhookId`;

const NEWEST_FIRST: Omit<OrderedList, 'where'> = {
  select: `SELECT ${COLUMNS} FROM deliveries`,
  from: 'deliveries',
  order: ['id'],
  direction: 'DESC',
};

// A webhook that was deleted meanwhile gets nothing.
const INSERT = `INSERT INTO deliveries (${INSERTED_COLUMNS}, webhook_id)
  SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, id FROM webhooks WHERE id = ? ON CONFLICT (message_id, webhook_id) DO NOTHING`;
const RECORD_TRY = `UPDATE deliveries SET ${TRIED} WHERE id = ? AND status = 'pending'`;

interface WebhookRow extends DeliveryRow {
  readonly webhookId: number;
}

function select(sql: Sql, rest: string, ...values: readonly Value[]): Delivery[] {
  return sql.all<WebhookRow>(`SELECT ${COLUMNS} FROM deliveries ${rest}`, ...values).map(toDelivery);
}

/** Stores those that are new, without those of webhooks that are gone. */
export function createDeliveries(sql: Sql, given: readonly Omit<Delivery, 'id'>[]): readonly StoredDelivery[] {
  const last = sql.get<{ readonly id: number }>('SELECT coalesce(max(id), 0) AS id FROM deliveries')?.id ?? 0;
  return given.flatMap((delivery) => {
    const { webhookId, messageId } = delivery;
    sql.run(INSERT, ...insertedValues(delivery), webhookId);
    const stored = 'WHERE message_id = ? AND webhook_id = (SELECT id FROM webhooks WHERE id = ?)';
    return select(sql, stored, messageId, webhookId).map((one) => ({ ...one, isNew: one.id > last }));
  });
}

const CANCEL_SOME = `UPDATE deliveries SET ${CANCELLED} WHERE id IN (
    SELECT id FROM deliveries WHERE webhook_id = ? AND status = 'pending' LIMIT ${BULK_ROWS})`;

export function createDeliveryStore(connection: Connection): DeliveryStore {
  return {
    ...dueDeliveries(connection),

    createMany: (deliveries) => connection.writeMany(deliveries, createDeliveries),

    find: (id) => connection.read((sql) => select(sql, 'WHERE id = ?', id)[0] ?? null),

    recordTry: (id, one, outcome) =>
      connection.write((sql) => sql.run(RECORD_TRY, ...triedValues(one, outcome), id).changes > 0),

    async cancelPending(webhookId, now) {
      const at = millis(now);
      for (let cancelled = 0; ; ) {
        const some = await connection.write((sql) => sql.run(CANCEL_SOME, at, webhookId).changes);
        cancelled += some;
        if (some < BULK_ROWS) return cancelled;
      }
    },

    pendingOf: (webhookId, afterId, limit) =>
      connection.read((sql) =>
        sql.all<Pick<Delivery, 'id' | 'webhookId'>>(
          `SELECT id, webhook_id AS webhookId FROM deliveries WHERE webhook_id = ? AND status = 'pending' AND id > ? ORDER BY id LIMIT ?`,
          webhookId,
          afterId,
          limit,
        ),
      ),

    listByWebhook(webhookId, page, filter = {}) {
      const { where, values } = filteredDeliveries(filter);
      const list = { ...NEWEST_FIRST, where: `webhook_id = ?${where}` };
      return connection.read((sql) =>
        pageOf(readPage<WebhookRow>(sql, list, [webhookId, ...values], page), (row): Delivery => toDelivery(row)),
      );
    },
  };
}
