/**
 * Where the tests of a run write (`globalSetup`). The run removes it whole, with what killed processes left in it. Node looks for
 * it in `TMPDIR`, and so do processes that tests start.
 */
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** On Linux, files that are in memory. */
const MEMORY = '/dev/shm';
/** Several times what a run writes. Containers often have 64 MiB there. */
const ENOUGH_BYTES = 4 * 1024 ** 3;
const NAME = `credence-tests-run-${process.pid}`;

/** `TMPDIR` of the workers: in memory if there is room, since SQLite waits for the disk at each commit. */
export const TEMPORARY_FOLDER = join(hasRoom() ? MEMORY : tmpdir(), NAME);

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** Returns what removes it again. */
function make(folder: string): () => void {
  // Left by a run that was killed and had the same process id.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return () => rmSync(folder, { recursive: true, force: true });
}

export default () => make(TEMPORARY_FOLDER);

/** For a process that is no test run, for example the benchmarks: on the disk, whose time they measure too. */
export function workInTemporaryFolder(): void {
  const folder = join(tmpdir(), NAME);
  process.once('exit', make(folder));
  process.env.TMPDIR = folder;
}
