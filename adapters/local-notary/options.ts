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
  /**
   * Sessions of a blind notary, for the service `notary`. Provers make their requests themselves, by MPC-TLS with this notary. It
   * never has what a proof hides. Sessions need the packages `@csfloat/tlsn-wasm` and `ws`, and `credence.attach(server)`.
   * @default none
   */
  readonly sessions?: NotarySessionsOptions | undefined;
}

/** The sessions of an embedded blind notary. */
export interface NotarySessionsOptions {
  /**
   * Sessions at one time, over all callers. Each takes a processor for half a minute.
   * @default one for two processors
   */
  readonly concurrency?: number | undefined;
  /**
   * Engine processes that are started before a session needs them, from the first session on.
   * @default 1
   */
  readonly ready?: number | undefined;
  /**
   * How many seconds a session that a prover has set up ahead may wait for its request. Until then it gives way to sessions that
   * find no free place. 0 allows none.
   * @default 300
   */
  readonly readySeconds?: number | undefined;
  /**
   * Most bytes of a request.
   * @default 1024
   */
  readonly maxSentData?: number | undefined;
  /**
   * Most bytes of an answer; more takes more memory and time.
   * @default 4096
   */
  readonly maxRecvData?: number | undefined;
  /**
   * Most memory of the process of one session. An answer of 1 KB takes 450 MiB, one of 4 KB takes 500 MiB.
   * @default 1024
   */
  readonly memoryMiB?: number | undefined;
  /**
   * Who may open sessions for stock provers of TLSNotary 0.1.0-alpha.12: callers with a token, anyone, or nobody. They need the
   * package `tlsn-wasm` too.
   * @default 'off'
   */
  readonly stockProvers?: 'token' | 'anyone' | 'off' | undefined;
}

/**
 * The embedded notary as a value: `createCredence({ notary: localNotary({ key: { file: './notary.key' } }) })`. The same as the
 * options themselves; `createCredence` checks them.
 */
export function localNotary(options: EmbeddedNotaryOptions = {}): EmbeddedNotaryOptions {
  return options;
}
