import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { INDEXES } from '../../../adapters/mongodb/indexes.ts';

const [, section = ''] = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8').split(
  '### Sharding\n',
);

interface Row {
  readonly collection: string;
  /** Fields of the shard key, or the unique indexes that prevent one. */
  readonly names: readonly string[];
  readonly isShardable: boolean;
}

const rows = [...section.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, collection = '', key = '']): Row => {
  const names = [...key.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
  return { collection, names, isShardable: !key.startsWith('none') };
});

const uniqueOf = (collection: string) =>
  ((INDEXES as Readonly<Record<string, (typeof INDEXES)['jobs']>>)[collection] ?? []).filter(({ unique }) => unique);

describe('the shard keys of docs/scaling.md', () => {
  it('are named for every collection that grows', () => {
    const collections = rows.map(({ collection }) => collection);
    const growing = ['attempts', 'comments', 'creators', 'deliveries', 'jobs', 'likers', 'metrics'];
    expect(collections.toSorted()).toEqual([...growing, 'socialAccounts', 'subscriberDeliveries']);
    for (const collection of collections) expect(INDEXES).toHaveProperty(collection);
  });

  it.each(rows.filter(({ isShardable }) => isShardable))(
    '$collection: every unique index begins with the shard key',
    ({ collection, names }) => {
      expect(names.length).toBeGreaterThan(0);
      for (const { key } of uniqueOf(collection)) expect(Object.keys(key).slice(0, names.length)).toEqual(names);
    },
  );

  it.each(rows.filter(({ isShardable }) => !isShardable))(
    '$collection: its unique indexes have no first field in common, so it has no shard key',
    ({ collection, names }) => {
      expect(uniqueOf(collection).map(({ name }) => name)).toEqual(names);
      expect(new Set(uniqueOf(collection).map(({ key }) => Object.keys(key)[0])).size).toBeGreaterThan(1);
    },
  );
});
