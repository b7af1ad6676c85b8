/** Repeatable choices: the same seed and keys always give the same number, in constant time and without any stored state. */

/** 32 bits that depend on every character of `text` (FNV-1a with a final mix). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix(hash);
}

/** 32 bits for position `index` of the stream `stream`. */
export function hashAt(stream: number, index: number): number {
  return mix(stream ^ Math.imul(index + 1, 0x9e3779b1));
}

/** The entry of a non-empty list that belongs to `hash`. */
export function pick<T>(list: readonly T[], hash: number): T {
  const chosen = list[hash % list.length];
  if (chosen === undefined) throw new RangeError('pick needs a list with at least one entry.');
  return chosen;
}

function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
