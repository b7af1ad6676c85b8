/** What keeps a storage in order: lost work gets its jobs back, records that have had their day are removed. */

import { purgeExpired } from '../../../core/maintenance/purge-expired.ts';
import { recoverLostWork } from '../../../core/maintenance/recover-lost-work.ts';
import { ContainerModule } from '../container.ts';
import { provide } from '../token.ts';
import { named, TOKENS } from '../tokens.ts';

const EVERY_MS = 60_000;

export const maintenanceModule = new ContainerModule((options) => {
  provide(options, TOKENS.periodic, named('storage', 'queue', 'clock', 'logger'), (deps) => ({
    name: 'recover-lost-work',
    everyMs: EVERY_MS,
    oncePerMs: EVERY_MS,
    run: recoverLostWork(deps),
  }));
  provide(options, TOKENS.periodic, named('config', 'storage', 'clock', 'logger'), ({ config, ...deps }) => ({
    name: 'purge-expired',
    everyMs: EVERY_MS,
    oncePerMs: EVERY_MS,
    run: purgeExpired({ ...deps, days: config.retention.days, auditDays: config.retention.auditDays }),
  }));
});
