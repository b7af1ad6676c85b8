import { expect, it } from 'vitest';
import { soak } from './soak-run.ts';

it('a host under load answers every read and delivers every event while it sweeps', async () => {
  const report = await soak({ seconds: 2, comments: 500, judgeFigures: false, maxStallMs: 250 });
  expect(report.problems).toEqual([]);
  expect(report.requests).toBeGreaterThan(20);
  expect(report.sweeps).toBeGreaterThan(0);
  expect(report.delivered).toBeGreaterThan(0);
  expect(report.heap.late).toBeGreaterThan(2 ** 20);
}, 60_000);
