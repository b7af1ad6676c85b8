import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const KEPT_MS = 24 * 60 * 60 * 1_000;

/** Removes what no run has used for a day from a folder that runs share. Another run may remove the same at once. */
export async function removeOld(folder: string): Promise<void> {
  const oldest = Date.now() - KEPT_MS;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const isOld = await stat(path).then(
      ({ mtimeMs }) => mtimeMs < oldest,
      () => false,
    );
    if (isOld) await rm(path, { recursive: true, force: true });
  }
}
