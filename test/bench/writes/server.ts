/** The server process of the benchmark of writes: Credence as its host runs, and bare Fastify, over one database. */
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { createMongoStorage } from '../../../adapters/mongodb/index.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { createCredence } from '../../../plugins/compose/index.ts';
import { credenceFastify } from '../../../plugins/fastify/index.ts';
import { createHostLogger } from '../http/log-line.ts';
import { storeCampaign, storeComments } from '../seed.ts';
import { createBareServer } from './bare.ts';
import { createBareMongo } from './bare-mongo.ts';
import { createBareSqlite } from './bare-sqlite.ts';
import { creatorName, type Ready, type ServerSetup } from './protocol.ts';

const TOKEN = 'the-admin-token-of-the-benchmark';
const PLATFORM = 'tiktok';

const { mongoUrl, comments, creators } = JSON.parse(process.argv[2] ?? '') as ServerSetup;
const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
const path = join(directory, 'credence.db');

const storage = mongoUrl === undefined ? createSqliteStorage({ path }) : createMongoStorage({ url: mongoUrl });
await storage.open();
const first = await storeCampaign(storage);
const second = await storeCampaign(storage, 'Autumn launch');
await storeComments(storage, first.challenge.id, comments);
const now = new Date();
await Promise.all(
  Array.from({ length: creators }, (_, index) =>
    storage.creators.link({
      externalId: creatorName(index),
      email: `${creatorName(index)}@creators.invalid`,
      displayName: null,
      platform: PLATFORM,
      handle: `handle.${index}`,
      profileData: {},
      ownershipProven: false,
      now,
    }),
  ),
);
await storage.close();

const credence = createCredence(
  {
    storage: { url: mongoUrl ?? `sqlite:${path}` },
    adminToken: TOKEN,
    secrets: { key: new Uint8Array(32).fill(1) },
    // Registering asks for the profile: there is none to have.
    platforms: {
      transport: async () => {
        throw new Error('A benchmark reads no platform.');
      },
    },
  },
  { logger: createHostLogger() },
);
await credence.start();
const host = fastify();
await host.register(credenceFastify(credence));
const store = mongoUrl === undefined ? createBareSqlite(path) : await createBareMongo(mongoUrl);
const bare = createBareServer(store, TOKEN);

const ready: Ready = {
  urls: { Credence: await listen(host), 'bare Fastify': await listen(bare) },
  token: TOKEN,
  campaignId: first.campaign.id,
  challengeIds: { Credence: first.challenge.id, 'bare Fastify': second.challenge.id },
};
process.send?.(ready);

// The parent has hung up: it is done, or it is gone.
process.once('disconnect', async () => {
  await Promise.all([host.close(), bare.close()]);
  await credence.stop();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

async function listen(app: FastifyInstance): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}
