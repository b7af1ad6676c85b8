import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
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

it('names the file that cannot be opened, and why', async () => {
  mkdirSync(dirname(path));
  writeFileSync(path, 'no database at all, but a text that is longer than the header of one'.repeat(10));
  const refused = {
    code: 'SERVICE_UNAVAILABLE',
    message: `The SQLite database ${path} cannot be opened (SQLITE_NOTADB).`,
  };
  await expect(storage.open()).rejects.toMatchObject(refused);
  rmSync(dirname(path), { recursive: true });
  writeFileSync(dirname(path), 'a file where the folder shall be');
  await expect(storage.open()).rejects.toMatchObject({
    message: `The SQLite database ${path} cannot be opened (EEXIST).`,
  });
  rmSync(dirname(path));
  await storage.open();
});
