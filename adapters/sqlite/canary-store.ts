import type { CanaryStore } from '../../core/ports/canary-store.ts';
import type { Connection } from './database.ts';
import { CANARIES } from './tables.ts';

export function createCanaryStore(connection: Connection): CanaryStore {
  return {
    list: () => connection.read((sql) => CANARIES.select(sql, 'ORDER BY target')),

    save: (record) =>
      connection.write((sql) => {
        const { target, revision } = record;
        if (revision === 1) return CANARIES.insertNew(sql, record, 'target') !== null;
        return CANARIES.update(sql, record, 'WHERE target = ? AND revision = ?', target, revision - 1) > 0;
      }),

    remove: (target) => connection.write((sql) => void sql.run('DELETE FROM canaries WHERE target = ?', target)),
  };
}
