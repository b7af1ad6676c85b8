/**
 * Gives large bodies and answers a turn of the event loop each. Many of them in one turn would hold up everything else that
 * the process serves.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairQueue } from '../../../adapters/fair-queue/index.ts';

/**
 * Resolves in a turn that no other large body or answer has. It lasts until the caller waits for anything. Callers are served
 * in turn. Rejects with the signal's reason if that fires first; never without a signal.
 */
export type OwnTurn = (caller: string, signal?: AbortSignal) => Promise<void>;

/** The longest that a timer takes. The budget for bodies bounds what waits, so nothing is refused here. */
const NEVER_MS = 2 ** 31 - 1;

/** Makes the queue for one dispatcher. */
export function createOwnTurns(): OwnTurn {
  const queue = new FairQueue({
    name: 'server',
    concurrency: 1,
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitingPerCaller: Number.POSITIVE_INFINITY,
    maxWaitMs: NEVER_MS,
  });
  return (caller, signal) => queue.run(() => nextTurn(), caller, signal);
}
