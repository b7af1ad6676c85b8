/** The commands of `docs/operation.md` for a backup, taken while a host writes, and restored after the host was killed. */
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import type { Storage } from '../../../core/ports/storage.ts';

const DOCUMENT = await readFile(new URL('../../../docs/operation.md', import.meta.url), 'utf8');
/** What the document does first, and what it passes to `sqlite3`. Commands of that program, which begin with a dot, are no statements. */
const [, PREPARE = '', BACKUP = ''] = /^(.*) && sqlite3 data\/credence\.db "([^"]+)"/m.exec(DOCUMENT) ?? [];
const [RESTORE = ''] = /^rm .*cp backup\/credence\.db .*$/m.exec(DOCUMENT) ?? [];

let folder: string;
let running: Storage;

/** A folder for a host's data and its backup. */
async function makeFolder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'credence-backup-'));
  await mkdir(join(made, 'data'));
  execFileSync('sh', ['-c', PREPARE], { cwd: made });
  return made;
}

beforeEach(async () => {
  folder = await makeFolder();
  running = createSqliteStorage({ path: join(folder, 'data/credence.db') });
  await running.open();
  await addBrand('before');
  backUp();
  await addBrand('after');
});

afterEach(async () => {
  await running.close();
  await rm(folder, { recursive: true, force: true });
});

async function addBrand(slug: string): Promise<void> {
  await running.brands.create({ name: slug, slug, logoUrl: null, createdAt: new Date() });
}

function backUp(): void {
  const database = new Database(join(folder, 'data/credence.db'));
  database.exec(BACKUP.replace('backup/', `${folder}/backup/`));
  database.close();
}

async function brandsIn(path: string): Promise<readonly string[]> {
  const storage = createSqliteStorage({ path });
  try {
    await storage.open();
    return (await storage.brands.list()).items.map(({ slug }) => slug);
  } finally {
    await storage.close();
  }
}

it('a backup has what the write-ahead log held, and opens', async () => {
  expect(await brandsIn(join(folder, 'backup/credence.db'))).toEqual(['before']);
});

it('a restored backup has nothing of the log of a killed host', async () => {
  const killed = await makeFolder();
  try {
    const files = ['data/credence.db', 'data/credence.db-wal', 'data/credence.db-shm', 'backup/credence.db'];
    for (const file of files) await copyFile(join(folder, file), join(killed, file));
    execFileSync('sh', ['-c', RESTORE], { cwd: killed });
    expect(await brandsIn(join(killed, 'data/credence.db'))).toEqual(['before']);
  } finally {
    await rm(killed, { recursive: true, force: true });
  }
});
