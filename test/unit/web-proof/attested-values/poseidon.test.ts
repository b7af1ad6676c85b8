import { expect, it } from 'vitest';
import { poseidon } from '../../../../core/web-proof/attested-values/poseidon.ts';

/** As circomlib computes it for 1, 2, 3 and so on. */
const VECTORS = [
  [9, 13589767895268936107593642967621470491511464502761040466226072462545218539640n],
  [10, 3657500514307717306974218405144578736633140001277925127187636780142269815841n],
] as const;

it.each(VECTORS)('hashes %i elements as circomlib does, the second time too', (count, expected) => {
  const inputs = Array.from({ length: count }, (_, index) => BigInt(index + 1));
  expect(poseidon(inputs)).toBe(expected);
  expect(poseidon(inputs)).toBe(expected);
});

it.each([0, 1, 2, 5, 8, 11])('refuses %i elements: the circuit knows no such width', (count) => {
  expect(() => poseidon(Array.from({ length: count }, () => 1n))).toThrow(RangeError);
});
