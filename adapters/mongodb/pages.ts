import type { Collection, Document, Filter } from 'mongodb';
import { type Page, type PageRequest, type Position, pageWindow } from '../../core/ports/paging.ts';
import type { WaitingCursor } from '../../core/ports/waiting.ts';
import { BULK_DOCUMENTS, instant, integer, text } from './values.ts';

/** By id, or by another field, a time or a name, and then by id; with a minus sign descending. An index has it. */
export type ListOrder = 'id' | '-id' | (string & {});

/** Reads a page, and counts the list; all of it without a request. What comes after a position is found at once; the server walks over what a page number skips. */
export async function readPage<D extends { _id: string | number }>(
  documents: Collection<D>,
  chosen: Filter<D>,
  order: ListOrder,
  request: PageRequest | undefined,
): Promise<Page<D>> {
  const direction = order.startsWith('-') ? (-1 as const) : (1 as const);
  const by = order.replace('-', '');
  const sort = by === 'id' ? { _id: direction } : { [by]: direction, _id: direction };
  if (request === undefined) {
    const items = (await documents.find(chosen, { sort, batchSize: BULK_DOCUMENTS }).toArray()) as D[];
    return { items, total: items.length };
  }
  const { limit, skip } = pageWindow(request);
  const { after } = request;
  const found =
    after === undefined
      ? documents.find(chosen, { sort, skip, limit })
      : documents.find({ $and: [chosen, beyond(by, direction, after)] } as Filter<D>, { sort, limit });
  const [items, total] = await Promise.all([found.toArray(), documents.countDocuments(chosen)]);
  return { items: items as D[], total };
}

/** What comes behind a place. The bound on the first field stands by itself, so that the index is entered there. */
function beyond(by: string, direction: 1 | -1, { id, at, name, by: number }: Position): object {
  const [after, notBefore] = direction === 1 ? ['$gt', '$gte'] : ['$lt', '$lte'];
  const byId = { _id: { [after]: integer(id) } };
  if (by === 'id') return byId;
  const value = number ?? (name === undefined ? instant(at ?? new Date(Number.NaN)) : text(name));
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
