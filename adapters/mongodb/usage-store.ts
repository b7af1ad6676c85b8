import { randomUUID } from 'node:crypto';
import { NO_USAGE, type UsageStore } from '../../core/ports/usage-store.ts';
import type { Connection } from './database.ts';
import { collection } from './documents.ts';
import { repeatOnClash } from './repeat.ts';
import { text } from './values.ts';

export function createUsageStore(connection: Connection): UsageStore {
  return {
    add: (callerKey, period, counts) =>
      connection.run(async (db) => {
        const added = Object.entries(counts).flatMap(([counter, count]) =>
          count === 0 ? [] : [[`counts.${counter}`, count] as const],
        );
        if (added.length === 0) return;
        const target = { callerKey: text(callerKey), period: text(period) };
        const usage = collection(db, 'usage');
        const $inc = Object.fromEntries(added);
        // The first additions of a month can meet; one that is refused has added nothing.
        await repeatOnClash(() =>
          usage.updateOne(target, { $inc, $setOnInsert: { _id: randomUUID() } }, { upsert: true }),
        );
      }),

    read: (callerKey, period) =>
      connection.run(async (db) => {
        const usage = await collection(db, 'usage').findOne({ callerKey: text(callerKey), period: text(period) });
        return { ...NO_USAGE, ...usage?.counts };
      }),

    between: (callerKey, from, to) =>
      connection.run((db) => {
        const periods = { $gte: text(from), $lt: text(to) };
        return collection(db, 'usage')
          .find({ callerKey: text(callerKey), period: periods })
          .sort({ period: 1 })
          .toArray();
      }),
  };
}
