/** How many units a key has in each window. */
export interface LimitRule {
  /** Names the counter, for example `thumbnail-post`. */
  readonly name: string;
  readonly units: number;
  readonly windowSeconds: number;
}

/** Whether a request is admitted, and what is left. */
export interface LimitDecision {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

/** Counts units per key in fixed windows; shared between processes when its adapter is. */
export interface RateLimiter {
  /**
   * Takes `units` from the key's window, or nothing when fewer are left: a request is admitted whole or refused whole.
   * Concurrent calls never admit more than the rule allows.
   */
  consume(rule: LimitRule, key: string, units: number): Promise<LimitDecision>;
  /**
   * Returns units that an allowed `consume` took, for work that was refused, and tells what is left. A window that has ended has
   * nothing to return to. Concurrent calls each return their units, and the count never falls below zero. Call it only while the
   * window of that `consume` runs: the units would be missing from the next one.
   */
  giveBack(rule: LimitRule, key: string, units: number): Promise<LimitDecision>;
  /** Closes the connections. */
  close(): Promise<void>;
}
