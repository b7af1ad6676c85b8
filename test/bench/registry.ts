/** Every benchmark by its name, in the order in which they run. Loaded when asked for: some bring heavy libraries. */
import type { Bench } from './bench.ts';

export const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  http: async () => (await import('./http/bench.ts')).httpBench,
  writes: async () => (await import('./writes/bench.ts')).writesBench,
  paging: async () => (await import('./paging.ts')).pagingBench,
  blocking: async () => (await import('./blocking/bench.ts')).blockingBench,
  sweep: async () => (await import('./sweep/bench.ts')).sweepBench,
  rewards: async () => (await import('./rewards.ts')).rewardsBench,
  webhooks: async () => (await import('./webhooks/bench.ts')).webhooksBench,
  sizes: async () => (await import('./sizes.ts')).sizesBench,
  claims: async () => (await import('./claims/bench.ts')).claimsBench,
  webproof: async () => (await import('./web-proof.ts')).webProofBench,
  mpc: async () => (await import('./mpc.ts')).mpcBench,
  'verify-batch': async () => (await import('./verify-batch.ts')).verifyBatchBench,
  growth: async () => (await import('./growth.ts')).growthBench,
  start: async () => (await import('./start.ts')).startBench,
  package: async () => (await import('./package.ts')).packageBench,
  zk: async () => (await import('./zk.ts')).zkBench,
};
