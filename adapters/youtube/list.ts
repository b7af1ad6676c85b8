/** The lists that the API answers with. */
import { field, type JsonObject, type Verdict } from '../scraping/index.ts';

export const DRIFTED: Verdict<never> = { kind: 'unreadable', reason: 'drifted' };
const MAX_ITEMS = 200;

/** The items of a list; null for a body that has none where some are said to be. Of an empty list the API may leave them out. */
export function itemsOf(body: JsonObject): readonly unknown[] | null {
  const { items } = body;
  if (items === undefined) return field(body, 'pageInfo', 'totalResults') === 0 ? [] : null;
  return Array.isArray(items) && items.length <= MAX_ITEMS ? items : null;
}

/** ISO 8601 with a zone; null for anything else. */
export function asIsoTime(value: unknown): Date | null {
  const isIso = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]{8,16}(?:Z|[+-]\d{2}:\d{2})$/.test(value);
  const time = isIso ? new Date(value) : null;
  return time === null || Number.isNaN(time.getTime()) ? null : time;
}
