/** The v2 dialect's envelope of success (web-proof service, "Resources and their fields"). */
import { z } from 'zod';
import { API_VERSION } from './error-reply.ts';
import type { Reply } from './route.ts';

export function enveloped(data: unknown): Reply {
  return { status: 200, body: { apiVersion: API_VERSION, success: true, data } };
}

export const envelopeOf = <T extends z.ZodType>(data: T) =>
  z.object({ apiVersion: z.literal(API_VERSION), success: z.literal(true), data });
