import type { SubscriberStore } from '../../core/ports/subscriber-store.ts';
import { SUBSCRIPTIONS } from './tables.ts';
import { changesSome } from './values.ts';
import type { SqlConnection } from './work.ts';

export function createSubscriberStore(connection: SqlConnection): SubscriberStore {
  return {
    subscribe: (subscriptions) =>
      connection.write(function* (sql) {
        yield* SUBSCRIPTIONS.insertNew(sql, subscriptions, '(subscriber, event)');
      }),

    list: () => connection.read((sql) => SUBSCRIPTIONS.select(sql, 'ORDER BY subscriber, event')),

    unsubscribe: (subscriber) =>
      connection.statement((sql) => changesSome(sql, 'DELETE FROM subscriptions WHERE subscriber = ?', subscriber)),
  };
}
