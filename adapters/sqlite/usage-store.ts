import { USAGE_COUNTERS, type UsageCounter, type UsageStore } from '../../core/ports/usage-store.ts';
import type { Connection } from './database.ts';

export function createUsageStore(connection: Connection): UsageStore {
  return {
    add: (callerKey, period, counts) =>
      connection.write((sql) => {
        for (const counter of USAGE_COUNTERS) {
          const added = counts[counter] ?? 0;
          if (added === 0) continue;
          sql.run(
            `INSERT INTO usage (caller_key, period, counter, value) VALUES (?, ?, ?, ?)
              ON CONFLICT DO UPDATE SET value = value + excluded.value`,
            callerKey,
            period,
            counter,
            added,
          );
        }
      }),

    read: (callerKey, period) =>
      connection.read((sql) => {
        const rows = sql.all<{ counter: UsageCounter; value: number }>(
          'SELECT counter, value FROM usage WHERE caller_key = ? AND period = ?',
          callerKey,
          period,
        );
        const counted = new Map(rows.map((row) => [row.counter, row.value]));
        const of = (counter: UsageCounter) => counted.get(counter) ?? 0;
        return {
          batchRequests: of('batchRequests'),
          batchBillableUnits: of('batchBillableUnits'),
          lookups: of('lookups'),
          proofs: of('proofs'),
          verifications: of('verifications'),
          compressions: of('compressions'),
        };
      }),
  };
}
