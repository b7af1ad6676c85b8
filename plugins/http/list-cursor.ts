/**
 * Cursors beside page numbers. A page number counts from the beginning of a list. So rows move from page to page while a
 * list changes, and a page far behind costs more than the first. A cursor names the item after which the list continues.
 */
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import type { Page, PageRequest, Position } from '../../core/ports/paging.ts';
import { decodeCursor, encodeCursor } from '../../core/security/opaque-cursor.ts';
import type { pageQuery, partQuery } from './schemas.ts';

type PageQuery = z.output<typeof pageQuery>;
type PartQuery = z.output<typeof partQuery>;

/** `at` in milliseconds, in lists that are ordered by a time; `id` is 0 in lists that are ordered by a name. */
const listCursor = z.strictObject({
  page: z.int().min(1),
  id: z.int().min(0),
  at: z.int().min(-8.64e15).max(8.64e15).optional(),
  name: z.string().max(200).optional(),
  by: z.int().min(0).optional(),
});

/** What a list is ordered by. */
export interface ListOrder<Item> {
  readonly positionOf: (item: Item) => Position;
  /** The field of positions that comes before the id, if the list is not ordered by id alone. */
  readonly by?: (typeof FIRST_FIELDS)[number];
}

const FIRST_FIELDS = ['at', 'name', 'by'] as const satisfies readonly (keyof Position)[];

/** The order of items by their own name. */
export const BY_NAME: ListOrder<{ readonly name: string }> = {
  by: 'name',
  positionOf: ({ name }) => ({ id: 0, name }),
};

/** The order of items by their own id. */
export const BY_ID: ListOrder<{ readonly id: number }> = { positionOf: ({ id }) => ({ id }) };

/**
 * Reads the page that a query asks for, and makes the answer of it: `toRow` of each item, and the `pagination`. It has the cursor of
 * the next page if the query has a cursor, even an empty one.
 * @throws DomainError `INVALID_REQUEST` for a cursor that no answer for such a list has held, and what `read` throws
 */
export async function readListPage<Item, Row = Item>(
  query: PageQuery,
  read: (request: PageRequest) => Promise<Page<Item>>,
  order: ListOrder<Item>,
  toRow: (item: Item) => Row = (item) => item as unknown as Row,
) {
  const request = requestOf(query, order);
  const { page, limit, after } = request;
  const { items, total } = await read(request);
  const data = items.map(toRow);
  const pagination = { page, limit, total };
  if (query.cursor === undefined) return { data, pagination };
  const isLast = items.length < limit || (after === undefined && page * limit >= total);
  const last = isLast ? undefined : items.at(-1);
  const nextCursor = last === undefined ? null : cursorAfter(order.positionOf(last), page);
  return { data, pagination: { ...pagination, nextCursor } };
}

/**
 * Reads what a query asks for: the whole list, or a page of it with its `pagination`. Who sends no `page` walks by cursors.
 * @param read all of it without a request
 * @throws as `readListPage`
 */
export async function readListPart<Item>(
  query: PartQuery,
  read: (request?: PageRequest) => Promise<Page<Item>>,
  order: ListOrder<Item>,
) {
  const part = pageIn(query);
  if (part === null) return { data: (await read()).items };
  const { data, pagination } = await readListPage(part, read, order);
  return { data, pagination };
}

/** The page that is asked for; null for the whole list. */
export function pageIn({ page, limit, cursor }: PartQuery): PageQuery | null {
  if (page === undefined && limit === undefined && cursor === undefined) return null;
  return { page: page ?? 1, limit: limit ?? 20, cursor: cursor ?? (page === undefined ? '' : undefined) };
}

function requestOf({ page, limit, cursor }: PageQuery, { by }: Pick<ListOrder<never>, 'by'>): PageRequest {
  if (cursor === undefined || cursor === '') return { page, limit };
  const known = decodeCursor(cursor, listCursor);
  const fits = known !== null && FIRST_FIELDS.every((field) => (known[field] !== undefined) === (field === by));
  if (!fits || (known.id === 0 && by !== 'name')) {
    const what = 'not a cursor of this list. Leave it empty to start from the beginning.';
    throw new DomainError('INVALID_REQUEST', `Invalid request: query.cursor: ${what}`);
  }
  const { page: next, at, ...rest } = known;
  return { page: next, limit, after: { ...rest, ...(at === undefined ? {} : { at: new Date(at) }) } };
}

function cursorAfter({ at, ...rest }: Position, page: number): string {
  return encodeCursor({ page: page + 1, ...rest, ...(at === undefined ? {} : { at: at.getTime() }) });
}
