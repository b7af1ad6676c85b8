/** A web proof as it travels. Apart from its verification, whose code is loaded only by hosts that verify. */
import { z } from 'zod';
import { FORMAT_VERSION } from './tlsnotary/presentation.ts';

/** Formats of `data`; both have the same bytes: the second is what client-side provers write. */
export const PRESENTATION_VERSIONS = [FORMAT_VERSION, '2.0.0'] as const;

/**
 * A web proof as it travels (docs/specification/web-proofs.md#web-proof). `meta` is never trusted and nothing in it is fetched.
 */
export const webProofSchema = z.strictObject({
  /** Hex; at most 1 MiB of bytes. */
  data: z.string(),
  version: z.enum(PRESENTATION_VERSIONS),
  meta: z.strictObject({
    notaryUrl: z.string().max(2_048),
    websocketProxyUrl: z.string().max(2_048).nullish(),
    /** What prove had to say about the redaction. */
    warnings: z.array(z.string().max(2_048)).max(32).optional(),
  }),
});

/** A web proof as it travels. */
export type WebProof = z.infer<typeof webProofSchema>;

/** True when the data is hex digits in pairs; a batch tells this fault from data that is not a presentation. */
export function isHexData(data: string): boolean {
  return data.length % 2 === 0 && !/[^0-9a-fA-F]/.test(data);
}
