/**
 * The compress use case: from a web proof and queries to a seal and a journal, and the dry run behind the decode helper
 * (docs/specification/web-proofs.md#endpoints).
 */

import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { DomainError, isDomainError } from '../../errors.ts';
import type { QueryEvaluator } from '../../ports/query-evaluator.ts';
import type { ProofStatement, ZkProver } from '../../ports/zk-prover.ts';
import {
  type AttestationPlan,
  type AttestationSources,
  createPlanAttestation,
} from '../attested-values/plan-attestation.ts';
import { programId } from '../attested-values/program.ts';
import { requestFactsOf, unsealableReason } from '../attested-values/sealable.ts';
import { extractValues } from '../extraction/extract-values.ts';
import { queriesOf } from '../extraction/queries.ts';
import type { VerifiedWebProof, VerifyWebProof } from '../verify.ts';
import type { CompressRequest } from './compress-request.ts';
import { describeJournal, type JournalDecodeHelp } from './decode-help.ts';
import { encodeAbi } from './encode.ts';
import { exchangeableInteger } from './exchangeable.ts';
import { type JournalMember, journalMembers } from './journal.ts';
import { type VerificationCost, verificationCost } from './verification-cost.ts';

export { type CompressRequest, compressRequestSchema } from './compress-request.ts';

/** Bytes as Ethereum's tools write them. */
type Hex = `0x${string}`;

const toHex = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`;

export interface CompressedWebProof {
  /** The seal. */
  readonly zkProof: Hex;
  readonly journalDataAbi: Hex;
  /** The program of this seal: what a contract passes to the verifier as image id. */
  readonly guestId: Hex;
  /** keccak-256 of the body of the request; left out if there is none. */
  readonly requestBodyHash?: Hex;
  /** What checking the seal on chain costs, and warnings about it. */
  readonly details: VerificationCost;
}

export type Compress = (request: CompressRequest, signal?: AbortSignal, caller?: string) => Promise<CompressedWebProof>;

export interface JournalDecodeHelper extends JournalDecodeHelp {
  readonly journalDataAbi: Hex;
  readonly details: VerificationCost;
}

export interface ReadJournalDeps extends AttestationSources {
  readonly verify: VerifyWebProof;
  readonly evaluator: QueryEvaluator;
}

interface PublicOutputs {
  readonly members: readonly JournalMember[];
  readonly statement: Omit<ProofStatement, 'attestation'>;
  readonly attest: AttestationPlan['attest'];
}

/**
 * Verifies the web proof in full, extracts the values, and has them proven. Callers (`caller`) take turns.
 * @throws DomainError (from the function that is returned; the message says why) `INVALID_REQUEST` for a query that is not
 * JMESPath; `PROOF_NOT_SEALABLE` for a valid web proof whose status, request or notary no seal is made of;
 * `PROOF_NOT_SEALABLE` for values that would make a journal with two readings;
 * `SERVICE_UNAVAILABLE`, with a time to retry after, when evaluator, notary or prover are busy; `PROOF_GENERATION_FAILED`
 * for everything else
 */
export function createCompress(deps: ReadJournalDeps & { readonly prover: ZkProver }): Compress {
  const { prover } = deps;
  const read = createReadPublicOutputs(deps);
  return async (request, signal, caller) => {
    const { statement, attest } = await read(request, caller, signal);
    const { attester, facts, journal, queries } = statement;
    const guestId = programId(await prover.guestId(), attester, facts.requestBody);
    const seal = await prover.prove(
      { ...statement, attestation: () => attest(statement, signal, caller) },
      signal,
      caller,
    );
    return {
      zkProof: toHex(seal),
      journalDataAbi: toHex(journal),
      guestId,
      ...(facts.requestBody === undefined ? {} : { requestBodyHash: toHex(facts.requestBody) }),
      details: verificationCost(journal, queries),
    };
  };
}

/** Everything that compress does but proving: what the journal will be and how to decode it. Refuses what compress does. */
export function createJournalDecodeHelper(
  deps: ReadJournalDeps,
): (request: CompressRequest, caller?: string) => Promise<JournalDecodeHelper> {
  const read = createReadPublicOutputs(deps);
  return async (request, caller) => {
    const { members, statement } = await read(request, caller);
    const { journal, queries } = statement;
    const details = verificationCost(journal, queries);
    return { ...describeJournal(members), journalDataAbi: toHex(journal), details };
  };
}

/** What compress, fake mode and decode helper have in common, so that all three refuse the same in the same words. */
function createReadPublicOutputs(
  deps: ReadJournalDeps,
): (request: CompressRequest, caller?: string, signal?: AbortSignal) => Promise<PublicOutputs> {
  const { verify, evaluator } = deps;
  const planAttestation = createPlanAttestation(deps);
  return async ({ presentation, extraction, acceptRequestBody = false }, caller, signal) => {
    const queries = queriesOf(extraction);
    const proof = await verified(() => verify(presentation, { caller, signal }));
    const reason = unsealableReason(proof);
    if (reason !== null) throw new DomainError('PROOF_NOT_SEALABLE', `${reason}.`);
    const facts = requestFactsOf(proof);
    if (facts.requestBody !== undefined && !acceptRequestBody) {
      throw new DomainError(
        'PROOF_NOT_SEALABLE',
        'The request has a body, which the journal does not show. Set acceptRequestBody to true to get a seal for a guest id that names the hash of the body.',
      );
    }
    const { values, evaluated } = await extractValues(evaluator, proof.response.content, queries, caller);
    const { attester, attesterKey, attest } = await planAttestation(proof, evaluated);
    const notaryKeyFingerprint = hexToBytes(proof.notaryKeyFingerprint);
    const members = journalMembers({ notaryKeyFingerprint, facts, queries, values });
    const journal = encodeAbi(members);
    const exchangeable = exchangeableInteger(members, journal);
    if (exchangeable !== undefined) {
      const [query, value] = [queries[exchangeable], values[exchangeable]?.text];
      throw new DomainError(
        'PROOF_NOT_SEALABLE',
        `The query ${JSON.stringify(query)} gives ${value}, which is also the offset of a text in the journal. Such a journal may have two readings, and the decode snippet refuses it. Query integers and texts in separate requests.`,
      );
    }
    return { members, attest, statement: { presentation, facts, attester, attesterKey, queries, values, journal } };
  };
}

/** Any failure to verify has the one code that the prover's routes document (docs/specification/web-proofs.md#errors). */
async function verified(verify: () => Promise<VerifiedWebProof>): Promise<VerifiedWebProof> {
  try {
    return await verify();
  } catch (error) {
    if (!isDomainError(error, 'INVALID_PRESENTATION', 'INTERNAL_SERVER_ERROR')) throw error;
    throw new DomainError('PROOF_GENERATION_FAILED', error.message, { cause: error });
  }
}
