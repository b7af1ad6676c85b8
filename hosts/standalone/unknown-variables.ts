/** Finds environment variables that look like a setting of a host but are none. */
import { closest, distance } from 'fastest-levenshtein';
import { PLATFORM_PREFIXES } from './platforms.ts';

/** Prefixes that nothing else on a machine is likely to use. Kafka has `CONNECT_`, and build servers have `JOB_`. */
const OWN_PREFIXES = [
  ...PLATFORM_PREFIXES,
  ...['SCRAPER_', 'EGRESS_', 'NOTARY_', 'ZK_', 'WEBHOOK_', 'JOB_QUEUE', 'JOB_LEASE', 'MPC_', 'VERIFICATION_'],
  ...['CONNECT_BRAND', 'CONNECT_RETURN', 'REMOTE_NOTAR', 'TRUSTED_NOTAR', 'WEB_PROOF_'],
];

/** The command line has these of its own. */
const OF_THE_COMMAND_LINE = ['CREDENCE_URL', 'CREDENCE_TOKEN'];

/** One typing error for every so many characters; short names such as PORT have too many neighbours. */
const CHARACTERS_PER_ERROR = 5;

/**
 * Returns a warning for each variable that is probably a misspelt setting. That is nearly a known name, a known name in another case
 * or with `CREDENCE_` in front, or a name with a prefix of ours. Values are not looked at.
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
  const hasPrefix = name.startsWith('CREDENCE_') || OWN_PREFIXES.some((prefix) => asked.startsWith(prefix));
  const nearest = closest(asked, known);
  const errors = distance(asked, nearest);
  const isNear = errors <= Math.floor(nearest.length / CHARACTERS_PER_ERROR);
  return isNear || hasPrefix ? nearest : undefined;
}
