/** What the prover elsewhere is asked with: a file of its own, so that a configuration can be checked without the rest. */
import { z } from 'zod';

export const httpProverOptionsSchema = z.strictObject({
  /** What stands before `/api/v2.0`. */
  url: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, '')),
  /** Bearer token for the remote service. */
  token: z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must be printable ASCII without spaces'),
  timeoutMs: z.int().positive().default(60_000),
});

export type HttpProverOptions = z.input<typeof httpProverOptionsSchema>;
