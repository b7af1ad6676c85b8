/**
 * Merkle trees of attestations: parent = H(left ‖ right), and the last node of a level with an odd number of nodes moves
 * up unchanged.
 */

type Hash = (bytes: Uint8Array) => Uint8Array;

function parent(hash: Hash, left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return hash(both);
}

/** The nodes above a level. */
export function levelAbove(hash: Hash, level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const [left, right] = level.slice(i, i + 2) as [Uint8Array, Uint8Array?];
    above.push(right === undefined ? left : parent(hash, left, right));
  }
  return above;
}

/** The root over the leaves. @throws RangeError without leaves. */
export function merkleRoot(hash: Hash, leaves: readonly Uint8Array[]): Uint8Array {
  let level = leaves;
  while (level.length > 1) level = levelAbove(hash, level);
  const [root] = level;
  if (root === undefined) throw new RangeError('A Merkle tree needs a leaf');
  return root;
}

/**
 * The root that follows from opened leaves and the missing siblings.
 * @returns null when no leaf is opened, an index is beyond the tree, or the siblings are too few or too many.
 */
export function merkleRootFromProof(
  hash: Hash,
  leafCount: number,
  opened: ReadonlyMap<number, Uint8Array>,
  siblings: readonly Uint8Array[],
): Uint8Array | null {
  if (opened.size === 0) return null;
  for (const index of opened.keys()) if (index >= leafCount) return null;
  let level = new Map([...opened].sort(([a], [b]) => a - b));
  let used = 0;
  for (let width = leafCount; width > 1; width = Math.ceil(width / 2)) {
    const above = new Map<number, Uint8Array>();
    for (const [index, node] of level) {
      const up = index >>> 1;
      if (above.has(up)) continue;
      if ((index ^ 1) >= width) {
        above.set(up, node);
        continue;
      }
      const sibling = level.get(index ^ 1) ?? siblings[used++];
      if (sibling === undefined) return null;
      above.set(up, index % 2 === 0 ? parent(hash, node, sibling) : parent(hash, sibling, node));
    }
    level = above;
  }
  return used === siblings.length ? (level.get(0) ?? null) : null;
}
