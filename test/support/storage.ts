/** Storages for tests of everything above them, so that they run on every adapter. */
import { randomUUID } from 'node:crypto';
import { readdir, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { describe, inject } from 'vitest';
import { createMongoStorage } from '../../adapters/mongodb/index.ts';
import { createPostgresStorage } from '../../adapters/postgres/index.ts';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { mongoServer } from './mongo.ts';
import { newFolder } from './new-folder.ts';
import { postgresServer } from './postgres.ts';

export const STORAGE_KINDS = ['sqlite', 'mongodb', 'postgres'] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];

/** An empty database; `close()` ends its use. */
export interface TestStorage extends AsyncDisposable {
  readonly kind: StorageKind;
  /** For `STORAGE_URL` or the configuration, for as long as the database is there. */
  readonly url: string;
  /** A storage over it, not yet opened; `close()` closes it. */
  create(): Storage;
  close(): Promise<void>;
}

/** Each connection costs a handshake, and few calls of a test run at once. */
const MOST_CONNECTIONS = 8;

/** A database that a test of this run has used, and no other uses now. Making the indexes of one costs more than most tests. */
async function takeUsed(): Promise<string | undefined> {
  const folder = inject('mongoDatabases');
  for (const name of await readdir(folder)) {
    const isTaken = await unlink(join(folder, name)).then(
      () => true,
      () => false,
    );
    if (isTaken) return name;
  }
  return undefined;
}

/** Lets other tests have the database. */
const giveUsed = (name: string) => writeFile(join(inject('mongoDatabases'), name), '');

async function empty(url: string): Promise<void> {
  const client = new MongoClient(url, { maxPoolSize: 2 });
  const collections = await client.db().collections();
  await Promise.all(collections.map((collection) => collection.deleteMany()));
  await client.close();
}

interface Database {
  readonly url: string;
  open(): Storage;
  /** Called once. */
  end?(): Promise<void>;
}

/** Empty ones. @throws Error if there is no server for it */
const DATABASES: Readonly<Record<StorageKind, () => Promise<Database>>> = {
  async sqlite() {
    const folder = newFolder();
    const path = join(folder, 'credence.db');
    const end = () => rm(folder, { recursive: true, force: true });
    return { url: `sqlite:${path}`, open: () => createSqliteStorage({ path }), end };
  },
  async postgres() {
    const server = await postgresServer();
    if (!server.available) throw new Error(`No PostgreSQL server: ${server.reason}`);
    const url = await server.createDatabase('tables');
    return { url, open: () => createPostgresStorage({ url, maxPoolSize: MOST_CONNECTIONS }) };
  },
  async mongodb() {
    const server = await mongoServer();
    if (!server.available) throw new Error(`No MongoDB server: ${server.reason}`);
    const used = await takeUsed();
    const name = used ?? `t_${randomUUID().replaceAll('-', '')}`;
    const url = server.url(name);
    if (used !== undefined) await empty(url);
    return { url, open: () => createMongoStorage({ url, maxPoolSize: MOST_CONNECTIONS }), end: () => giveUsed(name) };
  },
};

/** Makes an empty database. @throws Error if there is no server for it; see `eachStorage`. */
export async function createTestStorage(kind: StorageKind): Promise<TestStorage> {
  const { url, open, end } = await DATABASES[kind]();
  const made: Storage[] = [];
  let ending: Promise<void> | undefined;
  const close = async () => {
    await Promise.all(made.map((storage) => storage.close()));
    ending ??= end?.();
    await ending;
  };
  const create = () => {
    const storage = open();
    made.push(storage);
    return storage;
  };
  return { kind, url, create, close, [Symbol.asyncDispose]: close };
}

/** Makes an empty database and opens a storage over it. */
export async function openTestStorage(kind: StorageKind): Promise<TestStorage & { readonly storage: Storage }> {
  const made = await createTestStorage(kind);
  const storage = made.create();
  await storage.open();
  return { ...made, storage };
}

/** The storages that this machine has a server for. */
export async function availableKinds(): Promise<readonly StorageKind[]> {
  const [mongodb, postgres] = [await mongoServer(), await postgresServer()];
  return STORAGE_KINDS.filter((kind) => kind === 'sqlite' || { mongodb, postgres }[kind].available);
}

/**
 * Declares a `describe` for each storage; the one of a server that cannot be had is skipped and says why. Await it at the
 * top level of a test file: `await eachStorage((kind) => { it(…) })`.
 */
export async function eachStorage(define: (kind: StorageKind) => void): Promise<void> {
  describe('on sqlite', () => define('sqlite'));
  await onMongo(() => define('mongodb'));
  await onPostgres(() => define('postgres'));
}

async function onServer(kind: 'mongodb' | 'postgres', define: () => void): Promise<void> {
  const server = await { mongodb: mongoServer, postgres: postgresServer }[kind]();
  const name = server.available ? `on ${kind}` : `on ${kind} (SKIPPED: ${server.reason})`;
  describe.skipIf(!server.available)(name, define);
}

/** Defines tests about one server alone; without it they are skipped, and say why. */
export const onMongo = (define: () => void): Promise<void> => onServer('mongodb', define);
export const onPostgres = (define: () => void): Promise<void> => onServer('postgres', define);
