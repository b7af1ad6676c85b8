/**
 * Cursors beside page numbers. A page number counts from the beginning of a list. So rows move from page to page while a
 * list changes, and a page far behind costs more than the first. A cursor names the item after which the list continues.
 */
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import type { Page, PageRequest, Position } from '../../core/ports/paging.ts';
import { decodeCursor, encodeCursor } from '../../core/security/opaque-cursor.ts';
import type { pageQuery } from './schemas.ts';

type PageQuery = z.output<typeof pageQuery>;

/** `at` in milliseconds, in lists that are ordered by a time. */
const listCursor = z.strictObject({
  page: z.int().min(1),
  id: z.int().min(1),
  at: z.int().min(-8.64e15).max(8.64e15).optional(),
});

/** What a list is ordered by. */
export interface ListOrder<Item> {
  readonly positionOf: (item: Item) => Position;
  /** By a time and then by id, instead of by id alone. */
  readonly isByTime?: boolean;
}

/** The order of items by their own id. */
export const BY_ID: ListOrder<{ readonly id: number }> = { positionOf: ({ id }) => ({ id }) };

/**
 * Reads the page that a query asks for. Returns the rows and the `pagination` of the answer. It has the cursor of the next page
 * if the query has a cursor, even an empty one.
 * @throws DomainError `INVALID_REQUEST` for a cursor that no answer for such a list has held, and what `read` throws
 */
export async function readListPage<Found extends Page<unknown>>(
  query: PageQuery,
  read: (request: PageRequest) => Promise<Found>,
  { positionOf, isByTime = false }: ListOrder<Found['items'][number]>,
) {
  const request = requestOf(query, isByTime);
  const found = await read(request);
  const { page, limit, after } = request;
  const { items, total } = found;
  const pagination = { page, limit, total };
  if (query.cursor === undefined) return { found, pagination };
  const isLast = items.length < limit || (after === undefined && page * limit >= total);
  const last = isLast ? undefined : items.at(-1);
  const nextCursor = last === undefined ? null : cursorAfter(positionOf(last), page);
  return { found, pagination: { ...pagination, nextCursor } };
}

function requestOf({ page, limit, cursor }: PageQuery, isByTime: boolean): PageRequest {
  if (cursor === undefined || cursor === '') return { page, limit };
  const known = decodeCursor(cursor, listCursor);
  if (known === null || (known.at !== undefined) !== isByTime) {
    const what = 'not a cursor of this list. Leave it empty to start from the beginning.';
    throw new DomainError('INVALID_REQUEST', `Invalid request: query.cursor: ${what}`);
  }
  const { id, at } = known;
  return { page: known.page, limit, after: at === undefined ? { id } : { id, at: new Date(at) } };
}

function cursorAfter({ id, at }: Position, page: number): string {
  return encodeCursor({ page: page + 1, id, ...(at === undefined ? {} : { at: at.getTime() }) });
}
