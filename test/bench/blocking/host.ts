/** The process that is measured: Credence on Fastify over a database with very many rows. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { credenceConsole } from '@credence/console';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { WEBHOOK_SECRET_CONTEXT } from '../../../core/engagement/webhooks/secret.ts';
import { createSecretBox } from '../../../core/security/secret-box.ts';
import { createApp } from '../../../hosts/standalone/app.ts';
import { ContainerModule, createCredence, silentLogger, TOKENS } from '../../../plugins/compose/index.ts';
import type { HostReady, HostRequest, HostSetup, PeriodicDone, Stall } from './protocol.ts';
import { DOOMED_WEBHOOK, LATE_SUBSCRIBER, LOGGED_SUBSCRIBER, seedDatabase } from './seed.ts';

const TOKEN = 'the-admin-token-of-the-benchmark';
const KEY = new Uint8Array(32).fill(1);
const SERVICES = ['engagement', 'web-prover', 'zk-prover', 'notary'] as const;
const INSTAGRAM_SESSION = '70000000009%3Atests%3A1';

const setup = JSON.parse(process.argv[2] ?? '') as HostSetup;
const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
const path = join(directory, 'credence.db');
const storage = createSqliteStorage({ path });
await storage.open();
await storage.close();
const box = createSecretBox(KEY);
const secret = () => box.seal(`whsec_${Buffer.alloc(32, 7).toString('base64')}`, WEBHOOK_SECRET_CONTEXT);
seedDatabase(path, setup, Array.from({ length: DOOMED_WEBHOOK }, secret));

const periodic = new Map<string, () => Promise<unknown>>();
const credence = createCredence(
  {
    storage: { url: `sqlite:${path}` },
    adminToken: TOKEN,
    secrets: { key: KEY },
    egress: { allow: ['127.0.0.0/8'] },
    services: SERVICES,
    notary: { key: { secret: new Uint8Array(32).fill(7) } },
    extraRoots: [setup.authority],
    zk: { prover: 'fake' },
    plugins: [credenceConsole()],
    platforms: {
      pacing: 'off',
      instagram: { baseUrl: setup.instagramBaseUrl, sessionIds: [INSTAGRAM_SESSION] },
      tiktok: { baseUrl: setup.tiktokBaseUrl },
    },
  },
  {
    logger: silentLogger,
    modules: [
      new ContainerModule(({ onActivation }) => {
        // Asked for by name instead of by timers, so that each stands alone.
        onActivation(TOKENS.periodic, (_, work) => {
          periodic.set(work.name, work.run);
          return { ...work, run: async () => undefined };
        });
      }),
    ],
  },
);
credence.on('reward.issued', () => undefined, { name: LOGGED_SUBSCRIBER });
await credence.start();
const app = await createApp(credence);
const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' });

const delay = monitorEventLoopDelay({ resolution: 1 });
let highest = 0;
let last = process.threadCpuUsage();
setInterval(() => {
  const now = process.threadCpuUsage();
  highest = Math.max(highest, now.user - last.user + now.system - last.system);
  last = now;
}, 1);

function begin(): void {
  delay.enable();
  delay.reset();
  highest = 0;
  last = process.threadCpuUsage();
}

process.on('message', async (request: HostRequest) => {
  if (request.kind === 'begin') {
    begin();
    // The first interval after a reset is not counted.
    setTimeout(() => process.send?.({}), 5);
  } else if (request.kind === 'end') {
    // What ran last in this turn counts, too.
    setTimeout(() => process.send?.({ elapsed: delay.max / 1e6, processor: highest / 1e3 } satisfies Stall), 5);
  } else if (request.kind === 'subscribe') {
    credence.on('reward.issued', () => undefined, { name: LATE_SUBSCRIBER });
    process.send?.({});
  } else {
    const result = await periodic.get(request.name)?.();
    process.send?.({ handled: typeof result === 'number' ? result : null } satisfies PeriodicDone);
  }
});
process.once('disconnect', async () => {
  await app.close();
  await credence.stop();
  await rm(directory, { recursive: true, force: true });
  process.exit();
});
const ready: HostReady = {
  baseUrl,
  token: TOKEN,
  path,
  routes: credence.routes.map(({ id }) => id),
  periodic: [...periodic.keys()],
};
process.send?.(ready);
