/** Suggestions for fields that a configuration or a body does not have. */
import { closest, distance } from 'fastest-levenshtein';

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
