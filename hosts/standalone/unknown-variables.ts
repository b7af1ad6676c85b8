/** Finds environment variables that look like a setting of a host but are none. */
import { closest, distance } from 'fastest-levenshtein';
import { PLATFORM_PREFIXES } from './platforms.ts';

/** First words of our names that other software uses, too: build servers have `JOB_`, and Kafka has `CONNECT_`. */
const SHARED_WORDS = [
  'PORT',
  'HOST',
  'LOG',
  'PUBLIC',
  'REDIS',
  'CONNECT',
  'JOB',
  'RUN',
  'SERVICES',
  'CONSOLE',
  'STORAGE',
  'DATA',
];

/** What such a word has to be followed by to be probably ours. */
const OWN_PREFIXES = [
  ...['JOB_QUEUE', 'JOB_LEASE', 'JOBS_', 'CONNECT_RETURN', 'CONNECT_ORIGINS'],
  ...['STORAGE_PATH', 'STORAGE_UR', 'DATA_PROVIDER', 'DATA_DIR'],
];

/** The command line has these of its own. */
const OF_THE_COMMAND_LINE = ['CREDENCE_URL', 'CREDENCE_TOKEN'];

/** One typing error for every so many characters; short names such as PORT have too many neighbours. */
const CHARACTERS_PER_ERROR = 5;
/** Letters that a shared beginning has at least. */
const SHORTEST_BEGINNING = 3;

/**
 * Returns a warning for each variable that is probably a misspelt setting. That is nearly a known name, or one in another case
 * or with `CREDENCE_` in front. It may also begin as only ours do. Values are not looked at.
 * @param known the host's own variables
 */
export function warnAboutUnknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  return Object.keys(env).flatMap((name) => {
    const isKnown = known.includes(name) || OF_THE_COMMAND_LINE.includes(name);
    const suggestion = isKnown ? undefined : suggestionFor(name, known);
    return suggestion === undefined ? [] : [`${name} is not a setting of this host. Did you mean ${suggestion}?`];
  });
}

function suggestionFor(name: string, known: readonly string[]): string | undefined {
  const asked = name.toUpperCase().replace(/^CREDENCE_/, '');
  const nearest = closest(asked, known);
  if (distance(asked, nearest) <= Math.floor(nearest.length / CHARACTERS_PER_ERROR)) return nearest;
  const hasPrefix = name.startsWith('CREDENCE_') || ownPrefixes(known).some((prefix) => asked.startsWith(prefix));
  return hasPrefix ? alike(asked, known) : undefined;
}

/** The first words of the known names, and what other hosts of ours have. */
function ownPrefixes(known: readonly string[]): string[] {
  const words = known.map((name) => name.split('_', 1)[0] as string).filter((word) => !SHARED_WORDS.includes(word));
  return [...OWN_PREFIXES, ...PLATFORM_PREFIXES, ...words.map((word) => `${word}_`)];
}

/** The name of the same words in another order, or the nearest of the names that share the longest beginning with it. */
function alike(asked: string, known: readonly string[]): string {
  const wordsOf = (name: string) => name.split('_').sort().join('_');
  const turned = known.find((name) => wordsOf(name) === wordsOf(asked));
  if (turned !== undefined) return turned;
  const shared = (name: string) => commonLength(asked, name);
  const most = Math.max(...known.map(shared));
  // A beginning of one or two letters says less than all the others do.
  const candidates = most < SHORTEST_BEGINNING ? known : known.filter((name) => shared(name) === most);
  return closest(asked, candidates);
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
