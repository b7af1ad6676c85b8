import { type ByteRange, complementOfRanges, overlapsRanges } from './ranges.ts';

/** What is in the place of a hidden byte, one for one. */
export const HIDDEN_BYTE = 0x58; // X

/** One direction of a transcript at its full length, with the hidden bytes masked. */
export interface VisibleBytes {
  /** Hidden bytes are `X`; never take them for data: look at `hidden`. */
  readonly bytes: Uint8Array;
  /** Canonical. */
  readonly revealed: readonly ByteRange[];
  /** Canonical; what `revealed` leaves out. */
  readonly hidden: readonly ByteRange[];
}

/**
 * Lays the revealed pieces out at their offsets.
 * @param pieces the revealed bytes, one range after the other.
 */
export function layOut(pieces: Uint8Array, revealed: readonly ByteRange[], total: number): VisibleBytes {
  const bytes = new Uint8Array(total).fill(HIDDEN_BYTE);
  let at = 0;
  for (const { start, end } of revealed) {
    bytes.set(pieces.subarray(at, at + end - start), start);
    at += end - start;
  }
  return { bytes, revealed, hidden: complementOfRanges(revealed, total) };
}

/** Bytes of which nothing is hidden. */
export function allVisible(bytes: Uint8Array): VisibleBytes {
  return { bytes, revealed: bytes.length === 0 ? [] : [{ start: 0, end: bytes.length }], hidden: [] };
}

/** True when any byte of `[start, end)` is hidden. */
export function anyHidden(visible: VisibleBytes, start: number, end: number): boolean {
  return overlapsRanges(visible.hidden, start, end);
}
