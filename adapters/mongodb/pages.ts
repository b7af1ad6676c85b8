import type { Collection, Document, Filter, FindOptions, Sort } from 'mongodb';
import { type Page, type PageRequest, type Position, pageWindow } from '../../core/ports/paging.ts';
import type { WaitingCursor } from '../../core/ports/waiting.ts';
import { BULK_DOCUMENTS, instant, integer, text } from './values.ts';

/** A list in the order of an index: by id, or by another field and then by id, the same way. */
export interface ListOrder<Field extends string = string> {
  readonly direction: 1 | -1;
  /** A time or a name, unless the position of the request is never asked for. */
  readonly by?: Field;
}

/** Reads a page, and counts the list; all of it without a request. What comes after a position is found at once; the server walks over what a page number skips. */
export async function readPage<D extends { _id: number }>(
  documents: Collection<D>,
  chosen: Filter<D>,
  order: ListOrder<keyof D & string>,
  request: PageRequest | undefined,
  options: FindOptions = {},
): Promise<Page<D>> {
  const { direction, by } = order;
  const sort: Sort = { ...(by === undefined ? {} : { [by]: direction }), _id: direction };
  if (request === undefined) {
    const all = documents.find(chosen, { ...options, batchSize: BULK_DOCUMENTS }).sort(sort);
    const items = (await all.toArray()) as D[];
    return { items, total: items.length };
  }
  const { limit, skip } = pageWindow(request);
  const { after } = request;
  const filter = after === undefined ? chosen : ({ $and: [chosen, beyond(order, after)] } as Filter<D>);
  const found = documents
    .find(filter, options)
    .sort(sort)
    .skip(after === undefined ? skip : 0)
    .limit(limit);
  const [items, total] = await Promise.all([found.toArray(), documents.countDocuments(chosen)]);
  return { items: items as D[], total };
}

/** What comes behind a place. The bound on the first field stands by itself, so that the index is entered there. */
function beyond({ direction, by }: ListOrder, { id, at, name }: Position): object {
  const [after, notBefore] = direction === 1 ? ['$gt', '$gte'] : ['$lt', '$lte'];
  const byId = { _id: { [after]: integer(id) } };
  if (by === undefined) return byId;
  const value = name === undefined ? instant(at ?? new Date(Number.NaN)) : text(name);
  return { [by]: { [notBefore]: value }, $or: [{ [by]: { [after]: value } }, { [by]: value, ...byId }] };
}

/** Matches what has waited in `field` since before a time, behind the cursor; see `core/ports/waiting.ts`. */
export function waitingIn(
  field: string,
  before: { readonly $lt: Date } | { readonly $lte: Date },
  after: WaitingCursor | undefined,
): Document {
  if (after === undefined) return { [field]: before };
  const since = instant(after.since);
  return {
    [field]: { $gte: since, ...before },
    $or: [{ [field]: { $gt: since } }, { _id: { $gt: integer(after.id) } }],
  };
}
