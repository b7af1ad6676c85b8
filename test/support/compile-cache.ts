import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For the compilers of TypeScript that tests start: they end within seconds, so collecting garbage only costs time. */
export const SHORT_LIVED_COMPILERS = { GOGC: 'off' } as const;

/**
 * For the same compilers, as arguments: of several checkers each works out the types that all modules share. One takes a third
 * less processor time.
 */
export const ONE_CHECKER = ['--checkers', '1'] as const;

/**
 * For the environment of the workers and of every Node process that a test starts: sources are compiled once, not for each. A
 * worker has it from the run, since its own temporary folder is the run's, which is removed at the end.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'credence-tests-compile-cache'),
} as const;
