import type { Delivery, DeliveryTry } from '../../core/engagement/webhooks/webhook.ts';
import type { DeliveryStore } from '../../core/ports/webhook-store.ts';
import type { Connection, Sql } from './database.ts';
import { chunks, fromJson, millis, millisOrNull, pageOf, toDate, toDateOrNull, type Value, window } from './values.ts';

const COLUMNS = `id, message_id AS messageId, webhook_id AS webhookId, brand_id AS brandId, attempt_id AS attemptId, event,
  body, status, tries, next_try_at AS nextTryAt, created_at AS createdAt, finished_at AS finishedAt`;

/** Tries kept of each delivery. */
const MAX_TRIES = 20;

const RECORD_TRY = `UPDATE deliveries SET
    tries = json_insert(
      CASE WHEN json_array_length(tries) < ${MAX_TRIES} THEN tries ELSE json_remove(tries, '$[0]') END, '$[#]', json(?)),
    status = ?, next_try_at = ?, finished_at = ? WHERE id = ? AND status = 'pending'`;

interface DeliveryRow extends Omit<Delivery, 'tries' | 'nextTryAt' | 'createdAt' | 'finishedAt'> {
  readonly tries: string;
  readonly nextTryAt: number | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

interface TryAsJson extends Omit<DeliveryTry, 'at'> {
  readonly at: string;
}

function toDelivery(row: DeliveryRow): Delivery {
  return {
    ...row,
    tries: fromJson<TryAsJson[]>(row.tries).map((one) => ({ ...one, at: new Date(one.at) })),
    nextTryAt: toDateOrNull(row.nextTryAt),
    createdAt: toDate(row.createdAt),
    finishedAt: toDateOrNull(row.finishedAt),
  };
}

function select(sql: Sql, rest: string, ...values: readonly Value[]): Delivery[] {
  return sql.all<DeliveryRow>(`SELECT ${COLUMNS} FROM deliveries ${rest}`, ...values).map(toDelivery);
}

function createOne(sql: Sql, delivery: Omit<Delivery, 'id'>): Delivery {
  const tries = delivery.tries.slice(-MAX_TRIES);
  const { changes, id } = sql.run(
    `INSERT INTO deliveries (message_id, webhook_id, brand_id, attempt_id, event, body, status, tries, next_try_at,
      created_at, finished_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (message_id, webhook_id) DO NOTHING`,
    delivery.messageId,
    delivery.webhookId,
    delivery.brandId,
    delivery.attemptId,
    delivery.event,
    delivery.body,
    delivery.status,
    JSON.stringify(tries),
    millisOrNull(delivery.nextTryAt),
    millis(delivery.createdAt),
    millisOrNull(delivery.finishedAt),
  );
  if (changes > 0) return { ...delivery, id, tries };
  const [stored] = select(sql, 'WHERE message_id = ? AND webhook_id = ?', delivery.messageId, delivery.webhookId);
  if (stored === undefined) throw new Error('A delivery that is already there is missing.');
  return stored;
}

export function createDeliveryStore(connection: Connection): DeliveryStore {
  return {
    async createMany(deliveries) {
      const stored: Delivery[] = [];
      for (const chunk of chunks(deliveries)) {
        stored.push(...(await connection.write((sql) => chunk.map((delivery) => createOne(sql, delivery)))));
      }
      return stored;
    },

    find: (id) =>
      connection.lookUp((sql) => {
        const row = sql.get<DeliveryRow>(`SELECT ${COLUMNS} FROM deliveries WHERE id = ?`, id);
        return row === undefined ? null : toDelivery(row);
      }),

    recordTry: (id, attempt, outcome) =>
      connection.write((sql) => {
        const { changes } = sql.run(
          RECORD_TRY,
          JSON.stringify(attempt),
          outcome.status,
          millisOrNull(outcome.nextTryAt),
          millisOrNull(outcome.finishedAt),
          id,
        );
        return changes > 0;
      }),

    cancelPending: (webhookId, now) =>
      connection.write(
        (sql) =>
          sql.run(
            `UPDATE deliveries SET status = 'cancelled', next_try_at = NULL, finished_at = ?
              WHERE webhook_id = ? AND status = 'pending'`,
            millis(now),
            webhookId,
          ).changes,
      ),

    pendingOf: (webhookId, afterId, limit) =>
      connection.read((sql) =>
        sql.all<{ id: number }>(
          `SELECT id FROM deliveries WHERE webhook_id = ? AND status = 'pending' AND id > ? ORDER BY id LIMIT ?`,
          webhookId,
          afterId,
          limit,
        ),
      ),

    overdue: (before, limit) =>
      connection.read((sql) =>
        sql.all<{ id: number }>(
          `SELECT id FROM deliveries WHERE status = 'pending' AND next_try_at < ?
              AND webhook_id NOT IN (SELECT id FROM webhooks WHERE active = 0)
            ORDER BY next_try_at, id LIMIT ?`,
          millis(before),
          limit,
        ),
      ),

    async listByWebhook(webhookId, page) {
      const { limit, offset } = window(page);
      return connection.read((sql) => {
        const count = 'SELECT count(*) AS n FROM deliveries WHERE webhook_id = ?';
        const total = sql.get<{ n: number }>(count, webhookId)?.n ?? 0;
        const items = select(sql, 'WHERE webhook_id = ? ORDER BY id DESC LIMIT ? OFFSET ?', webhookId, limit, offset);
        return pageOf(items, total, (delivery) => delivery);
      });
    },
  };
}
