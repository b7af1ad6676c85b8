import type { MetricsStore } from '../../core/ports/metrics-store.ts';
import { challengeStands } from './attempt-gate.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { collection } from './documents.ts';
import { checked, integer } from './values.ts';

export function createMetricsStore(connection: Connection): MetricsStore {
  return {
    add: (snapshot) =>
      connection.run(async (db) => {
        const challengeId = integer(snapshot.challengeId);
        if (!(await challengeStands(db, challengeId))) return;
        const metrics = collection(db, 'metrics');
        const _id = await reserveIds(db, 'metrics');
        await metrics.insertOne(checked({ _id, ...snapshot }));
        if (!(await challengeStands(db, challengeId))) await metrics.deleteMany({ challengeId });
      }),

    latest: (challengeId) =>
      connection.run(async (db) => {
        const snapshot = await collection(db, 'metrics').findOne(
          { challengeId: integer(challengeId) },
          { sort: { fetchedAt: -1, _id: -1 } },
        );
        if (snapshot === null) return null;
        const { _id, ...rest } = snapshot;
        return rest;
      }),
  };
}
