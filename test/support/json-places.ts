/** Places in JSON, and the same JSON with another value at one of them. */
import fc from 'fast-check';

/** From the outside in: keys of objects, indexes of arrays. */
export type Place = readonly (string | number)[];

export const valueAt = (value: unknown, place: Place): unknown =>
  place.reduce<unknown>((node, key) => (node as Record<string | number, unknown>)[key], value);

/** Of every value in the JSON value; its own comes first. */
export function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place];
  const below = Object.entries(value).flatMap(([key, child]) =>
    placesIn(child, [...place, Array.isArray(value) ? Number(key) : key]),
  );
  return [place, ...below];
}

export function replacedAt(value: unknown, [key, ...rest]: Place, replace: (value: unknown) => unknown): unknown {
  if (key === undefined) return replace(value);
  const below = (child: unknown) => replacedAt(child, rest, replace);
  if (Array.isArray(value)) return value.map((entry: unknown, index) => (index === key ? below(entry) : entry));
  const entries = Object.entries(value as object);
  return Object.fromEntries(entries.map(([name, child]) => [name, name === key ? below(child) : child]));
}

/** What does not belong there, mostly. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, '', 'abc', -1, 0, 1.5, 1e300, 2 ** 60, true, [], {}, [null], '-5', '007'),
  fc.constantFrom<unknown>([[]], { a: {} }, { data: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
);
