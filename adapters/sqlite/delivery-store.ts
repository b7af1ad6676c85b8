import type { Delivery, DeliveryTarget, DeliveryTry } from '../../core/engagement/webhooks/webhook.ts';
import type { DeliveryFilter, DeliveryStore } from '../../core/ports/webhook-store.ts';
import type { Connection, Sql } from './database.ts';
import { dueDeliveries } from './due-deliveries.ts';
import { type Condition, equals, type OrderedList, readPage } from './pages.ts';
import { DELIVERIES, SUBSCRIPTIONS, WEBHOOKS } from './tables.ts';
import { BULK_ROWS, millis } from './values.ts';

const NEWEST_FIRST: OrderedList<Delivery> = { table: DELIVERIES, order: ['id'], direction: 'DESC' };

/** Tries kept of each delivery: the last ones. */
const MAX_TRIES = 20;

function keptTries(tries: readonly DeliveryTry[]): readonly DeliveryTry[] {
  return tries.slice(-MAX_TRIES);
}

function isThere(sql: Sql, target: DeliveryTarget): boolean {
  const found =
    typeof target === 'number'
      ? WEBHOOKS.count(sql, 'id = ?', target)
      : SUBSCRIPTIONS.count(sql, 'subscriber = ?', target);
  return found > 0;
}

/** Stores those that are new, without those of targets that are gone. */
function createDeliveries(sql: Sql, given: readonly Omit<Delivery, 'id'>[]): readonly Delivery[] {
  return given.flatMap((delivery): readonly Delivery[] => {
    const { target, messageId } = delivery;
    if (!isThere(sql, target)) return [];
    const row = { ...delivery, tries: keptTries(delivery.tries) };
    const stored =
      DELIVERIES.insertNew(sql, row, 'message_id, target') ??
      DELIVERIES.find(sql, 'WHERE message_id = ? AND target = ?', messageId, target);
    return stored === null ? [] : [stored];
  });
}

function filtered(target: DeliveryTarget, { status, event, brandId, exceptEvents = [] }: DeliveryFilter): Condition {
  const { where, values } = equals({ target, status, event, brand_id: brandId });
  return {
    where: [where, ...exceptEvents.map(() => 'event <> ?')].join(' AND '),
    values: [...values, ...exceptEvents],
  };
}

const RECORD_TRY = `UPDATE deliveries SET status = ?, next_try_at = ?, finished_at = ?,
    tries = json_insert(iif(json_array_length(tries) < ${MAX_TRIES}, tries, json_remove(tries, '$[0]')), '$[#]', json(?))
  WHERE id = ? AND status = 'pending'`;
const CANCEL_SOME = `UPDATE deliveries SET status = 'cancelled', next_try_at = NULL, finished_at = ? WHERE id IN (
    SELECT id FROM deliveries WHERE target = ? AND status = 'pending' LIMIT ${BULK_ROWS})`;

export function createDeliveryStore(connection: Connection): DeliveryStore {
  return {
    ...dueDeliveries(connection),

    createMany: (deliveries) => connection.writeMany(deliveries, createDeliveries),

    find: (id) => connection.read((sql) => DELIVERIES.find(sql, 'WHERE id = ?', id)),

    recordTry: (id, one, { status, nextTryAt, finishedAt }) =>
      connection.write((sql) => {
        const times = [nextTryAt, finishedAt].map((at) => at && millis(at));
        return sql.run(RECORD_TRY, status, ...times, JSON.stringify(one), id).changes > 0;
      }),

    async cancelPending(target, now) {
      const at = millis(now);
      for (let cancelled = 0; ; ) {
        const some = await connection.write((sql) => sql.run(CANCEL_SOME, at, target).changes);
        cancelled += some;
        if (some < BULK_ROWS) return cancelled;
      }
    },

    search: (which, limit) =>
      connection.read((sql) => {
        const tail = 'ORDER BY id DESC LIMIT ?';
        if ('attemptIds' in which) {
          const ids = JSON.stringify(which.attemptIds);
          return DELIVERIES.select(
            sql,
            `WHERE attempt_id IN (SELECT value FROM json_each(?) WHERE type = 'integer') ${tail}`,
            ids,
            limit,
          );
        }
        const to = `${which.messageId}\u{10FFFF}`;
        return DELIVERIES.select(sql, `WHERE message_id >= ? AND message_id < ? ${tail}`, which.messageId, to, limit);
      }),

    list: (target, page, filter = {}) =>
      connection.read((sql) => readPage(sql, NEWEST_FIRST, filtered(target, filter), page)),
  };
}
