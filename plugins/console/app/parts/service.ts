/** Health and figures of the instance. They are no operations of the client. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session.tsx';
import { ask, every } from './connection.tsx';

const EVERY_MS = 5_000;

export interface Health {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

/** What `/readyz` says, whether it is ready or not. */
export function useHealth() {
  return useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }): Promise<Health> => {
      const response = await ask('readyz', { signal });
      const health: Partial<Health> | null = await response.json().catch(() => null);
      // A proxy may answer in place of the instance.
      if (typeof health?.checks !== 'object') throw new Error(`/readyz answered with status ${response.status} only.`);
      return health as Health;
    },
    refetchInterval: every(EVERY_MS),
  });
}

/** One figure of Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function useMetrics() {
  const { headers } = useSession();
  return useQuery({
    queryKey: ['metrics'],
    queryFn: async ({ signal }) => {
      const response = await ask('metrics', { signal, headers });
      if (!response.ok) throw new Error(`/metrics answered with status ${response.status}.`);
      return parseMetrics(await response.text());
    },
    refetchInterval: every(EVERY_MS),
  });
}

/** The text format of Prometheus, without its comments. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/\b(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

/** The sum of all samples of a name, by one of its labels. */
export function sumBy(samples: readonly Sample[], name: string, label: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const sample of samples) {
    if (sample.name !== name) continue;
    const key = sample.labels[label] ?? '';
    sums.set(key, (sums.get(key) ?? 0) + sample.value);
  }
  return sums;
}
