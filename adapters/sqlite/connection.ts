/**
 * One SQLite file, used without blocking the event loop for long.
 *
 * better-sqlite3 is synchronous: each piece of work runs to its end within one turn. Writes of one turn share one
 * transaction (group commit: one flush to the disk for all of them), each inside its own savepoint, so that a failing one
 * undoes only itself; no promise resolves before the commit. Waiting for another process's lock happens between turns.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { isBusy, notOpen, toPortError } from './failures.ts';
import { migrate } from './migrate.ts';
import { assertNodeVersion } from './node-version.ts';
import type { Value } from './values.ts';

/** SQLite's own wait inside a call; short, because the event loop stands still meanwhile. */
const LOCK_WAIT_MS = 10;
/** How many turns of the event loop a batch is gathered for, at most. */
const GATHER_TURNS = 8;
/** A batch of writes ends after this many, or this long. */
const BATCH_WRITES = 128;
const BATCH_MS = 8;

// Run prepared like all others: through `exec` they take longer than many a query between them.
const BEGIN_WRITE = 'BEGIN IMMEDIATE';
const COMMIT = 'COMMIT';
const SAVEPOINT = 'SAVEPOINT one';
const RELEASE = 'RELEASE one';

/** Statements by their text, prepared once. `Row` is what the text selects. */
export interface Sql {
  get<Row>(text: string, ...values: readonly Value[]): Row | undefined;
  all<Row>(text: string, ...values: readonly Value[]): Row[];
  run(text: string, ...values: readonly Value[]): { readonly changes: number; readonly id: number };
}

export interface Connection {
  open(): Promise<void>;
  /** Runs `work` on one consistent snapshot. */
  read<T>(work: (sql: Sql) => T): Promise<T>;
  /** Runs `work` in a transaction that holds the file's write lock; resolves once it is on the disk. */
  write<T>(work: (sql: Sql) => T): Promise<T>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
}

interface PendingWrite {
  readonly deadline: number;
  /** Runs the work; returns what settles its promise after the commit. Throws nothing. */
  run(sql: Sql, db: Database.Database): () => void;
  fail(error: unknown): void;
}

/** A connection that `open()` has yet to open. */
export function createConnection(options: ConnectionOptions): Connection {
  let db: Database.Database | undefined;
  let sql: Sql | undefined;
  let onSnapshot: OnSnapshot | undefined;
  let opening: Promise<void> | undefined;
  let draining: Promise<void> | undefined;
  const queue: PendingWrite[] = [];

  async function openFile(): Promise<void> {
    assertNodeVersion();
    const { default: Sqlite } = await import('better-sqlite3');
    if (options.path !== ':memory:') await mkdir(dirname(options.path), { recursive: true, mode: 0o700 });
    let handle: Database.Database | undefined;
    try {
      const opened = await whileBusy(options.busyTimeoutMs, () => new Sqlite(options.path, { timeout: LOCK_WAIT_MS }));
      handle = opened;
      await whileBusy(options.busyTimeoutMs, () => {
        opened.pragma('journal_mode = WAL');
        opened.pragma('synchronous = FULL');
        opened.pragma('foreign_keys = ON');
        opened.pragma('trusted_schema = OFF');
      });
      await whileBusy(options.busyTimeoutMs, () => migrate(opened));
    } catch (error) {
      handle?.close();
      throw toPortError(error);
    }
    db = handle;
    sql = createSql(handle);
    onSnapshot = createOnSnapshot(handle, sql);
  }

  function commitBatch(handle: Database.Database, statements: Sql): void {
    statements.run(BEGIN_WRITE);
    const started = performance.now();
    const taken: PendingWrite[] = [];
    const settle: (() => void)[] = [];
    try {
      do {
        const write = queue.shift();
        if (write === undefined) break;
        taken.push(write);
        settle.push(write.run(statements, handle));
      } while (taken.length < BATCH_WRITES && performance.now() - started < BATCH_MS);
      statements.run(COMMIT);
    } catch (error) {
      if (handle.inTransaction) handle.exec('ROLLBACK');
      for (const write of taken) write.fail(toPortError(error));
      return;
    }
    for (const done of settle) done();
  }

  /** One turn at least, and as long as more writes come in: a flush blocks the event loop, so few should hold many. */
  async function gather(): Promise<void> {
    for (let turns = 0, known = 0; turns < GATHER_TURNS && queue.length > known; turns++) {
      known = queue.length;
      await nextTurn();
    }
  }

  async function drain(): Promise<void> {
    for (let refusals = 0; queue.length > 0; ) {
      await gather();
      try {
        if (db === undefined || sql === undefined) throw notOpen();
        commitBatch(db, sql);
        refusals = 0;
      } catch (error) {
        const hopeless = !isBusy(error);
        const now = performance.now();
        for (let at = queue.length - 1; at >= 0; at--) {
          const write = queue[at];
          if (write === undefined || (!hopeless && write.deadline > now)) continue;
          queue.splice(at, 1);
          write.fail(toPortError(error));
        }
        if (queue.length > 0) await sleep(backoff(refusals++));
      }
    }
    draining = undefined;
  }

  return {
    open() {
      opening ??= openFile().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },

    async read(work) {
      const snapshot = onSnapshot;
      if (snapshot === undefined) throw notOpen();
      try {
        return snapshot(work);
      } catch (error) {
        if (!isBusy(error)) throw toPortError(error);
      }
      try {
        return await whileBusy(options.busyTimeoutMs, () => {
          // It may have been closed while this waited for another process's lock.
          if (onSnapshot !== snapshot) throw notOpen();
          return snapshot(work);
        });
      } catch (error) {
        throw toPortError(error);
      }
    },

    write<T>(work: (sql: Sql) => T) {
      if (db === undefined) return Promise.reject(notOpen());
      return new Promise<T>((resolve, reject) => {
        queue.push({ deadline: performance.now() + options.busyTimeoutMs, ...settled(work, resolve, reject) });
        draining ??= drain();
      });
    },

    async close() {
      await opening?.catch(() => undefined);
      await draining;
      const handle = db;
      db = undefined;
      sql = undefined;
      onSnapshot = undefined;
      opening = undefined;
      handle?.close();
    },
  };
}

function settled<T>(
  work: (sql: Sql) => T,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): Pick<PendingWrite, 'run' | 'fail'> {
  return {
    run(sql, db) {
      sql.run(SAVEPOINT);
      try {
        const value = work(sql);
        sql.run(RELEASE);
        return () => resolve(value);
      } catch (error) {
        // On a full disk and the like SQLite has already undone the whole transaction: then the batch has failed.
        if (!db.inTransaction) throw error;
        db.exec('ROLLBACK TO one');
        sql.run(RELEASE);
        return () => reject(toPortError(error));
      }
    },
    fail: reject,
  };
}

function createSql(db: Database.Database): Sql {
  const prepared = new Map<string, Database.Statement>();
  const statement = (text: string): Database.Statement => {
    let known = prepared.get(text);
    if (known === undefined) {
      known = db.prepare(text);
      prepared.set(text, known);
    }
    return known;
  };
  return {
    get: <Row>(text: string, ...values: readonly Value[]) => statement(text).get(...values) as Row | undefined,
    all: <Row>(text: string, ...values: readonly Value[]) => statement(text).all(...values) as Row[],
    run(text, ...values) {
      const { changes, lastInsertRowid } = statement(text).run(...values);
      return { changes, id: Number(lastInsertRowid) };
    },
  };
}

type OnSnapshot = <T>(work: (sql: Sql) => T) => T;

function createOnSnapshot(db: Database.Database, sql: Sql): OnSnapshot {
  return (work) => {
    sql.run('BEGIN');
    try {
      const result = work(sql);
      sql.run(COMMIT);
      return result;
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };
}

/** Milliseconds before the next try for a lock; spread, so that processes do not meet again and again. */
function backoff(refusals: number): number {
  return Math.random() * Math.min(100, 5 * 2 ** refusals) + 1;
}

async function whileBusy<T>(timeoutMs: number, work: () => T): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let refusals = 0; ; refusals++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await sleep(backoff(refusals));
  }
}
