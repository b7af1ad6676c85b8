/** Suggestions for fields that a configuration does not have. */
import { closest, distance } from 'fastest-levenshtein';
import type { z } from 'zod';

/** Other spellings, and a typing error for every so many characters. */
const CHARACTERS_PER_ERROR = 3;

/** `Did you mean "storage"?` for names that are nearly known ones; empty text if none is. */
export function suggestionsFor(names: readonly string[], known: readonly string[]): string {
  const meant = names.flatMap((name) => {
    const lower = new Map(known.map((one) => [one.toLowerCase(), one]));
    const nearest = known.length === 0 ? '' : closest(name.toLowerCase(), [...lower.keys()]);
    const errors = distance(name.toLowerCase(), nearest);
    return errors <= Math.ceil(nearest.length / CHARACTERS_PER_ERROR) ? [`"${lower.get(nearest)}"`] : [];
  });
  return meant.length === 0 ? '' : `. Did you mean ${[...new Set(meant)].join(', ')}?`;
}

/** The fields of the object that a path leads to; none if it leads to no object. */
export function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const { shape } = unwrapped(schema) as { shape?: Readonly<Record<PropertyKey, z.core.$ZodType>> };
  const [first, ...rest] = path;
  if (shape === undefined) return [];
  if (first === undefined) return Object.keys(shape);
  const next = shape[first];
  return next === undefined ? [] : fieldsAt(next, rest);
}

/** The schema without defaults and what else is around it. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType, in: input } = schema._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  const inner = innerType ?? input;
  return inner === undefined ? schema : unwrapped(inner);
}
