import { setTimeout as sleep } from 'node:timers/promises';
import { isClash } from './failures.ts';

const TRIES = 6;
/** The pause before a further try is random up to this, doubled each time, so that the same writes do not meet again. */
const PAUSE_MS = 4;

/** Does work that may be repeated until no concurrent write crosses it; after some tries the last error stands. */
export async function repeatOnClash<T>(work: () => Promise<T>, isToRepeat = isClash): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isToRepeat(error) || attempt === TRIES) throw error;
    }
    await sleep(Math.random() * PAUSE_MS * 2 ** attempt);
  }
}
