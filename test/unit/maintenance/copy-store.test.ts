/** A whole store is moved into an empty one. */
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCHEMA } from '../../../adapters/sql/schema.ts';
import * as tables from '../../../adapters/sql/tables.ts';
import { copyStore } from '../../../core/maintenance/copy-store.ts';
import type { CopyableStorage, RecordStore } from '../../../core/ports/record-store.ts';
import { storageOf } from '../../../plugins/compose/modules/storage.ts';
import { contentOf, storeVictims, type Victims } from '../../security/storage-attacks.ts';
import {
  availableKinds,
  createTestStorage,
  eachStorage,
  type StorageKind,
  type TestStorage,
} from '../../support/storage.ts';

/** In a ring: each storage is read once and written once. Without a server, the ring is smaller. */
const RING = await availableKinds();
const NEXT = { name: 'Next', slug: 'next', logoUrl: null, createdAt: new Date() };

const made: (TestStorage | CopyableStorage)[] = [];
afterAll(async () => {
  for (const each of made.reverse()) await each.close();
});

async function openStore(kind: StorageKind): Promise<CopyableStorage> {
  const place = await createTestStorage(kind);
  const storage = storageOf(place.url);
  made.push(place, storage);
  await storage.open();
  return storage;
}

await eachStorage((kind) => {
  let source: CopyableStorage;
  let victims: Victims;
  let content: unknown;
  beforeAll(async () => {
    source = await openStore(kind);
    victims = await storeVictims(source);
    content = await contentOf(source, victims);
  });

  const next = RING[(RING.indexOf(kind) + 1) % RING.length] ?? kind;
  it(`is copied to ${next}, with the same content, numbers and totals`, async () => {
    const target = await openStore(next);
    const totals = await copyStore({ from: source.records, to: target.records, pageSize: 2 });
    const empty = totals.filter(({ count }) => count === 0).map(({ kind: name }) => name);
    const filled = expect.not.arrayContaining(['creators', 'attempts', 'jobs', 'deliveries', 'canaries', 'usage']);
    expect(empty).toEqual(filled);
    expect(await contentOf(target, victims)).toEqual(content);
    expect(await copyStore({ from: source.records, to: target.records })).toEqual(totals);
    await target.close();
    await target.open();
    expect((await target.brands.create(NEXT))?.id).toBe(victims.brandId + 1);
    await expect(copyStore({ from: source.records, to: target.records })).rejects.toThrow('The target is not empty');
  });

  it('continues a copy that was cut short at any page', async () => {
    const target = await openStore(kind);
    let [cuts, isWhole] = [0, false];
    for (; !isWhole; cuts += 1) {
      let left = 3;
      const dying: RecordStore = {
        ...target.records,
        async write(...args) {
          left -= 1;
          await target.records.write(...args);
          if (left === 0) throw new Error('killed');
        },
      };
      isWhole = await copyStore({ from: source.records, to: dying, pageSize: 2 }).then(
        () => true,
        (error: Error) => {
          expect(error.message).toBe('killed');
          return false;
        },
      );
    }
    expect(cuts).toBeGreaterThan(3);
    expect(await contentOf(target, victims)).toEqual(content);
  });
});

describe('a store', () => {
  it('is not copied into one that holds something else', async () => {
    const [source, target] = [await openStore('sqlite'), await openStore('sqlite')];
    await storeVictims(source);
    await target.tokens.create({
      name: 'Own',
      role: 'admin',
      externalId: null,
      brandId: null,
      quota: null,
      hash: 'a'.repeat(64),
      createdAt: new Date(),
      lastUsedAt: null,
      revokedAt: null,
    });
    const copying = copyStore({ from: source.records, to: target.records });
    await expect(copying).rejects.toThrow(/it has other tokens/);
    expect(await target.records.last('creators')).toBeNull();
  });

  it('that is used meanwhile is told by what differs', async () => {
    const [source, target] = [await openStore('sqlite'), await openStore('sqlite')];
    await storeVictims(source);
    let reads = 0;
    const changing: RecordStore = {
      ...source.records,
      async read(wanted, ...rest) {
        const records = await source.records.read(wanted, ...rest);
        if (wanted !== 'tokens') return records;
        reads += 1;
        return records.map((record) => ({ ...record, name: `changed ${reads}` }));
      },
    };
    const copying = copyStore({ from: changing, to: target.records });
    await expect(copying).rejects.toThrow(/its tokens differ. Stop every process/);
  });
});

it('every column of SQLite is copied, but for notes of purges that are done', () => {
  const db = new Database(':memory:').exec(SCHEMA);
  const names = (text: string, ...values: readonly string[]) =>
    db
      .prepare(text)
      .pluck()
      .all(...values)
      .sort();
  const isOwn = "type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'purges'";
  const copied = Object.values(tables);
  expect(copied.map(({ name }) => name).sort()).toEqual(names(`SELECT name FROM sqlite_schema WHERE ${isOwn}`));
  for (const { name, columns } of copied) {
    expect(columns.map((column) => column.name).sort(), name).toEqual(
      names('SELECT name FROM pragma_table_info(?)', name),
    );
  }
  db.close();
});
