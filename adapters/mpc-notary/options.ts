/** How a blind notary is reached, and how much is proven with it. */
import { z } from 'zod';
import { phaseLimits } from '../../core/web-proof/blind/blind-phase.ts';
import { httpNotaryOptions } from '../http-notary/index.ts';
import { mpcEngineOptions } from '../mpc-engine/index.ts';
import { readySessions } from './ready-option.ts';

/** Checks `MpcNotaryOptions` and fills in the defaults. */
export const mpcNotaryOptions = httpNotaryOptions
  .extend({
    /** Proofs at one time. Each takes a processor for half a minute, and up to `memoryMiB`. @default 1 */
    concurrency: z.int().min(1).max(64).default(1),
    /** A proof that waits longer for its turn is refused. @default 120_000 */
    maxWaitMs: z.int().min(1).max(300_000).default(120_000),
    /** Most bytes of a request. @default 1_024 */
    maxSentData: z.int().min(64).max(16_384).default(1_024),
    /** Most bytes of an answer; requests may ask for less. Setup takes longer for more. @default 4_096 */
    maxRecvData: z.int().min(64).max(32_768).default(4_096),
    /**
     * Longest time of each phase; milliseconds. A ready session is replaced after `ready`, or earlier if the notary keeps none so
     * long. @default 120 s, 300 s, 60 s and 60 s
     */
    phases: phaseLimits,
    /**
     * Sessions that are set up before they are needed, for the servers of the last proofs. Each has a process of its own besides
     * those of `concurrency`, with up to `memoryMiB`. @default 0
     */
    readySessions: readySessions.default(0),
  })
  .extend({
    /** Most memory of the process of one proof. @default 1_024 */
    memoryMiB: mpcEngineOptions.shape.memoryMiB,
  });
