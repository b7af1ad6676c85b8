/** The backup that `docs/operation.md` gives, taken while a host writes. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';

const DOCUMENT = new URL('../../../docs/operation.md', import.meta.url);

/** The statement that the document passes to `sqlite3`. Commands of that program, which begin with a dot, are none. */
async function documented(copy: string): Promise<string> {
  const [, statement] = /sqlite3 data\/credence\.db "([^"]+)"/.exec(await readFile(DOCUMENT, 'utf8')) ?? [];
  return statement?.replace('backup/credence.db', copy) ?? '';
}

it('a backup as documented has what the write-ahead log holds, and opens', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'credence-backup-'));
  const [path, copy] = [join(folder, 'credence.db'), join(folder, 'copy.db')];
  const running = createSqliteStorage({ path });
  const restored = createSqliteStorage({ path: copy });
  const brand = (slug: string) => running.brands.create({ name: slug, slug, logoUrl: null, createdAt: new Date() });
  try {
    await running.open();
    await brand('before');
    const other = new Database(path);
    other.exec(await documented(copy));
    other.close();
    await brand('after');
    await restored.open();
    expect((await restored.brands.list()).map(({ slug }) => slug)).toEqual(['before']);
  } finally {
    await running.close();
    await restored.close();
    await rm(folder, { recursive: true, force: true });
  }
});
