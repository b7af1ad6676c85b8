/**
 * The compress use case: from a web proof and queries to a seal and a journal (specification, Endpoints), and the dry run
 * behind the decode helper.
 */

import { hexToBytes } from '@noble/hashes/utils.js';
import type { Hex } from 'viem';
import { bytesToHex } from 'viem/utils';
import { z } from 'zod';
import { DomainError, isDomainError } from '../errors.ts';
import type { Notary } from '../ports/notary.ts';
import type { QueryEvaluator } from '../ports/query-evaluator.ts';
import type { ProofStatement, ZkProver } from '../ports/zk-prover.ts';
import { createProvideAttestation, notaryKeyOf } from './attested-values/provide-attestation.ts';
import { extractValues } from './extraction/extract-values.ts';
import { extractionSchema, queriesOf } from './extraction/queries.ts';
import { hostProblem } from './host-binding.ts';
import { describeJournal, type JournalDecodeHelp } from './journal/decode-help.ts';
import { encodeJournal, type JournalMember, journalMembers } from './journal/journal.ts';
import {
  type HoldMemory,
  type VerifiedWebProof,
  type VerifyWebProof,
  type WebProof,
  webProofSchema,
} from './verify.ts';

/** Body of compress and of the decode helper. */
export const compressRequestSchema = z.strictObject({
  presentation: webProofSchema,
  extraction: extractionSchema.optional(),
});

export type CompressRequest = z.infer<typeof compressRequestSchema>;

export interface CompressedWebProof {
  /** The seal. */
  readonly zkProof: Hex;
  readonly journalDataAbi: Hex;
}

export type Compress = (
  request: CompressRequest,
  signal?: AbortSignal,
  hold?: HoldMemory,
  caller?: string,
) => Promise<CompressedWebProof>;

export interface JournalDecodeHelper extends JournalDecodeHelp {
  readonly journalDataAbi: Hex;
}

export interface ReadJournalDependencies {
  readonly verify: VerifyWebProof;
  readonly evaluator: QueryEvaluator;
}

export interface CompressDependencies extends ReadJournalDependencies {
  readonly prover: ZkProver;
  /** Notaries that may be asked to attest queries; the one that signed the proof is. */
  readonly notaries: readonly Notary[];
}

interface PublicOutputs {
  readonly proof: VerifiedWebProof;
  readonly members: readonly JournalMember[];
  readonly statement: Omit<ProofStatement, 'attestation'>;
  readonly evaluated: readonly string[];
}

/**
 * Verifies the web proof in full, extracts the values, and has them proven. The result throws `DomainError`:
 * `INVALID_REQUEST` for a query that is not JMESPath, `SERVICE_UNAVAILABLE` with a time to retry after when the evaluator, the
 * notary or the prover is busy, `PROOF_GENERATION_FAILED` for everything else, saying why. Callers (`caller`) take turns.
 */
export function createCompress(dependencies: CompressDependencies): Compress {
  const { prover, notaries } = dependencies;
  const provideAttestation = createProvideAttestation(notaries);
  return async (request, signal, hold, caller) => {
    const { proof, statement, evaluated } = await readPublicOutputs(dependencies, request, hold, caller);
    const onBehalf = { ...(signal ? { signal } : {}), ...(caller === undefined ? {} : { caller }) };
    const attestation = () => provideAttestation({ proof, statement, evaluated, ...onBehalf });
    const seal = await prover.prove({ ...statement, attestation }, signal, caller);
    return { zkProof: bytesToHex(seal), journalDataAbi: bytesToHex(statement.journal) };
  };
}

/** Everything that compress does but proving: what the journal will be and how to decode it. */
export function createJournalDecodeHelper(
  dependencies: ReadJournalDependencies,
): (request: CompressRequest, hold?: HoldMemory, caller?: string) => Promise<JournalDecodeHelper> {
  return async (request, hold, caller) => {
    const { members, statement } = await readPublicOutputs(dependencies, request, hold, caller);
    return { ...describeJournal(members), journalDataAbi: bytesToHex(statement.journal) };
  };
}

async function readPublicOutputs(
  { verify, evaluator }: ReadJournalDependencies,
  { presentation, extraction }: CompressRequest,
  hold: HoldMemory | undefined,
  caller: string | undefined,
): Promise<PublicOutputs> {
  const queries = queriesOf(extraction);
  const proof = await verified(verify, presentation, hold);
  // The journal says the URL, so it must be certain.
  const problem = hostProblem(proof);
  if (problem !== null) throw new DomainError('PROOF_GENERATION_FAILED', `Cannot compress: ${problem}.`);
  const { values, evaluated } = await extractValues(evaluator, proof.response.content, queries, caller);
  const facts = { method: proof.request.method, url: proof.url, tlsTimestamp: proof.tlsTimestamp };
  const notaryKeyFingerprint = hexToBytes(proof.notaryKeyFingerprint);
  const members = journalMembers({ notaryKeyFingerprint, facts, queries, values });
  const journal = encodeJournal(members);
  const notaryKey = notaryKeyOf(proof);
  return { proof, members, evaluated, statement: { presentation, facts, notaryKey, queries, values, journal } };
}

/** The routes of the prover know one code for a proof that is no proof (specification, Errors). */
async function verified(
  verify: VerifyWebProof,
  presentation: WebProof,
  hold: HoldMemory | undefined,
): Promise<VerifiedWebProof> {
  try {
    return await verify(presentation, hold);
  } catch (error) {
    if (!isDomainError(error, 'INVALID_PRESENTATION', 'INTERNAL_SERVER_ERROR')) throw error;
    throw new DomainError('PROOF_GENERATION_FAILED', error.message, { cause: error });
  }
}
