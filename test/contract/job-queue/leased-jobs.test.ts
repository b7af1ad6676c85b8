import { createLeasedJobQueue } from '../../../adapters/leased-jobs/index.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { jobQueueContract } from './suite.ts';

jobQueueContract({
  name: 'leased records in SQLite',
  open: async () => {
    const storage = createSqliteStorage({ path: ':memory:' });
    await storage.open();
    return {
      createQueue: () =>
        createLeasedJobQueue({
          store: storage.jobs,
          clock: systemClock,
          logger: silentLogger,
          leaseSeconds: 0.6,
          pollMs: 20,
          maxRuns: 3,
          backoffMs: 10,
          concurrency: { 'verify-attempt': 4, 'issue-reward': 4 },
        }),
      close: () => storage.close(),
    };
  },
});
