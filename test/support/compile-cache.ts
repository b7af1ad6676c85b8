import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For the environment of the workers and of every Node process that a test starts: sources are compiled once, not for each. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'credence-tests-compile-cache') } as const;
