/** How much the embedded notary does at a time. */
import { z } from 'zod';

export const notaryLimits = z.object({
  /** Limit of one request, in milliseconds. */
  timeoutMs: z
    .int()
    .min(1)
    .max(300_000)
    .default(30_000)
    .meta({ description: 'For one request of the notary, from resolving the name to the last byte.' }),
  /** Requests that run at one time, over all callers. */
  concurrency: z.int().min(1).max(1_000).default(64).meta({
    description: 'Requests of the notary at one time, over all callers; one caller gets at most half of them.',
  }),
  /** Requests that may wait for their turn, over all callers. */
  maxQueued: z.int().min(0).max(10_000).default(256).meta({ description: 'Requests that may wait for their turn.' }),
  /** Requests of one caller that may wait for their turn. */
  maxQueuedPerCaller: z
    .int()
    .min(0)
    .max(10_000)
    .default(32)
    .meta({ description: 'Requests of one caller that may wait for their turn.' }),
  /** A request that waits longer for its turn is refused; milliseconds. */
  maxWaitMs: z
    .int()
    .min(1)
    .max(300_000)
    .default(10_000)
    .meta({ description: 'A request that waits longer for its turn is refused.' }),
});

/** The embedded notary as a value of the configuration. */
export interface EmbeddedNotaryOptions {
  /**
   * The secp256k1 signing key, or the file it is kept in.
   * @default { file: './data/notary.key' }
   */
  readonly key?: { readonly file: string } | { readonly secret: Uint8Array<ArrayBuffer> } | undefined;
  /** Where this notary is known to be; written into proofs. */
  readonly url?: string | undefined;
  /**
   * For one request, from resolving the name to the last byte.
   * @default 30000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Requests at one time, over all callers; one caller gets at most half of them.
   * @default 64
   */
  readonly concurrency?: number | undefined;
  /**
   * Requests that may wait for their turn.
   * @default 256
   */
  readonly maxQueued?: number | undefined;
  /**
   * Requests of one caller that may wait for their turn.
   * @default 32
   */
  readonly maxQueuedPerCaller?: number | undefined;
  /**
   * A request that waits longer for its turn is refused.
   * @default 10000
   */
  readonly maxWaitMs?: number | undefined;
}

/**
 * The embedded notary as a value: `createCredence({ notary: localNotary({ key: { file: './notary.key' } }) })`. The same as the
 * options themselves; `createCredence` checks them.
 */
export function localNotary(options: EmbeddedNotaryOptions = {}): EmbeddedNotaryOptions {
  return options;
}
