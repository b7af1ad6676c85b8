/** The options of the plugin, and of the notary that is a client of another one. */
import { availableParallelism } from 'node:os';
import { httpNotaryOptions } from 'credence/kit';
import { z } from 'zod';
import type { MpcVerifier } from './mpc-tls.ts';

/** More would need more memory than one program can have. */
const maxSentData = z.int().min(64).max(16_384).default(1_024);
const maxRecvData = z.int().min(64).max(32_768).default(4_096);
const memoryMiB = z.int().min(512).max(4_096).default(1_024);

/** A part that takes the place of TLSNotary's. */
const part = <T extends { open(...args: never): unknown }>() =>
  z.custom<T>((value) => typeof (value as Partial<T> | null)?.open === 'function', 'must have a method `open`');

/** Checks `BlindNotaryOptions` and fills in the defaults. */
export const blindNotaryOptions = z.strictObject({
  /** Sessions at one time, over all callers. Each takes a processor for half a minute. @default one for two processors */
  concurrency: z
    .int()
    .min(1)
    .max(256)
    // The two parties' work keeps two processors busy, if they run on one machine.
    .default(() => Math.max(1, Math.floor(availableParallelism() / 2))),
  /** Most bytes of a request. @default 1_024 */
  maxSentData,
  /** Most bytes of an answer; more takes more memory and time. @default 4_096 */
  maxRecvData,
  /** Most memory of the process of one session. An answer of 1 KB takes 450 MiB, one of 4 KB takes 500 MiB. @default 1_024 */
  memoryMiB,
  /** Who may open sessions for stock provers of TLSNotary 0.1.0-alpha.12: callers with a token, anyone, or nobody. @default 'token' */
  stockProvers: z.enum(['token', 'anyone', 'off']).default('token'),
  /** Takes part in sessions; the instance closes it. @default TLSNotary's, one process for each session */
  verifier: part<MpcVerifier>().optional(),
  /** The same for stock provers. @default TLSNotary's of 0.1.0-alpha.12, one process for each session */
  stockVerifier: part<MpcVerifier>().optional(),
});

/** What `blindNotary` takes. */
export type BlindNotaryOptions = z.input<typeof blindNotaryOptions>;
/** The checked options. */
export type BlindNotarySettings = z.output<typeof blindNotaryOptions>;

/** Checks `MpcNotaryOptions` and fills in the defaults. */
export const mpcNotaryOptions = httpNotaryOptions.extend({
  /** Proofs at one time. Each takes a processor for half a minute, and up to `memoryMiB`. @default 1 */
  concurrency: z.int().min(1).max(64).default(1),
  /** A proof that waits longer for its turn is refused. @default 120_000 */
  maxWaitMs: z.int().min(1).max(300_000).default(120_000),
  /** Most bytes of a request. @default 1_024 */
  maxSentData,
  /** Most bytes of an answer; requests may ask for less. Setup takes longer for more. @default 4_096 */
  maxRecvData,
  /** Most memory of the process of one proof. @default 1_024 */
  memoryMiB,
});

/** What `mpcNotary` takes. */
export type MpcNotaryOptions = z.input<typeof mpcNotaryOptions>;
/** The checked options. */
export type MpcNotarySettings = z.output<typeof mpcNotaryOptions>;
