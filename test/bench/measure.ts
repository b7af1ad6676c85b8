/** What a benchmark is, how it measures, and its rows. Subject and reference take turns, so that what else the machine does falls on both. */
import { performance } from 'node:perf_hooks';

/** Which direction is good, and what the figures count. */
export interface Unit {
  readonly name: string;
  readonly better: 'higher' | 'lower';
}

export const MILLISECONDS: Unit = { name: 'ms', better: 'lower' };
export const SECONDS: Unit = { name: 's', better: 'lower' };

/** `atLeast` for values that should be high, `atMost` for those that should be low; what is compared is in `of`. */
export interface Aim {
  readonly of: 'ratio' | 'figure' | 'difference';
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface BenchRow {
  readonly name: string;
  readonly unit: Unit;
  /** Median over the rounds. */
  readonly figure: number;
  /** What the figure is compared with; null if the row stands for itself. */
  readonly reference: { readonly name: string; readonly figure: number } | null;
  /** Median over the rounds of figure by reference, each pair measured side by side. */
  readonly ratio: number | null;
  /** Lowest and highest ratio of a round; of figures without a reference. */
  readonly spread: readonly [number, number];
  readonly aim?: Aim;
}

export interface BenchContext {
  /** Tiny sizes and few rounds: shows that the benchmark works, its figures mean nothing. */
  readonly quick: boolean;
  /** Says what is being done; shown on a terminal. */
  progress(what: string): void;
  /** Says that rows are missing, and why. */
  skip(what: string, why: string): void;
}

export interface Bench {
  readonly title: string;
  run(context: BenchContext): Promise<readonly BenchRow[]>;
}

type RowHead = Pick<BenchRow, 'name' | 'unit' | 'aim'>;
type Measure = () => Promise<number>;

export interface SideBySide extends RowHead {
  readonly subject: Measure;
  readonly reference: { readonly name: string; readonly measure: Measure };
  readonly rounds: number;
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
  const ratios = pairs.map((pair) => pair.subject / pair.reference);
  return {
    ...row,
    figure: median(pairs.map((pair) => pair.subject)),
    reference: { name: reference.name, figure: median(pairs.map((pair) => pair.reference)) },
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
  };
}

/** A row that is compared with nothing but its aim. */
export function alone(row: RowHead, figures: readonly number[]): BenchRow {
  const spread = [Math.min(...figures), Math.max(...figures)] as const;
  return { ...row, figure: median(figures), reference: null, ratio: null, spread };
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

/** Milliseconds of one call, on average over `calls` of them one after the other. */
export async function timedEach(calls: number, work: () => unknown): Promise<number> {
  const milliseconds = await timed(async () => {
    for (let call = 0; call < calls; call += 1) await work();
  });
  return milliseconds / calls;
}

/** Whether a row reaches its aim; null without one. */
function reachesAim({ aim, ratio, figure, reference }: BenchRow): boolean | null {
  if (aim === undefined) return null;
  const value = aim.of === 'ratio' ? ratio : aim.of === 'figure' ? figure : figure - (reference?.figure ?? 0);
  if (value === null) return null;
  return value >= (aim.atLeast ?? -Infinity) && value <= (aim.atMost ?? Infinity);
}

const HEADINGS = ['', 'Credence', 'compared with', '', 'ratio', 'spread', 'aim', ''] as const;
const NUMERIC: readonly number[] = [1, 3, 4];

/** Rows for people. */
export function formatTable(rows: readonly BenchRow[]): string {
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return NUMERIC.includes(column) ? cell.padStart(width) : cell.padEnd(width);
    });
  return cells.map((row) => line(row).join('  ').trimEnd()).join('\n');
}

function cellsOf(row: BenchRow): readonly string[] {
  const reached = reachesAim(row);
  return [
    row.name,
    `${digits(row.figure)} ${row.unit.name}`,
    row.reference?.name ?? '',
    row.reference === null ? '' : `${digits(row.reference.figure)} ${row.unit.name}`,
    row.ratio === null ? '' : digits(row.ratio),
    row.spread.map(digits).join('–'),
    aimText(row),
    reached === null ? '' : reached ? 'ok' : 'MISSED',
  ];
}

function aimText({ aim, unit }: BenchRow): string {
  if (aim === undefined) return '';
  const bounds = [
    ...(aim.atLeast === undefined ? [] : [`≥ ${aim.atLeast}`]),
    ...(aim.atMost === undefined ? [] : [`≤ ${aim.atMost}`]),
  ];
  const of = aim.of === 'ratio' ? '' : aim.of === 'difference' ? ` ${unit.name} more` : ` ${unit.name}`;
  return bounds.join(', ') + of;
}

/** Three digits that mean something; whole numbers from a hundred on. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}
