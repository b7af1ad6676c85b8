/** An item of a list, after which the list continues. */
export interface Position {
  /** 0 in lists that are ordered by a name. */
  readonly id: number;
  /** In lists that are ordered by a time: the time of the item. */
  readonly at?: Date;
  /** In lists that are ordered by a name: the name of the item. */
  readonly name?: string;
  /** In lists that are ordered by a number: the number of the item. */
  readonly by?: number;
}

/** A page of a list; `page` counts from 1. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
  /** The page begins after this item, which may be gone meanwhile; `page` does not count then. */
  readonly after?: Position | undefined;
}

/** Some items of a list, and how many there are in all. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Where a page begins. @throws RangeError unless page and limit are positive integers */
export function pageWindow({ page, limit }: PageRequest): { readonly limit: number; readonly skip: number } {
  if (!Number.isSafeInteger(page) || page < 1 || !Number.isSafeInteger(limit) || limit < 1) {
    throw new RangeError('A page request needs a page and a limit of at least 1.');
  }
  return { limit, skip: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) };
}

/** A page of a list that is small enough to be read whole, or all of it: by id, or by name if the position has one. */
export function pageOfItems<Item extends { readonly id: number } | { readonly name: string }>(
  items: readonly Item[],
  request?: PageRequest,
): Page<Item> {
  if (request === undefined) return { items, total: items.length };
  const { page, limit, after } = request;
  const isBehind = (item: Item) =>
    after?.name === undefined ? 'id' in item && item.id > (after?.id ?? 0) : 'name' in item && item.name > after.name;
  const rest = after === undefined ? items.slice((page - 1) * limit) : items.filter(isBehind);
  return { items: rest.slice(0, limit), total: items.length };
}
