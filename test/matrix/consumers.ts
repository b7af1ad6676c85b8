/**
 * `npm run matrix:consumers [NAME …]`: installs the packed package from the registry's point of view into projects of many
 * kinds, builds and runs each, and prints a table. Asks the registry, so that it is no part of `npm test`.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { writeTemplate } from '../../hosts/cli/init.ts';
import { freePort } from '../support/free-port.ts';
import { packPackages } from '../support/pack-packages.ts';
import { CONSUMER_PROJECTS, type ConsumerProject, EXPECTED, TOKEN } from './consumer-projects.ts';

const run = promisify(execFile);
const SERVE_TRIES = 120;

/** The Node.js that runs this one comes first in the path, also for what npm starts. */
const ENV = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  NEXT_TELEMETRY_DISABLED: '1',
  ADMIN_TOKEN: TOKEN,
};

async function tryProject(
  project: ConsumerProject,
  work: string,
  tarballs: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await mkdtemp(join(work, 'project-'));
  const options = { cwd: folder, env: ENV, maxBuffer: 64 * 1024 * 1024 };
  if (project.template === undefined)
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  else await writeTemplate(folder, project.template);
  for (const [name, text] of Object.entries(project.files ?? {})) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const { dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const ours = Object.keys({ credence: '', ...dependencies }).flatMap((name) => tarballs[name] ?? []);
  await run('npm', ['install', '--no-audit', '--no-fund', ...ours, 'better-sqlite3', ...project.packages], options);
  for (const [command = '', ...args] of project.build) {
    await run(join(folder, 'node_modules', '.bin', command), args, options);
  }
  const runner = project.runner === undefined ? process.execPath : join(folder, 'node_modules', '.bin', project.runner);
  for (const file of project.run ?? []) {
    const { stdout, stderr } = await run(runner, [file], options);
    if (stdout.trim() !== EXPECTED) throw new Error(`${file} printed ${stdout.trim()}`);
    if (stderr !== '') throw new Error(`${file} wrote to stderr: ${stderr}`);
  }
  if (project.serve !== undefined) await askServer(project.serve, folder);
  return 'ok';
}

/** Starts a server of the project and asks what the other projects ask themselves. */
async function askServer([command = '', ...args]: readonly string[], folder: string): Promise<void> {
  const port = await freePort();
  const child = spawn(join(folder, 'node_modules', '.bin', command), [...args, String(port)], {
    cwd: folder,
    env: ENV,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const base = `http://127.0.0.1:${port}/engagement`;
    for (
      let tries = 0;
      !(await fetch(`${base}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ));
      tries++
    ) {
      if (tries === SERVE_TRIES) throw new Error('The server did not start.');
      await sleep(500);
    }
    const brands = await fetch(`${base}/admin/brands`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const document = await fetch(`${base}/openapi.json`);
    const answer = `${brands.status} ${await brands.text()} ${document.status}`;
    if (answer !== EXPECTED) throw new Error(`The server answered ${answer}`);
  } finally {
    child.kill();
    await ended;
  }
}

const wanted = process.argv.slice(2).map((name) => name.toLowerCase());
const projects = CONSUMER_PROJECTS.filter(
  ({ name }) => wanted.length === 0 || wanted.some((start) => name.toLowerCase().startsWith(start)),
);
if (projects.length === 0) throw new Error(`No project has such a name: ${wanted.join(', ')}.`);
const work = await mkdtemp(join(tmpdir(), 'credence-matrix-'));
try {
  const tarballs = await packPackages(work);
  for (const project of projects) {
    const outcome = await tryProject(project, work, tarballs).catch((error: Error & { stdout?: string }) => {
      process.exitCode = 1;
      return `FAILED: ${error.message}\n${error.stdout ?? ''}`;
    });
    console.log(`${project.name.padEnd(22)} ${outcome}`);
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
