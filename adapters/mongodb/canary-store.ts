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

    save: ({ target, ...record }, events) =>
      connection.run(async (db) => {
        const canaries = collection(db, 'canaries');
        const mark = events.length === 0 ? {} : { outboxAt: record.readAt };
        if (record.revision > 1) {
          const before = { _id: text(target), revision: integer(record.revision - 1) };
          const update = { $set: checked({ ...record, ...mark }), $push: { outbox: { $each: [...events] } } };
          return (await canaries.updateOne(before, update)).matchedCount === 1;
        }
        try {
          await canaries.insertOne(checked({ _id: text(target), ...record, outbox: [...events], ...mark }));
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

function toRecord({ _id, outbox, outboxAt, ...rest }: CanaryDocument): CanaryRecord {
  return { target: _id, ...rest };
}
