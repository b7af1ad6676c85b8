/** The server process of the HTTP benchmarks: Credence and bare frameworks over one database, so that the client's work is not in it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { devNull } from 'node:os';
import express from 'express';
import fastify from 'fastify';
import { createLogger } from '../../hosts/standalone/logger.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { storageOf } from '../../plugins/compose/modules/storage.ts';
import { credenceExpress } from '../../plugins/express/index.ts';
import { credenceFastify } from '../../plugins/fastify/index.ts';
import { createBareExpress, createBareFastify } from './bare.ts';
import { bareMongo } from './bare-mongo.ts';
import { barePostgres, bareSqlite } from './bare-sql.ts';
import { storeCampaign, storeComments, storeCreators } from './support.ts';

/** The command-line argument. */
export interface ServerSetup {
  /** Of an empty database. */
  readonly storageUrl: string;
  readonly comments: number;
  readonly campaigns: number;
  readonly creators: number;
}

export type Subject = 'bare Fastify' | 'Credence on Fastify' | 'bare Express' | 'Credence on Express';

export interface Ready {
  readonly urls: Readonly<Record<Subject, string>>;
  readonly token: string;
  readonly campaignId: number;
  /** Has the comments. */
  readonly challengeId: number;
  readonly challengeIds: Readonly<Record<'bare Fastify' | 'Credence on Fastify', number>>;
}

const TOKEN = 'the-admin-token-of-the-benchmark';

const setup = JSON.parse(process.argv[2] ?? '') as ServerSetup;
const url = setup.storageUrl;
const storage = storageOf(url);
await storage.open();
const { campaign, challenge } = await storeCampaign(storage);
let other = challenge;
for (let made = 1; made < setup.campaigns; made += 1) other = (await storeCampaign(storage)).challenge;
await storeComments(storage, challenge.id, setup.comments);
await storeCreators(storage, setup.creators);
await storage.close();

// The logger of the hosts at their default level, except for where the lines go.
const logger = createLogger('info', devNull);
const credence = createCredence(
  {
    storage: { url },
    adminToken: TOKEN,
    secrets: { key: new Uint8Array(32).fill(1) },
    // Registering asks for the profile: there is none to have.
    platforms: {
      transport: async () => {
        throw new Error('A benchmark reads no platform.');
      },
    },
  },
  { logger },
);
await credence.start();
const store = url.startsWith('sqlite:')
  ? bareSqlite(url.replace('sqlite:', ''))
  : url.startsWith('postgres:')
    ? barePostgres(url)
    : await bareMongo(url);
const bare = { store, token: TOKEN, logger };
const onFastify = fastify();
await onFastify.register(credenceFastify(credence));
const bareFastify = createBareFastify(bare);
const onExpress = express().disable('x-powered-by');
onExpress.use(credenceExpress(credence));
const servers = [createServer(createBareExpress(bare)), createServer(onExpress)] as const;
for (const app of [onFastify, bareFastify]) await app.listen({ port: 0, host: '127.0.0.1' });
for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.send?.({
  urls: {
    'bare Fastify': urlOf(bareFastify.server),
    'Credence on Fastify': urlOf(onFastify.server),
    'bare Express': urlOf(servers[0]),
    'Credence on Express': urlOf(servers[1]),
  },
  token: TOKEN,
  campaignId: campaign.id,
  challengeId: challenge.id,
  challengeIds: { 'Credence on Fastify': challenge.id, 'bare Fastify': other.id },
} satisfies Ready);

// What a load has cost, for the parent.
process.on('message', () => void process.send?.(process.cpuUsage()));
// The parent is gone.
process.once('disconnect', () => process.exit());
