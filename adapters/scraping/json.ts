/** Reading JSON of unknown shape from strangers: every accessor answers undefined or null rather than throw. */

/** An object of unknown members. */
export type JsonObject = { readonly [key: string]: unknown };

const MAX_DEPTH = 64;
const MAX_NODES = 500_000;

/** The parsed value, integers beyond 2^53 as strings of their digits; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    // The reviver takes ten times as long as the parser.
    return /[:[,]\s*\d{16}/.test(text) ? JSON.parse(text, keepLarge) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Ids written as bare numbers exceed 2^53: they are kept as the digits that were written. */
function keepLarge(_name: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(source) ? source : value;
}

/** True for an object that is neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own property, or undefined for anything that is not an object. */
export function field(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string | number, unknown>)[key];
  }
  return current;
}

/**
 * Every value that stands under `key`, anywhere in the tree, in document order. Iterative, and bounded in depth and in the
 * number of nodes looked at, so that a hostile page costs no more than a real one.
 */
export function findAll(root: unknown, key: string): unknown[] {
  return findObjects(root, (object) => Object.hasOwn(object, key)).map((object) => object[key]);
}

/** Every object of the tree that the test accepts, in document order; bounded as `findAll` is. */
export function findObjects(root: unknown, accepts: (object: JsonObject) => boolean): JsonObject[] {
  const found: JsonObject[] = [];
  const stack: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  let nodes = 0;
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { value, depth } = top;
    nodes += 1;
    if (nodes > MAX_NODES) break;
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) continue;
    if (isObject(value) && accepts(value)) found.push(value);
    const children = Object.values(value);
    // From the end, so that the stack gives the children back in document order.
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child: unknown = children[index];
      if (typeof child === 'object' && child !== null) stack.push({ value: child, depth: depth + 1 });
    }
  }
  return found;
}

/** A string of at most `maxLength` UTF-16 units, else null. */
export function asText(value: unknown, maxLength = 10_000): string | null {
  return typeof value === 'string' && value.length <= maxLength ? value : null;
}

/** An id of decimal digits, given as a string or as an exact number, else null. */
export function asDigits(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value);
  return typeof value === 'string' && /^\d{1,30}$/.test(value) ? value : null;
}

/** The number of an account: digits, and not the 0 that stands for none; else null. */
export function asAccountNumber(value: unknown): string | null {
  const digits = asDigits(value);
  return digits === null || /^0+$/.test(digits) ? null : digits;
}

/** A count: a safe non-negative integer, also written as digits; else null. */
export function asCount(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** A boolean, else null. */
export function asBoolean(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** Unix seconds, as a number or as digits, between 2004 and 2100; else null. */
export function asUnixTime(value: unknown): Date | null {
  const seconds = asCount(value);
  return seconds !== null && seconds >= 1_072_915_200 && seconds < 4_102_444_800 ? new Date(seconds * 1000) : null;
}

/** ISO 8601 with a zone, its colon left out or not; null for anything else. */
export function asIsoTime(value: unknown): Date | null {
  const isIso = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]{8,16}(?:Z|[+-]\d{2}:?\d{2})$/.test(value);
  const time = isIso ? new Date(value) : null;
  return time === null || Number.isNaN(time.getTime()) ? null : time;
}

/** An absolute http or https URL, else null. */
export function asUrl(value: unknown): string | null {
  const text = asText(value, 4096);
  if (text === null || !URL.canParse(text)) return null;
  return /^https?:$/.test(new URL(text).protocol) ? text : null;
}

/** The first http or https URL of a list, of what `of` shows of each entry; null for anything else. */
export function firstUrl(list: unknown, of: (entry: unknown) => unknown = (entry) => entry): string | null {
  if (!Array.isArray(list)) return null;
  const urls = list.slice(0, 10).map((entry: unknown) => asUrl(of(entry)));
  return urls.find((url) => url !== null) ?? null;
}

/** What a platform may leave out: null if it does, undefined if it is there and `read` cannot read it. */
export function optional<T>(value: unknown, read: (value: unknown) => T | null): T | null | undefined {
  return value === undefined || value === null ? null : (read(value) ?? undefined);
}

/** A text that may be left out or empty, which is how some write what is not set. */
export function optionalText(value: unknown): string | null | undefined {
  return optional(value === '' ? null : value, asText);
}

/** True if none of the values is undefined; narrows them all. */
export function isIntact<T extends Readonly<Record<string, unknown>>>(
  values: T,
): values is T & { readonly [K in keyof T]: Exclude<T[K], undefined> } {
  return !Object.values(values).includes(undefined);
}
