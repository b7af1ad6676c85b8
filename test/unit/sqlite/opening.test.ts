import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import type { Storage } from '../../../core/ports/storage.ts';

let directory: string;
let path: string;
let storage: Storage;
const umask = process.umask(0o022);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'credence-opening-'));
  path = join(directory, 'data', 'credence.db');
  storage = createSqliteStorage({ path });
});
afterEach(async () => {
  await storage.close();
  process.umask(umask);
  rmSync(directory, { recursive: true, force: true });
});

const modeOf = (file: string) => statSync(file).mode & 0o777;

it('keeps a new database to its owner: folder, file, log and index', async () => {
  await storage.open();
  expect(modeOf(dirname(path))).toBe(0o700);
  const names = readdirSync(dirname(path)).sort();
  expect(names).toEqual(['credence.db', 'credence.db-shm', 'credence.db-wal']);
  expect(names.map((name) => modeOf(join(dirname(path), name)))).toEqual([0o600, 0o600, 0o600]);
});

it('leaves the modes of what is there already', async () => {
  mkdirSync(dirname(path), { mode: 0o750 });
  writeFileSync(path, '');
  chmodSync(path, 0o640);
  await storage.open();
  expect([modeOf(dirname(path)), modeOf(path)]).toEqual([0o750, 0o640]);
});

it.each(['/proc/credence/data/x.db', '/proc/x.db', '/dev/null/x.db'])('refuses %s instead of hanging', async (path) => {
  const unusable = createSqliteStorage({ path });
  await expect(unusable.open()).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(/^The SQLite database \S+ cannot be opened \(E[A-Z]+\)\. [A-Z].+\.$/),
  });
});

/** Permissions do not bind root. */
const NOBODY = 65_534;

async function asNobody(folder: string, work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work();
  for (const name of [folder, ...readdirSync(folder).map((file) => join(folder, file))])
    chownSync(name, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

it.each(['', '-wal', '-shm'])(
  'refuses a database whose %j file may only be read, and says what to do',
  async (suffix) => {
    await storage.open();
    chmodSync(directory, 0o755);
    // The log and its index go when the database is closed.
    const copy = join(directory, 'copy', 'credence.db');
    mkdirSync(dirname(copy));
    for (const each of ['', '-wal', '-shm']) copyFileSync(path + each, copy + each);
    chmodSync(copy + suffix, 0o444);
    await asNobody(dirname(copy), async () => {
      const other = createSqliteStorage({ path: copy });
      await expect(other.open().finally(() => other.close())).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: `The SQLite database ${copy} cannot be opened (SQLITE_READONLY). Let the user of this process write to it, to its -wal and -shm files, and in its folder.`,
      });
    });
  },
);

describe('a file that disappears while it is open', () => {
  const brand = (slug: string) => storage.brands.create({ name: slug, slug, logoUrl: null, createdAt: new Date() });
  const gone = { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('deleted or replaced') };

  beforeEach(async () => {
    await storage.open();
    await brand('before');
  });

  it.each(['', '-wal'])('fails writes and readiness when %j is deleted', async (suffix) => {
    rmSync(`${path}${suffix}`);
    await expect(brand('after')).rejects.toMatchObject(gone);
    await expect(storage.ping()).rejects.toMatchObject(gone);
  });

  it('fails them when the folder is deleted, and when another file takes the place', async () => {
    rmSync(dirname(path), { recursive: true });
    await expect(brand('after')).rejects.toMatchObject(gone);
    const other = createSqliteStorage({ path });
    await other.open();
    await expect(brand('after')).rejects.toMatchObject(gone);
    await expect(storage.ping()).rejects.toMatchObject(gone);
    await other.close();
  });

  it('continues when another process empties the log by a checkpoint', async () => {
    const other = new Sqlite(path);
    other.pragma('wal_checkpoint(TRUNCATE)');
    expect(statSync(`${path}-wal`).size).toBe(0);
    await storage.ping();
    await brand('after');
    other.pragma('wal_checkpoint(TRUNCATE)');
    await brand('later');
    other.close();
  });

  it('continues when the same file is put back', async () => {
    renameSync(path, `${path}.aside`);
    await expect(brand('meanwhile')).rejects.toMatchObject(gone);
    renameSync(`${path}.aside`, path);
    await brand('after');
    await storage.ping();
  });
});

it('names the file that cannot be opened, why, and what to do', async () => {
  mkdirSync(dirname(path));
  writeFileSync(path, 'no database at all, but a text that is longer than the header of one'.repeat(10));
  const refused = {
    code: 'SERVICE_UNAVAILABLE',
    message: `The SQLite database ${path} cannot be opened (SQLITE_NOTADB). It is no SQLite database: name another file.`,
  };
  await expect(storage.open()).rejects.toMatchObject(refused);
  rmSync(dirname(path), { recursive: true });
  writeFileSync(dirname(path), 'a file where the folder should be');
  await expect(storage.open()).rejects.toMatchObject({
    message: `The SQLite database ${path} cannot be opened (EEXIST). A part of its path is a file: choose another path.`,
  });
  rmSync(dirname(path));
  mkdirSync(path, { recursive: true });
  await expect(storage.open()).rejects.toMatchObject({
    message: expect.stringMatching(/\(SQLITE_CANTOPEN\)\. Name a file that this process may read and write/),
  });
  rmSync(path, { recursive: true });
  await storage.open();
});
