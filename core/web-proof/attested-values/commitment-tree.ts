/**
 * The salted Merkle tree of commitments. Nine commitments about values and a salt make a leaf, and nine leaves a group. The
 * commitment about the request and nine groups make the root, so the request needs no path. The circuit fixes the shape. Empty
 * slots are zero and cost no hash.
 */

import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { pieces } from '../../bulk.ts';
import { poseidon } from './poseidon.ts';

/** How many commitments make a leaf, leaves a group, groups the root. Shape of the circuit: changing it needs a new set-up. */
export const GROUP_SIZE = 9;
/** As many values as one tree holds. */
export const TREE_CAPACITY = GROUP_SIZE ** 3;

/** What a tree is about. */
export interface Commitments {
  readonly request: bigint;
  /** In an order that notary and verifier agree on. At most `TREE_CAPACITY`. */
  readonly values: readonly bigint[];
}

/** What shows that a commitment is in the tree. */
export interface LeafOpening {
  readonly salt: bigint;
  /** The commitments of the leaf. */
  readonly leaf: readonly bigint[];
  /** The leaves of the group. */
  readonly group: readonly bigint[];
}

export interface CommitmentTree {
  readonly root: bigint;
  readonly request: bigint;
  /** With the request, what the root is made of. */
  readonly groups: readonly bigint[];
  /** Opens the first leaf that holds the commitment about a value; undefined if none does. */
  open(commitment: bigint): LeafOpening | undefined;
}

/** Salts of leaves by index: 248 bits of HMAC-SHA-256(seed, index). */
function saltsOf(seed: Uint8Array): (index: number) => bigint {
  const keyed = hmac.create(sha256, seed);
  return (index) => bytesToNumberBE(keyed.clone().update(numberToBytesBE(index, 32)).digest()) >> 8n;
}

/** `items` and the zeros that fill a group up; they stand for "nothing": no hash is zero. */
function filled(items: readonly bigint[]): readonly bigint[] {
  return [...items, ...new Array<bigint>(GROUP_SIZE - items.length).fill(0n)];
}

function inGroups(items: readonly bigint[]): readonly (readonly bigint[])[] {
  return Array.from(pieces(items, GROUP_SIZE), filled);
}

/**
 * The tree of `commitments`, salted from `seed` (32 bytes). Deterministic. Throws a `RangeError` if there are more values than
 * `TREE_CAPACITY`.
 */
export function buildCommitmentTree(seed: Uint8Array, { request, values }: Commitments): CommitmentTree {
  if (values.length > TREE_CAPACITY) {
    throw new RangeError(`a tree holds at most ${TREE_CAPACITY} values, not ${values.length}`);
  }
  const { leaves, leafGroups, hashes } = groupsOf(seed, values);
  const groups = filled(hashes);
  return {
    root: poseidon([request, ...groups]),
    request,
    groups,
    open(commitment) {
      const index = commitment === 0n ? -1 : leaves.findIndex(({ leaf }) => leaf.includes(commitment));
      const found = leaves[index];
      const group = leafGroups[Math.floor(index / GROUP_SIZE)];
      return found === undefined || group === undefined ? undefined : { ...found, group };
    },
  };
}

/** The groups of a tree. */
interface Groups {
  readonly leaves: readonly { readonly salt: bigint; readonly leaf: readonly bigint[] }[];
  /** The hashes of the leaves of each group. */
  readonly leafGroups: readonly (readonly bigint[])[];
  readonly hashes: readonly bigint[];
}

/** The groups that `values` fill. */
function groupsOf(seed: Uint8Array, values: readonly bigint[]): Groups {
  const saltOf = saltsOf(seed);
  const leaves = inGroups(values).map((leaf, index) => ({ salt: saltOf(index), leaf }));
  const leafGroups = inGroups(leaves.map(({ salt, leaf }) => poseidon([salt, ...leaf])));
  return { leaves, leafGroups, hashes: leafGroups.map(poseidon) };
}
