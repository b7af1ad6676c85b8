import type { MetricsStore } from '../../core/ports/metrics-store.ts';
import type { Connection } from './database.ts';
import { CHALLENGES, METRICS } from './tables.ts';

export function createMetricsStore(connection: Connection): MetricsStore {
  return {
    add: (snapshot) =>
      connection.write((sql) => {
        // Nothing is kept for a deleted challenge.
        if (CHALLENGES.count(sql, 'id = ?', snapshot.challengeId) > 0) METRICS.insert(sql, snapshot);
      }),

    latest: (challengeId) =>
      connection.read((sql) =>
        METRICS.find(sql, 'WHERE challenge_id = ? ORDER BY fetched_at DESC, seq DESC LIMIT 1', challengeId),
      ),
  };
}
