/** What keeps a storage in order: lost work gets its jobs back, records that have had their day are removed. */

import { inOneProcess } from '../../../core/maintenance/one-process.ts';
import { purgeExpired } from '../../../core/maintenance/purge-expired.ts';
import { recoverLostWork } from '../../../core/maintenance/recover-lost-work.ts';
import { ContainerModule } from '../container.ts';
import { provide } from '../token.ts';
import { named, TOKENS } from '../tokens.ts';

const RECOVER_EVERY_MS = 60_000;
const PURGE_EVERY_MS = 60_000;

export const maintenanceModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.periodic,
    { ...named('storage', 'clock', 'logger'), queue: TOKENS.jobQueue },
    ({ storage, queue, clock, logger }) => {
      const recover = recoverLostWork({ storage, queue, clock, logger });
      return {
        name: 'recover-lost-work',
        everyMs: RECOVER_EVERY_MS,
        run: inOneProcess({ storage, clock }, 'recover-lost-work', RECOVER_EVERY_MS, recover),
      };
    },
  );
  provide(
    options,
    TOKENS.periodic,
    named('config', 'storage', 'clock', 'logger'),
    ({
      config: {
        retention: { days, auditDays },
      },
      storage,
      clock,
      logger,
    }) => {
      const purge = purgeExpired({ storage, clock, logger, days, auditDays });
      return {
        name: 'purge-expired',
        everyMs: PURGE_EVERY_MS,
        run: inOneProcess({ storage, clock }, 'purge-expired', PURGE_EVERY_MS, purge),
      };
    },
  );
});
