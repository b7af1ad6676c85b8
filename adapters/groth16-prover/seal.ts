/** The seal: four bytes that name the verifier, then what `WebProofVerifier.sol` decodes as its struct `Seal`. */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { ProofStatement } from 'credence/kit';
import { NO_WORD, type OpenedAttestation, sealSelector, VALUE_KINDS } from 'credence/kit/web-proofs';
import { bytesToHex, concat, encodeAbiParameters, hexToBytes, numberToHex } from 'viem/utils';

/** A proof as snarkjs gives it: points in decimal coordinates, the real part of B's coordinates first. */
export interface Groth16Proof {
  readonly pi_a: readonly [string, string, ...string[]];
  readonly pi_b: readonly [readonly [string, string], readonly [string, string], ...unknown[]];
  readonly pi_c: readonly [string, string, ...string[]];
}

const SEAL = [
  {
    type: 'tuple',
    components: [
      { name: 'proof', type: 'uint256[8]' },
      { name: 'attesterKey', type: 'uint256[2]' },
      { name: 'root', type: 'uint256' },
      { name: 'signatureR', type: 'bytes32' },
      { name: 'signatureS', type: 'bytes32' },
      { name: 'signatureV', type: 'uint8' },
      { name: 'requestBody', type: 'bytes32' },
      { name: 'queries', type: 'string[]' },
      { name: 'kinds', type: 'bytes' },
      { name: 'journal', type: 'bytes' },
    ],
  },
] as const;

/** Encodes the seal of `statement`; `guestId` names the circuits of the artifacts. */
export function encodeSeal(
  guestId: `0x${string}`,
  proof: Groth16Proof,
  statement: Pick<ProofStatement, 'attester' | 'attesterKey' | 'facts' | 'queries' | 'values' | 'journal'>,
  { tree, signature }: Pick<OpenedAttestation, 'tree' | 'signature'>,
): Uint8Array {
  const attesterKey = secp256k1.Point.fromBytes(statement.attesterKey).toAffine();
  const { pi_a: a, pi_b: b, pi_c: c } = proof;
  const body = encodeAbiParameters(SEAL, [
    {
      proof: [
        BigInt(a[0]),
        BigInt(a[1]),
        BigInt(b[0][1]),
        BigInt(b[0][0]),
        BigInt(b[1][1]),
        BigInt(b[1][0]),
        BigInt(c[0]),
        BigInt(c[1]),
      ],
      attesterKey: [attesterKey.x, attesterKey.y],
      root: tree.root,
      signatureR: numberToHex(signature.r, { size: 32 }),
      signatureS: numberToHex(signature.s, { size: 32 }),
      signatureV: signature.v,
      requestBody: bytesToHex(statement.facts.requestBody ?? NO_WORD),
      queries: statement.queries,
      kinds: bytesToHex(Uint8Array.from(statement.values, (value) => VALUE_KINDS[value.kind])),
      journal: bytesToHex(statement.journal),
    },
  ]);
  return hexToBytes(concat([sealSelector(guestId, statement.attester), body]));
}
