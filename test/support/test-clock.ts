import type { Clock } from '../../core/ports/clock.ts';

/** A clock that stands still until a test moves it. */
export interface TestClock extends Required<Clock> {
  /** So much time goes by. */
  pass(ms: number): void;
  /** Somebody sets the clock, forward or back: no time goes by. */
  set(time: Date | number): void;
}

export function createTestClock(start: Date | number = 0): TestClock {
  let wall = Number(start);
  let elapsed = 0;
  return {
    now: () => new Date(wall),
    monotonicMs: () => elapsed,
    pass(ms) {
      wall += ms;
      elapsed += ms;
    },
    set(time) {
      wall = Number(time);
    },
  };
}
