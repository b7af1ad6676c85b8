import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, expect, it, vi } from 'vitest';
import { createConnection, type Sql } from '../../../adapters/sqlite/database.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { newComment, newSweep, storedChallenge, T0 } from '../../contract/storage/samples.ts';

afterEach(() => vi.restoreAllMocks());

const insert = (name: string) => (sql: Sql) =>
  sql.run('INSERT INTO brands (name, slug, created_at) VALUES (?, ?, 0)', name, name).changes;
const names = (sql: Sql) => sql.all<{ name: string }>('SELECT name FROM brands ORDER BY id').map(({ name }) => name);

it('writes whose transaction failed wait, in their order, for a process that takes the lock in between', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'credence-failing-'));
  const path = join(folder, 'credence.db');
  const connection = createConnection({ path, busyTimeoutMs: 20_000 });
  await connection.open();
  const other = new Database(path);
  const { exec } = Database.prototype;
  const locked = Promise.withResolvers<void>();
  vi.spyOn(Database.prototype, 'exec').mockImplementation(function (this: Database.Database, text: string) {
    exec.call(this, text);
    if (this === other || text !== 'ROLLBACK') return this;
    vi.restoreAllMocks();
    other.exec("BEGIN IMMEDIATE; INSERT INTO brands (name, slug, created_at) VALUES ('theirs', 'theirs', 0)");
    locked.resolve();
    return this;
  });
  const fails = (sql: Sql) => {
    insert('lost')(sql);
    throw new Error('no');
  };
  // However slow the machine is, all three are one batch.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const writes = Promise.allSettled([
    connection.write(insert('first')),
    connection.write(fails),
    connection.write(insert('second')),
  ]);
  await locked.promise;
  expect(await connection.lookUp(names)).toEqual([]);
  other.exec('COMMIT');
  other.close();
  expect((await writes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await connection.lookUp(names)).toEqual(['theirs', 'first', 'second']);
  await connection.close();
  await rm(folder, { recursive: true, force: true });
});

it('a statement that fails halfway leaves nothing of its write, and the write beside it stands', async () => {
  const storage = createSqliteStorage({ path: ':memory:' });
  await storage.open();
  const id = await storedChallenge(storage);
  const unfit = { ...newComment(), commentText: null as never };
  const refused = [
    ...Array.from({ length: 20 }, () => newComment()),
    unfit,
    ...Array.from({ length: 9 }, () => newComment()),
  ];
  const results = await Promise.allSettled([
    storage.comments.insertNew(id, refused, T0, newSweep(id)),
    storage.comments.insertNew(id, [newComment()], T0),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect((await storage.comments.page(id, { page: 1, limit: 50 })).items).toHaveLength(1);
  expect(await storage.comments.sweep(id)).toBeNull();
  await storage.close();
});
