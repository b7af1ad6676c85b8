/** Storages for tests of everything above them, so that they run on every adapter. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { describe } from 'vitest';
import { createMongoStorage } from '../../adapters/mongodb/index.ts';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { mongoServer } from './mongo.ts';

export const STORAGE_KINDS = ['sqlite', 'mongodb'] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];

/** An empty database; `close()` ends its use. */
export interface TestStorage {
  readonly kind: StorageKind;
  /** For `STORAGE_URL` or the configuration, for as long as the database is there. */
  readonly url: string;
  /** A storage over it, not yet opened; `close()` closes it. */
  create(): Storage;
  close(): Promise<void>;
}

/** Each connection costs a handshake, and few calls of a test run at once. */
const MOST_CONNECTIONS = 8;

/** Databases of MongoDB that no test uses any more. Making their indexes costs more than emptying them, and than most tests. */
const used: string[] = [];

async function emptied(url: string): Promise<string> {
  const client = new MongoClient(url, { maxPoolSize: 2 });
  const collections = await client.db().collections();
  await Promise.all(collections.map((collection) => collection.deleteMany()));
  await client.close();
  return url;
}

/** Makes an empty database. @throws Error for `mongodb` where no server can be had; see `eachStorage`. */
export async function createTestStorage(kind: StorageKind): Promise<TestStorage> {
  const made: Storage[] = [];
  const keep = (storage: Storage): Storage => {
    made.push(storage);
    return storage;
  };
  const closeAll = () => Promise.all(made.map((storage) => storage.close()));
  if (kind === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'credence-test-'));
    const path = join(folder, 'credence.db');
    return {
      kind,
      url: `sqlite:${path}`,
      create: () => keep(createSqliteStorage({ path })),
      async close() {
        await closeAll();
        await rm(folder, { recursive: true, force: true });
      },
    };
  }
  const server = await mongoServer();
  if (!server.available) throw new Error(`No MongoDB server: ${server.reason}`);
  let isInUse = true;
  const left = used.pop();
  const url = left === undefined ? server.url(`t_${randomUUID().replaceAll('-', '')}`) : await emptied(left);
  return {
    kind,
    url,
    create: () => keep(createMongoStorage({ url, maxPoolSize: MOST_CONNECTIONS })),
    async close() {
      await closeAll();
      if (!isInUse) return;
      isInUse = false;
      used.push(url);
    },
  };
}

/** Makes an empty database and opens a storage over it. */
export async function openTestStorage(kind: StorageKind): Promise<TestStorage & { readonly storage: Storage }> {
  const made = await createTestStorage(kind);
  const storage = made.create();
  await storage.open();
  return { ...made, storage };
}

/**
 * Declares a `describe` for each storage; the one of a server that cannot be had is skipped and says why. Await it at the
 * top level of a test file: `await eachStorage((kind) => { it(…) })`.
 */
export async function eachStorage(define: (kind: StorageKind) => void): Promise<void> {
  describe('on sqlite', () => define('sqlite'));
  await onMongo(() => define('mongodb'));
}

/** Defines tests about MongoDB alone; without a server they are skipped, and say why. */
export async function onMongo(define: () => void): Promise<void> {
  const server = await mongoServer();
  const name = server.available ? 'on mongodb' : `on mongodb (SKIPPED: ${server.reason})`;
  describe.skipIf(!server.available)(name, define);
}
