/**
 * The salted Merkle tree of claims. Four claims and a salt make a leaf, Poseidon5(salt, claims); two nodes make their
 * parent, Poseidon2(left, right); the depth is that of the circuit and what is empty is zero, so only what is there costs.
 */

import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { toBytes32, toInteger } from './field-bytes.ts';
import { poseidon2, poseidon5 } from './poseidon.ts';

/** Levels above the leaves. Shape of the circuit: changing it needs a new set-up. */
export const TREE_DEPTH = 8;
export const CLAIMS_PER_LEAF = 4;
/** As many claims as one tree holds, the request's own included. */
export const TREE_CAPACITY = CLAIMS_PER_LEAF << TREE_DEPTH;

export type LeafClaims = readonly [bigint, bigint, bigint, bigint];

/** What shows that a claim is in the tree. */
export interface ClaimOpening {
  readonly salt: bigint;
  readonly claims: LeafClaims;
  readonly index: number;
  /** From the leaf's own sibling upwards. */
  readonly siblings: readonly bigint[];
}

export interface ClaimTree {
  readonly root: bigint;
  /** Opens the first leaf that holds `claim`; undefined when none does. */
  open(claim: bigint): ClaimOpening | undefined;
}

interface Leaf {
  readonly salt: bigint;
  readonly claims: LeafClaims;
}

/** The salt of leaf `index`: 248 bits of HMAC-SHA-256(seed, index). */
function saltOf(seed: Uint8Array, index: number): bigint {
  return toInteger(hmac(sha256, seed, toBytes32(BigInt(index)))) >> 8n;
}

/**
 * The tree of `claims` in their order, salted from `seed` (32 bytes). Deterministic. Throws a `RangeError` when there are
 * none or more than `TREE_CAPACITY`.
 */
export function buildClaimTree(seed: Uint8Array, claims: readonly bigint[]): ClaimTree {
  if (claims.length === 0 || claims.length > TREE_CAPACITY) {
    throw new RangeError(`a tree holds 1 to ${TREE_CAPACITY} claims, not ${claims.length}`);
  }
  const leaves: Leaf[] = [];
  for (let at = 0; at < claims.length; at += CLAIMS_PER_LEAF) {
    const group: LeafClaims = [claims[at] ?? 0n, claims[at + 1] ?? 0n, claims[at + 2] ?? 0n, claims[at + 3] ?? 0n];
    leaves.push({ salt: saltOf(seed, leaves.length), claims: group });
  }
  const levels = [leaves.map((leaf) => poseidon5(leaf.salt, ...leaf.claims))];
  const empty = emptyNodes();
  for (let depth = 0; depth < TREE_DEPTH; depth += 1) {
    const below = levels[depth] ?? [];
    const level: bigint[] = [];
    for (let i = 0; i < below.length; i += 2) {
      level.push(poseidon2(below[i] ?? 0n, below[i + 1] ?? empty[depth] ?? 0n));
    }
    levels.push(level);
  }
  return {
    root: levels[TREE_DEPTH]?.[0] ?? 0n,
    open(claim) {
      const index = claim === 0n ? -1 : leaves.findIndex((leaf) => leaf.claims.includes(claim));
      const leaf = leaves[index];
      if (leaf === undefined) return undefined;
      const siblings = levels.slice(0, TREE_DEPTH).map((level, depth) => {
        return level[(index >> depth) ^ 1] ?? empty[depth] ?? 0n;
      });
      return { ...leaf, index, siblings };
    },
  };
}

let emptyCache: readonly bigint[] | undefined;

/** The root of an empty tree of each depth; depth 0 is zero, which no leaf can hash to. */
function emptyNodes(): readonly bigint[] {
  if (emptyCache === undefined) {
    const nodes = [0n];
    for (let depth = 1; depth < TREE_DEPTH; depth += 1) {
      const below = nodes[depth - 1] ?? 0n;
      nodes.push(poseidon2(below, below));
    }
    emptyCache = nodes;
  }
  return emptyCache;
}
