/** Bench of what a production install brings: a Fastify application on SQLite, installed from the packed tarball and the registry. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleForBrowser } from '../support/browser-bundle.ts';
import { unpack } from '../support/install-consumer.ts';
import { packPackages } from '../support/pack-packages.ts';
import type { Bench, BenchRow, Unit } from './bench.ts';
import { SECONDS } from './bench.ts';
import { alone } from './rounds.ts';

const run = promisify(execFile);
const PACKAGES: Unit = { name: 'packages', better: 'lower' };
const MEGABYTES: Unit = { name: 'MB', better: 'lower' };
const KIBIBYTES: Unit = { name: 'KiB', better: 'lower' };
const BYTES_PER_BLOCK = 512;

/** What a fresh process takes to import the package, by the clock and of the processor, and until an application has started. */
const IMPORT = `const begin = performance.now();
await import('credence');
console.log((performance.now() - begin) / 1000);`;
const PROCESSOR = `await import('credence');
const { user, system } = process.cpuUsage();
console.log((user + system) / 1e6);`;
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
  name: 'package',
  title: 'The package: a production install of a Fastify application on SQLite',
  run: ({ quick, progress, skip }) => measure(quick ? 1 : 15, progress, skip),
};

async function measure(
  rounds: number,
  progress: (what: string) => void,
  skip: (what: string, why: string) => void,
): Promise<readonly BenchRow[]> {
  const work = await mkdtemp(join(tmpdir(), 'credence-bench-package-'));
  try {
    progress('packing');
    const { credence = '', '@credence/client': client = '' } = await packPackages(work);
    await writeFile(join(work, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
    progress('installing');
    const install = ['install', '--omit=dev', '--no-audit', '--no-fund', '--no-update-notifier', credence, 'fastify'];
    const refusal = await run('npm', install, { cwd: work }).then(
      () => null,
      (error: Error) => error.message.split('\n', 2).join(' '),
    );
    if (refusal !== null) {
      skip('everything', `npm could not install it: ${refusal}`);
      return [];
    }
    const modules = join(work, 'node_modules');
    const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as { packages: object };
    progress('importing');
    return [
      alone({ name: 'packages', unit: PACKAGES, aim: { of: 'figure', atMost: 36 } }, [
        Object.keys(lock.packages).length,
      ]),
      alone({ name: 'on disk', unit: MEGABYTES, aim: { of: 'figure', atMost: 52 } }, [(await sizeOf(modules)) / 1e6]),
      alone(
        { name: "import 'credence'", unit: SECONDS, aim: { of: 'figure', atMost: 0.25 } },
        await timesOf(work, IMPORT, rounds),
      ),
      alone(
        { name: "import 'credence', processor time with Node's own", unit: SECONDS },
        await timesOf(work, PROCESSOR, rounds),
      ),
      alone({ name: '@credence/client for browsers, gzip', unit: KIBIBYTES, aim: { of: 'figure', atMost: 8 } }, [
        await gzipKiBOf(work, client),
      ]),
      alone({ name: 'import, register, start', unit: SECONDS }, await timesOf(work, START, rounds)),
    ];
  } finally {
    await rm(work, { recursive: true, force: true });
  }
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
