import { describe, expect, it } from 'vitest';
import { type PageRequest, pageOfItems } from '../../../core/ports/paging.ts';
import { encodeCursor } from '../../../core/security/opaque-cursor.ts';
import { BY_ID, BY_NAME, type ListOrder, readListPage, readListPart } from '../../../plugins/http/list-cursor.ts';

interface Item {
  readonly id: number;
  readonly at: Date;
}

const BY_TIME: ListOrder<Item> = { by: 'at', positionOf: ({ id, at }) => ({ id, at }) };
const all = Array.from({ length: 7 }, (_, index): Item => ({ id: index + 1, at: new Date(1_000 * (index + 1)) }));

/** A list by id that grows at its end. */
const listOf = (items: readonly Item[]) => async (request: PageRequest) => {
  const { page, limit, after } = request;
  const from = after === undefined ? (page - 1) * limit : items.findIndex(({ id }) => id === after.id) + 1;
  return { items: items.slice(from, from + limit), total: items.length };
};

const readItems = (limit: number, cursor: string, order: ListOrder<Item>) =>
  readListPage({ page: 1, limit, cursor }, listOf(all), order);

describe('a cursor of a list', () => {
  it.each([1, 3, 7, 100])('goes through the whole list, %i items a page, and counts the pages', async (limit) => {
    for (const order of [BY_ID, BY_TIME]) {
      const seen: Item[] = [];
      let page = 0;
      let cursor: string | null = '';
      while (cursor !== null) {
        const read: Awaited<ReturnType<typeof readItems>> = await readItems(limit, cursor, order);
        seen.push(...read.data);
        page += 1;
        expect(read.pagination).toMatchObject({ page, limit, total: 7 });
        cursor = 'nextCursor' in read.pagination ? read.pagination.nextCursor : null;
      }
      expect(seen).toEqual(all);
    }
  });

  it('starts at a page, if it is empty', async () => {
    const { data, pagination } = await readListPage({ page: 2, limit: 3, cursor: '' }, listOf(all), BY_ID);
    expect([data, pagination]).toMatchObject([all.slice(3, 6), { page: 2, nextCursor: expect.any(String) }]);
  });

  it.each([
    ['no cursor at all', 'nonsense'],
    ['of another list', encodeCursor({ page: 2, id: 3 })],
    ['without an item', encodeCursor({ page: 2, at: 5 })],
    ['with an id that is none', encodeCursor({ page: 2, id: -1, at: 5 })],
    ['with a time that is none', encodeCursor({ page: 2, id: 1, at: 9e15 })],
    ['with more than a cursor has', encodeCursor({ page: 2, id: 1, at: 5, $gt: '' })],
  ])('is refused: %s', async (_, cursor) => {
    const reading = readListPage({ page: 1, limit: 2, cursor }, listOf(all), BY_TIME);
    const message = expect.stringContaining('cursor');
    await expect(reading).rejects.toMatchObject({ code: 'INVALID_REQUEST', message });
  });

  it('is refused with a time by a list that is ordered by id', async () => {
    const cursor = encodeCursor({ page: 2, id: 1, at: 5 });
    const reading = readListPage({ page: 1, limit: 2, cursor }, listOf(all), BY_ID);
    await expect(reading).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('a list that is whole by default', () => {
  const names = ['a', 'b', 'c'].map((name) => ({ name }));
  const whole = async (request?: PageRequest) => pageOfItems(all, request);
  const named = async (request?: PageRequest) => pageOfItems(names, request);

  it.each([
    ['by id', (query: { readonly limit: number }) => readListPart(query, whole, BY_ID), all],
    ['by name', (query: { readonly limit: number }) => readListPart(query, named, BY_NAME), names],
  ])('is walked %s from a limit on', async (_, read, items) => {
    const seen: unknown[] = [];
    let query: { limit: number; cursor?: string } | null = { limit: 2 };
    while (query !== null) {
      const { data, pagination } = await read(query);
      seen.push(...data);
      expect(pagination).toMatchObject({ limit: 2, total: items.length });
      const next: unknown = pagination && 'nextCursor' in pagination ? pagination.nextCursor : null;
      query = typeof next === 'string' ? { limit: 2, cursor: next } : null;
    }
    expect(seen).toEqual(items);
  });

  it('continues after a name that is gone, and refuses a cursor of another order', async () => {
    const first = await readListPart({ limit: 1 }, named, BY_NAME);
    const cursor = String(first.pagination && 'nextCursor' in first.pagination && first.pagination.nextCursor);
    const rest = await readListPart({ cursor }, async (request) => pageOfItems(names.slice(1), request), BY_NAME);
    expect(rest).toMatchObject({ data: names.slice(1), pagination: { nextCursor: null } });
    await expect(readListPart({ cursor }, whole, BY_ID)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    const ofIds = encodeCursor({ page: 2, id: 3 });
    const wrong = readListPart({ cursor: ofIds }, named, BY_NAME);
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
