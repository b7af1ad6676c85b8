import type { WebhookStore } from '../../core/ports/webhook-store.ts';
import type { Database } from './items.ts';
import { notePurge, removeHanging } from './purges.ts';
import { BULK_DOCUMENTS, equals, instant, integer, text, texts } from './values.ts';

export function createWebhookStore(db: Database): WebhookStore {
  const { webhooks } = db;
  return {
    create: async (webhook) =>
      webhooks.append({
        ...webhook,
        brandId: integer(webhook.brandId),
        activations: 0,
        previousSecret: null,
        lastFailure: null,
      }),

    find: async (id, brandId) => webhooks.find(equals({ _id: id }, { brandId })),

    async list({ brandId, subscribedTo, newest }) {
      const wanting = subscribedTo && { active: true, events: text(subscribedTo) as typeof subscribedTo };
      const which = newest
        ? ({ sort: { _id: -1 }, limit: 1 } as const)
        : ({ sort: { _id: 1 }, batchSize: BULK_DOCUMENTS } as const);
      return webhooks.list({ ...equals({}, { brandId }), ...wanting }, which);
    },

    async update({ id, ...seen }, { url, events, active, description, secret }, unlessAsking = []) {
      const target = {
        ...equals({ _id: id }, { brandId: seen.brandId, url: seen.url, activations: seen.activations }),
        ...(unlessAsking.length > 0 && { events: { $nin: [...unlessAsking] } }),
      };
      // A pipeline, so that the secret of a rotation at the same time is the one that is kept.
      const set = {
        ...(url !== undefined && { url: { $literal: text(url) } }),
        ...(events !== undefined && { events: { $literal: texts(events) } }),
        ...(active !== undefined && { active }),
        ...(active === true && { activations: { $add: ['$activations', 1] } }),
        ...(description !== undefined && { description: { $literal: description } }),
        ...(secret !== undefined && {
          sealedSecret: { $literal: text(secret.sealed) },
          previousSecret: { sealed: '$sealedSecret', validUntil: instant(secret.previousUntil) },
        }),
      };
      return Object.keys(set).length === 0 ? webhooks.find(target) : webhooks.change(target, [{ $set: set }]);
    },

    async delete(brandId, id) {
      const target = equals({ _id: id, brandId });
      if (!(await webhooks.exists(target))) return false;
      await notePurge(db, 'webhook', id);
      if (!(await webhooks.delete(target))) return false;
      await removeHanging(db, 'webhook', [id]);
      return true;
    },

    async markTriggered(id, at, failure = null) {
      // Documents compare by their first field, the time.
      const lastFailure = failure && { at: failure.at, status: failure.status, error: failure.error };
      const update = { $max: { lastTriggeredAt: instant(at), ...(lastFailure && { lastFailure }) } };
      await webhooks.update({ _id: integer(id) }, update);
    },
  };
}
