/**
 * Poseidon over the scalar field of BN254 with the parameters of circomlib, so that a circuit can recompute what we hash. The
 * tests compare with circomlib's digests.
 */
import { Field } from '@noble/curves/abstract/modular.js';
import { grainGenConstants, type PoseidonFn, poseidon as poseidonOf } from '@noble/curves/abstract/poseidon.js';

/** Order of the scalar field of BN254. */
export const FIELD_ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;

const FULL_ROUNDS = 8;
/** By number of inputs: the shapes that the circuit has. */
const PARTIAL_ROUNDS = { 9: 60, 10: 66 } as const;

const permutations = new Map<number, PoseidonFn>();

/** Poseidon of 9 or 10 field elements; takes about a millisecond. Throws a `RangeError` for another number of them. */
export function poseidon(inputs: readonly bigint[]): bigint {
  const [digest = 0n] = permutationFor(inputs.length)([0n, ...inputs]);
  return digest;
}

/** Derives the parameters of a width once in the life of a process: some 30 ms. */
function permutationFor(inputs: number): PoseidonFn {
  const known = permutations.get(inputs);
  if (known !== undefined) return known;
  const partialRounds = PARTIAL_ROUNDS[inputs as keyof typeof PARTIAL_ROUNDS];
  if (partialRounds === undefined) throw new RangeError(`there is no Poseidon of ${inputs} elements here`);
  const shape = { Fp: Field(FIELD_ORDER), t: inputs + 1, roundsFull: FULL_ROUNDS, roundsPartial: partialRounds };
  const permutation = poseidonOf({ ...shape, ...grainGenConstants(shape), sboxPower: 5 });
  permutations.set(inputs, permutation);
  return permutation;
}
