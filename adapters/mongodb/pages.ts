import type { Collection, Filter, FindOptions } from 'mongodb';
import type { Page, PageRequest, Position } from '../../core/ports/paging.ts';
import { instant, integer, window } from './values.ts';

/** A list in the order of an index: by id, or by another field and then by id, the same way. */
export interface ListOrder<Field extends string = string> {
  readonly direction: 1 | -1;
  /** A time, unless the position of the request is never asked for. */
  readonly by?: Field;
}

/** A place in a list: its page begins right behind it. */
export interface Mark {
  /** Items up to the mark. */
  readonly skipped: number;
  /** What orders the list, of the last of them. */
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

/** Pages that begin later than this are looked for from the nearest mark. */
const FAR = 1_000;
const MAX_MARKS = 200;

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
  const read = async (parts: readonly object[], skipped: number): Promise<D[]> => {
    const filter = parts.length === 0 ? chosen : { $and: [chosen, ...parts] };
    const found = documents
      .find(filter as Filter<D>, options)
      .sort(sort)
      .skip(skipped)
      .limit(limit);
    return (await found.toArray()) as D[];
  };
  if (after !== undefined || skip < FAR) {
    const parts = after === undefined ? [] : [beyond(order, keyOf(after, by))];
    const [{ total }, items] = await Promise.all([counted(), read(parts, after === undefined ? skip : 0)]);
    return { items, total };
  }
  const { total, part } = await counted();
  if (skip >= total) return { items: [], total };
  if (part === undefined || skip < part.before) return { items: await read([], skip), total };
  const { within, before, marks } = part;
  const wanted = skip - before;
  const mark = marks.findLast(({ skipped }) => skipped <= wanted);
  const items = await read(
    [within, ...(mark === undefined ? [] : [beyond(order, mark)])],
    wanted - (mark?.skipped ?? 0),
  );
  const last = items.at(-1);
  if (last !== undefined) addMark(marks, { skipped: wanted + items.length, by: by && last[by], id: last._id });
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

/** The bound on the first field stands by itself, so that the index is entered there. */
function beyond({ direction, by }: ListOrder, key: Pick<Mark, 'by' | 'id'>): object {
  const [after, from] = direction === 1 ? ['$gt', '$gte'] : ['$lt', '$lte'];
  const byId = { _id: { [after]: key.id } };
  if (by === undefined) return byId;
  return { [by]: { [from]: key.by }, $or: [{ [by]: { [after]: key.by } }, { [by]: key.by, ...byId }] };
}
