/** The write-ahead log is brought into the database by a thread, beside the writes. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCheckpointer } from '../../../adapters/sqlite/checkpointer.ts';
import { type Connection, createConnection, type Sql } from '../../../adapters/sqlite/database.ts';

const PAGE = 4_096;
const PAGES = 50;

let folder: string;
let path: string;
let connection: Connection;
let written = 0;

/** Some pages. */
const insert = (sql: Sql) => {
  written += 1;
  sql.run('INSERT INTO brands (name, slug, created_at) VALUES (?, ?, 0)', 'x'.repeat(2 * PAGE), `brand-${written}`);
};
const count = (sql: Sql) => sql.get<{ n: number }>('SELECT count(*) AS n FROM brands')?.n;
const logSize = async () => (await stat(`${path}-wal`)).size;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credence-checkpoints-'));
  path = join(folder, 'credence.db');
  connection = createConnection({ path, busyTimeoutMs: 1_000, checkpointPages: PAGES });
  await connection.open();
  written = 0;
});
afterEach(async () => {
  await connection.close();
  await rm(folder, { recursive: true, force: true });
});

it('writes the log from its beginning again and again, and leaves no checkpoint to a commit', async () => {
  const before = (await stat(path)).size;
  // Each write takes three pages at least; at first the thread is still starting.
  do await connection.write(insert);
  while (written * 3 * PAGE < 3 * (await logSize()));
  expect(await connection.lookUp((sql) => sql.get('PRAGMA wal_autocheckpoint'))).toEqual({ wal_autocheckpoint: 0 });
  expect((await stat(path)).size).toBeGreaterThan(before + written * PAGE);
  expect(await connection.read(count)).toBe(written);
});

it('shows what is written meanwhile, from this process and from others', async () => {
  const other = new Database(path, { timeout: 5_000 });
  const size = other.prepare('SELECT count(*) FROM brands').pluck();
  for (let round = 1; round <= 150; round += 1) {
    await connection.write(insert);
    expect(size.get()).toBe(round);
    expect(await connection.read(count)).toBe(round);
  }
  other.close();
});

it('does not wait for a reader of another process, and keeps what it still sees', async () => {
  const other = new Database(path);
  other.exec('BEGIN');
  const size = other.prepare('SELECT count(*) FROM brands').pluck();
  expect(size.get()).toBe(0);
  for (let round = 1; round <= 100; round += 1) await connection.write(insert);
  expect(size.get()).toBe(0);
  other.exec('COMMIT');
  expect(size.get()).toBe(100);
  other.close();
});

it('leaves one file when it is closed, with everything in it', async () => {
  for (let round = 0; round < 100; round += 1) await connection.write(insert);
  await connection.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  const alone = new Database(path, { readonly: true });
  expect(alone.prepare('SELECT count(*) FROM brands').pluck().get()).toBe(100);
  alone.close();
});

it('is left to SQLite if the thread cannot run', async () => {
  let broken = 0;
  const options = { path: join(folder, 'missing.db'), pages: 1, pending: () => 10, onBroken: () => (broken += 1) };
  const checkpointer = createCheckpointer(options);
  expect(await checkpointer.empty()).toBe(false);
  expect(broken).toBe(1);
  expect(checkpointer.due()).toBeNull();
  expect(await checkpointer.empty()).toBe(false);
  expect(broken).toBe(1);
  await checkpointer.close();
});
