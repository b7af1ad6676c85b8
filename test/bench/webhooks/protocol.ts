/** What the benchmark and its receiver process say to each other. */

export interface ReceiverReady {
  readonly url: string;
}

/** Forget what came before and wait for this many distinct messages, each answered after `delayMs`. */
export interface Expect {
  readonly expected: number;
  readonly delayMs: number;
}

export interface AllReceived {
  readonly kind: 'all';
  /** From the first request to the last. */
  readonly milliseconds: number;
}
