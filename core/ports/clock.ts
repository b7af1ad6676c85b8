/** Time, so that tests can hold it still. */
export interface Clock {
  /** The present time, for what is stored or told. Somebody may set it forward or back at any moment, so it measures no duration. */
  now(): Date;
  /** Milliseconds since any moment, which never go back: for durations. By default those of this process, `performance.now()`. */
  monotonicMs?(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

/** Milliseconds for durations within this process. Setting the machine's clock does not change them. */
export function monotonicMs(clock: Clock): number {
  return clock.monotonicMs?.() ?? performance.now();
}
