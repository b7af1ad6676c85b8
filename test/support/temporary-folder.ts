/**
 * Where the tests of a run write (`globalSetup`). The run removes it whole, with what killed processes left in it. Node looks for
 * it in `TMPDIR`, and so do processes that tests start.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `TMPDIR` of the workers. */
export const TEMPORARY_FOLDER = join(tmpdir(), `credence-tests-run-${process.pid}`);

export default function setup(): () => void {
  // Left by a run that was killed and had the same process id.
  rmSync(TEMPORARY_FOLDER, { recursive: true, force: true });
  mkdirSync(TEMPORARY_FOLDER, { recursive: true });
  return () => rmSync(TEMPORARY_FOLDER, { recursive: true, force: true });
}

/** The same for a process that is no test run, for example the benchmarks. */
export function workInTemporaryFolder(): void {
  process.once('exit', setup());
  process.env.TMPDIR = TEMPORARY_FOLDER;
}
