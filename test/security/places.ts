/** Where values are in a body or in the arguments of a call, and the same with another value at one of these places. */

import { REQUEST_EXAMPLES } from '../../plugins/http/examples/index.ts';
import type { Route } from '../../plugins/http/route.ts';
import { type Definition, filled } from './support.ts';

/** From the outside in: keys of objects, indexes of arrays. */
export type Place = readonly (string | number)[];

interface KnownPlace {
  readonly place: Place;
  /** What the schema takes there; empty for a place that only an example has. */
  readonly types: string[];
}

/** Every place that a schema knows, those of optional fields too, with the types that it takes there. */
export function schemaPlaces(
  schema: unknown,
): ReadonlyMap<string, { readonly place: Place; readonly types: string[] }> {
  const found = new Map<string, { readonly place: Place; readonly types: string[] }>();
  const walk = (definition: Definition, place: Place): void => {
    const key = place.join('.');
    const known = found.get(key) ?? { place, types: [] };
    found.set(key, known);
    // `z.literal(true)` takes one of the two.
    known.types.push(definition.values?.includes(true) ? 'boolean' : definition.type);
    for (const [name, field] of Object.entries(definition.shape ?? {})) walk(field.def, [...place, name]);
    if (definition.element !== undefined) walk(definition.element.def, [...place, 0]);
    for (const inner of [definition.innerType, definition.in, ...(definition.options ?? [])]) {
      if (inner !== undefined) walk(inner.def, place);
    }
  };
  walk((schema as { readonly def: Definition }).def, []);
  return found;
}

/** The places of all that is no object and no array; a date is a value. */
export function leavesOf(value: unknown): readonly Place[] {
  if (typeof value !== 'object' || value === null || value instanceof Date) return [[]];
  return Object.entries(value).flatMap(([name, inner]) =>
    leavesOf(inner).map((rest) => [Array.isArray(value) ? Number(name) : name, ...rest]),
  );
}

/** A copy with `leaf` at the place, which is made when it is not there. */
export function withAt(value: unknown, [name, ...rest]: Place, leaf: unknown): unknown {
  if (name === undefined) return leaf;
  if (typeof name === 'number') {
    const copy: unknown[] = Array.isArray(value) ? [...value] : [];
    copy[name] = withAt(copy[name], rest, leaf);
    return copy;
  }
  const copy: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {};
  return { ...copy, [name]: withAt(copy[name], rest, leaf) };
}

/** What the OpenAPI document shows for a row; the form of the page is shown nowhere. */
export function exampleOf(route: Route): unknown {
  return REQUEST_EXAMPLES[route.id] ?? route.body?.meta()?.example ?? filled(route.body, 'ada.l');
}

/** All that the schema knows, and all that the example has. */
export function placesIn(schema: unknown, example: unknown): readonly KnownPlace[] {
  const known = schemaPlaces(schema);
  const more = leavesOf(example).filter((place) => !known.has(place.join('.')));
  return [...known.values(), ...more.map((place) => ({ place, types: [] }))];
}
