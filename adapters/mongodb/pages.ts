import type { Collection, Filter, FindOptions } from 'mongodb';
import { keepNewest } from '../../core/keep-newest.ts';
import type { Page, PageRequest, Position } from '../../core/ports/paging.ts';
import { instant, integer, window } from './values.ts';

/** A list in the order of an index: by id, or by another field and then by id, the same way. */
export interface ListOrder<Field extends string = string> {
  readonly direction: 1 | -1;
  /** A time, unless the position of the request is never asked for. */
  readonly by?: Field;
}

/** An item of a list with which a page began when it was read. */
export interface Mark {
  /** Items before it. */
  readonly skipped: number;
  /** What orders the list, of the item. */
  readonly by?: unknown;
  readonly id: number;
}

/** How long a list is, and how a page far behind in it is found. */
export interface CountedList {
  readonly total: number;
  /** The part of the list that stays as it is; none if nothing is known. */
  readonly part?: {
    readonly within: object;
    /** Items before the part. */
    readonly before: number;
    /** Of this part, by `skipped`; pages that are read add theirs. */
    readonly marks: Mark[];
  };
}

export interface Counting {
  /** Counts the list; the server does if left out. */
  readonly counted?: () => Promise<CountedList>;
}

/** Shorter lists, and pages that begin earlier, are quick as they are. */
const LONG = 1_000;
const MAX_MARKS = 200;

/**
 * What ended pages of long lists when they were read last, to read them no further the next time. Some servers (DocumentDB, and what
 * builds on it) sort all that a filter leaves, instead of reading in the order of the index.
 */
const ends = new Map<string, unknown>();
const MAX_ENDS = 1_000;

/**
 * Reads a page and the total. What comes after a position is found at once. The server walks over what a page number skips:
 * from the nearest page that was read before, if the list is the same.
 */
export async function readPage<D extends { _id: number }>(
  documents: Collection<D>,
  chosen: Filter<D>,
  order: ListOrder<keyof D & string>,
  request: PageRequest,
  {
    counted = async () => ({ total: await documents.countDocuments(chosen) }),
    ...options
  }: FindOptions & Counting = {},
): Promise<Page<D>> {
  const { limit, skip } = window(request);
  const { after } = request;
  const { direction, by } = order;
  const sort = { ...(by === undefined ? {} : { [by]: direction }), _id: direction };
  const read: Read<D> = async (parts, skipped) => {
    const filter = parts.length === 0 ? chosen : { $and: [chosen, ...parts] };
    const found = documents
      .find(filter as Filter<D>, options)
      .sort(sort)
      .skip(skipped)
      .limit(limit);
    return (await found.toArray()) as D[];
  };
  if (after !== undefined) {
    const [{ total }, items] = await Promise.all([counted(), read([beyond(order, keyOf(after, by))], 0)]);
    return { items, total };
  }
  const place = JSON.stringify([documents.namespace, chosen, sort, skip + limit]);
  const field = by ?? '_id';
  const page = await readFrom(skip, order, counted, async (parts, skipped) => {
    if (!ends.has(place)) return read(parts, skipped);
    const toEnd = { [field]: { [direction === 1 ? '$lte' : '$gte']: ends.get(place) } };
    const items = await read([...parts, toEnd], skipped);
    // A full page is the right one. If it is not full, items before its end are gone.
    return items.length === limit ? items : read(parts, skipped);
  });
  const last = page.items[limit - 1];
  if (last !== undefined && page.total >= LONG) keepNewest(ends, place, last[field], MAX_ENDS);
  return page;
}

/** Reads what matches all parts of a filter, from so many items on. */
type Read<D> = (parts: readonly object[], skipped: number) => Promise<readonly D[]>;

async function readFrom<D extends { _id: number }>(
  skip: number,
  order: ListOrder<keyof D & string>,
  counted: () => Promise<CountedList>,
  read: Read<D>,
): Promise<Page<D>> {
  if (skip < LONG) {
    const [{ total }, items] = await Promise.all([counted(), read([], skip)]);
    return { items, total };
  }
  const { total, part } = await counted();
  if (skip >= total) return { items: [], total };
  if (part === undefined || skip < part.before) return { items: await read([], skip), total };
  const { within, before, marks } = part;
  const wanted = skip - before;
  const mark = marks.findLast(({ skipped }) => skipped <= wanted);
  const items = await read([within, ...(mark === undefined ? [] : [from(order, mark)])], wanted - (mark?.skipped ?? 0));
  const [first] = items;
  const { by } = order;
  if (first !== undefined) addMark(marks, { skipped: wanted, by: by && first[by], id: first._id });
  return { items, total };
}

function addMark(marks: Mark[], mark: Mark): void {
  const at = marks.findLastIndex(({ skipped }) => skipped <= mark.skipped);
  if (marks[at]?.skipped === mark.skipped) return;
  marks.splice(at + 1, 0, mark);
  // Every second one, so that they stay spread over the list.
  if (marks.length > MAX_MARKS) marks.splice(0, marks.length, ...marks.filter((_, index) => index % 2 === 1));
}

function keyOf({ id, at }: Position, by: string | undefined): Pick<Mark, 'by' | 'id'> {
  return { id: integer(id), ...(by === undefined ? {} : { by: instant(at ?? new Date(Number.NaN)) }) };
}

/** What comes behind a place. */
function beyond(order: ListOrder, place: Pick<Mark, 'by' | 'id'>): object {
  return bounded(order, place, order.direction === 1 ? '$gt' : '$lt');
}

/** An item and what comes behind it. */
function from(order: ListOrder, item: Pick<Mark, 'by' | 'id'>): object {
  return bounded(order, item, order.direction === 1 ? '$gte' : '$lte');
}

/** The bound on the first field stands by itself, so that the index is entered there. */
function bounded({ direction, by }: ListOrder, { by: value, id }: Pick<Mark, 'by' | 'id'>, ids: string): object {
  const byId = { _id: { [ids]: id } };
  if (by === undefined) return byId;
  const [after, notBefore] = direction === 1 ? ['$gt', '$gte'] : ['$lt', '$lte'];
  return { [by]: { [notBefore]: value }, $or: [{ [by]: { [after]: value } }, { [by]: value, ...byId }] };
}
