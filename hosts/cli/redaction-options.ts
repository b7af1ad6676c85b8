/** `--hide` and `--show-only` of `credence prove` as the redaction of a prove request. */
import { UsageError } from './usage-error.ts';

const PLACES: ReadonlyMap<string, readonly [side: string, field: string]> = new Map([
  ['request.headers', ['request', 'headers']],
  ['request.query', ['request', 'url_query']],
  ['response.headers', ['response', 'headers']],
  ['response.json', ['response', 'json_body']],
]);

type Rule = Record<string, Record<string, string[]>>;

/** @throws UsageError for a place that is none of the four */
export function redactionOf(hidden: readonly string[], shown: readonly string[]): Rule[] {
  return [...hidden.map((given) => ruleOf(given, '')), ...shown.map((given) => ruleOf(given, '_except'))];
}

function ruleOf(given: string, suffix: '' | '_except'): Rule {
  const colon = given.indexOf(':');
  const place = PLACES.get(given.slice(0, Math.max(colon, 0)));
  const name = given.slice(colon + 1);
  if (place === undefined || name === '') {
    throw new UsageError(
      `${JSON.stringify(given)} names nothing to redact. Write PLACE:NAME, for example response.json:user.email. Places: ${[...PLACES.keys()].join(', ')}.`,
    );
  }
  const [side, field] = place;
  return { [side]: { [`${field}${suffix}`]: [name] } };
}
