import { MongoClient } from 'mongodb';
import { describe } from 'vitest';
import { mongoServer } from '../../support/mongo.ts';
import { createTestStorage } from '../../support/storage.ts';
import { mongoExtra } from './mongodb-extra.ts';
import { storageContract } from './suite.ts';
import type { RecordKind, StorageWorld } from './world.ts';

/** Challenges and outboxes stand inside the documents of their campaigns and attempts. */
const COLLECTIONS: Readonly<Record<Exclude<RecordKind, 'outbox'>, string>> = {
  creators: 'creators',
  accounts: 'socialAccounts',
  brands: 'brands',
  campaigns: 'campaigns',
  challenges: 'campaigns',
  attempts: 'attempts',
  comments: 'comments',
  sweeps: 'sweeps',
  metrics: 'metrics',
  fetches: 'likersFetches',
  likers: 'likers',
  webhooks: 'webhooks',
  deliveries: 'deliveries',
  jobs: 'jobs',
  tokens: 'tokens',
};

async function createWorld(): Promise<StorageWorld> {
  const made = await createTestStorage('mongodb');
  const client = new MongoClient(made.url);
  return {
    async open() {
      const storage = made.create();
      await storage.open();
      return storage;
    },
    async count(kind) {
      if (kind !== 'outbox') return client.db().collection(COLLECTIONS[kind]).countDocuments();
      const attempts = await client.db().collection<{ outbox: unknown[] }>('attempts').find().toArray();
      return attempts.reduce((sum, attempt) => sum + attempt.outbox.length, 0);
    },
    async close() {
      await client.close();
      await made.close();
    },
  };
}

const server = await mongoServer();
const name = server.available ? 'MongoDB' : `MongoDB (SKIPPED: ${server.reason})`;
describe.skipIf(!server.available)(name, () => {
  storageContract({ name: 'MongoDB', create: createWorld, extra: mongoExtra });
});
