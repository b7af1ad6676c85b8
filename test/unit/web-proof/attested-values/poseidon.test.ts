import { grainGenConstants } from '@noble/curves/abstract/poseidon.js';
import { beforeEach, expect, it } from 'vitest';
import { Fp } from '../../../../core/web-proof/attested-values/field-matrix.ts';
import { grainConstants } from '../../../../core/web-proof/attested-values/grain.ts';
import { atOnce } from '../../../../core/web-proof/attested-values/steps.ts';

const MODULE = '../../../../core/web-proof/attested-values/poseidon.ts';
let poseidon: typeof import('../../../../core/web-proof/attested-values/poseidon.ts')['poseidon'];
let poseidonPair: typeof import('../../../../core/web-proof/attested-values/poseidon.ts')['poseidonPair'];
let preparePoseidon: typeof import('../../../../core/web-proof/attested-values/poseidon.ts')['preparePoseidon'];
let loaded = 0;

// Again for each test: the parameters of a width are derived once and then remembered.
beforeEach(async () => {
  loaded += 1;
  ({ poseidon, poseidonPair, preparePoseidon } = await import(`${MODULE}?${loaded}`));
});

/** As circomlib computes it for 1, 2, 3 and so on. */
const VECTORS = [
  [9, 13589767895268936107593642967621470491511464502761040466226072462545218539640n],
  [10, 3657500514307717306974218405144578736633140001277925127187636780142269815841n],
] as const;

it.each(VECTORS)('of %i elements is what circomlib computes, the second time too', (count, expected) => {
  const inputs = Array.from({ length: count }, (_, index) => BigInt(index + 1));
  expect(poseidon(inputs)).toBe(expected);
  expect(poseidon(inputs)).toBe(expected);
});

it.each(VECTORS)('of two lists of %i elements gives the hash of each', (count, expected) => {
  const inputs = Array.from({ length: count }, (_, index) => BigInt(index + 1));
  const others = inputs.toReversed();
  expect(poseidonPair(inputs, others)).toEqual([expected, poseidon(others)]);
  expect(poseidonPair(others, inputs)).toEqual([poseidon(others), expected]);
});

it.each([0, 1, 2, 5, 8, 11])('of %i elements is refused: the circuit knows no such width', (count) => {
  const inputs = Array.from({ length: count }, () => 1n);
  expect(() => poseidon(inputs)).toThrow(RangeError);
  expect(() => poseidonPair(inputs, inputs)).toThrow(RangeError);
  expect(() => poseidonPair(new Array<bigint>(9).fill(1n), inputs)).toThrow(RangeError);
});

it('is prepared in many steps, and once', () => {
  const steps = () => Array.from(preparePoseidon()).length;
  expect(steps()).toBeGreaterThan(100);
  expect(steps()).toBe(0);
});

it.each([
  [10, 8, 60],
  [3, 2, 5],
])('draws the constants of %i elements that the reference draws', (width, fullRounds, partialRounds) => {
  const reference = grainGenConstants({ Fp, t: width, roundsFull: fullRounds, roundsPartial: partialRounds });
  const { matrix, roundConstants } = atOnce(grainConstants({ width, fullRounds, partialRounds }));
  expect(matrix).toEqual(reference.mds);
  expect(roundConstants).toEqual(reference.roundConstants);
});
