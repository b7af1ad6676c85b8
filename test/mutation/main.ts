/** `npm run mutation`: changes the code in thousands of small ways and asks whether a test notices. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AREA_VARIABLE, AREAS, type Area } from './areas.ts';
import { evaluate, formatEvaluation, LEAST, type MutationReport, shortcomings } from './evaluate.ts';
import { EXPLANATIONS } from './explanations.ts';

/** Of the package in this folder: the script that starts this file installs it. */
const STRYKER = fileURLToPath(new URL('node_modules/@stryker-mutator/core/bin/stryker.js', import.meta.url));

const USAGE = `Credence, mutation tests.

Usage: npm run mutation [-- [AREA ...] [--only GLOB] [--static] [--again] [--jobs N] [--json] [--help]]

  AREA         ${Object.keys(AREAS).join(', ')}; all of them when none is named
  --only GLOB  only these files of the area, for instance 'core/engagement/webhooks/*.ts'
  --static     also what runs once when a module is loaded: every such mutant takes a run of all tests
  --again      forgets what earlier runs found; otherwise only what changed since is tried
  --jobs N     how many mutants are tried at a time; one per core but one by default
  --json       the result as JSON on stdout

Takes a quarter of an hour for an area on two idle cores; reports/mutation-AREA.html shows every mutant in its place.
It ends with 1 if an area scores less than ${LEAST.area} %, a file less than ${LEAST.file} % without its explained survivors, or a critical file
(test/mutation/areas.ts) has a survivor that test/mutation/explanations.ts does not explain.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    json: { type: 'boolean' },
    again: { type: 'boolean' },
    static: { type: 'boolean' },
    only: { type: 'string' },
    jobs: { type: 'string' },
  },
});

const unknown = positionals.filter((name) => !(name in AREAS));
if (values.help) {
  console.log(USAGE);
} else if (unknown.length > 0) {
  console.error(`There is no area ${unknown.join(', ')}. See --help.`);
  process.exitCode = 2;
} else if (!/^[1-9]\d?$/.test(values.jobs ?? '1')) {
  console.error('--jobs takes a number from 1 to 99.');
  process.exitCode = 2;
} else {
  const names = positionals.length > 0 ? positionals : Object.keys(AREAS);
  const results = [];
  for (const name of names) {
    const area = AREAS[name];
    if (area === undefined) continue;
    const evaluation = evaluate(await run(name, area), EXPLANATIONS);
    const lacking = shortcomings(evaluation, (file) => area.critical.some((pattern) => matchesGlob(file, pattern)));
    results.push({ area: name, ...evaluation, shortcomings: lacking });
    if (!values.json) console.log(formatEvaluation(name, evaluation), ...lacking.map((each) => `\n${each}`));
    if (lacking.length > 0) process.exitCode = 1;
  }
  if (values.json) console.log(JSON.stringify(results, null, 2));
}

async function run(name: string, area: Area): Promise<MutationReport> {
  // Runs of parts neither disturb each other nor the report of the whole.
  const title = values.only === undefined ? `mutation-${name}` : `mutation-${name}-part-${process.pid}`;
  const report = `reports/${title}.json`;
  await mkdir('reports', { recursive: true });
  const options = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', './test/mutation/wording.ts'],
    ignorers: ['wording'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    mutate: values.only === undefined ? [...area.mutate] : [values.only],
    coverageAnalysis: 'perTest',
    incremental: values.only === undefined,
    incrementalFile: `reports/mutation-${name}-state.json`,
    force: values.again === true,
    ...(values.jobs === undefined ? {} : { concurrency: Number(values.jobs) }),
    ignoreStatic: values.static !== true,
    // Far above what any test takes: only a mutant that never ends gets there.
    timeoutMS: 5_000,
    // Node runs the sources as they are; there is no configuration of a compiler to adapt.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    ignorePatterns: ['dist', 'data', 'reports'],
    reporters: [process.stderr.isTTY ? 'progress' : 'progress-append-only', 'json', 'html'],
    jsonReporter: { fileName: report },
    htmlReporter: { fileName: `reports/${title}.html` },
    allowConsoleColors: false,
  };
  const configuration = `reports/${title}.config.json`;
  await writeFile(configuration, JSON.stringify(options, null, 2));
  const stryker = spawn(process.execPath, [STRYKER, 'run', configuration], {
    env: { ...process.env, [AREA_VARIABLE]: name, PROPERTY_RUNS: '0.1' },
    // Standard output is for the result.
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
  });
  const [code] = await once(stryker, 'close');
  if (code !== 0) throw new Error(`Stryker ended with ${code}: see its output.`);
  return JSON.parse(await readFile(report, 'utf8')) as MutationReport;
}
