import type { MetricsStore } from '../../core/ports/metrics-store.ts';
import { challengeStands } from './attempt-gate.ts';
import type { Database } from './items.ts';
import { integer } from './values.ts';

export function createMetricsStore(db: Database): MetricsStore {
  return {
    async add(snapshot) {
      const challengeId = integer(snapshot.challengeId);
      if (!(await challengeStands(db, challengeId))) return;
      await db.metrics.append(snapshot);
      if (!(await challengeStands(db, challengeId))) await db.metrics.deleteAll({ challengeId });
    },

    latest: (challengeId) =>
      db.metrics.find({ challengeId: integer(challengeId) }, { sort: { fetchedAt: -1, _id: -1 } }),
  };
}
