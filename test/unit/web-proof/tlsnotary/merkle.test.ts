import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import {
  merkleLevels,
  merkleRoot,
  merkleRootFromProof,
  merkleSiblings,
} from '../../../../core/web-proof/tlsnotary/merkle.ts';

const leaf = (index: number) => new Uint8Array(32).fill(index + 1);
const leavesOf = (count: number) => Array.from({ length: count }, (_, index) => leaf(index));
const join = (left: Uint8Array | undefined, right: Uint8Array | undefined) =>
  sha256(Uint8Array.from([...(left ?? []), ...(right ?? [])]));

describe('a Merkle tree', () => {
  it('moves the last node of an odd level up unchanged', () => {
    const [a, b, c] = leavesOf(3);
    expect(merkleLevels(sha256, leavesOf(3))).toEqual([[a, b, c], [join(a, b), c], [join(join(a, b), c)]]);
    expect(merkleLevels(sha256, leavesOf(1))).toEqual([[a]]);
    expect(merkleRoot(sha256, leavesOf(2))).toEqual(join(a, b));
  });

  it('needs a leaf', () => {
    expect(() => merkleLevels(sha256, [])).toThrow(new RangeError('A Merkle tree needs a leaf'));
    expect(() => merkleRoot(sha256, [])).toThrow(new RangeError('A Merkle tree needs a leaf'));
  });

  it('has the same root from any leaves and the missing siblings, and only from these', () => {
    for (let count = 1; count <= 7; count++) {
      const levels = merkleLevels(sha256, leavesOf(count));
      const root = merkleRoot(sha256, leavesOf(count));
      for (let choice = 1; choice < 2 ** count; choice++) {
        const indices = Array.from({ length: count }, (_, index) => index).filter((index) => (choice >> index) & 1);
        // A prover may name the leaves in any order, and more than once.
        const siblings = merkleSiblings(levels, [...indices].reverse().concat(indices));
        const opened = new Map([...indices].reverse().map((index) => [index, leaf(index)]));
        const name = `${indices.join()} of ${count}`;
        expect(merkleRootFromProof(sha256, count, opened, siblings), name).toEqual(root);
        expect(merkleRootFromProof(sha256, count, opened, [...siblings, leaf(9)]), name).toBeNull();
        if (siblings.length > 0) {
          expect(merkleRootFromProof(sha256, count, opened, siblings.slice(0, -1)), name).toBeNull();
        }
      }
    }
  });

  it('has the siblings level by level, left to right', () => {
    const levels = merkleLevels(sha256, leavesOf(7));
    expect(merkleSiblings(levels, [3, 0])).toEqual([leaf(1), leaf(2), levels[2]?.[1]]);
    expect(merkleSiblings(levels, [6])).toEqual([levels[1]?.[2], levels[2]?.[0]]);
  });

  it('has no root without a leaf, or with one beyond its end', () => {
    expect(merkleRootFromProof(sha256, 3, new Map(), [])).toBeNull();
    expect(merkleRootFromProof(sha256, 1, new Map([[1, leaf(1)]]), [])).toBeNull();
    expect(merkleRootFromProof(sha256, 3, new Map([[3, leaf(3)]]), [leaf(2), leaf(0)])).toBeNull();
    expect(merkleRootFromProof(sha256, 0, new Map([[0, leaf(0)]]), [])).toBeNull();
  });
});
