/** The signals of `attested-values.circom` for a statement. */

import { DomainError, type ProofStatement } from 'credence/kit';
import {
  GROUP_SIZE,
  type LeafOpening,
  type OpenedAttestation,
  requestCommitment,
  valueCommitment,
} from 'credence/kit/web-proofs';
import { sizeFor } from './circuit-sizes.ts';

type ProvenContent = Pick<ProofStatement, 'facts' | 'attester' | 'queries' | 'values'>;

/** Integers as decimal text, the form in which snarkjs and a message to another process take them. */
type Signal = string | readonly Signal[];
export type Signals = Readonly<Record<string, Signal>>;

const NOTHING = new Array<bigint>(GROUP_SIZE).fill(0n);
/** The circuit lets zeros pass for the claim 0. */
const UNUSED: LeafOpening = { salt: 0n, leaf: NOTHING, group: NOTHING };

/**
 * The public inputs in the order of the circuit: root, request, one claim for each value, zeros up to the size of the circuit.
 * Throws a `RangeError` if there are more values than the largest circuit holds.
 */
export function publicInputs(
  { facts, attester, queries, values }: ProvenContent,
  { tree }: Pick<OpenedAttestation, 'tree'>,
): readonly bigint[] {
  const claims = queries.map((query, index) => {
    const value = values[index];
    if (value === undefined) throw new RangeError('there is one value for each query');
    return valueCommitment(query, value);
  });
  const unused = new Array<bigint>(sizeFor(claims.length) - claims.length).fill(0n);
  return [tree.root, requestCommitment(facts, attester), ...claims, ...unused];
}

/** Every input of the circuit. Throws a `DomainError` `PROOF_GENERATION_FAILED` if a claim is not in the tree. */
export function witnessInput(statement: ProvenContent, { tree }: Pick<OpenedAttestation, 'tree'>): Signals {
  const [root = 0n, request = 0n, ...claim] = publicInputs(statement, { tree });
  const slots = claim.map((wanted) => {
    const opening = wanted === 0n ? UNUSED : tree.open(wanted);
    if (opening === undefined || request !== tree.request) {
      throw new DomainError(
        'PROOF_GENERATION_FAILED',
        "The notary's attestation does not hold a claim of the journal.",
      );
    }
    return opening;
  });
  return {
    root: String(root),
    request: String(request),
    claim: claim.map(String),
    groups: tree.groups.map(String),
    salt: slots.map(({ salt }) => String(salt)),
    leaf: slots.map(({ leaf }) => leaf.map(String)),
    group: slots.map(({ group }) => group.map(String)),
  };
}
