import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoTime } from '../../../plugins/http/iso-time.ts';

it('writes every time as Date does', () => {
  const times = fc.oneof(
    fc.date({ noInvalidDate: true }),
    fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms)),
  );
  const agrees = fc.property(times, (date) => {
    expect(isoTime(date)).toBe(date.toISOString());
  });
  fc.assert(agrees, { numRuns: 2_000 });
  for (const edge of [0, -1, 86_399_999, 86_400_000, 8.64e15, -8.64e15]) {
    expect(isoTime(new Date(edge))).toBe(new Date(edge).toISOString());
  }
});

it('refuses an invalid date', () => {
  expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError);
});
