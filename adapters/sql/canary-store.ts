import type { CanaryStore } from '../../core/ports/canary-store.ts';
import { appendOutbox } from './outbox.ts';
import { CANARIES } from './tables.ts';
import type { SqlConnection } from './work.ts';

export function createCanaryStore(connection: SqlConnection): CanaryStore {
  return {
    list: () => connection.read((sql) => CANARIES.select(sql, 'ORDER BY target')),

    save: (record, events) =>
      connection.write(function* (sql) {
        const { target, revision } = record;
        const isSaved =
          revision === 1
            ? (yield* CANARIES.insertNew(sql, [record], '(target)')).length > 0
            : (yield* CANARIES.update(sql, record, 'WHERE target = ? AND revision = ?', target, revision - 1)) > 0;
        if (isSaved) yield* appendOutbox(sql, { owner: `canaries:${target}`, entries: events });
        return isSaved;
      }),

    remove: (target) =>
      connection.write(function* (sql) {
        yield* sql.run('DELETE FROM canaries WHERE target = ?', target);
        yield* sql.run('DELETE FROM outbox WHERE owner = ?', `canaries:${target}`);
      }),
  };
}
