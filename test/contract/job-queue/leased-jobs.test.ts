import { createLeasedJobQueue } from '../../../adapters/leased-jobs/index.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { openTestStorage } from '../../support/storage.ts';
import { jobQueueContract } from './suite.ts';

// What the queue asks of a storage is in the contract of storages: each of them here would show no more.
jobQueueContract({
  name: 'leased records',
  open: async () => {
    const { storage, close } = await openTestStorage('sqlite');
    return {
      createQueue: (leaseSeconds = 0.9) =>
        createLeasedJobQueue({
          store: storage.jobs,
          clock: systemClock,
          logger: silentLogger,
          leaseSeconds,
          pollMs: 50,
          maxRuns: 3,
          backoffMs: 10,
          maxBackoffMs: 80,
          concurrency: { 'verify-attempt': 4, 'issue-reward': 4 },
        }),
      close,
    };
  },
});
