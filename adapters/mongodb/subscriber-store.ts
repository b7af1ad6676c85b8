import type { SubscriberStore } from '../../core/ports/subscriber-store.ts';
import type { Connection } from './database.ts';
import { collection } from './documents.ts';
import { repeatOnClash } from './repeat.ts';
import { integer, text } from './values.ts';

export function createSubscriberStore(connection: Connection): SubscriberStore {
  return {
    subscribe: (subscriptions) =>
      connection.run(async (db) => {
        for (const { subscriber, event, brandId } of subscriptions) {
          const own = brandId === undefined ? {} : { brandId: integer(brandId) };
          await repeatOnClash(() =>
            collection(db, 'subscriptions').updateOne(
              { _id: `${text(subscriber)}:${text(event)}` },
              { $setOnInsert: { subscriber, event, ...own } },
              { upsert: true },
            ),
          );
        }
      }),

    list: () =>
      connection.run((db) =>
        collection(db, 'subscriptions')
          .find({}, { projection: { _id: 0, subscriber: 1, event: 1, brandId: 1 } })
          .sort({ subscriber: 1, event: 1 })
          .toArray(),
      ),

    unsubscribe: (subscriber) =>
      connection.run(async (db) => {
        const { deletedCount } = await collection(db, 'subscriptions').deleteMany({ subscriber: text(subscriber) });
        return deletedCount > 0;
      }),
  };
}
