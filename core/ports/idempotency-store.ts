/** A request that wants to be the one that runs under its idempotency key. */
export interface IdempotencyClaim {
  /** Stands for the caller, the operation and the key of the request; of bounded length. */
  readonly key: string;
  /** Stands for what the request asks for. */
  readonly fingerprint: string;
  /** Names this claim among all. */
  readonly lease: string;
  /** If nothing is heard of the claim until then, the same request may run again. */
  readonly leaseUntil: Date;
  /** From then on the key is free for any request. */
  readonly expiresAt: Date;
}

/** What is stored under a key. */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  /** Null while the first request runs. */
  readonly answer: string | null;
}

/** Answers to requests by their idempotency keys, so that a repeated request is answered without running again. */
export interface IdempotencyStore {
  /**
   * Claims a key. Returns null to exactly one of concurrent callers, which then runs, and what is stored to all others. A key is
   * claimed again after it expired. It is also claimed again if it has no answer, its lease ran out and the fingerprint is the
   * same.
   */
  claim(claim: IdempotencyClaim, now: Date): Promise<IdempotencyRecord | null>;
  /** Makes a lease last longer. False if the key is no longer claimed under this lease, or has an answer. */
  renew(key: string, lease: string, leaseUntil: Date): Promise<boolean>;
  /**
   * Ends a lease. With an answer, that is stored; without one, nothing stays stored and the key is free for any request. False, and
   * nothing changes, if the key is no longer claimed under this lease. A stored answer stays.
   */
  end(key: string, lease: string, answer: string | null): Promise<boolean>;
}
