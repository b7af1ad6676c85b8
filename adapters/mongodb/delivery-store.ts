import type { Db } from 'mongodb';
import type { Delivery } from '../../core/engagement/webhooks/webhook.ts';
import type { DeliveryStore } from '../../core/ports/webhook-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { cancelledUpdate, loggedFields, triedUpdate } from './delivery-documents.ts';
import { collection, type Stored, withId } from './documents.ts';
import { insertMissing } from './insert-missing.ts';
import { readPage } from './pages.ts';
import { chunks, instant, integer } from './values.ts';

export function createDeliveryStore(connection: Connection): DeliveryStore {
  return {
    createMany: (deliveries) =>
      connection.run(async (db) => {
        const stored: Delivery[] = [];
        for (const chunk of chunks(deliveries)) stored.push(...(await createChunk(db, chunk)));
        return stored;
      }),

    find: (id) =>
      connection.run(async (db) => {
        const delivery = await collection(db, 'deliveries').findOne({ _id: integer(id) });
        return delivery === null ? null : withId(delivery);
      }),

    recordTry: (id, one, outcome) =>
      connection.run(async (db) => {
        const { matchedCount } = await collection(db, 'deliveries').updateOne(
          { _id: integer(id), status: 'pending' },
          triedUpdate(one, outcome),
        );
        return matchedCount === 1;
      }),

    cancelPending: (webhookId, now) =>
      connection.run(async (db) => {
        const { modifiedCount } = await collection(db, 'deliveries').updateMany(
          { webhookId: integer(webhookId), status: 'pending' },
          cancelledUpdate(now),
        );
        return modifiedCount;
      }),

    pendingOf: (webhookId, afterId, limit) =>
      connection.run(async (db) => {
        const found = await collection(db, 'deliveries')
          .find({ webhookId: integer(webhookId), status: 'pending', _id: { $gt: integer(afterId) } })
          .sort({ _id: 1 })
          .limit(integer(limit))
          .project<{ _id: number }>({ _id: 1 })
          .toArray();
        return found.map(({ _id }) => ({ id: _id }));
      }),

    overdue: (before, limit) =>
      connection.run(async (db) => {
        const paused = await collection(db, 'webhooks')
          .find({ active: false }, { projection: { _id: 1 } })
          .toArray();
        const found = await collection(db, 'deliveries')
          .find({
            status: 'pending',
            nextTryAt: { $lt: instant(before) },
            webhookId: { $nin: paused.map(({ _id }) => _id) },
          })
          .sort({ nextTryAt: 1, _id: 1 })
          .limit(integer(limit))
          .project<{ _id: number }>({ _id: 1 })
          .toArray();
        return found.map(({ _id }) => ({ id: _id }));
      }),

    listByWebhook: (webhookId, page) =>
      connection.run(async (db) => {
        const chosen = { webhookId: integer(webhookId) };
        const { items, total } = await readPage(collection(db, 'deliveries'), chosen, { direction: -1 }, page);
        return { items: items.map(withId), total };
      }),
  };
}

/** Identifies a delivery; the parts cannot run into each other. */
function identity(delivery: Pick<Delivery, 'messageId' | 'webhookId'>): string {
  return `${delivery.webhookId}:${delivery.messageId}`;
}

async function createChunk(db: Db, deliveries: readonly Omit<Delivery, 'id'>[]): Promise<Delivery[]> {
  if (deliveries.length === 0) return [];
  const target = collection(db, 'deliveries');
  const firstId = await reserveIds(db, 'deliveries', deliveries.length);
  const documents = deliveries.map(
    (delivery, index): Stored<Delivery> => ({
      _id: firstId + index,
      webhookId: integer(delivery.webhookId),
      ...loggedFields(delivery),
    }),
  );
  await insertMissing(db, 'deliveries', documents, ['messageId', 'webhookId']);
  const found = await target
    .find({ messageId: { $in: [...new Set(documents.map((document) => document.messageId))] } })
    .toArray();
  const stored = new Map(found.map((document) => [identity(document), withId(document)]));
  return documents.map((document) => {
    const delivery = stored.get(identity(document));
    if (delivery === undefined) throw new Error('A delivery that was just stored is missing.');
    return delivery;
  });
}
