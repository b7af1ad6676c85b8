/** Benchmarks rot when nobody runs them: every one runs here with tiny sizes. What they measure is not looked at. */
import { describe, expect, it } from 'vitest';
import { type BenchRow, MILLISECONDS, reachesAim } from './bench.ts';
import { BENCHES } from './registry.ts';
import { compared, fittedExponent, median } from './rounds.ts';
import { digits, formatTable } from './table.ts';

/**
 * Proving takes its seconds however little is proven; the end-to-end tests of compression do all that `zk` does, and the one of
 * the blind notary what `mpc` does. `package` asks the registry.
 */
const SLOW: readonly string[] = ['zk', 'mpc', 'package'];
const QUICK = Object.keys(BENCHES).filter((name) => !SLOW.includes(name));

describe('benchmarks', () => {
  it('have the names under which they are found', async () => {
    for (const [name, load] of Object.entries(BENCHES)) expect((await load()).name).toBe(name);
  });

  it.each(QUICK)(
    '%s gives rows',
    async (name) => {
      const bench = await BENCHES[name]?.();
      const skipped: string[] = [];
      const skip = (what: string) => void skipped.push(what);
      const rows = (await bench?.run({ quick: true, progress: () => {}, skip })) ?? [];
      expect(rows.length + skipped.length).toBeGreaterThan(0);
      for (const row of rows) {
        expect(Number.isFinite(row.figure), row.name).toBe(true);
        if (row.reference !== null) expect(row.reference.figure, row.name).toBeGreaterThan(0);
      }
      expect(formatTable(rows).split('\n').length).toBeGreaterThan(rows.length);
    },
    60_000,
  );

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
