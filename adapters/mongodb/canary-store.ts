import type { CanaryRecord } from '../../core/canaries/canary.ts';
import type { CanaryStore } from '../../core/ports/canary-store.ts';
import type { Connection } from './database.ts';
import { type CanaryDocument, collection } from './documents.ts';
import { isDuplicateKey } from './failures.ts';
import { checked, integer, text } from './values.ts';

export function createCanaryStore(connection: Connection): CanaryStore {
  return {
    list: () =>
      connection.run(async (db) => (await collection(db, 'canaries').find().sort({ _id: 1 }).toArray()).map(toRecord)),

    save: ({ target, ...record }) =>
      connection.run(async (db) => {
        const canaries = collection(db, 'canaries');
        const document = checked({ _id: text(target), ...record });
        if (record.revision > 1) {
          const before = { _id: target, revision: integer(record.revision - 1) };
          return (await canaries.replaceOne(before, document)).matchedCount === 1;
        }
        try {
          await canaries.insertOne(document);
          return true;
        } catch (error) {
          if (isDuplicateKey(error)) return false;
          throw error;
        }
      }),

    remove: (target) =>
      connection.run(async (db) => void (await collection(db, 'canaries').deleteOne({ _id: text(target) }))),
  };
}

function toRecord({ _id, ...rest }: CanaryDocument): CanaryRecord {
  return { target: _id, ...rest };
}
