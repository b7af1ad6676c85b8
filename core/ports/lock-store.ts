/** Locks for work that one process at a time does. */
export interface LockStore {
  /**
   * Claims a key (of a web proof, of periodic work) until `expiresAt`. True for exactly one of concurrent callers, false for
   * every later one until the key expires.
   *
   * With a `holder` (what the key is used for), true again for the same holder. It may have died between claiming the key and
   * using it. Claiming again does not extend the time.
   */
  claimOnce(key: string, expiresAt: Date, now: Date, holder?: string): Promise<boolean>;
  /** Who holds the key; null if nobody does, if it was claimed without a holder, or if it expired. */
  holderOf(key: string, now: Date): Promise<string | null>;
}
