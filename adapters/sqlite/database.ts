/**
 * One SQLite file. better-sqlite3 is synchronous: each piece of work runs to its end within one turn of the event loop.
 * Writes share transactions and flushes (`write-queue.ts`). Waiting for another process's lock happens between turns.
 */
import { existsSync, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { late } from '../../core/late.ts';
import { storageNotOpen } from '../../core/ports/storage.ts';
import { makeDirectory, rememberFile } from '../file-system/index.ts';
import { importFailure } from '../package-loader/index.ts';
import type { Sql, SqlDatabase, Work } from '../sql/index.ts';
import { fileGone, notOpened, toPortError } from './failures.ts';
import { missingIn, prepareSchema } from './migrate.ts';
import { assertNodeVersion } from './node-version.ts';
import { whileBusy } from './retries.ts';
import { createSql, resultOf } from './statements.ts';
import { type Handle, WriteQueue } from './write-queue.ts';

/** SQLite's own wait inside a call; short, because the event loop stands still meanwhile. */
const LOCK_WAIT_MS = 10;
/** How long reads that follow each other continue before other work of the event loop. */
const READ_MS = 5;
/** As SQLite has it: pages in the write-ahead log with which a commit copies them into the database. */
const CHECKPOINT_PAGES = 1_000;

export interface ConnectionOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly checkpointPages?: number | undefined;
}

async function loadSqlite() {
  try {
    return await import('better-sqlite3');
  } catch (error) {
    throw importFailure(error, 'better-sqlite3', 'SQLite');
  }
}

interface OpenFile extends Handle {
  /** Whether the database and its log are still the files that were opened. */
  readonly isThere: () => boolean;
}

export class Connection implements SqlDatabase {
  readonly #options: ConnectionOptions;
  readonly #writes: WriteQueue;
  #file: OpenFile | undefined;
  #yieldAt = 0;
  #isTurnComing = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#writes = new WriteQueue(() => this.#usable(), options.busyTimeoutMs);
  }

  readonly open = late(() => this.#open());

  async #open(): Promise<void> {
    assertNodeVersion();
    const { default: Sqlite } = await loadSqlite();
    const { path, busyTimeoutMs, checkpointPages = CHECKPOINT_PAGES } = this.#options;
    let db: Database.Database | undefined;
    try {
      if (path !== ':memory:') await createFile(path);
      const opened = await whileBusy(busyTimeoutMs, () => new Sqlite(path, { timeout: LOCK_WAIT_MS }));
      db = opened;
      await whileBusy(busyTimeoutMs, () => {
        opened.pragma('journal_mode = WAL');
        // Every commit is flushed before it is confirmed.
        opened.pragma('synchronous = FULL');
        opened.pragma('foreign_keys = ON');
        opened.pragma('trusted_schema = OFF');
        opened.pragma(`wal_autocheckpoint = ${checkpointPages}`);
      });
      await whileBusy(busyTimeoutMs, () => prepareSchema(opened));
      const files = filesOf(opened).map(rememberFile);
      this.#file = { db, sql: createSql(db), isThere: () => files.every((isSame) => isSame()) };
    } catch (error) {
      db?.close();
      throw notOpened(path, error);
    }
  }

  async missing(): Promise<readonly string[]> {
    const { default: Sqlite } = await loadSqlite();
    const { path } = this.#options;
    const db = existsSync(path) ? new Sqlite(path, { readonly: true }) : new Sqlite(':memory:');
    try {
      return missingIn(db);
    } catch (error) {
      throw notOpened(path, error);
    } finally {
      db.close();
    }
  }

  async read<T>(work: (sql: Sql) => Work<T>): Promise<T> {
    while (performance.now() > this.#yieldAt) await this.#nextTurn();
    return this.#read(work);
  }

  /** Of the reads that wait, each looks again at how much time those before it have used up. */
  #nextTurn(): Promise<void> {
    if (!this.#isTurnComing) {
      this.#isTurnComing = true;
      setImmediate(() => {
        this.#isTurnComing = false;
        this.#yieldAt = performance.now() + READ_MS;
      });
    }
    return nextTurn();
  }

  async #read<T>(work: (sql: Sql) => Work<T>): Promise<T> {
    try {
      // It may be closed while this waits for another process's lock.
      return await whileBusy(this.#options.busyTimeoutMs, () => resultOf(work(this.#opened().sql)));
    } catch (error) {
      throw toPortError(error);
    }
  }

  /** The transaction holds the file's write lock. */
  async write<T>(work: (sql: Sql) => Work<T>): Promise<T> {
    this.#opened();
    return this.#writes.add(work);
  }

  statement<T>(work: (sql: Sql) => Work<T>): Promise<T> {
    return this.write(work);
  }

  /** @throws DomainError `SERVICE_UNAVAILABLE` if the file was deleted or replaced since `open()`, or cannot be read */
  async check(): Promise<void> {
    this.#usable();
    await this.#read((sql) => sql.get('SELECT 1'));
  }

  async close(): Promise<void> {
    await this.open.ifMade()?.catch(() => undefined);
    await this.#writes.idle();
    const file = this.#file;
    this.#file = undefined;
    this.open.forget();
    file?.db.close();
  }

  #opened(): OpenFile {
    if (this.#file === undefined) throw storageNotOpen('SQLite');
    return this.#file;
  }

  /** Writes into a deleted file would be confirmed and lost: the handle stays good until it is closed. */
  #usable(): OpenFile {
    const file = this.#opened();
    if (!file.isThere()) throw fileGone(this.#options.path);
    return file;
  }
}

/** The database and its write-ahead log; none for a database in memory. */
function filesOf(db: Database.Database): string[] {
  if (db.memory) return [];
  const path = realpathSync(db.name);
  return db.pragma('journal_mode', { simple: true }) === 'wal' ? [path, `${path}-wal`] : [path];
}

/** For its owner only, and so are the log and its index, which SQLite gives the mode of the file. One that is there stays. */
async function createFile(path: string): Promise<void> {
  makeDirectory(dirname(path));
  const created = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw error;
  });
  await created?.close();
}
