import type { Db } from 'mongodb';
import type { Delivery } from '../../core/engagement/webhooks/webhook.ts';
import type { DeliveryStore, StoredDelivery } from '../../core/ports/webhook-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { cancelPending, loggedFields, triedUpdate } from './delivery-documents.ts';
import { collection, type DeliveryDocument, type Stored, withId } from './documents.ts';
import { dueDeliveries } from './due-deliveries.ts';
import { insertMissing } from './insert-missing.ts';
import { readPage } from './pages.ts';
import { repeatOnClash } from './repeat.ts';
import { chunks, integer, text } from './values.ts';

function toDelivery({ lease, claim, ...delivery }: DeliveryDocument): Delivery {
  return withId(delivery);
}

export function createDeliveryStore(connection: Connection): DeliveryStore {
  return {
    ...dueDeliveries(connection),

    createMany: (deliveries) =>
      connection.run(async (db) => {
        const stored: StoredDelivery[] = [];
        for (const chunk of chunks(deliveries)) stored.push(...(await createChunk(db, chunk)));
        return stored;
      }),

    find: (id) =>
      connection.run(async (db) => {
        const delivery = await collection(db, 'deliveries').findOne({ _id: integer(id) });
        return delivery === null ? null : toDelivery(delivery);
      }),

    recordTry: (id, one, outcome) =>
      connection.run(async (db) => {
        const pending = { _id: integer(id), status: 'pending' as const };
        const update = triedUpdate(one, outcome);
        return (await repeatOnClash(() => collection(db, 'deliveries').updateOne(pending, update))).matchedCount === 1;
      }),

    cancelPending: (webhookId, now) =>
      connection.run((db) => cancelPending(db, 'deliveries', { webhookId: integer(webhookId) }, now)),

    listByWebhook: (webhookId, page, { status, event, exceptEvents = [] } = {}) =>
      connection.run(async (db) => {
        if (event !== undefined && exceptEvents.includes(event)) return { items: [], total: 0 };
        const hidden = event === undefined ? await eventsOf(db, integer(webhookId), exceptEvents) : [];
        const chosen = {
          webhookId: integer(webhookId),
          ...(event === undefined ? {} : { event: text(event) }),
          ...(status === undefined ? {} : { status: { $eq: status } }),
          ...(hidden.length === 0 ? {} : { event: { $nin: hidden } }),
        };
        const deliveries = collection(db, 'deliveries');
        const { items, total } = await readPage(deliveries, chosen, { direction: -1 }, page);
        return { items: items.map(toDelivery), total };
      }),
  };
}

/** Those of the events of which a webhook has deliveries. */
async function eventsOf(db: Db, webhookId: number, events: readonly string[]): Promise<string[]> {
  const deliveries = collection(db, 'deliveries');
  const found: string[] = [];
  for (const event of events) {
    const one = await deliveries.findOne({ webhookId, event: text(event) }, { projection: { _id: 1 } });
    if (one !== null) found.push(event);
  }
  return found;
}

/** A webhook that is there. */
interface Receiver {
  readonly receiver: number;
}

/** Identifies a delivery; the parts cannot run into each other. */
function identity(delivery: Pick<Delivery, 'messageId' | 'webhookId'>): string {
  return `${delivery.webhookId}:${delivery.messageId}`;
}

async function createChunk(db: Db, deliveries: readonly Omit<Delivery, 'id'>[]): Promise<StoredDelivery[]> {
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
  const inserted = await insertMissing(db, 'deliveries', documents, ['messageId', 'webhookId']);
  const messageIds = [...new Set(documents.map((document) => document.messageId))];
  const webhookIds = [...new Set(documents.map((document) => document.webhookId))];
  // Webhooks too, in the same command. One that is there now removes these deliveries if it is deleted later.
  const found = await target
    .aggregate<DeliveryDocument | Receiver>([
      { $match: { messageId: { $in: messageIds } } },
      {
        $unionWith: {
          coll: 'webhooks',
          pipeline: [{ $match: { _id: { $in: webhookIds } } }, { $project: { _id: 0, receiver: '$_id' } }],
        },
      },
    ])
    .toArray();
  const receivers = new Set(found.flatMap((one) => ('receiver' in one ? one.receiver : [])));
  const all = found.flatMap((one) => ('receiver' in one ? [] : one));
  const orphans = all.filter(({ webhookId }) => webhookIds.includes(webhookId) && !receivers.has(webhookId));
  if (orphans.length > 0) await target.deleteMany({ _id: { $in: orphans.map(({ _id }) => _id) } });
  const stored = new Map(
    all
      .filter(({ webhookId }) => receivers.has(webhookId))
      .map((document) => [identity(document), toDelivery(document)]),
  );
  // One that is missing was of a webhook that is gone.
  return documents.flatMap((document) => {
    const delivery = stored.get(identity(document));
    return delivery === undefined ? [] : [{ ...delivery, isNew: inserted.has(delivery.id) }];
  });
}
