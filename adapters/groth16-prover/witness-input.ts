/** The signals of `attested-values.circom` for a statement. */

import { DomainError } from '../../core/errors.ts';
import type { ProofStatement } from '../../core/ports/zk-prover.ts';
import type { OpenedAttestation } from '../../core/web-proof/attested-values/attestation.ts';
import { type ClaimOpening, GROUP_SIZE, TREE_DEPTH } from '../../core/web-proof/attested-values/claim-tree.ts';
import { requestClaim, valueClaim } from '../../core/web-proof/attested-values/claims.ts';
import { poseidon } from '../../core/web-proof/attested-values/poseidon.ts';

/** As many claims as the circuit has slots: the request's and those of eight values. */
const SLOTS = 9;

type ProvenContent = Pick<ProofStatement, 'facts' | 'attester' | 'queries' | 'values'>;

/** Integers as decimal text, the form in which snarkjs and a message to another process take them. */
type Signal = string | readonly Signal[];
export type Signals = Readonly<Record<string, Signal>>;

/** What an unused slot holds: a tree of nothing. Its root is not looked at, but every step of its path has to hold. */
function unusedSlot(): ClaimOpening {
  const group = (first: bigint) => [first, ...new Array<bigint>(GROUP_SIZE - 1).fill(0n)];
  const claims = group(0n);
  const groups = [group(poseidon([0n, ...claims]))];
  while (groups.length < TREE_DEPTH) groups.push(group(poseidon(groups.at(-1) ?? [])));
  return { salt: 0n, claims, groups };
}

/** The public inputs in the order of the circuit: key, request, one claim for each value, zeros. */
export function publicInputs(
  { facts, attester, queries, values }: ProvenContent,
  { attestation }: Pick<OpenedAttestation, 'attestation'>,
): readonly bigint[] {
  const claims = [requestClaim(facts, attester)];
  for (const [index, query] of queries.entries()) {
    const value = values[index];
    if (value === undefined) throw new RangeError('there is one value for each query');
    claims.push(valueClaim(query, value));
  }
  if (claims.length > SLOTS) throw new RangeError(`a proof holds at most ${SLOTS - 1} values`);
  while (claims.length < SLOTS) claims.push(0n);
  return [attestation.key.x, attestation.key.y, ...claims];
}

/** Every input of the circuit. Throws a `DomainError` `PROOF_GENERATION_FAILED` when a claim is not in the tree. */
export function witnessInput(statement: ProvenContent, opened: OpenedAttestation): Signals {
  const [ax = 0n, ay = 0n, ...claim] = publicInputs(statement, opened);
  const unused = unusedSlot();
  const slots = claim.map((wanted) => {
    const opening = wanted === 0n ? unused : opened.tree.open(wanted);
    if (opening === undefined) {
      throw new DomainError(
        'PROOF_GENERATION_FAILED',
        "The notary's attestation does not hold a claim of the journal.",
      );
    }
    return opening;
  });
  const { root, signature } = opened.attestation;
  return {
    ax: String(ax),
    ay: String(ay),
    claim: claim.map(String),
    root: String(root),
    r8x: String(signature.r8x),
    r8y: String(signature.r8y),
    s: String(signature.s),
    salt: slots.map((slot) => String(slot.salt)),
    claims: slots.map((slot) => slot.claims.map(String)),
    groups: slots.map((slot) => slot.groups.map((group) => group.map(String))),
  };
}
