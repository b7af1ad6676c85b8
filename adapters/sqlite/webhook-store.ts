import type { WebhookStore } from '../../core/ports/webhook-store.ts';
import type { Connection } from './database.ts';
import { equals } from './pages.ts';
import { finishPurges, notePurge } from './purges.ts';
import { WEBHOOKS } from './tables.ts';
import { millis } from './values.ts';

const OF_BRAND = 'WHERE id = ? AND brand_id = ?';
const WANTING = 'AND active = 1 AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?)';

export function createWebhookStore(connection: Connection): WebhookStore {
  return {
    create: (webhook) => connection.write((sql) => WEBHOOKS.insert(sql, webhook)),

    find: (id, brandId) =>
      connection.read((sql) =>
        brandId === undefined ? WEBHOOKS.find(sql, 'WHERE id = ?', id) : WEBHOOKS.find(sql, OF_BRAND, id, brandId),
      ),

    list: ({ brandId, subscribedTo, newest }) =>
      connection.read((sql) => {
        const { where, values } = equals({ brand_id: brandId });
        const wanting = subscribedTo === undefined ? '' : WANTING;
        const order = newest ? 'ORDER BY id DESC LIMIT 1' : 'ORDER BY id';
        const events = subscribedTo === undefined ? [] : [subscribedTo];
        return WEBHOOKS.select(sql, `WHERE ${where} ${wanting} ${order}`, ...values, ...events);
      }),

    update: (brandId, id, { url, events, active, description, secret }, unlessAsking = []) =>
      connection.write((sql) => {
        const stored = WEBHOOKS.find(sql, OF_BRAND, id, brandId);
        if (stored === null || stored.events.some((event) => unlessAsking.includes(event))) return null;
        const activations = stored.activations + (active === true ? 1 : 0);
        const rotated = secret && {
          sealedSecret: secret.sealed,
          previousSecret: { sealed: stored.sealedSecret, validUntil: secret.previousUntil },
        };
        WEBHOOKS.update(sql, { url, events, active, description, activations, ...rotated }, OF_BRAND, id, brandId);
        return WEBHOOKS.find(sql, OF_BRAND, id, brandId);
      }),

    pause: ({ id, url, activations }) =>
      connection.write((sql) => {
        const text = 'UPDATE webhooks SET active = 0 WHERE id = ? AND url = ? AND activations = ?';
        return sql.run(text, id, url, activations).changes > 0;
      }),

    async delete(brandId, id) {
      const deleted = await connection.write((sql) => {
        const { changes } = sql.run(`DELETE FROM webhooks ${OF_BRAND}`, id, brandId);
        if (changes > 0) notePurge(sql, 'webhook', id);
        return changes > 0;
      });
      if (deleted) await finishPurges(connection);
      return deleted;
    },

    markTriggered: (id, at) =>
      connection.write((sql) => {
        const text = 'UPDATE webhooks SET last_triggered_at = max(coalesce(last_triggered_at, 0), ?) WHERE id = ?';
        sql.run(text, millis(at), id);
      }),
  };
}
