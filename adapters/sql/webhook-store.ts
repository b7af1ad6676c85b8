import type { WebhookStore } from '../../core/ports/webhook-store.ts';
import { all, equals, when } from './pages.ts';
import { finishPurges, notePurge } from './purges.ts';
import { BRANDS, WEBHOOKS } from './tables.ts';
import { millis } from './values.ts';
import type { SqlConnection } from './work.ts';

export function createWebhookStore(connection: SqlConnection): WebhookStore {
  const byId = WEBHOOKS.finder(connection, 'id');
  return {
    create: (webhook) =>
      connection.write(function* (sql) {
        // Its deletion waits, and then counts this webhook too.
        yield* BRANDS.holds(sql, 'id = ?', webhook.brandId);
        return yield* WEBHOOKS.insert(sql, webhook);
      }),

    async find(id, brandId) {
      const [webhook] = await byId(id);
      return webhook === undefined || (brandId ?? webhook.brandId) !== webhook.brandId ? null : webhook;
    },

    list: ({ brandId, subscribedTo, newest }) =>
      connection.read((sql) => {
        // `events` is JSON.
        const wanting = subscribedTo && when('active = 1 AND instr(events, ?) > 0', JSON.stringify(subscribedTo));
        const { where, values } = all(equals({ brand_id: brandId }), wanting);
        return WEBHOOKS.select(sql, `WHERE ${where} ORDER BY ${newest ? 'id DESC LIMIT 1' : 'id'}`, ...values);
      }),

    update: (seen, { url, events, active, description, secret }, unlessAsking = []) =>
      connection.write(function* (sql) {
        const { id, brandId } = seen;
        const { where, values } = equals({ id, brand_id: brandId, url: seen.url, activations: seen.activations });
        const stored = yield* WEBHOOKS.find(sql, `WHERE ${where} FOR UPDATE`, ...values);
        if (stored === null || stored.events.some((event) => unlessAsking.includes(event))) return null;
        const activations = stored.activations + (active === true ? 1 : 0);
        const rotated = secret && {
          sealedSecret: secret.sealed,
          previousSecret: { sealed: stored.sealedSecret, validUntil: secret.previousUntil },
        };
        yield* WEBHOOKS.update(sql, { url, events, active, description, activations, ...rotated }, 'WHERE id = ?', id);
        return yield* WEBHOOKS.find(sql, 'WHERE id = ?', id);
      }),

    async delete(brandId, id) {
      const deleted = await connection.write(function* (sql) {
        const changes = yield* sql.run('DELETE FROM webhooks WHERE id = ? AND brand_id = ?', id, brandId);
        if (changes > 0) yield* notePurge(sql, 'webhook', id);
        return changes > 0;
      });
      if (deleted) await finishPurges(connection);
      return deleted;
    },

    markTriggered: (id, at, failure = null) =>
      connection.statement(function* (sql) {
        // The text begins with its time, so that the greater one is the later one.
        const text = `UPDATE webhooks SET last_triggered_at = greatest(coalesce(last_triggered_at, 0), ?),
          last_failure = nullif(greatest(coalesce(last_failure, ''), ?), '') WHERE id = ?`;
        const { status, error } = failure ?? {};
        yield* sql.run(text, millis(at), failure === null ? '' : JSON.stringify({ at: failure.at, status, error }), id);
      }),
  };
}
