import type { Delivery } from '../../core/engagement/webhooks/webhook.ts';
import type { DeliveryStore, StoredDelivery } from '../../core/ports/webhook-store.ts';
import type { Connection, Sql } from './database.ts';
import { filteredDeliveries, keptTries } from './deliveries.ts';
import { dueDeliveries } from './due-deliveries.ts';
import { type OrderedList, readPage } from './pages.ts';
import { DELIVERIES, WEBHOOKS } from './tables.ts';
import { BULK_ROWS, millis } from './values.ts';

const NEWEST_FIRST: OrderedList<Delivery> = { table: DELIVERIES, order: ['id'], direction: 'DESC' };

/** Stores those that are new, without those of webhooks that are gone. */
function createDeliveries(sql: Sql, given: readonly Omit<Delivery, 'id'>[]): readonly StoredDelivery[] {
  const last = sql.get<{ readonly id: number }>('SELECT coalesce(max(id), 0) AS id FROM deliveries')?.id ?? 0;
  return given.flatMap((delivery): readonly StoredDelivery[] => {
    const { webhookId, messageId } = delivery;
    if (WEBHOOKS.count(sql, 'id = ?', webhookId) === 0) return [];
    const row = { ...delivery, tries: keptTries(delivery.tries) };
    const stored =
      DELIVERIES.insertNew(sql, row, 'message_id, webhook_id') ??
      DELIVERIES.find(sql, 'WHERE message_id = ? AND webhook_id = ?', messageId, webhookId);
    return stored === null ? [] : [{ ...stored, isNew: stored.id > last }];
  });
}

const CANCEL_SOME = `UPDATE deliveries SET status = 'cancelled', next_try_at = NULL, finished_at = ? WHERE id IN (
    SELECT id FROM deliveries WHERE webhook_id = ? AND status = 'pending' LIMIT ${BULK_ROWS})`;

export function createDeliveryStore(connection: Connection): DeliveryStore {
  return {
    ...dueDeliveries(connection),

    createMany: (deliveries) => connection.writeMany(deliveries, createDeliveries),

    find: (id) => connection.read((sql) => DELIVERIES.find(sql, 'WHERE id = ?', id)),

    recordTry: (id, one, outcome) =>
      connection.write((sql) => {
        const stored = DELIVERIES.find(sql, "WHERE id = ? AND status = 'pending'", id);
        if (stored === null) return false;
        DELIVERIES.change(sql, stored, { ...outcome, tries: keptTries([...stored.tries, one]) });
        return true;
      }),

    async cancelPending(webhookId, now) {
      const at = millis(now);
      for (let cancelled = 0; ; ) {
        const some = await connection.write((sql) => sql.run(CANCEL_SOME, at, webhookId).changes);
        cancelled += some;
        if (some < BULK_ROWS) return cancelled;
      }
    },

    listByWebhook: (webhookId, page, filter = {}) =>
      connection.read((sql) =>
        readPage(sql, NEWEST_FIRST, filteredDeliveries({ webhook_id: webhookId }, filter), page),
      ),
  };
}
