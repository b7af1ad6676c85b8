/** The notary as a service of its own: `{notaryUrl}/notarize`, called by other Credence instances. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import type { Notary } from '../../../core/ports/notary.ts';
import { NOTARY_PATH } from '../../../core/web-proof/notary-label.ts';
import { notarizeRequestSchema } from '../../../core/web-proof/prove-request.ts';
import { webProofSchema } from '../../../core/web-proof/web-proof.ts';
import { callerKey } from '../access.ts';
import { enveloped, envelopeOf } from '../envelope.ts';
import { defineRoute } from '../route.ts';
import { PROOF_BODY_BYTES, PROVE_BODY_BYTES, proofBytes } from './proof-size.ts';

export interface NotaryRouteDeps {
  /** Asked for by each request: its code may be loaded by the first one. */
  readonly notary: () => Promise<Notary>;
}

const common = { tag: 'Notary', access: 'token', brand: 'any', dialect: 'v2' } as const;

export function createNotaryRoutes({ notary }: NotaryRouteDeps) {
  return [
    defineRoute('notarize', `POST ${NOTARY_PATH}/notarize`, {
      ...common,
      summary: 'Make an HTTPS request and sign what came back',
      description:
        'The notary makes the request itself: it sees the credentials in it and the whole answer, hidden parts too.',
      makesWebProof: true,
      body: notarizeRequestSchema,
      maxBodyBytes: PROVE_BODY_BYTES,
      responses: { 200: { description: 'A web proof.', schema: envelopeOf(webProofSchema) } },
      errors: ['NAME_LOOKUP_TIMEOUT'],
      handle: async ({ body, signal, hold, caller }) => {
        hold(proofBytes(body));
        return enveloped(await (await notary()).notarize(body, signal, callerKey(caller)));
      },
    }),
    defineRoute('attestQueries', `POST ${NOTARY_PATH}/attest-queries`, {
      ...common,
      summary: 'Sign the values that queries give on a web proof of this notary',
      description:
        'Refuses proofs of other notaries, and values that this notary did not sign when it saw the exchange.',
      body: z.strictObject({ webProof: webProofSchema, queries: z.array(z.string().max(4_096)).max(64) }),
      maxBodyBytes: PROOF_BODY_BYTES,
      responses: {
        200: { description: 'The signed record, hex.', schema: envelopeOf(z.object({ attestation: z.string() })) },
      },
      errors: ['INVALID_PRESENTATION', 'PROOF_NOT_SEALABLE', 'PROOF_GENERATION_FAILED', 'NOT_IMPLEMENTED'],
      handle: async ({ body, signal, caller }) => {
        const { attestQueries } = await notary();
        if (attestQueries === undefined) {
          throw new DomainError('NOT_IMPLEMENTED', 'This notary does not attest the values of queries.');
        }
        const { webProof, queries } = body;
        const attestation = await attestQueries(webProof, queries, signal, callerKey(caller));
        return enveloped({ attestation: bytesToHex(attestation) });
      },
    }),
  ];
}
