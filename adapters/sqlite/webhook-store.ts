import type { WebhookStore } from '../../core/ports/webhook-store.ts';
import type { Connection } from './database.ts';
import type { Purges } from './purges.ts';
import { WEBHOOKS } from './tables.ts';
import { millis } from './values.ts';

const OF_BRAND = 'WHERE id = ? AND brand_id = ?';
const WANTING = 'WHERE active = 1 AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?)';

export function createWebhookStore(connection: Connection, purges: Purges): WebhookStore {
  return {
    create: (webhook) => connection.write((sql) => WEBHOOKS.insert(sql, webhook)),

    find: (brandId, id) => connection.read((sql) => WEBHOOKS.find(sql, OF_BRAND, id, brandId)),
    findById: (id) => connection.read((sql) => WEBHOOKS.find(sql, 'WHERE id = ?', id)),
    newest: () => connection.read((sql) => WEBHOOKS.find(sql, 'ORDER BY id DESC LIMIT 1')),
    listByBrand: (brandId) => connection.read((sql) => WEBHOOKS.select(sql, 'WHERE brand_id = ? ORDER BY id', brandId)),
    subscribed: (brandId, event) =>
      connection.read((sql) =>
        brandId === null
          ? WEBHOOKS.select(sql, `${WANTING} ORDER BY id`, event)
          : WEBHOOKS.select(sql, `${WANTING} AND brand_id = ? ORDER BY id`, event, brandId),
      ),

    update: (brandId, id, { url, events, active, description }, unlessAsking = []) =>
      connection.write((sql) => {
        const stored = WEBHOOKS.find(sql, OF_BRAND, id, brandId);
        if (stored === null || stored.events.some((event) => unlessAsking.includes(event))) return null;
        const activations = stored.activations + (active === true ? 1 : 0);
        WEBHOOKS.update(sql, { url, events, active, description, activations }, OF_BRAND, id, brandId);
        return WEBHOOKS.find(sql, OF_BRAND, id, brandId);
      }),

    rotateSecret: (brandId, id, sealedSecret, validUntil) =>
      connection.write((sql) => {
        const stored = WEBHOOKS.find(sql, OF_BRAND, id, brandId);
        if (stored === null) return null;
        const previousSecret = { sealed: stored.sealedSecret, validUntil };
        WEBHOOKS.update(sql, { sealedSecret, previousSecret }, OF_BRAND, id, brandId);
        return { ...stored, sealedSecret, previousSecret };
      }),

    pause: ({ id, url, activations }) =>
      connection.write((sql) => {
        const text = 'UPDATE webhooks SET active = 0 WHERE id = ? AND url = ? AND activations = ?';
        return sql.run(text, id, url, activations).changes > 0;
      }),

    async delete(brandId, id) {
      const deleted = await connection.write((sql) => {
        const { changes } = sql.run(`DELETE FROM webhooks ${OF_BRAND}`, id, brandId);
        if (changes > 0) purges.note(sql, 'webhook', id);
        return changes > 0;
      });
      if (deleted) await purges.run('webhook', id);
      return deleted;
    },

    markTriggered: (id, at) =>
      connection.write((sql) => {
        const text = 'UPDATE webhooks SET last_triggered_at = max(coalesce(last_triggered_at, 0), ?) WHERE id = ?';
        sql.run(text, millis(at), id);
      }),
  };
}
