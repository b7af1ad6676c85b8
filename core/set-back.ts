/** Notices that the clock was set back: what waits for a time would otherwise wait longer by that. */
import { type Clock, monotonicMs } from './ports/clock.ts';

/** How often the clock is looked at. */
const LOOK_MS = 1_000;
/** Less is no reason to touch what waits. */
const LEAST_MS = 30_000;

/** Calls `correct` with the milliseconds each time the clock was set back by more than a moment. Returns what ends the watch. */
export function watchSetBack(clock: Clock, correct: (byMs: number) => void): () => void {
  const lead = () => clock.now().getTime() - monotonicMs(clock);
  let before = lead();
  const timer = setInterval(() => {
    const now = lead();
    const by = Math.round(before - now);
    before = now;
    if (by >= LEAST_MS) correct(by);
  }, LOOK_MS);
  return () => clearInterval(timer);
}
