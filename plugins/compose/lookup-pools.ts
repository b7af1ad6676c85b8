/** How many lookups of all batches together are under way. */
import { createTaskPool } from '../../adapters/task-pool/index.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import type { TaskPool } from '../../core/ports/task-pool.ts';

/** Without a pace, each of them is a request to the platform. */
const DEFAULT_LOOKUPS = 16;

/** One pool for each platform. */
export function createLookupPools(adapters: readonly PlatformAdapter[]): ReadonlyMap<PlatformName, TaskPool> {
  return new Map(
    adapters.map(({ descriptor, maxConcurrentLookups: concurrency = DEFAULT_LOOKUPS }) => [
      descriptor.name,
      createTaskPool({ concurrency }),
    ]),
  );
}
