/** The server process of the HTTP benchmark: all four subjects over one database, so that the client's work is not in it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import express from 'express';
import fastify from 'fastify';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { createCredence } from '../../../plugins/compose/index.ts';
import { credenceExpress } from '../../../plugins/express/index.ts';
import { credenceFastify } from '../../../plugins/fastify/index.ts';
import { storeCampaign, storeComments } from '../seed.ts';
import { createBareExpress, createBareFastify } from './bare.ts';
import { createHostLogger } from './log-line.ts';
import type { Ready, ServerSetup, Subject } from './protocol.ts';

const TOKEN = 'the-admin-token-of-the-benchmark';

const setup = JSON.parse(process.argv[2] ?? '') as ServerSetup;
const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
const path = join(directory, 'credence.db');

const storage = createSqliteStorage({ path });
await storage.open();
const { campaign, challenge } = await storeCampaign(storage);
for (let made = 1; made < setup.campaigns; made += 1) await storeCampaign(storage, `Campaign ${made}`);
await storeComments(storage, challenge.id, setup.comments);
await storage.close();

const logger = createHostLogger();
const credence = createCredence(
  {
    storage: { url: `sqlite:${path}` },
    adminToken: TOKEN,
    secrets: { key: new Uint8Array(32).fill(1) },
  },
  { logger },
);
await credence.start();
const db = new Sqlite(path);
db.pragma('journal_mode = WAL');
const bare = { db, token: TOKEN, logger };

const bareFastify = createBareFastify(bare);
const hostFastify = fastify();
await hostFastify.register(credenceFastify(credence));
const hostExpress = express();
hostExpress.disable('x-powered-by');
hostExpress.use(credenceExpress(credence));
await bareFastify.listen({ port: 0, host: '127.0.0.1' });
await hostFastify.listen({ port: 0, host: '127.0.0.1' });
const bareExpress = await listen(createServer(createBareExpress(bare)));
const servedExpress = await listen(createServer(hostExpress));

const urls: Readonly<Record<Subject, string>> = {
  'bare Fastify': urlOf(bareFastify.server),
  'Credence on Fastify': urlOf(hostFastify.server),
  'bare Express': urlOf(bareExpress),
  'Credence on Express': urlOf(servedExpress),
};
const ready: Ready = { kind: 'ready', urls, token: TOKEN, campaignId: campaign.id, challengeId: challenge.id };
process.send?.(ready);

// What a load has cost, for the parent.
process.on('message', () => void process.send?.(process.cpuUsage()));

// The parent has hung up: it is done, or it is gone.
process.once('disconnect', async () => {
  for (const server of [bareExpress, servedExpress]) {
    server.closeAllConnections();
    server.close();
  }
  await Promise.all([bareFastify.close(), hostFastify.close()]);
  await credence.stop();
  db.close();
  await rm(directory, { recursive: true, force: true });
});

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
