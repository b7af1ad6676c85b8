/** Web proofs: prove and verify (docs/specification/web-proofs.md#endpoints). */
import { z } from 'zod';
import type { UsageMeter } from '../../../core/access/usage.ts';
import type { TranscriptShapes, Transcripts } from '../../../core/ports/transcripts.ts';
import { type createNotaryChoice, type Prove, proveRequestSchema } from '../../../core/web-proof/prove.ts';
import {
  MAX_BATCH,
  MAX_BATCH_RESULTS,
  type VerifyBatch,
  verifyBatchSchema,
} from '../../../core/web-proof/verify-batch.ts';
import { foreignWebProofSchema, type WebProof, webProofSchema } from '../../../core/web-proof/web-proof.ts';
import { callerKey } from '../access.ts';
import { enveloped, envelopeOf } from '../envelope.ts';
import { defineRoute, type RouteInput, reply } from '../route.ts';
import { MIB, PROOF_BODY_BYTES, PROVE_BODY_BYTES, proofBytes } from './proof-size.ts';

export interface WebProverRouteDeps {
  /** Asked for by each request: their code may be loaded by the first one. */
  readonly useCases: () => Promise<{
    readonly prove: Prove;
    readonly notaryOf: ReturnType<typeof createNotaryChoice>;
    readonly transcripts: Pick<Transcripts, 'run'>;
    readonly verifyBatch: VerifyBatch;
  }>;
  readonly usage: UsageMeter;
}

const TAG = 'Web proofs';

const presentationMeta = z.object({
  notaryUrl: z.string(),
  warnings: z.array(z.string()).optional().meta({
    description:
      'What to know about the redaction: names that match nothing, headers hidden besides those named, short values that also stand elsewhere. Missing if there is nothing to say.',
  }),
});

const presentation = z
  .object({ data: z.string(), version: webProofSchema.shape.version, meta: presentationMeta })
  .meta({ id: 'WebProof' });

const message = {
  version: z.string(),
  body: z.string().nullable(),
  raw: z.string().meta({ description: 'Hex of the transcript’s bytes; hidden ones are X (58).' }),
};
const requestParts = { method: z.string(), url: z.string(), ...message };
const responseParts = { status: z.int(), ...message };
const lines = z.array(z.string()).meta({ description: '`name: value`, names in lower case.' });
// In words that every reader of OpenAPI knows: `prefixItems` is not among them.
const pair = z
  .tuple([z.string(), z.string()])
  .meta({ override: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 } });
const pairs = z.array(pair);

/** Who took part, and how far that is known. */
const parties = {
  serverDomain: z.string(),
  hostConfirmed: z.boolean().meta({
    description:
      'The notary signed the name of the server, or the request shows a `Host` header with it. If false, `serverDomain` may be any name on the certificate: do not rely on it.',
  }),
  notaryKeyFingerprint: z.string(),
  notaryTrusted: z
    .boolean()
    .meta({ description: 'The key is in the list of trusted notaries, at the time of the session.' }),
};

const transcriptV2 = z
  .object({
    ...parties,
    notarization: z.enum(['attesting', 'blind']).optional().meta({
      description:
        'How the proof was made, if its notary signed that. `attesting`: the notary made the request and saw everything. `blind`: the prover made it by MPC-TLS with the notary, which saw only what the proof shows; the prover chose what is hidden.',
    }),
    tlsTimestamp: z.int(),
    request: z.object({ ...requestParts, headers: lines }),
    response: z.object({ ...responseParts, headers: lines }),
  })
  .meta({ id: 'VerifiedTranscript' });

const transcriptV1 = z
  .object({
    success: z.literal(true),
    ...parties,
    request: z.object({ ...requestParts, headers: pairs }),
    response: z.object({ ...responseParts, headers: pairs }),
  })
  .meta({ id: 'VerifiedTranscriptV1' });

const failure = z.object({ code: z.string(), message: z.string() });
const batchResults = z
  .object({
    results: z.array(
      z.union([
        z.object({ index: z.int(), id: z.string().optional(), success: z.literal(true), data: transcriptV2 }),
        z.object({ index: z.int(), id: z.string().optional(), success: z.literal(false), error: failure }),
      ]),
    ),
  })
  .meta({ id: 'VerifyBatchResult' });

const common = { tag: TAG, dialect: 'v2', access: 'token', brand: 'any' } as const;

export function createWebProverRoutes({ useCases, usage }: WebProverRouteDeps) {
  async function verified<S extends keyof TranscriptShapes>(
    shape: S,
    { body: proof, caller, signal, hold }: RouteInput<unknown, unknown, WebProof>,
  ): Promise<TranscriptShapes[S]> {
    const work = { size: proof.data.length, proofs: 1, caller: callerKey(caller), signal };
    const { transcripts } = await useCases();
    const verifiedProof = await transcripts.run(work, async (transcribe) => {
      const { transcript, bytes } = await transcribe(proof, shape);
      // Before it is written: an answer that may not be sent is not made either.
      hold(bytes);
      return transcript;
    });
    await usage.count(callerKey(caller), { verifications: 1 });
    return verifiedProof;
  }

  return [
    defineRoute('prove', 'POST /api/v2.0/prove', {
      ...common,
      makesWebProof: true,
      summary: 'Make a notarized HTTPS request',
      description:
        'The notary makes the request itself, signs what it saw and hides what the redaction rules name. Redirects are not followed; any status can be proven.',
      body: proveRequestSchema,
      maxBodyBytes: PROVE_BODY_BYTES,
      responses: { 200: { description: 'The web proof.', schema: envelopeOf(presentation) } },
      errors: ['NAME_LOOKUP_TIMEOUT', 'SERVICE_UNAVAILABLE'],
      checkInput: async ({ body: { notaryUrl } }) => {
        if (notaryUrl !== undefined) (await useCases()).notaryOf(notaryUrl);
      },
      handle: async ({ body, signal, caller, hold }) => {
        hold(proofBytes(body));
        const proof = await (await useCases()).prove(body, signal, callerKey(caller));
        await usage.count(callerKey(caller), { proofs: 1 });
        return enveloped(proof);
      },
    }),
    defineRoute('verify', 'POST /api/v2.0/verify', {
      ...common,
      idempotencyKeys: false,
      summary: 'Verify a web proof and read its transcript',
      description:
        'A complete verification also checks `notaryKeyFingerprint`, since a proof is as trustworthy as the notary whose key signed it, and `hostConfirmed`.',
      body: webProofSchema,
      maxBodyBytes: PROOF_BODY_BYTES,
      responses: { 200: { description: 'The proof holds.', schema: envelopeOf(transcriptV2) } },
      errors: ['INVALID_PRESENTATION'],
      handle: async (input) => enveloped(await verified('v2', input)),
    }),
    defineRoute('verifyBatch', 'POST /api/v2.0/verify-batch', {
      ...common,
      idempotencyKeys: false,
      summary: `Verify up to ${MAX_BATCH} web proofs`,
      description: `Results follow the order of the input; one proof’s failure does not fail the others. A failed one has the code that it would get alone, except that \`data\` that is not hexadecimal is \`INVALID_REQUEST\`. The transcripts of one batch come to at most ${MAX_BATCH_RESULTS / MIB} MiB. If there is no room for a proof, its result is \`PAYLOAD_TOO_LARGE\`: verify it on its own.`,
      body: verifyBatchSchema,
      maxBodyBytes: 32 * MIB,
      responses: { 200: { description: 'One result per proof.', schema: envelopeOf(batchResults) } },
      handle: async ({ body, caller, signal, hold }) => {
        const { verifyBatch } = await useCases();
        const results = await verifyBatch(body.proofs, { signal, caller: callerKey(caller), hold });
        const count = results.filter(({ success }) => success).length;
        await usage.count(callerKey(caller), { verifications: count });
        return enveloped({ results });
      },
    }),
    defineRoute('verifyV1', 'POST /api/v1/verify', {
      tag: TAG,
      dialect: 'v1',
      access: 'token',
      idempotencyKeys: false,
      brand: 'any',
      summary: 'Verify a web proof, in the flat shape of v1',
      description:
        'As v2, without an envelope and with headers as pairs. A complete verification also checks `notaryTrusted` and `hostConfirmed`. `x-client-id` is accepted and grants nothing.',
      // Strictness came with v2 (docs/specification/web-proofs.md#versioning).
      body: foreignWebProofSchema,
      maxBodyBytes: PROOF_BODY_BYTES,
      responses: { 200: { description: 'The proof holds.', schema: transcriptV1 } },
      errors: ['INVALID_PRESENTATION'],
      handle: async (input) => reply(200, await verified('v1', input)),
    }),
  ];
}
