import type { CanaryStore } from '../../core/ports/canary-store.ts';
import type { Connection } from './database.ts';
import { appendOutbox } from './outbox.ts';
import { CANARIES } from './tables.ts';

export function createCanaryStore(connection: Connection): CanaryStore {
  return {
    list: () => connection.read((sql) => CANARIES.select(sql, 'ORDER BY target')),

    save: (record, events) =>
      connection.write((sql) => {
        const { target, revision } = record;
        const isSaved =
          revision === 1
            ? CANARIES.insertNew(sql, record, 'target') !== null
            : CANARIES.update(sql, record, 'WHERE target = ? AND revision = ?', target, revision - 1) > 0;
        if (isSaved) appendOutbox(sql, `canaries:${target}`, events);
        return isSaved;
      }),

    remove: (target) =>
      connection.write((sql) => {
        sql.run('DELETE FROM canaries WHERE target = ?', target);
        sql.run('DELETE FROM outbox WHERE owner = ?', `canaries:${target}`);
      }),
  };
}
