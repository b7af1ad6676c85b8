/** How much a blind notary does. */
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { phaseLimits } from '../../core/web-proof/blind/blind-phase.ts';

/** More would need more memory than one program can have. */
export const MAX_SENT_DATA = 16_384;
export const MAX_RECV_DATA = 32_768;

/** The two parties' work keeps two processors busy, if they run on one machine. */
function defaultConcurrency(): number {
  return Math.max(1, Math.floor(availableParallelism() / 2));
}

/** Checks `BlindNotaryOptions` and fills in the defaults. */
export const blindNotaryOptions = z.object({
  /** Sessions at one time, over all callers. Each takes a processor for half a minute. @default one for two processors */
  concurrency: z
    .int()
    .min(1)
    .max(256)
    .optional()
    .transform((given) => given ?? defaultConcurrency()),
  /** Most bytes of a request. @default 1_024 */
  maxSentData: z.int().min(64).max(MAX_SENT_DATA).default(1_024),
  /** Most bytes of an answer. @default 4_096 */
  maxRecvData: z.int().min(64).max(MAX_RECV_DATA).default(4_096),
  /** How long a session waits for its prover to connect; milliseconds. @default 30_000 */
  joinMs: z.int().min(1).max(300_000).default(30_000),
  /**
   * Longest time of each phase; milliseconds. `ready` is for sessions that provers open ahead; 0 allows none of them.
   * @default 120 s, 300 s, 60 s and 60 s
   */
  phases: phaseLimits,
});
