/** The circuits, which differ only in how many values they hold. */

/** By how many values they hold: a proof takes the time of its circuit, so it is made with the smallest one that is enough. */
export const CIRCUIT_SIZES = [1, 4, 8] as const;
export type CircuitSize = (typeof CIRCUIT_SIZES)[number];

/** The name of a circuit, and of its files. */
export function circuitName(size: CircuitSize): string {
  return `attested-values-${size}`;
}

/** The smallest circuit that holds `values` values. Throws a `RangeError` if none does. */
export function sizeFor(values: number): CircuitSize {
  const size = CIRCUIT_SIZES.find((candidate) => values <= candidate);
  if (size === undefined) throw new RangeError(`a proof holds at most ${Math.max(...CIRCUIT_SIZES)} values`);
  return size;
}
