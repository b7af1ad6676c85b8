/** `npm run bench`: figures that anyone can repeat. */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { workInTemporaryFolder } from '../support/temporary-folder.ts';
import { type Bench, type BenchContext, type BenchRow, formatTable } from './measure.ts';

/** In the order in which they run. Loaded when asked for: some bring heavy libraries. */
const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  http: async () => (await import('./http.ts')).readsBench,
  writes: async () => (await import('./http.ts')).writesBench,
  healthz: async () => (await import('./sqlite.ts')).healthzBench,
  sweep: async () => (await import('./sqlite.ts')).sweepBench,
  rewards: async () => (await import('./rewards.ts')).rewardsBench,
  webhooks: async () => (await import('./webhooks.ts')).webhooksBench,
  claims: async () => (await import('./claims.ts')).claimsBench,
  push: async () => (await import('./claims.ts')).pushBench,
  jobs: async () => (await import('./claims.ts')).jobsBench,
  webproof: async () => (await import('./proofs.ts')).webProofBench,
  package: async () => (await import('./package.ts')).packageBench,
  zk: async () => (await import('./proofs.ts')).zkBench,
  soak: async () => (await import('../load/soak.ts')).soakBench,
};

/** By name only: proving takes seconds even for one value, `package` needs the registry, and a soak ten minutes. */
const BY_NAME = { quick: ['zk', 'package'], whole: ['soak'] };

const USAGE = `Credence, benchmarks.

Usage: npm run bench [-- [NAME ...] [--quick] [--json] [--help]]

  NAME     ${Object.keys(BENCHES).join(', ')}; all but ${BY_NAME.whole.join(', ')} when none is named
  --quick  tiny sizes, on SQLite: shows that the benchmarks work, the figures mean nothing; ${BY_NAME.quick.join(', ')} by name only
  --json   one JSON document on stdout instead of the tables

docs/benchmarks.md says what each benchmark measures. The exit code is 0 also when an aim is missed; it is 1 when a
benchmark fails or measures nothing.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' }, quick: { type: 'boolean' } },
  });
  if (values.help) return console.log(USAGE);
  const unknown = positionals.filter((name) => !(name in BENCHES));
  if (unknown.length > 0) throw new UsageError(`There is no benchmark ${unknown.join(', ')}. See --help.`);
  workInTemporaryFolder();
  const all = Object.keys(BENCHES).filter((name) => !BY_NAME[values.quick ? 'quick' : 'whole'].includes(name));
  const results = [];
  for (const name of positionals.length > 0 ? positionals : all) {
    const bench = await BENCHES[name]?.();
    if (bench === undefined) continue;
    const skipped: string[] = [];
    const rows = await bench.run(contextOf(name, values.quick === true, skipped));
    checkRows(name, rows, skipped);
    results.push({ bench: name, title: bench.title, rows, skipped });
    if (!values.json) console.log([`${bench.title} (${name})\n`, formatTable(rows), ...skipped, ''].join('\n'));
  }
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
  if (values.json) console.log(JSON.stringify({ machine, quick: values.quick === true, results }, null, 2));
  else console.log(`Node ${machine.node}, ${machine.cores} cores of ${machine.cpu}`);
}

function contextOf(name: string, quick: boolean, skipped: string[]): BenchContext {
  return {
    quick,
    progress: (what) => process.stderr.isTTY && void process.stderr.write(`\r\u001B[K${name}: ${what} …`),
    skip: (what, why) => void skipped.push(`  ${what} was skipped: ${why}`),
  };
}

/** @throws Error for a benchmark that measured nothing and does not say why, and for figures that are none */
function checkRows(bench: string, rows: readonly BenchRow[], skipped: readonly string[]): void {
  if (rows.length + skipped.length === 0) throw new Error(`The benchmark ${bench} measured nothing.`);
  for (const { name, figure, reference } of rows) {
    const isMeasured = Number.isFinite(figure) && (reference === null || reference.figure > 0);
    if (!isMeasured) throw new Error(`${bench}: the row "${name}" has no figure.`);
  }
}

class UsageError extends Error {}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof UsageError || `${(error as { code?: unknown }).code}`.startsWith('ERR_PARSE_ARGS');
  console.error(isUsage ? (error as Error).message : error);
  process.exitCode = isUsage ? 2 : 1;
}
