import type { UsageCounts, UsageStore } from '../../core/ports/usage-store.ts';
import { USAGE } from './tables.ts';
import { integer } from './values.ts';
import type { SqlConnection } from './work.ts';

const ONE = 'WHERE caller_key = ? AND period = ?';

export function createUsageStore(connection: SqlConnection): UsageStore {
  return {
    add: (callerKey, period, added) =>
      connection.write(function* (sql) {
        const stored = yield* USAGE.find(sql, `${ONE} FOR UPDATE`, callerKey, period);
        const counts: UsageCounts = { ...stored?.counts };
        for (const counter of Object.keys(added) as (keyof UsageCounts)[]) {
          counts[counter] = (counts[counter] ?? 0) + integer(added[counter] ?? 0);
        }
        if (stored !== null) yield* USAGE.update(sql, { counts }, ONE, callerKey, period);
        else yield* USAGE.insert(sql, { callerKey, period, counts });
      }),

    between: (callerKey, from, to) =>
      connection.read((sql) =>
        USAGE.select(sql, 'WHERE caller_key = ? AND period >= ? AND period < ? ORDER BY period', callerKey, from, to),
      ),
  };
}
