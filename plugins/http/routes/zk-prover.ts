/** Zero-knowledge compression of web proofs (docs/specification/web-proofs.md#endpoints). */
import { z } from 'zod';
import type { UsageMeter } from '../../../core/access/usage.ts';
import { DomainError } from '../../../core/errors.ts';
import { NO_WORD, programId } from '../../../core/web-proof/attested-values/program.ts';
import type { Compress, JournalDecodeHelper } from '../../../core/web-proof/journal/compress.ts';
import { type CompressRequest, compressRequestSchema } from '../../../core/web-proof/journal/compress-request.ts';
import { callerKey } from '../access.ts';
import { enveloped, envelopeOf } from '../envelope.ts';
import { defineRoute } from '../route.ts';
import { PROOF_BODY_BYTES } from './proof-size.ts';

export interface ZkProverRouteDeps {
  /** Asked for by each request: their code may be loaded by the first one. */
  readonly useCases: () => Promise<{
    readonly compress: Compress;
    readonly compressFake: Compress;
    readonly decodeHelper: (request: CompressRequest, caller?: string) => Promise<JournalDecodeHelper>;
    readonly guestId: () => Promise<`0x${string}`>;
  }>;
  readonly usage: UsageMeter;
}

const hex = z.string().regex(/^0x[0-9a-f]*$/);
const details = z
  .object({
    verificationGas: z.int().meta({ description: 'Gas of a transaction that checks the seal; an estimate.' }),
    warnings: z.array(z.string()).meta({ description: 'What may keep the seal from being used; mostly empty.' }),
  })
  .meta({ id: 'VerificationCost' });
const compressed = envelopeOf(
  z.object({
    zkProof: hex,
    journalDataAbi: hex,
    guestId: hex.meta({
      description:
        'The image id under which a verifier accepts this seal. It differs from the one of `guest-id` for a request with a body and for a proof of another notary, attested by this service.',
    }),
    requestBodyHash: hex.optional().meta({ description: 'keccak-256 of the body of the request, if it has one.' }),
    details,
  }),
).meta({ id: 'CompressedWebProof' });
const help = envelopeOf(
  z.object({
    journalTypes: z.array(z.string()),
    journalValues: z.array(z.string()),
    solidityCodeSnippet: z.string(),
    journalDataAbi: hex,
    details,
  }),
).meta({ id: 'JournalDecodeHelp' });

const guestIds = envelopeOf(
  z.object({
    guestId: hex,
    delegatedGuestId: hex.meta({
      description: 'Of web proofs of other notaries that hide nothing, attested by this service as a delegate.',
    }),
    partlyHiddenGuestId: hex.meta({
      description: 'Of such web proofs that hide parts, which their prover may have chosen.',
    }),
  }),
);

const common = { tag: 'Zero-knowledge proofs', dialect: 'v2', access: 'token', brand: 'any' } as const;
/** Of the rows that compress, or say what it would give. */
const compression = {
  ...common,
  body: compressRequestSchema,
  maxBodyBytes: PROOF_BODY_BYTES,
  errors: ['PROOF_NOT_SEALABLE', 'PROOF_GENERATION_FAILED'],
} as const;

export function createZkProverRoutes({ useCases, usage }: ZkProverRouteDeps) {
  return [
    defineRoute('compressWebProof', 'POST /api/v2.0/evm/compress-web-proof', {
      ...compression,
      summary: 'Compress a web proof into a zero-knowledge proof for Ethereum',
      description:
        'Verifies the proof, extracts values from the response body with JMESPath, and returns a seal and the ABI-encoded journal.',
      responses: { 200: { description: 'Seal and journal.', schema: compressed } },
      handle: async ({ body, signal, caller }) => {
        const { compress } = await useCases();
        const proof = await compress(body, signal, callerKey(caller));
        await usage.count(callerKey(caller), { compressions: 1 });
        return enveloped(proof);
      },
    }),
    defineRoute('compressWebProofFake', 'POST /api/v2.0/fake/evm/compress-web-proof', {
      ...compression,
      idempotencyKeys: false,
      unmetered: true,
      summary: 'The same with a mock seal: at once, free, and for a mock verifier only',
      description:
        'For development: it checks the same input and returns the same journal, but the seal proves nothing.',
      responses: { 200: { description: 'Mock seal and the real journal.', schema: compressed } },
      handle: async ({ body, signal, caller }) => {
        const { compressFake } = await useCases();
        return enveloped(await compressFake(body, signal, callerKey(caller)));
      },
    }),
    defineRoute('journalDecodeHelper', 'POST /api/v2.0/debug/evm/journal-decode-helper', {
      ...compression,
      idempotencyKeys: false,
      summary: 'A dry run of compress: how to decode the journal',
      description: 'Returns the journal that compress would make, and Solidity code that decodes it.',
      responses: {
        200: {
          description: 'Types, values, and Solidity that decodes the journal and refuses one of other types.',
          schema: help,
        },
      },
      handle: async ({ body, caller }) => {
        const { decodeHelper } = await useCases();
        return enveloped(await decodeHelper(body, callerKey(caller)));
      },
    }),
    defineRoute('readGuestId', 'GET /api/v2.0/evm/guest-id', {
      ...common,
      summary: 'The id of the proving program, as contracts pin it',
      description: 'Pin one of them in the contract that checks the seals.',
      responses: { 200: { description: 'The id, and those for web proofs of other notaries.', schema: guestIds } },
      errors: ['PROOF_GENERATION_FAILED'],
      handle: async () => {
        const guestId = await (await useCases()).guestId();
        const delegated = (partlyHidden: boolean) =>
          programId(guestId, { kind: 'delegate', notary: NO_WORD, partlyHidden });
        return enveloped({
          guestId,
          delegatedGuestId: delegated(false),
          partlyHiddenGuestId: delegated(true),
        });
      },
    }),
    notImplemented('verifyZkProof', '/api/v2.0/evm/verify-zk-proof'),
    notImplemented('verifyZkProofFake', '/api/v2.0/fake/evm/verify-zk-proof'),
  ];
}

function notImplemented(id: string, path: string) {
  return defineRoute(id, `POST ${path}`, {
    ...common,
    idempotencyKeys: false,
    unmetered: true,
    summary: 'Reserved: always 501; verify on chain instead',
    description: 'Call the verifier contract: its answer is the one that counts.',
    responses: {},
    errors: ['NOT_IMPLEMENTED'],
    handle: async () => {
      throw new DomainError(
        'NOT_IMPLEMENTED',
        'ZK proof verification is not implemented here: use a verifier contract.',
      );
    },
  });
}
