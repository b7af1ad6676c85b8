/** How many lookups of all batches together are under way. */
import { createTaskPool } from '../../adapters/task-pool/index.ts';
import { BATCH_MAX_URLS } from '../../core/lookups/read-batch.ts';
import { PLATFORM_NAMES, type PlatformName } from '../../core/platforms/platform-name.ts';
import type { TaskPool } from '../../core/ports/task-pool.ts';

/** Most of them only wait for the pace, which bounds the requests: more than a platform's lets through in the time of one batch. */
const PACED_LOOKUPS = 4 * BATCH_MAX_URLS;
/** Without a pace, each of them is a request to the platform. */
const UNPACED_LOOKUPS = 16;

/** One pool for each platform. */
export function createLookupPools(pacing: 'safe' | 'off'): ReadonlyMap<PlatformName, TaskPool> {
  const concurrency = pacing === 'safe' ? PACED_LOOKUPS : UNPACED_LOOKUPS;
  return new Map(PLATFORM_NAMES.map((name) => [name, createTaskPool({ concurrency })]));
}
