/** When a write counts as done: after its flush, which several share and nobody else waits for. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, createConnection, type Sql } from '../../../adapters/sqlite/database.ts';
import { openLogFile } from '../../../adapters/sqlite/log-flusher.ts';

const insert = (name: string) => (sql: Sql) =>
  sql.run('INSERT INTO brands (name, slug, created_at) VALUES (?, ?, 0)', name, name).changes;
const names = (sql: Sql) => sql.all<{ name: string }>('SELECT name FROM brands ORDER BY id').map(({ name }) => name);

describe('flushing of the SQLite log', () => {
  let folder = '';
  let path = '';
  let connection: Connection;
  /** The flushes under way; each ends when the test says so. */
  let flushes: { end(): void; fail(error: Error): void }[] = [];

  const settled = async (promise: Promise<unknown>) => {
    let state = 'pending';
    promise.then(
      () => {
        state = 'done';
      },
      () => {
        state = 'failed';
      },
    );
    await sleep(5);
    return state;
  };
  const nextFlush = async () => {
    await expect.poll(() => flushes.length, { interval: 1, timeout: 20_000 }).toBeGreaterThan(0);
    const [flush] = flushes.splice(0, 1);
    if (flush === undefined) throw new Error('nothing is being flushed');
    return flush;
  };
  const written = async (name: string) => {
    const writing = connection.write(insert(name));
    (await nextFlush()).end();
    await writing;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'credence-flush-'));
    path = join(folder, 'credence.db');
    flushes = [];
    connection = createConnection({
      path,
      busyTimeoutMs: 100,
      openLog: async (databasePath) => ({
        ...(await openLogFile(databasePath)),
        flush: () =>
          new Promise<void>((resolve, reject) => {
            flushes.push({ end: resolve, fail: reject });
          }),
      }),
    });
    await connection.open();
  });
  afterEach(async () => {
    for (const flush of flushes) flush.end();
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('writes that may wait share the transaction of the next one that may not', async () => {
    const patient = ['a', 'b'].map((name) => connection.writeSoon(insert(name)));
    await Promise.resolve();
    const urgent = connection.write(insert('c'));
    (await nextFlush()).end();
    await Promise.all([...patient, urgent]);
    expect(await connection.read(names)).toEqual(['a', 'b', 'c']);
    expect(flushes).toEqual([]);
  });

  it('a write that may wait is made soon although no other one comes, and at once when the connection closes', async () => {
    const alone = connection.writeSoon(insert('a'));
    (await nextFlush()).end();
    await alone;
    const last = connection.writeSoon(insert('b'));
    const closing = connection.close();
    (await nextFlush()).end();
    await Promise.all([last, closing]);
    await connection.open();
    expect(await connection.read(names)).toEqual(['a', 'b']);
  });

  it('a write is done when it is flushed, not when it is committed', async () => {
    const writing = connection.write(insert('a'));
    const flush = await nextFlush();
    const other = new Database(path, { readonly: true });
    expect(other.prepare('SELECT name FROM brands').pluck().all()).toEqual(['a']);
    other.close();
    expect(await settled(writing)).toBe('pending');
    flush.end();
    expect(await writing).toBe(1);
  });

  it('a read waits until what it has seen is flushed, and for nothing else', async () => {
    expect(await connection.read(names)).toEqual([]);
    const writing = connection.write(insert('a'));
    const flush = await nextFlush();
    const reading = connection.read(names);
    expect(await settled(reading)).toBe('pending');
    flush.end();
    expect(await reading).toEqual(['a']);
    await writing;
    expect(flushes).toHaveLength(0);
  });

  it('a write that changes nothing is not flushed', async () => {
    expect(await connection.write((sql) => sql.run("UPDATE brands SET name = 'b'").changes)).toBe(0);
    expect(flushes).toHaveLength(0);
    const writing = connection.write(insert('a'));
    const flush = await nextFlush();
    const idle = connection.write(names);
    expect(await settled(idle)).toBe('pending');
    flush.end();
    expect(await idle).toEqual(['a']);
    await writing;
    expect(flushes).toHaveLength(0);
  });

  it('what is written during a flush shares the next one', async () => {
    const first = connection.write(insert('a'));
    const flush = await nextFlush();
    const later = [connection.write(insert('b'))];
    await sleep(5);
    later.push(connection.write(insert('c')));
    await sleep(5);
    expect(flushes).toHaveLength(0);
    flush.end();
    await first;
    const second = await nextFlush();
    expect(await settled(Promise.race(later))).toBe('pending');
    second.end();
    expect(await Promise.all(later)).toEqual([1, 1]);
    expect(flushes).toHaveLength(0);
  });

  it('a flush that fails fails what it stood for, written and read', async () => {
    await written('a');
    const writing = connection.write(insert('b'));
    const flush = await nextFlush();
    const reading = connection.read(names);
    expect(await settled(reading)).toBe('pending');
    const later = connection.write(insert('c'));
    flush.fail(new Error('EIO: i/o error'));
    for (const failed of [writing, reading]) {
      await expect(failed).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    }
    (await nextFlush()).end();
    expect(await later).toBe(1);
  });

  /** A commit of `a` that could not be flushed, and a reader that keeps the log from being emptied until it ends. */
  async function failFlushBehindReader() {
    const writing = connection.write(insert('a'));
    (await nextFlush()).fail(new Error('EIO: i/o error'));
    await expect(writing).rejects.toThrow('could not flush');
    const reader = new Database(path, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT name FROM brands').all();
    return () => {
      reader.exec('COMMIT');
      reader.close();
    };
  }

  it('after a failed flush nothing is promised before a checkpoint has saved it', async () => {
    const endReading = await failFlushBehindReader();
    await expect(connection.write(insert('b'))).rejects.toThrow('could not flush');
    endReading();
    await written('c');
    expect(await connection.read(names)).toEqual(['a', 'c']);
  });

  it('after a failed flush nothing is shown before a checkpoint has saved it', async () => {
    const endReading = await failFlushBehindReader();
    for (const reading of [connection.read(names), connection.lookUp(names)]) {
      await expect(reading).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    }
    endReading();
    expect(await connection.lookUp(names)).toEqual(['a']);
    // It is in the database itself: the log is empty.
    expect((await stat(`${path}-wal`)).size).toBe(0);
    expect(await connection.read(names)).toEqual(['a']);
    expect(flushes).toHaveLength(0);
  });

  it('a real log is flushed, also where the path is a symbolic link', async () => {
    const { symlink } = await import('node:fs/promises');
    const link = join(folder, 'link.db');
    await symlink(path, link);
    const linked = createConnection({ path: link, busyTimeoutMs: 100 });
    await linked.open();
    expect(await linked.write(insert('through the link'))).toBe(1);
    await linked.close();
    expect(await connection.read(names)).toEqual(['through the link']);
  });

  it('closing waits for the last flush', async () => {
    const writing = connection.write(insert('a'));
    const flush = await nextFlush();
    const closing = connection.close();
    expect(await settled(closing)).toBe('pending');
    flush.end();
    expect(await writing).toBe(1);
    await closing;
  });
});
