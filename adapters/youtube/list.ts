/** The lists that the API answers with. */
import { field, type JsonObject } from '../scraping/index.ts';

const MAX_ITEMS = 200;

/** The items of a list; null for a body that has none where some are said to be. Of an empty list the API may leave them out. */
export function itemsOf(body: JsonObject): readonly unknown[] | null {
  const { items } = body;
  const total = field(body, 'pageInfo', 'totalResults');
  if (items === undefined) return total === 0 ? [] : null;
  if (!Array.isArray(items) || items.length > MAX_ITEMS) return null;
  return items.length === 0 && total !== undefined && total !== 0 ? null : items;
}

/**
 * The first item of a list that is looked up by id or handle; undefined if the API says that there is none. Null if it cannot be
 * read: a list that is empty, and does not say that nothing was found, is no proof.
 */
export function onlyItemOf(body: JsonObject): unknown {
  const items = itemsOf(body);
  if (items === null) return null;
  const isNone = items.length === 0 && field(body, 'pageInfo', 'totalResults') !== 0;
  return isNone ? null : items[0];
}
