/**
 * Sets of byte offsets as lists of half-open ranges. The canonical form is sorted, none empty, none overlapping and
 * none touching; every function here returns the canonical form.
 */

/** Half-open: `start` is in, `end` is not. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** True when the list is sorted and no range is empty, overlaps or touches the next one. */
export function isCanonical(ranges: readonly ByteRange[]): boolean {
  let previousEnd = -1;
  for (const { start, end } of ranges) {
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return false;
    if (start >= end || start <= previousEnd) return false;
    previousEnd = end;
  }
  return true;
}

/** The canonical union of ranges in any order; empty and inverted ones are dropped. */
export function unionOfRanges(ranges: readonly ByteRange[]): ByteRange[] {
  const sorted = ranges.filter((range) => range.start < range.end).sort((a, b) => a.start - b.start);
  const union: { start: number; end: number }[] = [];
  for (const { start, end } of sorted) {
    const last = union.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else union.push({ start, end });
  }
  return union;
}

/** What of `[0, total)` is in none of the ranges, for example the hidden bytes when given the revealed ones. */
export function complementOfRanges(ranges: readonly ByteRange[], total: number): ByteRange[] {
  const gaps: ByteRange[] = [];
  let from = 0;
  for (const { start, end } of unionOfRanges(ranges)) {
    if (start >= total) break;
    if (start > from) gaps.push({ start: from, end: start });
    from = end;
  }
  if (from < total) gaps.push({ start: from, end: total });
  return gaps;
}

/** Number of bytes in a canonical list. */
export function lengthOfRanges(ranges: readonly ByteRange[]): number {
  let length = 0;
  for (const { start, end } of ranges) length += end - start;
  return length;
}

/** True when both canonical lists hold the same offsets. */
export function sameRanges(a: readonly ByteRange[], b: readonly ByteRange[]): boolean {
  return a.length === b.length && a.every((range, i) => range.start === b[i]?.start && range.end === b[i]?.end);
}

/**
 * True when the canonical list has an offset inside `[start, end)`. Binary search, so that asking it for each token of
 * a transcript stays cheap.
 */
export function overlapsRanges(ranges: readonly ByteRange[], start: number, end: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  const candidate = ranges[low];
  return start < end && candidate !== undefined && candidate.start < end;
}

/** The part of a canonical list inside `[start, end)`, with offsets counted from `start`. */
export function clipRanges(ranges: readonly ByteRange[], start: number, end: number): ByteRange[] {
  const clipped: ByteRange[] = [];
  for (const range of ranges) {
    const from = Math.max(range.start, start);
    const to = Math.min(range.end, end);
    if (from < to) clipped.push({ start: from - start, end: to - start });
  }
  return clipped;
}

/** The bytes of the ranges, one piece after the other. */
export function sliceRanges(bytes: Uint8Array, ranges: readonly ByteRange[]): Uint8Array {
  const out = new Uint8Array(lengthOfRanges(ranges));
  let at = 0;
  for (const { start, end } of ranges) {
    out.set(bytes.subarray(start, end), at);
    at += end - start;
  }
  return out;
}
