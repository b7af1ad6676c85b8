import type { Webhook } from '../../core/engagement/webhooks/webhook.ts';
import type { WebhookStore } from '../../core/ports/webhook-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { collection, type Stored, withId } from './documents.ts';
import { notePurge, removeHanging } from './purges.ts';
import { repeatOnClash } from './repeat.ts';
import { BULK_DOCUMENTS, checked, instant, integer, text } from './values.ts';

function toWebhookOrNull(document: Stored<Webhook> | null): Webhook | null {
  return document === null ? null : withId(document);
}

export function createWebhookStore(connection: Connection): WebhookStore {
  return {
    create: (webhook) =>
      connection.run(async (db) => {
        const document: Stored<Webhook> = {
          _id: await reserveIds(db, 'webhooks'),
          brandId: integer(webhook.brandId),
          url: webhook.url,
          events: [...webhook.events],
          active: webhook.active,
          description: webhook.description,
          sealedSecret: webhook.sealedSecret,
          activations: 0,
          previousSecret: null,
          lastTriggeredAt: webhook.lastTriggeredAt,
          createdAt: webhook.createdAt,
        };
        await collection(db, 'webhooks').insertOne(checked(document));
        return withId(document);
      }),

    find: (brandId, id) =>
      connection.run(async (db) =>
        toWebhookOrNull(await collection(db, 'webhooks').findOne({ _id: integer(id), brandId: integer(brandId) })),
      ),

    findById: (id) =>
      connection.run(async (db) => toWebhookOrNull(await collection(db, 'webhooks').findOne({ _id: integer(id) }))),

    newest: () =>
      connection.run(async (db) =>
        toWebhookOrNull(await collection(db, 'webhooks').findOne({}, { sort: { _id: -1 } })),
      ),

    listByBrand: (brandId) =>
      connection.run(async (db) => {
        const found = collection(db, 'webhooks')
          .find({ brandId: integer(brandId) })
          .sort({ _id: 1 })
          .batchSize(BULK_DOCUMENTS);
        return (await found.toArray()).map(withId);
      }),

    subscribed: (brandId, event) =>
      connection.run(async (db) => {
        const found = collection(db, 'webhooks')
          .find({
            ...(brandId === null ? {} : { brandId: integer(brandId) }),
            active: true,
            events: text(event) as typeof event,
          })
          .sort({ _id: 1 })
          .batchSize(BULK_DOCUMENTS);
        return (await found.toArray()).map(withId);
      }),

    update: (brandId, id, changes, unlessAsking = []) =>
      connection.run(async (db) => {
        const unasked = unlessAsking.length === 0 ? {} : { events: { $nin: [...unlessAsking] } };
        const target = { _id: integer(id), brandId: integer(brandId), ...unasked };
        const set: Partial<Stored<Webhook>> = {
          ...(changes.url === undefined ? {} : { url: text(changes.url) }),
          ...(changes.events === undefined ? {} : { events: [...changes.events] }),
          ...(changes.active === undefined ? {} : { active: changes.active }),
          ...(changes.description === undefined ? {} : { description: changes.description }),
        };
        const webhooks = collection(db, 'webhooks');
        const change = { $set: set, ...(changes.active === true ? { $inc: { activations: 1 } } : {}) };
        if (Object.keys(set).length === 0) return toWebhookOrNull(await webhooks.findOne(target));
        return toWebhookOrNull(await webhooks.findOneAndUpdate(target, change, { returnDocument: 'after' }));
      }),

    rotateSecret: (brandId, id, sealedSecret, validUntil) =>
      connection.run(async (db) => {
        const target = { _id: integer(id), brandId: integer(brandId) };
        // A pipeline, so that the secret of a rotation at the same time is the one that is kept.
        const change = {
          sealedSecret: { $literal: text(sealedSecret) },
          previousSecret: { sealed: '$sealedSecret', validUntil: instant(validUntil) },
        };
        const webhooks = collection(db, 'webhooks');
        return toWebhookOrNull(
          await webhooks.findOneAndUpdate(target, [{ $set: change }], { returnDocument: 'after' }),
        );
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

    markTriggered: (id, at) =>
      connection.run(async (db) => {
        const update = { $max: { lastTriggeredAt: instant(at) } };
        await repeatOnClash(() => collection(db, 'webhooks').updateOne({ _id: integer(id) }, update));
      }),
  };
}
