import type { MetricsStore } from '../../core/ports/metrics-store.ts';
import { CHALLENGES, METRICS } from './tables.ts';
import type { SqlConnection } from './work.ts';

export function createMetricsStore(connection: SqlConnection): MetricsStore {
  return {
    add: (snapshot) =>
      connection.write(function* (sql) {
        // Nothing is kept for a deleted challenge.
        if (yield* CHALLENGES.holds(sql, 'id = ?', snapshot.challengeId)) yield* METRICS.insert(sql, snapshot);
      }),

    latest: (challengeId) =>
      connection.read((sql) =>
        METRICS.find(sql, 'WHERE challenge_id = ? ORDER BY fetched_at DESC, seq DESC LIMIT 1', challengeId),
      ),
  };
}
