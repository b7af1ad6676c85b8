/** How the engine of MPC-TLS runs. */
import { z } from 'zod';

/** Checks `MpcEngineOptions` and fills in the defaults. */
export const mpcEngineOptions = z.strictObject({
  /** Most memory of one session's process. A session that needs more fails. @default 1_024 */
  memoryMiB: z.int().min(512).max(4_096).default(1_024),
  /** Processes that have loaded the program before a session needs one. @default 0 */
  ready: z.int().min(0).max(64).default(0),
});

/** What `createMpcVerifier` and `createMpcProver` take. */
export type MpcEngineOptions = z.input<typeof mpcEngineOptions>;
