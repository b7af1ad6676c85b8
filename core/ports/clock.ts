/** Time, so that tests can hold it still. */
export interface Clock {
  /** The present time. */
  now(): Date;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };
