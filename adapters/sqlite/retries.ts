/** Waiting for another process's lock without holding the event loop. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './failures.ts';

/** Milliseconds before the next try for a lock; spread, so that processes do not meet again and again. */
export function backoff(refusals: number): number {
  return Math.random() * Math.min(100, 5 * 2 ** refusals) + 1;
}

/** Repeats `work` until no other process has the lock. @throws the last refusal after `timeoutMs` */
export async function whileBusy<T>(timeoutMs: number, work: () => T): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let refusals = 0; ; refusals++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await sleep(backoff(refusals));
  }
}
