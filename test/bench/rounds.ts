/** Measuring side by side: subject and reference take turns, so that what else the machine does falls on both. */
import { performance } from 'node:perf_hooks';
import type { Aim, BenchRow, Unit } from './bench.ts';

export type Measure = () => Promise<number>;

export interface SideBySide {
  readonly name: string;
  readonly unit: Unit;
  readonly subject: Measure;
  readonly reference: { readonly name: string; readonly measure: Measure };
  readonly rounds: number;
  readonly aim?: Aim;
  readonly note?: string;
}

/** Runs the rounds, every second one in reverse order. Before several of them, one more that is not counted warms up. */
export async function sideBySide({ subject, reference, rounds, ...row }: SideBySide): Promise<BenchRow> {
  if (rounds > 1) {
    await reference.measure();
    await subject();
  }
  const pairs: { subject: number; reference: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      const measured = await subject();
      pairs.push({ subject: measured, reference: await reference.measure() });
    } else {
      const measured = await reference.measure();
      pairs.push({ subject: await subject(), reference: measured });
    }
  }
  return compared({ ...row, reference: reference.name }, pairs);
}

/** A row from pairs that were measured side by side. */
export function compared(
  row: Pick<BenchRow, 'name' | 'unit' | 'aim' | 'note'> & { readonly reference: string },
  pairs: readonly { readonly subject: number; readonly reference: number }[],
): BenchRow {
  const ratios = pairs.map(({ subject, reference }) => subject / reference);
  return {
    ...row,
    figure: median(pairs.map(({ subject }) => subject)),
    reference: { name: row.reference, figure: median(pairs.map(({ reference }) => reference)) },
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
  };
}

/** A row that is compared with nothing but its aim. */
export function alone(row: Pick<BenchRow, 'name' | 'unit' | 'aim' | 'note'>, figures: readonly number[]): BenchRow {
  return {
    ...row,
    figure: median(figures),
    reference: null,
    ratio: null,
    spread: [Math.min(...figures), Math.max(...figures)],
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Milliseconds of processor time, of all threads, that `work` takes. Other processes do not lengthen it. */
export async function processorTimed(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Milliseconds of one call, on average over `calls` of them one after the other. */
export async function timedEach(calls: number, work: () => unknown): Promise<number> {
  return (
    (await timed(async () => {
      for (let call = 0; call < calls; call += 1) await work();
    })) / calls
  );
}

/** The exponent `e` of the least-squares fit `time = c * size^e`. */
export function fittedExponent(points: readonly { readonly size: number; readonly time: number }[]): number {
  const logs = points.map(({ size, time }) => ({ x: Math.log(size), y: Math.log(time) }));
  const mean = (of: (point: { x: number; y: number }) => number) =>
    logs.reduce((sum, point) => sum + of(point), 0) / logs.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const covariance = mean((point) => (point.x - x) * (point.y - y));
  const variance = mean((point) => (point.x - x) ** 2);
  return covariance / variance;
}
