/** What the prover elsewhere is asked with: a file of its own, so that a configuration can be checked without the rest. */
import { z } from 'zod';
import { LONGEST_TIMER_MS } from '../../core/long-timer.ts';

/** Checks `HttpProverOptions` and fills in the defaults. */
export const httpProverOptionsSchema = z.strictObject({
  /** What stands before `/api/v2.0`. */
  url: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, '')),
  /** Bearer token for the remote service. */
  token: z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must be printable ASCII without spaces'),
  /** Longer than a prover waits and proves, so that its own message arrives. @default 180_000 */
  timeoutMs: z.int().positive().max(LONGEST_TIMER_MS).default(180_000),
  /**
   * Proofs asked for at one time, over all callers; one caller gets at most half of them. Fewer than the service lets one
   * token wait for, or proofs of different callers would wait there without turns.
   * @default 8
   */
  concurrency: z.int().min(1).max(1_000).default(8),
  /** Proofs that may wait for their turn, a quarter of them of one caller. @default 64 */
  maxQueued: z.int().nonnegative().default(64),
  /** A proof that waits longer for its turn is refused. @default 60_000 */
  maxWaitMs: z.int().positive().max(LONGEST_TIMER_MS).default(60_000),
});

/** What `createHttpProver` takes. */
export type HttpProverOptions = z.input<typeof httpProverOptionsSchema>;
