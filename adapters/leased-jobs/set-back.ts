/** Notices that the clock was set back: what waits for a time would otherwise wait longer by that. */
import { type Clock, monotonicMs } from '../../core/ports/clock.ts';

/** How often the clock is looked at. */
export const LOOK_MS = 1_000;
/** Less is no reason to touch the jobs. */
const LEAST_MS = 30_000;

/** Returns a function that says by how many milliseconds the clock was set back since its last call; 0 for a moment. */
export function createSetBackWatch(clock: Clock): () => number {
  const lead = () => clock.now().getTime() - monotonicMs(clock);
  let before = lead();
  return () => {
    const now = lead();
    const by = before - now;
    before = now;
    return by < LEAST_MS ? 0 : Math.round(by);
  };
}
