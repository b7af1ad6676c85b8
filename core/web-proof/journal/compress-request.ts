/** What a compress request says. Apart from the use case, whose code is loaded only by hosts that compress. */
import { z } from 'zod';
import { extractionSchema } from '../extraction/queries.ts';
import { webProofSchema } from '../web-proof.ts';

/** Body of compress and of the decode helper. */
export const compressRequestSchema = z.strictObject({
  presentation: webProofSchema,
  extraction: extractionSchema.optional(),
  acceptRequestBody: z
    .boolean()
    .default(false)
    .describe(
      'Needed for a request with a body, which the journal does not show. The seal is made for a guest id of its own, which names the hash of the body.',
    ),
});

export type CompressRequest = z.input<typeof compressRequestSchema>;
