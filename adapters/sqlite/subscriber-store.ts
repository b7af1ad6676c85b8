import type { SubscriberStore } from '../../core/ports/subscriber-store.ts';
import type { Connection } from './database.ts';
import { SUBSCRIPTIONS } from './tables.ts';

export function createSubscriberStore(connection: Connection): SubscriberStore {
  return {
    subscribe: (subscriptions) =>
      connection.write((sql) => {
        for (const each of subscriptions) SUBSCRIPTIONS.insertNew(sql, each, 'subscriber, event');
      }),

    list: () => connection.read((sql) => SUBSCRIPTIONS.select(sql, 'ORDER BY subscriber, event')),

    unsubscribe: (subscriber) =>
      connection.write((sql) => sql.run('DELETE FROM subscriptions WHERE subscriber = ?', subscriber).changes > 0),
  };
}
