/**
 * `npm run size`: prints how large the project is beside its budgets, and ends with 1 if one is exceeded. Budgets only go down.
 * `--json` prints them for machines.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { variableNames } from '../hosts/standalone/environment.ts';
import { configFields } from '../test/support/config-fields.ts';

interface Measure {
  readonly what: string;
  readonly now: number;
  /** More fails. Lower it after a change that makes `now` smaller. */
  readonly budget: number;
  /** What the budget is to become. */
  readonly aim: number;
}

const ROOT = new URL('../', import.meta.url);
const CODE = /\.(?:ts|tsx|mts|mjs|js|sol|circom|css)$/;
const LONG_FILE = 300;

const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');
const linesOf = (text: string) => text.split('\n').length - 1;
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => CODE.test(file) || file.endsWith('.md'));
const code = files.filter((file) => CODE.test(file));
const sources = code.filter((file) => /^(?:core|adapters|plugins|hosts|tools|contracts)\//.test(file));
const { workspaces } = JSON.parse(read('package.json')) as { readonly workspaces: readonly string[] };
const ofLibrary = sources.filter(
  (file) =>
    /^(?:core|adapters|plugins|hosts\/standalone)\//.test(file) &&
    ![...workspaces, 'plugins/csv'].some((folder) => file.startsWith(`${folder}/`)),
);
const tests = code.filter((file) => file.startsWith('test/'));
const documents = files.filter((file) => file.endsWith('.md'));

/** Lines of the longest function, with where it is. */
function longestFunction(): { readonly lines: number; readonly where: string } {
  let longest = { lines: 0, where: '' };
  for (const file of sources.filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))) {
    const text = read(file);
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { type, start, end } = node as { type?: string; start?: number; end?: number };
      if (type !== undefined && /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type)) {
        const lines = linesOf(text.slice(start, end)) + 1;
        if (lines > longest.lines) longest = { lines, where: `${file}:${linesOf(text.slice(0, start)) + 1}` };
      }
      for (const child of Object.values(node)) visit(child);
    };
    visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
  }
  return longest;
}

/** Names that an entry exports, types included, also those of modules that it exports whole. */
function namesOf(entry: string): number {
  const { body } = parseAst(read(entry), { lang: 'ts' });
  return sumOf(
    body.map((statement) => {
      if (statement.type === 'ExportAllDeclaration') return namesOf(join(dirname(entry), statement.source.value));
      if (statement.type !== 'ExportNamedDeclaration') return 0;
      return statement.declaration === null ? statement.specifiers.length : 1;
    }),
  );
}

const longest = longestFunction();
const MEASURES: readonly Measure[] = [
  {
    what: 'source of all packages, lines',
    now: sumOf(sources.map((file) => linesOf(read(file)))),
    budget: 88_473,
    aim: 72_000,
  },
  {
    what: 'source of the main package, lines',
    now: sumOf(ofLibrary.map((file) => linesOf(read(file)))),
    budget: 65_325,
    aim: 52_000,
  },
  { what: 'tests, lines', now: sumOf(tests.map((file) => linesOf(read(file)))), budget: 80_118, aim: 68_000 },
  {
    what: 'documents, words',
    now: sumOf(documents.map((file) => read(file).split(/\s+/).filter(Boolean).length)),
    budget: 25_000,
    aim: 25_000,
  },
  { what: 'README.md, lines', now: linesOf(read('README.md')), budget: 87, aim: 150 },
  { what: 'names in the main entry', now: namesOf('plugins/compose/index.ts'), budget: 95, aim: 120 },
  { what: 'environment variables of the host', now: variableNames.length, budget: 45, aim: 45 },
  { what: 'option fields', now: configFields().length, budget: 55, aim: 55 },
  { what: `longest function, lines (${longest.where})`, now: longest.lines, budget: 112, aim: 120 },
  {
    what: `files over ${LONG_FILE} lines`,
    now: sources.filter((file) => linesOf(read(file)) > LONG_FILE).length,
    budget: 1,
    aim: 5,
  },
];

const exceeded = MEASURES.filter(({ now, budget }) => now > budget);
if (process.argv.includes('--help')) {
  console.log(
    'Usage: npm run size [-- --json]\n\nPrints how large the project is, its budgets and its aims. Ends with 1 if a budget is exceeded.',
  );
} else if (process.argv.includes('--json')) {
  console.log(JSON.stringify(MEASURES, null, 2));
} else {
  console.table(Object.fromEntries(MEASURES.map(({ what, ...numbers }) => [what, numbers])));
  for (const { what, now, budget } of exceeded)
    console.error(`${what}: ${now} are more than the budget of ${budget}. Make it smaller.`);
}
if (exceeded.length > 0) process.exitCode = 1;
