/** The v2 dialect's envelope of success (docs/specification/web-proofs.md#envelope). */
import { z } from 'zod';
import { API_VERSION } from './error-reply.ts';
import { reply } from './route.ts';

/** An answer of v2 with its data. */
export function enveloped<Data>(data: Data) {
  return reply(200, { apiVersion: API_VERSION as typeof API_VERSION, success: true as const, data });
}

/** The schema of such an answer. */
export const envelopeOf = <T extends z.ZodType>(data: T) =>
  z.object({ apiVersion: z.literal(API_VERSION), success: z.literal(true), data });
