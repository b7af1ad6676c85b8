/** One client, connected by `open()`. */
import type { Db, MongoClient } from 'mongodb';
import { DomainError } from '../../core/errors.ts';
import { late } from '../../core/late.ts';
import { storageNotOpen } from '../../core/ports/storage.ts';
import { seedCounters } from './counters.ts';
import type { Place } from './documents.ts';
import { loadDriver } from './driver.ts';
import { toPortError } from './failures.ts';
import { ensureIndexes, missingIndexes, shellCommand } from './indexes.ts';
import { type Database, databaseAt } from './items.ts';
import { DURABLE, type MongoDatabase, type MongoOptions } from './options.ts';

export interface Connection {
  /** Connects, makes and checks indexes, seeds counters. */
  open(): Promise<void>;
  /** The commands that `open` would run to make indexes. */
  missing(): Promise<readonly string[]>;
  /** Its collections throw before `open` and after `close`. */
  readonly db: Database;
  close(): Promise<void>;
}

/** A busy process sees an answer late. */
const SLACK_MS = 1_000;
/** The database when neither the options nor the URL name one. */
const DEFAULT_DATABASE = 'credence';
/** In front of the names of collections: in a database that is shared, `jobs` or `brands` may be another's. */
export const DEFAULT_PREFIX = 'credence_';

/** The database with a prefix in front of the names of collections. Reads and writes are durable, whatever the client does else. */
export function withPrefix(db: MongoDatabase, prefix: string): Db {
  const collection = (name: string) => db.collection(`${prefix}${name}`, { ...DURABLE, ignoreUndefined: true });
  // Sound because a host gives the `Db` of its driver; nothing here asks it for more than collections and commands.
  return { collection, command: (command: object) => db.command(command) } as unknown as Db;
}

/** A store that was made before there was a prefix has none. */
async function prefixOf(db: MongoDatabase): Promise<string> {
  const counters = withPrefix(db, '').collection<{ _id: string }>('counters');
  return (await counters.findOne({ _id: 'socialAccounts' })) === null ? DEFAULT_PREFIX : '';
}

/** @throws DomainError `SERVICE_UNAVAILABLE` if an index is missing */
async function refuseMissing(db: Place): Promise<void> {
  const [first] = await missingIndexes(db);
  if (first === undefined) return;
  throw new DomainError(
    'SERVICE_UNAVAILABLE',
    `MongoDB lacks indexes that this Credence needs (${shellCommand(db, first)} …), and \`migrate\` is 'never'. Run \`credence ` +
      'migrate` as a user who may create them.',
  );
}

/** @param onStuck is told when the client must be replaced: it does not notice by itself that a server is back */
async function createClient(
  url: string,
  options: MongoOptions,
  onStuck: (client: MongoClient) => void,
): Promise<MongoClient> {
  const { MongoClient } = await loadDriver();
  // How soon a server that has fallen silent is noticed; its connections are then given up.
  const heartbeatFrequencyMS = Math.min(Math.max(options.connectTimeoutMs, 500), 10_000);
  try {
    const client = new MongoClient(url, {
      appName: 'credence',
      maxPoolSize: options.maxPoolSize,
      connectTimeoutMS: options.connectTimeoutMs,
      serverSelectionTimeoutMS: options.connectTimeoutMs,
      heartbeatFrequencyMS,
      waitQueueTimeoutMS: options.connectTimeoutMs,
      socketTimeoutMS: options.socketTimeoutMs,
    });
    // A check connects, and waits for an answer that may come as late as the next check.
    watchChecks(client, 2 * options.connectTimeoutMs + heartbeatFrequencyMS + SLACK_MS, () => onStuck(client));
    return client;
  } catch (error) {
    // The driver's message is kept out: it may quote parts of the URL, which may hold a password.
    const reason = error instanceof Error ? error.name : 'Error';
    throw new DomainError('SERVICE_UNAVAILABLE', `The MongoDB URL cannot be used (${reason}): check its form.`);
  }
}

/** The database that the URL's path names, if any. */
function databaseOf(url: string): string | undefined {
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1];
  return named === undefined ? undefined : decodeURIComponent(named);
}

/** The store, whose errors have the port's shape. */
export function withPortErrors<Store extends object>(store: Store): Store {
  const methods = Object.entries(store).map(([name, method]) => {
    return [name, (...given: unknown[]) => inPortErrors(async () => await method(...given))];
  });
  // Sound because each method does what the one of its name does.
  return Object.fromEntries(methods) as Store;
}

/** @throws the port's error instead of the driver's */
export async function inPortErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toPortError(error);
  }
}

export function createConnection(options: MongoOptions): Connection {
  const { url = '', collectionPrefix } = options;
  /** Made here, and closed here. */
  let own: MongoClient | undefined;
  let db: Place | undefined;
  let placeIn: ((client: MongoClient) => Place) | undefined;

  /** Replaces the client, if it is still the one in use. The new one connects with the next call. */
  async function replace(stuck: MongoClient): Promise<void> {
    if (stuck !== own) return;
    own = undefined;
    const made = await createClient(url, options, replace);
    // Unless it was closed meanwhile.
    if (db !== undefined) [own, db] = [made, placeIn?.(made)];
    await stuck.close().catch(() => undefined);
  }

  /** Connects, and does something with the database. A client that is made here is closed if it fails, and else returned. */
  async function connect<T>(work: (database: Place) => Promise<T>) {
    const isOfHost = (options.client ?? options.db) !== undefined;
    const made = isOfHost ? undefined : await createClient(url, options, replace);
    try {
      await made?.connect();
      const name = options.database ?? databaseOf(url) ?? (isOfHost ? undefined : DEFAULT_DATABASE);
      const place = options.db ?? (options.client ?? made)?.db(name);
      if (place === undefined) throw storageNotOpen('MongoDB');
      const prefix = collectionPrefix ?? (await prefixOf(place));
      placeIn = (client) => withPrefix(client.db(name), prefix);
      const database = withPrefix(place, prefix);
      return { made, database, result: await work(database) };
    } catch (error) {
      await made?.close();
      throw toPortError(error);
    }
  }

  async function prepare(): Promise<void> {
    const { made, database } = await connect(async (place) => {
      if (options.migrate === 'never') await refuseMissing(place);
      else await ensureIndexes(place);
      await seedCounters(place);
    });
    own = made;
    db = database;
  }

  const open = late(prepare);
  return {
    open,

    async missing() {
      const { made, database, result } = await connect(missingIndexes);
      await made?.close();
      return result.map((one) => shellCommand(database, one));
    },

    db: databaseAt(() => {
      if (db === undefined) throw storageNotOpen('MongoDB');
      return db;
    }),

    async close() {
      await open.ifMade()?.catch(() => undefined);
      const closing = own;
      own = undefined;
      db = undefined;
      open.forget();
      await closing?.close();
    },
  };
}

const GRACE_MS = 1_000;

/**
 * Calls `onStuck` if the driver's check of a server does not end in this time. A check that begins just as its connection ends
 * waits forever (mongodb 7.9): the driver then never learns that the server is back. Nor does a client whose first call found no server.
 */
function watchChecks(client: MongoClient, longestMs: number, onStuck: () => void): void {
  const checks = new Map<string, NodeJS.Timeout>();
  const end = (address: string) => clearTimeout(checks.get(address));
  client.on('serverHeartbeatStarted', ({ connectionId: address }) => {
    end(address);
    // After a standstill of the process the timer may be over before the answer that has long come is read.
    const onceMore = () => checks.set(address, setTimeout(onStuck, GRACE_MS).unref());
    checks.set(address, setTimeout(onceMore, longestMs).unref());
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => end(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId }) => end(connectionId));
  client.on('serverClosed', ({ address }) => end(address));
  client.on('topologyClosed', onStuck);
}
