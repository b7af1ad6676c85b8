/** What prover and notary say to each other beside the bytes of their engines: text frames with JSON. */

import { LIMITS } from 'credence/kit';
import { z } from 'zod';
import { serverHandshakeSchema } from './handshake.ts';

/** Nothing more comes from the sender's engine. */
const endMessage = z.strictObject({ type: z.literal('end') });

/** From the prover. */
export const proverMessage = z.discriminatedUnion('type', [
  endMessage,
  z.strictObject({ type: z.literal('phase'), phase: z.enum(['online', 'reveal']) }),
  z.strictObject({ type: z.literal('handshake'), handshake: serverHandshakeSchema }),
]);
/** What a prover says. */
export type ProverMessage = z.input<typeof proverMessage>;

/** From the notary. */
export const notaryMessage = z.discriminatedUnion('type', [
  endMessage,
  z.strictObject({
    type: z.literal('presentation'),
    /** Lower-case hex. */
    data: z
      .string()
      .max(2 * LIMITS.presentation)
      .regex(/^(?:[0-9a-f]{2})+$/),
  }),
  z.strictObject({
    type: z.literal('error'),
    error: z.strictObject({ code: z.string().max(64), message: z.string().max(2_000) }),
  }),
]);
/** What a notary says. */
export type NotaryMessage = z.input<typeof notaryMessage>;

/** The longest text frame: a presentation in hex, or eight certificates. */
export const MAX_FRAME_BYTES = 2 * LIMITS.presentation + 64 * 1024;
