import type { CanaryStore } from '../../core/ports/canary-store.ts';
import type { Database } from './items.ts';
import { added, kept } from './outbox.ts';
import { integer, text } from './values.ts';

export function createCanaryStore(db: Database): CanaryStore {
  return {
    list: () => db.canaries.list({}, { sort: { _id: 1 } }),

    async save({ target, ...record }, events) {
      const { revision, readAt } = record;
      if (revision > 1) {
        const before = { _id: text(target), revision: integer(revision - 1) };
        return db.canaries.update(before, { $set: record, ...added(events, readAt) });
      }
      return db.canaries.insertFirst({ _id: text(target), ...record, ...kept(events, readAt) });
    },

    async remove(target) {
      await db.canaries.delete({ _id: text(target) });
    },
  };
}
