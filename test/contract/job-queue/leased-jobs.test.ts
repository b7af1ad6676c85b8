import { createLeasedJobQueue } from '../../../adapters/leased-jobs/index.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { eachStorage, openTestStorage } from '../../support/storage.ts';
import { jobQueueContract } from './suite.ts';

await eachStorage((kind) => {
  jobQueueContract({
    name: `leased records in ${kind}`,
    open: async () => {
      const { storage, close } = await openTestStorage(kind);
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
});
