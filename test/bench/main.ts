/** `npm run bench`: figures that anyone can repeat. */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { workInTemporaryFolder } from '../support/temporary-folder.ts';
import { type BenchContext, type BenchRow, checkRows } from './bench.ts';
import { BENCHES } from './registry.ts';
import { formatTable } from './table.ts';

/**
 * Left out of quick runs. Proving takes seconds even for one value, and the end-to-end tests do what `zk` and `mpc` do. `package`
 * needs the registry.
 */
const SLOW: readonly string[] = ['zk', 'mpc', 'package'];

const USAGE = `Credence, benchmarks.

Usage: npm run bench [-- [NAME ...] [--quick] [--json] [--help]]

  NAME     ${Object.keys(BENCHES).join(', ')}; all of them when none is named
  --quick  tiny sizes: shows that the benchmarks work, the figures mean nothing; ${SLOW.join(', ')} by name only
  --json   one JSON document on stdout instead of the tables

Every row compares two things measured in turns within one run: the ratio is what counts, the absolute
figures depend on the machine. docs/benchmarks.md says what each row measures. The exit code is 0 also
when an aim is missed; it is 1 when a benchmark fails or measures nothing.`;

interface Result {
  readonly bench: string;
  readonly title: string;
  readonly rows: readonly BenchRow[];
  readonly skipped: readonly string[];
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' }, quick: { type: 'boolean' } },
  });
  if (values.help) return console.log(USAGE);
  const unknown = positionals.filter((name) => !(name in BENCHES));
  if (unknown.length > 0) throw new UsageError(`There is no benchmark ${unknown.join(', ')}. See --help.`);
  workInTemporaryFolder();
  const all = Object.keys(BENCHES).filter((name) => values.quick !== true || !SLOW.includes(name));
  const names = positionals.length > 0 ? positionals : all;
  const results: Result[] = [];
  for (const name of names) {
    const bench = await BENCHES[name]?.();
    if (bench === undefined) continue;
    const skipped: string[] = [];
    const { context, done } = createContext(name, values.quick === true, skipped);
    const rows = await bench.run(context).finally(done);
    checkRows(name, rows, skipped);
    results.push({ bench: name, title: bench.title, rows, skipped });
    if (!values.json) console.log([`${bench.title} (${name})\n`, formatTable(rows), ...skipped, ''].join('\n'));
  }
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
  if (values.json) console.log(JSON.stringify({ machine, quick: values.quick === true, results }, null, 2));
  else console.log(`Node ${machine.node}, ${machine.cores} cores of ${machine.cpu}`);
}

/** Progress goes to the terminal's own line on stderr; nothing when stderr is no terminal. */
function createContext(name: string, quick: boolean, skipped: string[]): { context: BenchContext; done: () => void } {
  const isTerminal = process.stderr.isTTY === true;
  const show = (text: string) => {
    if (isTerminal) process.stderr.write(`\r\u001B[K${text}`);
  };
  return {
    context: {
      quick,
      progress: (what) => show(`${name}: ${what} …`),
      skip: (what, why) => skipped.push(`  ${what} was skipped: ${why}`),
    },
    done: () => show(''),
  };
}

class UsageError extends Error {}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof UsageError || `${(error as { code?: unknown }).code}`.startsWith('ERR_PARSE_ARGS');
  console.error(isUsage ? (error as Error).message : error);
  process.exitCode = isUsage ? 2 : 1;
}
