import { describe, expect, it } from 'vitest';
import {
  type ByteRange,
  clipRanges,
  complementOfRanges,
  isCanonical,
  lengthOfRanges,
  overlapsRanges,
  sameRanges,
  sliceRanges,
  unionOfRanges,
} from '../../../../core/web-proof/tlsnotary/ranges.ts';

/** `ranges(0, 2, 5, 6)` is [0, 2) and [5, 6). */
function ranges(...bounds: number[]): ByteRange[] {
  return Array.from({ length: bounds.length / 2 }, (_, i) => ({
    start: bounds[2 * i] ?? Number.NaN,
    end: bounds[2 * i + 1] ?? Number.NaN,
  }));
}

describe('ranges', () => {
  it.each([
    [[], true],
    [[0, 1], true],
    [[0, 1, 2, 3], true],
    [[1, 1], false],
    [[2, 1], false],
    [[-1, 1], false],
    [[0, 1, 1, 2], false],
    [[0, 3, 2, 4], false],
    [[4, 5, 0, 1], false],
    [[0.5, 1], false],
    [[0, 1.5], false],
    [[0, 2 ** 53], false],
    [[0, Number.NaN], false],
  ])('%j in canonical form: %s', (bounds, canonical) => {
    expect(isCanonical(ranges(...bounds))).toBe(canonical);
  });

  it.each([
    [[], []],
    [
      [3, 4, 0, 1],
      [0, 1, 3, 4],
    ],
    [
      [0, 1, 1, 2],
      [0, 2],
    ],
    [
      [0, 9, 2, 3, 8, 10],
      [0, 10],
    ],
    [
      [5, 5, 7, 6, 1, 2],
      [1, 2],
    ],
  ])('the union of %j is %j', (given, union) => {
    expect(unionOfRanges(ranges(...given))).toEqual(ranges(...union));
  });

  it.each([
    [[], 0, []],
    [[], 2, [0, 2]],
    [[0, 2], 2, []],
    [[0, 1], 2, [1, 2]],
    [[1, 2], 2, [0, 1]],
    [[1, 2, 4, 5], 6, [0, 1, 2, 4, 5, 6]],
    [[3, 4], 3, [0, 3]],
    [[4, 5], 3, [0, 3]],
    [[2, 5], 3, [0, 2]],
    [[2, 3, 5, 6], 4, [0, 2, 3, 4]],
  ])('what of %j is missing up to %i is %j', (given, total, gaps) => {
    expect(complementOfRanges(ranges(...given), total)).toEqual(ranges(...gaps));
  });

  it.each([
    [[2, 4], 2, 2, false, []],
    [[2, 4], 0, 2, false, []],
    [[2, 4], 4, 6, false, []],
    [[2, 4], 3, 3, false, []],
    [[2, 4], 5, 3, false, []],
    [[2, 4], 0, 3, true, [2, 3]],
    [[2, 4], 3, 9, true, [0, 1]],
    [[2, 4], 3, 4, true, [0, 1]],
    [[0, 1, 3, 4, 6, 7, 9, 10], 7, 9, false, []],
    [[0, 1, 3, 4, 6, 7, 9, 10], 7, 10, true, [2, 3]],
    [[0, 1, 3, 4, 6, 7, 9, 10], 0, 1, true, [0, 1]],
    [[0, 1, 3, 4, 6, 7, 9, 10], 3, 7, true, [0, 1, 3, 4]],
    [[], 0, 9, false, []],
  ])('%j inside [%i, %i): %s, %j', (given, start, end, overlaps, clipped) => {
    expect(overlapsRanges(ranges(...given), start, end)).toBe(overlaps);
    expect(clipRanges(ranges(...given), start, end)).toEqual(ranges(...clipped));
  });

  it('are the same with the same bounds', () => {
    expect(sameRanges([], [])).toBe(true);
    expect(sameRanges(ranges(0, 1, 3, 4), ranges(0, 1, 3, 4))).toBe(true);
    for (const other of [ranges(), ranges(0, 1), ranges(0, 1, 3, 5), ranges(0, 1, 2, 4), ranges(0, 1, 3, 4, 6, 7)]) {
      expect(sameRanges(ranges(0, 1, 3, 4), other)).toBe(false);
      expect(sameRanges(other, ranges(0, 1, 3, 4))).toBe(false);
    }
  });

  it('cut pieces out of bytes', () => {
    const bytes = Uint8Array.from({ length: 10 }, (_, i) => i);
    expect(sliceRanges(bytes, ranges(0, 2, 5, 6, 8, 10))).toEqual(Uint8Array.of(0, 1, 5, 8, 9));
    expect(sliceRanges(bytes, [])).toEqual(new Uint8Array());
    expect(lengthOfRanges(ranges(0, 2, 5, 6, 8, 10))).toBe(5);
  });
});
