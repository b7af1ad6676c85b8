/** Figures in the text format of Prometheus. */

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Values must come from small sets. */
type Labels = Readonly<Record<string, string>>;

/** A number for each set of labels. */
export interface Figure {
  set(labels: Labels, value: number): void;
  add(labels: Labels, value: number): void;
  /** Forgets all numbers. */
  reset(): void;
}

/** Observed values by their size, for each set of labels. */
export interface Histogram {
  observe(labels: Labels, value: number): void;
}

/** Makes figures, and writes all that it made. */
export interface Registry {
  counter(name: string, help: string): Figure;
  gauge(name: string, help: string): Figure;
  /** @param buckets upper bounds, the smallest first */
  histogram(name: string, help: string, buckets: readonly number[]): Histogram;
  text(): string;
}

/** Creates a registry without figures. */
export function createRegistry(): Registry {
  const all: { lines(): readonly string[] }[] = [];
  const kept = <Kind extends (typeof all)[number]>(created: Kind): Kind => {
    all.push(created);
    return created;
  };
  return {
    counter: (name, help) => kept(createFigure('counter', name, help)),
    gauge: (name, help) => kept(createFigure('gauge', name, help)),
    histogram: (name, help, buckets) => kept(createHistogram(name, help, buckets)),
    text: () => all.map((each) => `${each.lines().join('\n')}\n`).join('\n'),
  };
}

function createFigure(type: string, name: string, help: string) {
  const values = new Map<string, number>();
  return {
    set: (labels: Labels, value: number) => void values.set(written(labels), value),
    add(labels: Labels, value: number) {
      const key = written(labels);
      values.set(key, (values.get(key) ?? 0) + value);
    },
    reset: () => values.clear(),
    lines: () => [
      ...headerOf(type, name, help),
      ...Array.from(values, ([labels, value]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}`),
    ],
  };
}

function createHistogram(name: string, help: string, buckets: readonly number[]) {
  /** By bucket, each without the smaller ones. The last one is for what is larger than all of them. */
  const all = new Map<string, { readonly counts: number[]; sum: number }>();
  return {
    observe(labels: Labels, value: number) {
      const key = written(labels);
      const series = all.get(key) ?? { counts: [...buckets, 0].fill(0), sum: 0 };
      all.set(key, series);
      const bucket = buckets.findIndex((bound) => value <= bound);
      const at = bucket === -1 ? buckets.length : bucket;
      series.counts[at] = (series.counts[at] ?? 0) + 1;
      series.sum += value;
    },
    lines() {
      const lines = headerOf('histogram', name, help);
      for (const [labels, { counts, sum }] of all) {
        let count = 0;
        counts.forEach((own, at) => {
          count += own;
          lines.push(`${name}_bucket{le="${buckets[at] ?? '+Inf'}",${labels}} ${count}`);
        });
        lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`);
      }
      return lines;
    },
  };
}

const headerOf = (type: string, name: string, help: string) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];

function written(labels: Labels): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}="${value.replace(/[\\"\n]/g, (one) => (one === '\n' ? '\\n' : `\\${one}`))}"`)
    .join(',');
}
