/** Bench of a start: the standalone host until it listens, beside a bare Fastify, and how many modules an import loads. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../support/child-host.ts';
import type { LoadedPackages } from '../support/loading/instance.ts';
import { type Bench, SECONDS, type Unit } from './bench.ts';
import { alone, sideBySide } from './rounds.ts';

const MODULES: Unit = { name: 'modules', better: 'lower' };
const IMPORTED = fileURLToPath(new URL('../support/loading/instance.ts', import.meta.url));
const BARE = fileURLToPath(new URL('./bare-fastify.ts', import.meta.url));
const WATCH = new URL('../support/loading/watch-packages.ts', import.meta.url).href;

export const startBench: Bench = {
  name: 'start',
  title: 'Start: processes from their begin until they listen',
  async run({ quick, progress }) {
    const rounds = quick ? 1 : 15;
    const cwd = await mkdtemp(join(tmpdir(), 'credence-bench-start-'));
    try {
      const bare = { name: 'bare Fastify', measure: () => untilReady({ script: BARE, cwd }) };
      const host = (services: string) => () =>
        untilReady({ cwd, env: { PORT: '0', ADMIN_TOKEN: 'an-admin-token-for-benches', SERVICES: services } });
      progress('starting hosts');
      const hosts = [
        { name: 'engagement on SQLite', services: 'engagement' },
        { name: 'with web proofs and compression', services: 'engagement,web-prover,zk-prover' },
      ];
      const rows = [];
      for (const { name, services } of quick ? hosts.slice(1) : hosts) {
        rows.push(
          await sideBySide({
            name,
            unit: SECONDS,
            subject: host(services),
            reference: bare,
            rounds,
            aim: { of: 'ratio', atMost: 3 },
          }),
        );
      }
      return [...rows, alone({ name: "loaded by import 'credence'", unit: MODULES }, [await importedModules()])];
    } finally {
      await rm(cwd, { recursive: true, force: true });
    }
  },
};

/** Seconds until a process says that it listens; it is ended then. */
async function untilReady(options: Parameters<typeof startChild>[0]): Promise<number> {
  const begin = performance.now();
  const child = startChild(options);
  await child.ready();
  const seconds = (performance.now() - begin) / 1_000;
  await child.stop('SIGKILL');
  return seconds;
}

async function importedModules(): Promise<number> {
  const child = startChild({ script: IMPORTED, nodeArgs: ['--import', WATCH] });
  await child.exit();
  const [imported = []] = JSON.parse(child.stdout()) as readonly LoadedPackages[];
  return imported.reduce((sum, [, count]) => sum + count, 0);
}
