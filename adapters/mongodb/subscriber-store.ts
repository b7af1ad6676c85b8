import type { SubscriberStore } from '../../core/ports/subscriber-store.ts';
import type { Database } from './items.ts';
import { equals, text } from './values.ts';

export function createSubscriberStore(db: Database): SubscriberStore {
  return {
    async subscribe(subscriptions) {
      for (const { subscriber, event, brandId } of subscriptions) {
        const added = { $setOnInsert: equals({ subscriber, event }, { brandId }) };
        await db.subscriptions.upsert({ _id: `${subscriber}:${event}` }, added);
      }
    },

    list: () => db.subscriptions.list({}, { sort: { subscriber: 1, event: 1 } }),

    unsubscribe: async (subscriber) => (await db.subscriptions.deleteAll({ subscriber: text(subscriber) })) > 0,
  };
}
