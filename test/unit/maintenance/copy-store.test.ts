/** A whole store is moved into an empty one, in every direction. */
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMongoCopyEnd } from '../../../adapters/mongodb/copy-end.ts';
import { COPIED, createSqliteCopyEnd, PARTS } from '../../../adapters/sqlite/copy-end.ts';
import { CopyTargetNotEmpty, copyStore } from '../../../core/maintenance/copy-store.ts';
import type { CopyEnd } from '../../../core/ports/copy-end.ts';
import { contentOf, storeVictims, type Victims } from '../../security/storage-attacks.ts';
import { mongoServer } from '../../support/mongo.ts';
import {
  createTestStorage,
  eachStorage,
  STORAGE_KINDS,
  type StorageKind,
  type TestStorage,
} from '../../support/storage.ts';

const endOf = ({ kind, url }: Pick<TestStorage, 'kind' | 'url'>): CopyEnd =>
  kind === 'sqlite' ? createSqliteCopyEnd({ path: url.slice('sqlite:'.length) }) : createMongoCopyEnd({ url });

async function copied(from: TestStorage, to: TestStorage) {
  const ends = { from: endOf(from), to: endOf(to) };
  try {
    for (const end of Object.values(ends)) await end.open();
    return await copyStore({ ...ends, source: from.url, pageSize: 2 });
  } finally {
    for (const end of Object.values(ends)) await end.close();
  }
}

/** Without a server, copies to MongoDB are skipped with those from it. */
const TARGETS = (await mongoServer()).available ? STORAGE_KINDS : (['sqlite'] as const);

await eachStorage((kind) => {
  let source: TestStorage;
  let victims: Victims;
  let content: unknown;
  const made: TestStorage[] = [];
  const target = async (of: StorageKind) => {
    const one = await createTestStorage(of);
    made.push(one);
    return one;
  };
  beforeAll(async () => {
    source = await target(kind);
    const storage = source.create();
    await storage.open();
    victims = await storeVictims(storage);
    content = await contentOf(storage, victims);
    await storage.close();
  });
  afterAll(async () => {
    for (const one of made) await one.close();
  });

  it.each(TARGETS)('is copied to %s, with the same content, numbers and totals', async (of) => {
    const to = await target(of);
    const totals = await copied(source, to);
    expect(totals.filter(({ count }) => count === 0).map(({ kind }) => kind)).toEqual(
      expect.not.arrayContaining(['creators', 'attempts', 'jobs', 'deliveries', 'canaries', 'usage']),
    );
    const storage = to.create();
    await storage.open();
    expect(await contentOf(storage, victims)).toEqual(content);
    const next = { name: 'Next', slug: 'next', logoUrl: null, createdAt: new Date() };
    expect((await storage.brands.create(next))?.id).toBe(victims.brandId + 1);
    await storage.close();
    await expect(copied(source, to)).rejects.toThrow(CopyTargetNotEmpty);
  });

  it('continues a copy that was cut short at any page, and takes none of another source for its own', async () => {
    const to = await target(kind);
    let [pages, whole] = [0, false];
    while (!whole) {
      const end = endOf(to);
      // A new connection to MongoDB takes longer than many pages.
      let left = kind === 'sqlite' ? 8 : 16;
      const dying: CopyEnd = {
        ...end,
        // The process ends after the records were stored, and once before they were.
        async write(...args) {
          left -= 1;
          if (left === 0 && pages % 2 === 0) throw new Error('killed');
          await end.write(...args);
          if (left === 0) throw new Error('killed');
        },
      };
      await end.open();
      const from = endOf(source);
      await from.open();
      whole = await copyStore({ from, to: dying, source: 'one', pageSize: 2 }).then(
        () => true,
        (error: Error) => {
          expect(error.message).toBe('killed');
          return false;
        },
      );
      pages += 1;
      if (pages === 2) await expect(copyStore({ from, to: end, source: 'two' })).rejects.toThrow(CopyTargetNotEmpty);
      await from.close();
      await end.close();
    }
    expect(pages).toBeGreaterThan(3);
    const storage = to.create();
    await storage.open();
    expect(await contentOf(storage, victims)).toEqual(content);
    await storage.close();
  });
});

describe('a source that is used meanwhile', () => {
  it('is told by what differs', async () => {
    const [source, to] = [await createTestStorage('sqlite'), await createTestStorage('sqlite')];
    const storage = source.create();
    await storage.open();
    await storeVictims(storage);
    await storage.close();
    const from = endOf(source);
    await from.open();
    let reads = 0;
    const changing: CopyEnd = {
      ...from,
      async read(wanted, ...rest) {
        const page = await from.read(wanted, ...rest);
        if (wanted !== 'tokens') return page;
        reads += 1;
        return { ...page, records: page.records.map((record) => ({ ...record, name: `changed ${reads}` })) };
      },
    };
    const target = endOf(to);
    await target.open();
    const copying = copyStore({ from: changing, to: target, source: source.url });
    await expect(copying).rejects.toThrow(/tokens: the records differ\n.*Stop every process/);
    for (const each of [from, target, source, to]) await each.close();
  });
});

describe('the tables of SQLite', () => {
  it('are copied with every column', async () => {
    const made = await createTestStorage('sqlite');
    const storage = made.create();
    await storage.open();
    await storage.close();
    const db = new Database(made.url.slice('sqlite:'.length), { readonly: true });
    const list = (text: string, ...values: readonly string[]) =>
      db
        .prepare(text)
        .pluck()
        .all(...values)
        .sort();
    const copied = [...Object.values(COPIED).map(({ table }) => table), ...PARTS];
    const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    expect(copied.map(({ name }) => name).sort()).toEqual(list(`${tables} AND name <> 'outbox_leases'`));
    for (const { name, columns } of copied) {
      const stored = list("SELECT name FROM pragma_table_info(?) WHERE name <> 'leased_until'", name);
      expect(columns.map((column) => column.name).sort(), name).toEqual(stored);
    }
    db.close();
    await made.close();
  });
});
