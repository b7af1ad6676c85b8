import { Collection, MongoClient } from 'mongodb';
import { describe, vi } from 'vitest';
import { DEFAULT_PREFIX, withPrefix } from '../../../adapters/mongodb/database.ts';
import { createMongoStorage } from '../../../adapters/mongodb/index.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { mongoServer } from '../../support/mongo.ts';
import { createTestStorage } from '../../support/storage.ts';
import { mongoClashes } from './mongodb-clashes.ts';
import { mongoExtra } from './mongodb-extra.ts';
import { TABLES } from './sql-tables.ts';
import { storageContract } from './suite.ts';
import type { RecordKind, StorageWorld, WriteFault } from './world.ts';

/** Challenges and outboxes stand inside the documents of their campaigns, attempts and accounts. */
const COLLECTIONS: Readonly<Record<Exclude<RecordKind, 'outbox'>, string>> = {
  ...TABLES,
  accounts: 'socialAccounts',
  challenges: 'campaigns',
  fetches: 'likersFetches',
};

const WRITES = [
  'insertOne',
  'insertMany',
  'bulkWrite',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'findOneAndUpdate',
  'findOneAndReplace',
  'findOneAndDelete',
] as const;

/** More than any call makes. */
const MOST_WRITES = 20;

/**
 * The server goes away before this write, counted from 1. It cannot be told to refuse a part of a document. What is written together
 * is in one document, or is written in a certain order.
 */
function goneBefore(write: number): WriteFault {
  return {
    name: `gone before write ${write}`,
    certain: write === 1,
    async arm() {
      let writes = 0;
      const spies = WRITES.map((method) => {
        const original = Collection.prototype[method] as (...given: unknown[]) => Promise<unknown>;
        return vi.spyOn(Collection.prototype, method).mockImplementation(function (
          this: Collection,
          ...given: unknown[]
        ) {
          writes += 1;
          return writes < write ? original.apply(this, given) : Promise.reject(new Error('The server is gone.'));
        } as never);
      });
      return async () => {
        for (const spy of spies) spy.mockRestore();
      };
    },
  };
}

async function createWorld(): Promise<StorageWorld> {
  const made = await createTestStorage('mongodb');
  const client = new MongoClient(made.url);
  const db = withPrefix(client.db(), DEFAULT_PREFIX);
  const opened: Storage[] = [];
  return {
    async open() {
      const storage = createMongoStorage({ url: made.url, maxPoolSize: 8 });
      opened.push(storage);
      await storage.open();
      return storage;
    },
    async count(kind) {
      if (kind !== 'outbox') {
        return db.collection(COLLECTIONS[kind]).countDocuments();
      }
      const owners = kind === 'outbox' ? 'attempts' : 'socialAccounts';
      const found = await db.collection<{ outbox?: unknown[] }>(owners).find().toArray();
      return found.reduce((sum, { outbox = [] }) => sum + outbox.length, 0);
    },
    // A step removes 500. Deliveries and likers, which one call stores, take several steps.
    purged: 10,
    faults: () => Array.from({ length: MOST_WRITES }, (_, index) => goneBefore(index + 1)),
    async close() {
      await Promise.all(opened.map((storage) => storage.close()));
      await client.close();
      await made.close();
    },
  };
}

const server = await mongoServer();
const name = server.available ? 'MongoDB' : `MongoDB (SKIPPED: ${server.reason})`;
describe.skipIf(!server.available)(name, () => {
  storageContract({ name: 'MongoDB', create: createWorld, extra: mongoExtra });
  mongoClashes();
});
