/** Bench of what a production install brings: a Fastify application on SQLite, installed from the packed tarball and the registry. */
import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleForBrowser } from '../support/browser-bundle.ts';
import { startChild } from '../support/child-host.ts';
import { unpack } from '../support/install-consumer.ts';
import { newFolder } from '../support/new-folder.ts';
import { packPackages } from '../support/pack-packages.ts';
import { alone, type Bench, type BenchRow, SECONDS, sideBySide, type Unit } from './measure.ts';

const run = promisify(execFile);
const PACKAGES: Unit = { name: 'packages', better: 'lower' };
const MEGABYTES: Unit = { name: 'MB', better: 'lower' };
const KIBIBYTES: Unit = { name: 'KiB', better: 'lower' };
const BYTES_PER_BLOCK = 512;

/** What a fresh process takes to import the package, and until an application has started. */
const IMPORT = `const begin = performance.now();
await import('credence');
console.log((performance.now() - begin) / 1000);`;
const START = `const begin = performance.now();
const [{ createCredence }, { credenceFastify }, { fastify }] = await Promise.all([
  import('credence'), import('credence/fastify'), import('fastify'),
]);
const credence = createCredence({ storage: 'sqlite::memory:', secrets: { key: new Uint8Array(32) } });
const app = fastify();
await app.register(credenceFastify(credence));
await credence.start();
await app.ready();
console.log((performance.now() - begin) / 1000);
process.exit();`;

export const packageBench: Bench = {
  title: 'The package: a production install of a Fastify application on SQLite',
  async run({ quick, progress, skip }) {
    const rounds = quick ? 1 : 15;
    return measure(rounds, progress, skip);
  },
};

async function measure(rounds: number, progress: (what: string) => void, skip: (what: string, why: string) => void) {
  const work = newFolder();
  progress('packing');
  const { credence = '', '@credence/client': client = '' } = await packPackages(work);
  await writeFile(join(work, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
  progress('installing');
  const options = ['--omit=dev', '--no-audit', '--no-fund', '--no-update-notifier'];
  const install = (...packages: readonly string[]) =>
    run('npm', ['install', ...options, ...packages], { cwd: work }).then(
      () => null,
      (error: Error) => error.message.split('\n', 2).join(' '),
    );
  const refused = (why: string) => {
    skip('everything', `npm could not install it: ${why}`);
    return [];
  };
  let refusal = await install(credence);
  if (refusal !== null) return refused(refusal);
  const modules = join(work, 'node_modules');
  const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as { packages: object };
  const onDisk = async (name: string, atMost: number) =>
    alone({ name, unit: MEGABYTES, aim: { of: 'figure', atMost } }, [(await sizeOf(modules)) / 1e6]);
  const sizes = [await onDisk('on disk', 24)];
  refusal = await install('better-sqlite3');
  if (refusal !== null) return refused(refusal);
  sizes.push(await onDisk('on disk with SQLite', 52));
  refusal = await install('fastify');
  if (refusal !== null) return refused(refusal);
  progress('importing');
  return [
    alone({ name: 'packages', unit: PACKAGES, aim: { of: 'figure', atMost: 36 } }, [Object.keys(lock.packages).length]),
    ...sizes,
    alone(
      { name: "import 'credence'", unit: SECONDS, aim: { of: 'figure', atMost: 0.25 } },
      await timesOf(work, IMPORT, rounds),
    ),
    alone({ name: '@credence/client for browsers, gzip', unit: KIBIBYTES, aim: { of: 'figure', atMost: 8 } }, [
      await gzipKiBOf(work, client),
    ]),
    alone({ name: 'import, register, start', unit: SECONDS }, await timesOf(work, START, rounds)),
    await hostBesideFastify(work, rounds),
  ];
}

/** The main entry of a packed package that needs no other one, as browsers load it. */
async function gzipKiBOf(work: string, tarball: string): Promise<number> {
  await unpack(tarball, join(work, 'client'));
  const file = join(work, 'client.js');
  await writeFile(file, "export * from './client/dist/plugins/client/index.js';");
  return (await bundleForBrowser(file)).gzipBytes / 1024;
}

/** Bytes on disk, whole blocks as `du` counts them. */
async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).blocks * BYTES_PER_BLOCK));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Seconds by each of so many fresh processes, after one that fills the caches of the disk. */
async function timesOf(cwd: string, code: string, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], { cwd });
    if (round >= 0) times.push(Number(stdout));
  }
  return times;
}

/** What a host cannot start faster than: Fastify with one route, listening. */
const BARE = `import { fastify } from 'fastify';
const app = fastify();
app.get('/healthz', async () => ({ status: 'ok' }));
console.log('listening on ' + (await app.listen({ port: 0, host: '127.0.0.1' })));`;

/** The installed standalone host until it listens. */
async function hostBesideFastify(cwd: string, rounds: number): Promise<BenchRow> {
  const bare = join(cwd, 'bare.mjs');
  await writeFile(bare, BARE);
  const host = join(cwd, 'node_modules/credence/dist/host-main.js');
  const untilReady = async (options: Parameters<typeof startChild>[0]) => {
    const begin = performance.now();
    const child = startChild(options);
    await child.ready();
    const seconds = (performance.now() - begin) / 1_000;
    await child.stop('SIGKILL');
    return seconds;
  };
  const env = { PORT: '0', ADMIN_TOKEN: 'an-admin-token-for-benches', SERVICES: 'engagement' };
  return sideBySide({
    name: 'host until it listens',
    unit: SECONDS,
    subject: () => untilReady({ script: host, cwd, env }),
    reference: { name: 'bare Fastify', measure: () => untilReady({ script: bare, cwd }) },
    rounds,
    aim: { of: 'ratio', atMost: 3 },
  });
}
