/**
 * Poseidon over the scalar field of BN254 with the parameters of circomlib, so that a circuit can recompute what we hash.
 * The constants come from the Grain generator of the Poseidon paper; the tests compare with circomlibjs.
 */

import { Field } from '@noble/curves/abstract/modular.js';
import { grainGenConstants, type PoseidonFn, poseidon } from '@noble/curves/abstract/poseidon.js';

/** The order of BN254's scalar field: the field of the circuit, of BabyJubJub's coordinates and of every Poseidon input. */
export const FIELD_ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;

const ROUNDS_FULL = 8;
const ROUNDS_PARTIAL = { 2: 57, 5: 60 } as const;

function permutation(inputs: keyof typeof ROUNDS_PARTIAL): (values: readonly bigint[]) => bigint {
  let permute: PoseidonFn | undefined;
  return (values) => {
    if (permute === undefined) {
      const shape = {
        Fp: Field(FIELD_ORDER),
        t: inputs + 1,
        roundsFull: ROUNDS_FULL,
        roundsPartial: ROUNDS_PARTIAL[inputs],
        sboxPower: 5,
      };
      permute = poseidon({ ...shape, ...grainGenConstants(shape) });
    }
    const [digest] = permute([0n, ...values]);
    if (digest === undefined) throw new Error('a Poseidon permutation has at least one output');
    return digest;
  };
}

const permute2 = permutation(2);
const permute5 = permutation(5);

/** Poseidon of two field elements. */
export function poseidon2(left: bigint, right: bigint): bigint {
  return permute2([left, right]);
}

/** Poseidon of five field elements. */
export function poseidon5(a: bigint, b: bigint, c: bigint, d: bigint, e: bigint): bigint {
  return permute5([a, b, c, d, e]);
}
