/** A web proof as it travels. Apart from its verification, whose code is loaded only by hosts that verify. */
import { z } from 'zod';
import { PRESENTATION_VERSIONS, type WebProof } from './web-proof-format.ts';

export type { WebProof } from './web-proof-format.ts';

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
    /** How it was made; left out for `attesting`. Not signed: `verify` reports what is. */
    mode: z.enum(['attesting', 'blind']).optional(),
    /** What prove had to say about the redaction. */
    warnings: z.array(z.string().max(2_048)).max(32).optional(),
  }),
}) satisfies z.ZodType<WebProof>;

const { notaryUrl, websocketProxyUrl } = webProofSchema.shape.meta.shape;

/** A web proof of any maker, for routes without the strictness of v2. They ignore what they do not know, also in `meta`. */
export const foreignWebProofSchema = z.object({
  ...webProofSchema.shape,
  meta: z.object({ notaryUrl, websocketProxyUrl }),
});
