import { randomUUID } from 'node:crypto';
import type { UsageStore } from '../../core/ports/usage-store.ts';
import type { Database } from './items.ts';
import { equals, text } from './values.ts';

export function createUsageStore(db: Database): UsageStore {
  return {
    async add(callerKey, period, counts) {
      const added = Object.entries(counts).flatMap(([counter, count]) =>
        count === 0 ? [] : [[`counts.${counter}`, count] as const],
      );
      if (added.length === 0) return;
      const [own, $inc] = [equals({ callerKey, period }), Object.fromEntries(added)];
      if (await db.usage.update(own, { $inc })) return;
      // The first additions of a month can meet; one that is refused has added nothing.
      await db.usage.upsert(own, { $inc, $setOnInsert: { _id: randomUUID() } });
    },

    between: async (callerKey, from, to) =>
      db.usage.list(
        { callerKey: text(callerKey), period: { $gte: text(from), $lt: text(to) } },
        { sort: { period: 1 } },
      ),
  };
}
