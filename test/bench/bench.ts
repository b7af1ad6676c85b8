/** What a benchmark is, and the rows it gives. A row is a ratio: a number by itself says more of the machine than of us. */

/** Which direction is good, and what the figures count. */
export interface Unit {
  readonly name: string;
  readonly better: 'higher' | 'lower';
}

export const REQUESTS_PER_SECOND: Unit = { name: 'req/s', better: 'higher' };
export const EVENTS_PER_SECOND: Unit = { name: 'events/s', better: 'higher' };
export const MICROSECONDS: Unit = { name: 'µs', better: 'lower' };
export const MILLISECONDS: Unit = { name: 'ms', better: 'lower' };
export const SECONDS: Unit = { name: 's', better: 'lower' };

/** `atLeast` for ratios that should be high, `atMost` for those that should be low; what is compared is in `of`. */
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
  /** What the figure is compared with; null where there is nothing, and the row stands for itself. */
  readonly reference: { readonly name: string; readonly figure: number } | null;
  /** Median over the rounds of figure by reference, each pair measured side by side. */
  readonly ratio: number | null;
  /** Lowest and highest ratio of a round; of figures where there is no reference. */
  readonly spread: readonly [number, number];
  readonly aim?: Aim;
  readonly note?: string;
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
  readonly name: string;
  readonly title: string;
  run(context: BenchContext): Promise<readonly BenchRow[]>;
}

/** @throws Error for a benchmark that measured nothing and does not say why, and for figures that are none */
export function checkRows(bench: string, rows: readonly BenchRow[], skipped: readonly string[]): void {
  if (rows.length + skipped.length === 0) throw new Error(`The benchmark ${bench} measured nothing.`);
  for (const { name, figure, reference } of rows) {
    if (!Number.isFinite(figure)) throw new Error(`${bench}: the row "${name}" has no figure.`);
    if (reference !== null && !(reference.figure > 0)) {
      throw new Error(`${bench}: "${reference.name}" of the row "${name}" has no figure.`);
    }
  }
}

/** Whether a row reaches its aim; null without one. */
export function reachesAim({ aim, ratio, figure, reference }: BenchRow): boolean | null {
  if (aim === undefined) return null;
  const value = aim.of === 'ratio' ? ratio : aim.of === 'figure' ? figure : figure - (reference?.figure ?? 0);
  if (value === null) return null;
  return value >= (aim.atLeast ?? -Infinity) && value <= (aim.atMost ?? Infinity);
}
