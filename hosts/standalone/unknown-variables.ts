/** Finds environment variables that look like a setting of a host but are none. */
import { closest, distance } from 'fastest-levenshtein';

/** First words of our names that other software uses, too: build servers have `JOB_`, and Kafka has `CONNECT_`. */
const SHARED_WORDS = ['PORT', 'HOST', 'LOG', 'PUBLIC', 'REDIS', 'CONNECT', 'JOB', 'RUN', 'STORAGE', 'DATA', 'CONFIG'];
/** The command line has these of its own. */
const OF_THE_COMMAND_LINE = ['CREDENCE_URL', 'CREDENCE_TOKEN'];
/** One typing error for every so many characters; short names such as PORT have too many neighbours. */
const CHARACTERS_PER_ERROR = 5;

/**
 * Returns a warning for each variable that is probably a misspelt setting: nearly a known name, or with a first word that only
 * ours have, or with `CREDENCE_` in front. Values are not looked at.
 * @param known the host's own variables
 */
export function warnAboutUnknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  return Object.keys(env).flatMap((name) => {
    const isKnown = known.includes(name) || OF_THE_COMMAND_LINE.includes(name);
    const meant = isKnown ? undefined : suggestionFor(name, known);
    return meant === undefined ? [] : [`${name} is not a setting of this host. Did you mean ${meant}?`];
  });
}

function suggestionFor(name: string, known: readonly string[]): string | undefined {
  const asked = name.toUpperCase().replace(/^CREDENCE_/, '');
  const nearest = closest(asked, known);
  if (distance(asked, nearest) <= Math.floor(nearest.length / CHARACTERS_PER_ERROR)) return nearest;
  const [word = ''] = asked.split('_');
  const alike = SHARED_WORDS.includes(word) ? [] : known.filter((one) => one.startsWith(`${word}_`));
  if (alike.length > 0) return closest(asked, alike);
  return name.startsWith('CREDENCE_') ? nearest : undefined;
}
