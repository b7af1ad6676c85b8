/**
 * The salted Merkle tree of claims, three levels of nine. Nine claims and a salt make a leaf, nine leaves a node, nine
 * nodes the root. The circuit fixes the depth; what is empty is zero, so only what is there costs.
 */

import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { toBytes32, toInteger } from './field-bytes.ts';
import { poseidon } from './poseidon.ts';
import { atOnce, type Steps } from './steps.ts';

/** How many claims make a leaf, and how many nodes their parent. Shape of the circuit: changing it needs a new set-up. */
export const GROUP_SIZE = 9;
/** Levels above the leaves. */
export const TREE_DEPTH = 2;
/** As many claims as one tree holds, the request's own included. */
export const TREE_CAPACITY = GROUP_SIZE ** (TREE_DEPTH + 1);

/** What shows that a claim is in the tree. */
export interface ClaimOpening {
  readonly salt: bigint;
  /** The claims of the leaf. */
  readonly claims: readonly bigint[];
  /** On each level above, the group that holds the node below; from the leaves upwards. */
  readonly groups: readonly (readonly bigint[])[];
}

export interface ClaimTree {
  readonly root: bigint;
  /** Opens the first leaf that holds `claim`; undefined when none does. */
  open(claim: bigint): ClaimOpening | undefined;
}

/** The salt of leaf `index`: 248 bits of HMAC-SHA-256(seed, index). */
function saltOf(seed: Uint8Array, index: number): bigint {
  return toInteger(hmac(sha256, seed, toBytes32(BigInt(index)))) >> 8n;
}

/** `items` in groups of nine, the last one filled with zeros, which stand for "nothing": no hash is zero. */
function inGroups(items: readonly bigint[]): readonly (readonly bigint[])[] {
  const groups: bigint[][] = [];
  for (let at = 0; at < items.length; at += GROUP_SIZE) {
    const group = items.slice(at, at + GROUP_SIZE);
    while (group.length < GROUP_SIZE) group.push(0n);
    groups.push(group);
  }
  return groups;
}

function* hashes(groups: readonly (readonly bigint[])[]): Steps<readonly bigint[]> {
  const nodes: bigint[] = [];
  for (const group of groups) {
    nodes.push(poseidon(group));
    yield;
  }
  return nodes;
}

/**
 * The tree of `claims` in their order, salted from `seed` (32 bytes). Deterministic. Throws a `RangeError` when there are
 * none or more than `TREE_CAPACITY`.
 */
export function buildClaimTree(seed: Uint8Array, claims: readonly bigint[]): ClaimTree {
  return atOnce(claimTreeSteps(seed, claims));
}

/** `buildClaimTree` in steps, one for each node. */
export function* claimTreeSteps(seed: Uint8Array, claims: readonly bigint[]): Steps<ClaimTree> {
  if (claims.length === 0 || claims.length > TREE_CAPACITY) {
    throw new RangeError(`a tree holds 1 to ${TREE_CAPACITY} claims, not ${claims.length}`);
  }
  const leaves = inGroups(claims).map((group, index) => ({ salt: saltOf(seed, index), claims: group }));
  let nodes = yield* hashes(leaves.map((leaf) => [leaf.salt, ...leaf.claims]));
  const levels: (readonly (readonly bigint[])[])[] = [];
  for (let depth = 0; depth < TREE_DEPTH; depth += 1) {
    const groups = inGroups(nodes);
    levels.push(groups);
    nodes = yield* hashes(groups);
  }
  return {
    root: nodes[0] ?? 0n,
    open(claim) {
      const index = claim === 0n ? -1 : leaves.findIndex((leaf) => leaf.claims.includes(claim));
      const leaf = leaves[index];
      if (leaf === undefined) return undefined;
      const groups = levels.map((level, depth) => level[Math.floor(index / GROUP_SIZE ** (depth + 1))] ?? []);
      return { ...leaf, groups };
    },
  };
}
