/**
 * Where the tests of a run write (`globalSetup`). The run removes it whole, with what killed processes left in it. Node looks for
 * it in `TMPDIR`, and so do processes that tests start.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = join(tmpdir(), `credence-tests-run-${process.pid}`);

/** For the environment of the workers. */
export const TEMPORARY_FOLDER = { TMPDIR: FOLDER } as const;

export default function setup(): () => void {
  mkdirSync(FOLDER, { recursive: true });
  return () => rmSync(FOLDER, { recursive: true, force: true });
}
