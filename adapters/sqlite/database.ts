/**
 * One SQLite file, used without blocking the event loop for long.
 *
 * better-sqlite3 is synchronous: each piece of work runs to its end within one turn. Writes that come together share one
 * transaction, where a failing one undoes only itself. They also share a flush, which the event loop does not wait for
 * (`log-flusher.ts`). No promise resolves before the flush. The write-ahead log is brought into the database by a thread
 * (`checkpointer.ts`). Waiting for another process's lock happens between turns. Reads that follow each other yield
 * (`turns.ts`).
 */
import { realpathSync, statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { makeDirectory, rememberFile } from '../file-system/index.ts';
import { type Checkpointer, createCheckpointer } from './checkpointer.ts';
import { fileGone, isBusy, isDiskFull, notFlushed, notOpen, notOpened, toPortError } from './failures.ts';
import { createLogFlusher, type LogFile, type LogFlusher, openLogFile } from './log-flusher.ts';
import { createLogWatch, type LogWatch } from './log-watch.ts';
import { migrate } from './migrate.ts';
import { assertNodeVersion } from './node-version.ts';
import { createPendingWrite, type PendingWrite } from './pending-write.ts';
import { COMMIT, createOnSnapshot, createSql, type OnSnapshot, type Sql } from './statements.ts';
import { createTurns } from './turns.ts';

export type { Sql } from './statements.ts';

/** SQLite's own wait inside a call; short, because the event loop stands still meanwhile. */
const LOCK_WAIT_MS = 10;
/** How many turns of the event loop a batch is gathered for, at most. */
const GATHER_TURNS = 8;
/** How long writes that may wait do so while no other write is due, and how many end the wait. */
const PATIENCE_MS = 20;
const MANY_PATIENT = 64;
/** A batch of writes ends after this many, or this long. */
const BATCH_WRITES = 512;
const BATCH_MS = 5;
/** Rows come to the pages of an index in no order. The more of them share a checkpoint, the fewer times is a page written. */
const CHECKPOINT_PAGES = 8_000;
/** As SQLite has it: its own checkpoints hold the event loop. */
const OWN_CHECKPOINT_PAGES = 1_000;
/** Measuring the log takes longer than many a write. So it waits for this many changed rows; fewer if the log is to stay small. */
const MEASURE_AFTER_ROWS = 128;
const MOST_PAGES_A_ROW = 8;
/** As SQLite has it. */
const PAGE_BYTES = 4_096;
/** On a full disk the log is begun again no more often: each try may copy all of it in vain. */
const MAKE_ROOM_EVERY_MS = 1_000;

// Run prepared like all others: through `exec` they take longer than many a query between them.
const BEGIN_WRITE = 'BEGIN IMMEDIATE';

export interface Connection {
  open(): Promise<void>;
  /** Runs `work` on one consistent snapshot. */
  read<T>(work: (sql: Sql) => T): Promise<T>;
  /** As `read`, without a transaction: quicker, for work of one statement, or where a snapshot each does no harm. */
  lookUp<T>(work: (sql: Sql) => T): Promise<T>;
  /**
   * Runs `work` in a transaction that holds the file's write lock; resolves once it is on the disk. It may run twice, the
   * first time in vain, and so changes nothing but through `sql`.
   */
  write<T>(work: (sql: Sql) => T): Promise<T>;
  /** As `write`, for what nobody waits for: waits some milliseconds for other writes, to share their transaction and flush. */
  writeSoon<T>(work: (sql: Sql) => T): Promise<T>;
  /** Counts the commits of this handle that changed something. */
  commits(): number;
  /** @throws DomainError `SERVICE_UNAVAILABLE` if the file was deleted or replaced since `open()`, or cannot be read */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** Opens the write-ahead log for flushing; `openLogFile` by default. */
  readonly openLog?: (databasePath: string) => Promise<LogFile>;
  /** Pages in the write-ahead log with which a checkpoint begins; 8,000 by default. */
  readonly checkpointPages?: number | undefined;
}

interface Handles {
  readonly db: Database.Database;
  readonly sql: Sql;
  readonly onSnapshot: OnSnapshot;
}

/** A connection that `open()` has yet to open. */
export function createConnection(options: ConnectionOptions): Connection {
  let handles: Handles | undefined;
  let opening: Promise<void> | undefined;
  let draining: Promise<void> | undefined;
  let log: LogFile | undefined;
  let flusher: LogFlusher | undefined;
  let logWatch: LogWatch | undefined;
  let checkpointer: Checkpointer | undefined;
  let files: readonly (() => boolean)[] = [];
  /** Ends the wait of patient writes. */
  let hurry: (() => void) | undefined;
  /** When the log is to be begun again, since the disk is full or nearly so; in milliseconds of `performance.now()`. */
  let makeRoomAt: number | undefined;
  /** Rows changed since the log was measured last. */
  let unmeasured = 0;
  let commits = 0;
  const queue: PendingWrite[] = [];
  const turns = createTurns();

  async function openFile(): Promise<void> {
    assertNodeVersion();
    const { default: Sqlite } = await import('better-sqlite3');
    let handle: Database.Database | undefined;
    try {
      if (options.path !== ':memory:') await createFile(options.path);
      const opened = await whileBusy(options.busyTimeoutMs, () => new Sqlite(options.path, { timeout: LOCK_WAIT_MS }));
      handle = opened;
      await whileBusy(options.busyTimeoutMs, () => {
        opened.pragma('journal_mode = WAL');
        opened.pragma('synchronous = FULL');
        opened.pragma('foreign_keys = ON');
        opened.pragma('trusted_schema = OFF');
      });
      await whileBusy(options.busyTimeoutMs, () => migrate(opened));
      // Where the file system allows no such log, SQLite itself continues flushing every commit.
      if (opened.pragma('journal_mode', { simple: true }) === 'wal') {
        const opening = await (options.openLog ?? openLogFile)(options.path);
        log = opening;
        flusher = createLogFlusher(() => opening.flush());
        opened.pragma('synchronous = NORMAL');
        opened.pragma('wal_autocheckpoint = 0');
      }
      const [path, logPath] = filesOf(opened);
      files = [path, logPath].filter((each) => each !== undefined).map(rememberFile);
      logWatch = logPath === undefined ? undefined : createLogWatch(logPath);
    } catch (error) {
      handle?.close();
      throw notOpened(options.path, error);
    }
    const sql = createSql(handle);
    handles = { db: handle, sql, onSnapshot: createOnSnapshot(handle, sql) };
    if (log === undefined) return;
    const pages = options.checkpointPages ?? CHECKPOINT_PAGES;
    const path = realpathSync(handle.name);
    checkpointer = createCheckpointer({
      path,
      pages,
      pending: () => {
        if (unmeasured < Math.min(MEASURE_AFTER_ROWS, pages / MOST_PAGES_A_ROW)) return 0;
        unmeasured = 0;
        const waiting = pagesToCopy(sql);
        if (!hasRoom(path, waiting)) makeRoomAt ??= performance.now();
        return waiting;
      },
      onBroken: () => void handles?.db.pragma(`wal_autocheckpoint = ${OWN_CHECKPOINT_PAGES}`),
    });
  }

  /** Writes into a deleted file would be confirmed and lost: the handle stays good until it is closed. */
  function assertFilesThere(): void {
    if (handles !== undefined) logWatch?.check(handles.sql);
    if (logWatch?.isWhole === false || !files.every((isThere) => isThere())) throw fileGone(options.path);
  }

  /** @throws what says that another process has the lock now; then the writes wait in the queue again, in their order */
  function beginAgain(handle: Database.Database, statements: Sql, taken: PendingWrite[]): void {
    handle.exec('ROLLBACK');
    try {
      statements.run(BEGIN_WRITE);
    } catch (error) {
      if (isBusy(error)) queue.unshift(...taken.splice(0));
      throw error;
    }
  }

  function commitBatch(handle: Database.Database, statements: Sql): void {
    assertFilesThere();
    const before = changesOf(statements);
    statements.run(BEGIN_WRITE);
    const started = performance.now();
    const taken: PendingWrite[] = [];
    let settle: (() => void)[] = [];
    try {
      try {
        do {
          const write = queue.shift();
          if (write === undefined) break;
          taken.push(write);
          settle.push(write.run(statements));
        } while (taken.length < BATCH_WRITES && performance.now() - started < BATCH_MS);
      } catch (error) {
        // On a full disk and the like SQLite has already undone the whole transaction: then all have failed.
        if (!handle.inTransaction) throw error;
        // No savepoint around all of them: inside one, each statement with a trigger takes twice as long.
        beginAgain(handle, statements, taken);
        settle = taken.map((write) => write.runApart(statements, handle));
      }
      statements.run(COMMIT);
    } catch (error) {
      if (handle.inTransaction) handle.exec('ROLLBACK');
      // Nothing was taken for good, and the caller tries again.
      if (taken.length === 0) throw error;
      if (isDiskFull(error)) makeRoomAt ??= performance.now();
      for (const write of taken) write.fail(toPortError(error));
      return;
    }
    const changed = changesOf(statements) - before;
    unmeasured += changed;
    if (changed > 0) {
      commits += 1;
      logWatch?.check(statements);
    }
    const flushed = changed === 0 ? null : flusher?.committed();
    const settleAll = () => {
      for (const done of settle) done();
    };
    const failAll = (error: unknown) => {
      for (const write of taken) write.fail(error);
    };
    if (flushed) flushed.then(settleAll, failAll);
    else settleAll();
  }

  /** Brings all that the log holds into the database, flushed, and begins the log again. @throws if that cannot be done */
  async function restoreTrust(): Promise<void> {
    if (!(await checkpointer?.empty())) throw notFlushed();
    flusher?.trust();
  }

  /**
   * The log may take what space there is, long before its next checkpoint. The database could not grow then, and nothing would
   * be written any more.
   */
  async function makeRoom(): Promise<void> {
    if (makeRoomAt === undefined || performance.now() < makeRoomAt) return;
    const isDone = await checkpointer?.restart();
    makeRoomAt = isDone === false ? performance.now() + MAKE_ROOM_EVERY_MS : undefined;
  }

  /** One turn at least, and as long as more writes come in: many in one transaction take less than each in its own. */
  async function gather(): Promise<void> {
    if (queue.length < MANY_PATIENT && queue.every(({ isPatient }) => isPatient)) await patience();
    for (let turns = 0, known = 0; turns < GATHER_TURNS && queue.length > known; turns++) {
      known = queue.length;
      await nextTurn();
    }
  }

  function patience(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function drain(): Promise<void> {
    for (let refusals = 0; queue.length > 0; ) {
      await gather();
      try {
        if (flusher?.isSuspect()) await restoreTrust();
        await makeRoom();
        if (turns.isOver()) await turns.next();
        if (handles === undefined) throw notOpen();
        commitBatch(handles.db, handles.sql);
        refusals = 0;
        // Meanwhile the next ones come together.
        await flusher?.underWay()?.catch(() => undefined);
        await checkpointer?.due();
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

  function enter<T>(work: (sql: Sql) => T, isPatient: boolean): Promise<T> {
    if (handles === undefined) return Promise.reject(notOpen());
    return new Promise<T>((resolve, reject) => {
      const deadline = performance.now() + options.busyTimeoutMs;
      queue.push(createPendingWrite({ deadline, isPatient, work, resolve, reject }));
      draining ??= drain();
      if (!isPatient || queue.length >= MANY_PATIENT) hurry?.();
    });
  }

  const write = <T>(work: (sql: Sql) => T) => enter(work, false);

  async function reading<T>(work: (onSnapshot: OnSnapshot, sql: Sql) => T): Promise<T> {
    if (turns.isOver()) await turns.next();
    const opened = handles;
    if (opened === undefined) throw notOpen();
    const tryNow = () => {
      // It may have been closed while this waited for another process's lock.
      if (handles !== opened) throw notOpen();
      return work(opened.onSnapshot, opened.sql);
    };
    try {
      let result: T;
      try {
        result = tryNow();
      } catch (error) {
        if (!isBusy(error)) throw error;
        result = await whileBusy(options.busyTimeoutMs, tryNow);
      }
      const flushed = flusher?.underWay();
      if (flushed) await flushed;
      // An earlier flush failed: nothing is shown before a checkpoint has saved what this may have seen.
      if (flusher?.isSuspect()) await write(() => undefined);
      return result;
    } catch (error) {
      throw toPortError(error);
    }
  }

  return {
    open() {
      opening ??= openFile().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },

    read: (work) => reading((snapshot) => snapshot(work)),
    lookUp: (work) => reading((_, statements) => work(statements)),

    write,
    writeSoon: (work) => enter(work, true),
    commits: () => commits,

    async check() {
      assertFilesThere();
      await reading((_, statements) => statements.get('SELECT 1'));
    },

    async close() {
      await opening?.catch(() => undefined);
      hurry?.();
      await draining;
      const [closing, logFile, lastFlush, threads] = [handles, log, flusher?.underWay(), checkpointer];
      handles = undefined;
      opening = undefined;
      log = undefined;
      flusher = undefined;
      checkpointer = undefined;
      // All writers that this flush covers were told.
      await lastFlush?.catch(() => undefined);
      await logFile?.close();
      closing?.db.close();
      await threads?.close();
    },
  };
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

/** Rows that this handle has ever changed. */
function changesOf(sql: Sql): number {
  return sql.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
}

/** Pages of the write-ahead log that are not in the database yet. */
function pagesToCopy(sql: Sql): number {
  try {
    const state = sql.get<{ log: number; checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)');
    return state === undefined ? 0 : state.log - state.checkpointed;
  } catch (error) {
    if (isBusy(error)) return 0;
    throw error;
  }
}

/** Whether the disk has room for the database to grow by these pages, and for what is written before the next look. */
function hasRoom(path: string, pages: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize >= (pages + MEASURE_AFTER_ROWS * MOST_PAGES_A_ROW) * PAGE_BYTES;
  } catch {
    // The write that finds no room tells it.
    return true;
  }
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
