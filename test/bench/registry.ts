/** Every benchmark by its name, in the order in which they run. Loaded when asked for: some bring heavy libraries. */
import type { Bench } from './bench.ts';

export const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  http: async () => (await import('./http/bench.ts')).httpBench,
  webhooks: async () => (await import('./webhooks/bench.ts')).webhooksBench,
};
