/** One client, connected by `open()`; every operation runs through `run`, which gives errors the port's shape. */
import type { Db, MongoClient } from 'mongodb';
import { DomainError } from '../../core/errors.ts';
import { seedCounters } from './counters.ts';
import { loadDriver } from './driver.ts';
import { notOpen, toPortError } from './failures.ts';
import { ensureIndexes } from './indexes.ts';
import { DURABLE } from './url-settings.ts';

export interface Connection {
  /** Connects, makes and checks indexes, seeds counters. */
  open(): Promise<void>;
  run<T>(work: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly database: string | undefined;
  readonly maxPoolSize: number;
  readonly connectTimeoutMs: number;
  readonly socketTimeoutMs: number;
}

/** The database when neither the options nor the URL name one. */
const DEFAULT_DATABASE = 'credence';

async function createClient(options: ConnectionOptions): Promise<MongoClient> {
  const { MongoClient } = await loadDriver();
  try {
    return new MongoClient(options.url, {
      ...DURABLE,
      appName: 'credence',
      ignoreUndefined: true,
      maxPoolSize: options.maxPoolSize,
      connectTimeoutMS: options.connectTimeoutMs,
      serverSelectionTimeoutMS: options.connectTimeoutMs,
      // How soon a server that has fallen silent is noticed; its connections are then given up.
      heartbeatFrequencyMS: Math.min(Math.max(options.connectTimeoutMs, 500), 10_000),
      waitQueueTimeoutMS: options.connectTimeoutMs,
      socketTimeoutMS: options.socketTimeoutMs,
    });
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

export function createConnection(options: ConnectionOptions): Connection {
  let client: MongoClient | undefined;
  let db: Db | undefined;
  let opening: Promise<void> | undefined;

  async function connect(): Promise<void> {
    const connecting = await createClient(options);
    try {
      await connecting.connect();
      const database = connecting.db(options.database ?? databaseOf(options.url) ?? DEFAULT_DATABASE);
      await ensureIndexes(database);
      await seedCounters(database);
      client = connecting;
      db = database;
    } catch (error) {
      await connecting.close();
      throw toPortError(error);
    }
  }

  return {
    open() {
      opening ??= connect().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },

    async run(work) {
      if (db === undefined) throw notOpen();
      try {
        return await work(db);
      } catch (error) {
        throw toPortError(error);
      }
    },

    async close() {
      await opening?.catch(() => undefined);
      const closing = client;
      client = undefined;
      db = undefined;
      opening = undefined;
      await closing?.close();
    },
  };
}
