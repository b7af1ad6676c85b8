/** Durations as Prometheus counts them. The histogram of prom-client takes a microsecond for each, and every request is one. */

/** Seconds: from a read of the storage to a proof. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What is counted for one name and outcome. */
interface Series {
  /** By bucket, each without the smaller ones; the last one is for what is longer than all of them. */
  readonly counts: number[];
  sum: number;
}

export interface Durations {
  /** Counts one duration. Both labels must come from small sets. */
  add(name: string, outcome: string, seconds: number): void;
  /** In the text format of Prometheus, ending with a line break. */
  text(): string;
}

export interface DurationsOptions {
  readonly metric: string;
  readonly help: string;
  /** Of the name; the other label is `outcome`. */
  readonly label: string;
}

/** Creates an empty histogram by name and outcome. */
export function createDurations({ metric, help, label }: DurationsOptions): Durations {
  const names = new Map<string, Map<string, Series>>();

  function opened(name: string, outcome: string): Series {
    const outcomes = names.get(name) ?? new Map<string, Series>();
    names.set(name, outcomes);
    const series = { counts: [...BUCKETS, 0].fill(0), sum: 0 };
    outcomes.set(outcome, series);
    return series;
  }

  function linesOf({ counts, sum }: Series, labels: string): string[] {
    let count = 0;
    const buckets = counts.map((own, at) => {
      count += own;
      return `${metric}_bucket{le="${BUCKETS[at] ?? '+Inf'}",${labels}} ${count}`;
    });
    return [...buckets, `${metric}_sum{${labels}} ${sum}`, `${metric}_count{${labels}} ${count}`];
  }

  return {
    add(name, outcome, seconds) {
      const series = names.get(name)?.get(outcome) ?? opened(name, outcome);
      const longer = BUCKETS.findIndex((bound) => seconds <= bound);
      const at = longer === -1 ? BUCKETS.length : longer;
      series.counts[at] = (series.counts[at] ?? 0) + 1;
      series.sum += seconds;
    },
    text() {
      const lines = [`# HELP ${metric} ${help}`, `# TYPE ${metric} histogram`];
      for (const [name, outcomes] of names) {
        for (const [outcome, series] of outcomes) {
          lines.push(...linesOf(series, `${label}="${escaped(name)}",outcome="${escaped(outcome)}"`));
        }
      }
      return `${lines.join('\n')}\n`;
    },
  };
}

const escaped = (value: string) => value.replace(/[\\"\n]/g, (one) => (one === '\n' ? '\\n' : `\\${one}`));
