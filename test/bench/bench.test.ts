/** How benchmarks reckon. `.ci/run` runs each of them with tiny sizes, since they rot when nobody runs them. */
import { describe, expect, it } from 'vitest';
import { type BenchRow, checkRows, MILLISECONDS, reachesAim } from './bench.ts';
import { BENCHES } from './registry.ts';
import { compared, fittedExponent, median } from './rounds.ts';
import { digits, formatTable } from './table.ts';

describe('benchmarks', () => {
  it('have the names under which they are found', async () => {
    for (const [name, load] of Object.entries(BENCHES)) expect((await load()).name).toBe(name);
  });

  it('fail when they measure nothing, or no number', () => {
    const row: BenchRow = {
      name: 'row',
      unit: MILLISECONDS,
      figure: 15,
      reference: null,
      ratio: null,
      spread: [15, 15],
    };
    expect(() => checkRows('sweep', [row], [])).not.toThrow();
    expect(() => checkRows('sweep', [], ['MongoDB was skipped'])).not.toThrow();
    expect(() => checkRows('sweep', [], [])).toThrow('sweep');
    expect(() => checkRows('sweep', [{ ...row, figure: Number.NaN }], [])).toThrow('row');
    expect(() => checkRows('sweep', [{ ...row, reference: { name: 'other', figure: 0 } }], [])).toThrow('other');
  });

  it('take the median of the rounds, and ratios of what was measured side by side', () => {
    const row = compared({ name: 'row', unit: MILLISECONDS, reference: 'other' }, [
      { subject: 10, reference: 5 },
      { subject: 40, reference: 40 },
      { subject: 30, reference: 10 },
    ]);
    expect(row).toMatchObject({ figure: 30, ratio: 2, spread: [1, 3], reference: { name: 'other', figure: 10 } });
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('fit the exponent of a growth', () => {
    const points = [10, 100, 1_000].map((size) => ({ size, time: 3 * size ** 1.5 }));
    expect(fittedExponent(points)).toBeCloseTo(1.5, 10);
  });

  it('judge ratios, figures and differences', () => {
    const row: BenchRow = {
      name: 'row',
      unit: MILLISECONDS,
      figure: 15,
      reference: { name: 'other', figure: 10 },
      ratio: 1.5,
      spread: [1, 2],
    };
    expect(reachesAim(row)).toBeNull();
    expect(reachesAim({ ...row, aim: { of: 'ratio', atMost: 1.3 } })).toBe(false);
    expect(reachesAim({ ...row, aim: { of: 'ratio', atLeast: 1.3 } })).toBe(true);
    expect(reachesAim({ ...row, aim: { of: 'figure', atMost: 15 } })).toBe(true);
    expect(reachesAim({ ...row, aim: { of: 'difference', atMost: 4 } })).toBe(false);
    expect(formatTable([{ ...row, aim: { of: 'difference', atMost: 4 } }])).toContain('MISSED');
    expect([digits(0.12345), digits(12.345), digits(1234.5)]).toEqual(['0.123', '12.3', '1,235']);
  });
});
