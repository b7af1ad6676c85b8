import type { SubscriberStore } from '../../core/ports/subscriber-store.ts';
import { SUBSCRIPTIONS } from './tables.ts';
import { changesSome } from './values.ts';
import type { SqlConnection } from './work.ts';

export function createSubscriberStore(connection: SqlConnection): SubscriberStore {
  return {
    subscribe: (subscriptions) =>
      connection.write(function* (sql) {
        for (const each of subscriptions) yield* SUBSCRIPTIONS.insertNew(sql, each, 'subscriber, event');
      }),

    list: () => connection.read((sql) => SUBSCRIPTIONS.select(sql, 'ORDER BY subscriber, event')),

    unsubscribe: (subscriber) =>
      connection.write((sql) => changesSome(sql, 'DELETE FROM subscriptions WHERE subscriber = ?', subscriber)),
  };
}
