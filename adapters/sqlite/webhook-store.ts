import type { Webhook } from '../../core/engagement/webhooks/webhook.ts';
import type { WebhookStore } from '../../core/ports/webhook-store.ts';
import type { Connection, Sql } from './database.ts';
import type { Purges } from './purges.ts';
import { flag, fromJson, millis, millisOrNull, toDate, toDateOrNull, type Value } from './values.ts';

const COLUMNS = `id, brand_id AS brandId, url, events, active, description, sealed_secret AS sealedSecret, activations,
  previous_sealed_secret AS previousSealedSecret, previous_secret_until AS previousSecretUntil,
  last_triggered_at AS lastTriggeredAt, created_at AS createdAt`;

interface WebhookRow extends Omit<Webhook, 'events' | 'active' | 'previousSecret' | 'lastTriggeredAt' | 'createdAt'> {
  readonly events: string;
  readonly active: number;
  readonly previousSealedSecret: string | null;
  readonly previousSecretUntil: number | null;
  readonly lastTriggeredAt: number | null;
  readonly createdAt: number;
}

function toWebhook({ previousSealedSecret: sealed, previousSecretUntil: until, ...row }: WebhookRow): Webhook {
  return {
    ...row,
    previousSecret: sealed === null || until === null ? null : { sealed, validUntil: toDate(until) },
    events: fromJson<Webhook['events']>(row.events),
    active: row.active === 1,
    lastTriggeredAt: toDateOrNull(row.lastTriggeredAt),
    createdAt: toDate(row.createdAt),
  };
}

function select(sql: Sql, rest: string, ...values: readonly Value[]): Webhook[] {
  return sql.all<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks ${rest}`, ...values).map(toWebhook);
}

const WANTS = 'active = 1 AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?)';

export function createWebhookStore(connection: Connection, purges: Purges): WebhookStore {
  return {
    create: (webhook) =>
      connection.write((sql) => {
        const row = sql.get<WebhookRow>(
          `INSERT INTO webhooks (brand_id, url, events, active, description, sealed_secret, last_triggered_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
          webhook.brandId,
          webhook.url,
          JSON.stringify(webhook.events),
          flag(webhook.active),
          webhook.description,
          webhook.sealedSecret,
          millisOrNull(webhook.lastTriggeredAt),
          millis(webhook.createdAt),
        );
        if (row === undefined) throw new Error('A webhook that was just inserted is missing.');
        return toWebhook(row);
      }),

    find: (brandId, id) =>
      connection.read((sql) => select(sql, 'WHERE id = ? AND brand_id = ?', id, brandId)[0] ?? null),
    findById: (id) => connection.read((sql) => select(sql, 'WHERE id = ?', id)[0] ?? null),
    newest: () => connection.read((sql) => select(sql, 'ORDER BY id DESC LIMIT 1')[0] ?? null),
    listByBrand: (brandId) => connection.read((sql) => select(sql, 'WHERE brand_id = ? ORDER BY id', brandId)),
    subscribed: (brandId, event) =>
      connection.read((sql) =>
        brandId === null
          ? select(sql, `WHERE ${WANTS} ORDER BY id`, event)
          : select(sql, `WHERE ${WANTS} AND brand_id = ? ORDER BY id`, event, brandId),
      ),

    update: (brandId, id, changes, unlessAsking = []) =>
      connection.write((sql) => {
        const stored = select(sql, 'WHERE id = ? AND brand_id = ?', id, brandId)[0];
        if (stored === undefined || stored.events.some((event) => unlessAsking.includes(event))) return null;
        const after: Webhook = {
          ...stored,
          url: changes.url ?? stored.url,
          events: changes.events ?? stored.events,
          active: changes.active ?? stored.active,
          description: changes.description === undefined ? stored.description : changes.description,
          activations: stored.activations + (changes.active === true ? 1 : 0),
        };
        sql.run(
          'UPDATE webhooks SET url = ?, events = ?, active = ?, description = ?, activations = ? WHERE id = ?',
          after.url,
          JSON.stringify(after.events),
          flag(after.active),
          after.description,
          after.activations,
          id,
        );
        return after;
      }),

    rotateSecret: (brandId, id, sealedSecret, validUntil) =>
      connection.write((sql) => {
        const row = sql.get<WebhookRow>(
          // SQLite reads the old values of a row on every right-hand side.
          `UPDATE webhooks SET previous_sealed_secret = sealed_secret, previous_secret_until = ?, sealed_secret = ?
            WHERE id = ? AND brand_id = ? RETURNING ${COLUMNS}`,
          millis(validUntil),
          sealedSecret,
          id,
          brandId,
        );
        return row === undefined ? null : toWebhook(row);
      }),

    pause: ({ id, url, activations }) =>
      connection.write((sql) => {
        const text = 'UPDATE webhooks SET active = 0 WHERE id = ? AND url = ? AND activations = ?';
        return sql.run(text, id, url, activations).changes > 0;
      }),

    async delete(brandId, id) {
      const deleted = await connection.write((sql) => {
        const { changes } = sql.run('DELETE FROM webhooks WHERE id = ? AND brand_id = ?', id, brandId);
        if (changes > 0) purges.note(sql, 'webhook', id);
        return changes > 0;
      });
      if (deleted) await purges.run('webhook', id);
      return deleted;
    },

    markTriggered: (id, at) =>
      connection.write((sql) => {
        sql.run(
          'UPDATE webhooks SET last_triggered_at = max(coalesce(last_triggered_at, ?), ?) WHERE id = ?',
          millis(at),
          millis(at),
          id,
        );
      }),
  };
}
