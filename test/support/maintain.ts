import { purgeExpired } from '../../core/maintenance/purge-expired.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createRecordingLogger } from './recording-logger.ts';

/** Removes what a host that keeps everything removes all the same. Returns how many records that were. */
export function maintain(storage: Pick<Storage, 'retention'>): Promise<number> {
  const clock = { now: () => new Date() };
  return purgeExpired({ storage, clock, logger: createRecordingLogger(), days: 'off' })();
}
