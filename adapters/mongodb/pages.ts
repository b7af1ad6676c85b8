import type { Collection, Filter, FindOptions } from 'mongodb';
import type { Page, PageRequest, Position } from '../../core/ports/paging.ts';
import { instant, integer, window } from './values.ts';

/** A list in the order of an index: by id, or by a time and then by id, the same way. */
export interface ListOrder<Time extends string = string> {
  readonly direction: 1 | -1;
  readonly time?: Time;
}

export interface Counting {
  /** The total of the list; counted by the server if left out. */
  readonly counted?: () => Promise<number>;
}

/**
 * Reads a page and the total, side by side. The server walks over what a page number skips; what comes after a position is
 * found at once.
 */
export async function readPage<D extends { _id: number }>(
  documents: Collection<D>,
  chosen: Filter<D>,
  { direction, time }: ListOrder<keyof D & string>,
  request: PageRequest,
  { counted = () => documents.countDocuments(chosen), ...options }: FindOptions & Counting = {},
): Promise<Page<D>> {
  const { limit, skip } = window(request);
  const { after } = request;
  const rest = after === undefined ? chosen : { $and: [chosen, beyond(after, direction, time)] };
  const sort = { ...(time === undefined ? {} : { [time]: direction }), _id: direction };
  const [total, items] = await Promise.all([
    counted(),
    documents
      .find(rest as Filter<D>, options)
      .sort(sort)
      .skip(after === undefined ? skip : 0)
      .limit(limit)
      .toArray(),
  ]);
  return { items: items as D[], total };
}

/** The bound on the time stands by itself, so that the index is entered there. */
function beyond({ id, at }: Position, direction: 1 | -1, time: string | undefined): object {
  const [after, from] = direction === 1 ? ['$gt', '$gte'] : ['$lt', '$lte'];
  const byId = { _id: { [after]: integer(id) } };
  if (time === undefined) return byId;
  const exact = instant(at ?? new Date(Number.NaN));
  return { [time]: { [from]: exact }, $or: [{ [time]: { [after]: exact } }, { [time]: exact, ...byId }] };
}
