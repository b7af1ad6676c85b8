import type { Webhook } from '../../core/engagement/webhooks/webhook.ts';
import type { WebhookStore } from '../../core/ports/webhook-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { collection, type Stored, withId } from './documents.ts';
import { notePurge, removeHanging } from './purges.ts';
import { repeatOnClash } from './repeat.ts';
import { BULK_DOCUMENTS, checked, instant, integer, text, texts } from './values.ts';

function toWebhookOrNull(document: Stored<Webhook> | null): Webhook | null {
  return document === null ? null : withId(document);
}

export function createWebhookStore(connection: Connection): WebhookStore {
  return {
    create: (webhook) =>
      connection.run(async (db) => {
        const _id = await reserveIds(db, 'webhooks');
        const document: Stored<Webhook> = {
          _id,
          ...webhook,
          brandId: integer(webhook.brandId),
          activations: 0,
          previousSecret: null,
          lastFailure: null,
        };
        await collection(db, 'webhooks').insertOne(checked(document));
        return withId(document);
      }),

    find: (id, brandId) =>
      connection.run(async (db) => {
        const own = { _id: integer(id), ...(brandId === undefined ? {} : { brandId: integer(brandId) }) };
        return toWebhookOrNull(await collection(db, 'webhooks').findOne(own));
      }),

    list: ({ brandId, subscribedTo, newest }) =>
      connection.run(async (db) => {
        const chosen = {
          ...(brandId === undefined ? {} : { brandId: integer(brandId) }),
          ...(subscribedTo === undefined ? {} : { active: true, events: text(subscribedTo) as typeof subscribedTo }),
        };
        const found = collection(db, 'webhooks').find(chosen).batchSize(BULK_DOCUMENTS);
        if (newest) found.sort({ _id: -1 }).limit(1);
        else found.sort({ _id: 1 });
        return (await found.toArray()).map(withId);
      }),

    update: (brandId, id, changes, unlessAsking = []) =>
      connection.run(async (db) => {
        const unasked = unlessAsking.length === 0 ? {} : { events: { $nin: [...unlessAsking] } };
        const target = { _id: integer(id), brandId: integer(brandId), ...unasked };
        const { url, events, active, description, secret } = changes;
        // A pipeline, so that the secret of a rotation at the same time is the one that is kept.
        const set = {
          ...(url === undefined ? {} : { url: { $literal: text(url) } }),
          ...(events === undefined ? {} : { events: { $literal: texts(events) } }),
          ...(active === undefined ? {} : { active }),
          ...(active === true ? { activations: { $add: ['$activations', 1] } } : {}),
          ...(description === undefined ? {} : { description: { $literal: description } }),
          ...(secret === undefined
            ? {}
            : {
                sealedSecret: { $literal: text(secret.sealed) },
                previousSecret: { sealed: '$sealedSecret', validUntil: instant(secret.previousUntil) },
              }),
        };
        const webhooks = collection(db, 'webhooks');
        if (Object.keys(set).length === 0) return toWebhookOrNull(await webhooks.findOne(target));
        return toWebhookOrNull(await webhooks.findOneAndUpdate(target, [{ $set: set }], { returnDocument: 'after' }));
      }),

    pause: ({ id, url, activations }) =>
      connection.run(async (db) => {
        const target = { _id: integer(id), url: text(url), activations: integer(activations) };
        const { matchedCount } = await collection(db, 'webhooks').updateOne(target, { $set: { active: false } });
        return matchedCount === 1;
      }),

    delete: (brandId, id) =>
      connection.run(async (db) => {
        const target = { _id: integer(id), brandId: integer(brandId) };
        const webhooks = collection(db, 'webhooks');
        if ((await webhooks.findOne(target)) === null) return false;
        await notePurge(db, 'webhook', id);
        const { deletedCount } = await webhooks.deleteOne(target);
        if (deletedCount === 0) return false;
        await removeHanging(db, 'webhook', [id]);
        return true;
      }),

    markTriggered: (id, at, failure = null) =>
      connection.run(async (db) => {
        // Documents compare by their first field, the time.
        const lastFailure = failure && { at: failure.at, status: failure.status, error: failure.error };
        const update = { $max: { lastTriggeredAt: instant(at), ...(lastFailure && { lastFailure }) } };
        await repeatOnClash(() => collection(db, 'webhooks').updateOne({ _id: integer(id) }, update));
      }),
  };
}
