import { NO_USAGE, USAGE_COUNTERS, type UsageStore } from '../../core/ports/usage-store.ts';
import type { Connection } from './database.ts';
import { USAGE } from './tables.ts';
import { integer } from './values.ts';

const ONE = 'WHERE caller_key = ? AND period = ?';

export function createUsageStore(connection: Connection): UsageStore {
  return {
    add: (callerKey, period, added) =>
      connection.write((sql) => {
        const counts = { ...USAGE.find(sql, ONE, callerKey, period)?.counts };
        for (const counter of USAGE_COUNTERS) counts[counter] = (counts[counter] ?? 0) + integer(added[counter] ?? 0);
        if (USAGE.update(sql, { counts }, ONE, callerKey, period) === 0)
          USAGE.insert(sql, { callerKey, period, counts });
      }),

    read: (callerKey, period) =>
      connection.read((sql) => ({ ...NO_USAGE, ...USAGE.find(sql, ONE, callerKey, period)?.counts })),
  };
}
