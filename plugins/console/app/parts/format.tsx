/** How values of the API are shown: times, numbers, names and states, in words and in the reader's own language. */

import { Badge } from '@mantine/core';
import { useSyncExternalStore } from 'react';

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const NUMBER = new Intl.NumberFormat();
export const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent' });
const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;
const STEP_MS = 10_000;

/** A time of the API with seconds and zone, and how long ago it was; a dash for none. */
export function Time({ at }: { readonly at: string | number | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <>–</>;
  const time = new Date(at);
  // No calendar has it: foreign proofs say any number. Formatting would end the page.
  if (Number.isNaN(time.getTime())) return <>{at}</>;
  return (
    <time dateTime={time.toISOString()} className="time">
      {TIME.format(time)} <span className="ago">{ago(time.getTime() - now)}</span>
    </time>
  );
}

function ago(difference: number): string {
  // The clock of the page stands still for a step: what has just happened is not to come.
  const ms = difference > 0 && difference < STEP_MS ? 0 : difference;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(ms) >= length) ?? UNITS[3];
  return AGO.format(Math.trunc(ms / size), unit);
}

/** The time of now, new every ten seconds: one clock for all that is shown. */
function useNow(): number {
  return useSyncExternalStore(
    (tell) => {
      const timer = setInterval(tell, STEP_MS);
      return () => clearInterval(timer);
    },
    () => Math.floor(Date.now() / STEP_MS) * STEP_MS,
  );
}

export const number = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : NUMBER.format(value);

/** `failed_retryable` becomes `Failed retryable`. */
export function words(name: string): string {
  const text = name.replaceAll(/[_.-]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const TERMS: Readonly<Record<string, string>> = {
  created: 'Started',
  target_opened: 'Opened the post',
  // Reached only when a claim is handed back: it waits for us, and not for the creator.
  awaiting_claim: 'Waits for the next check',
  verification_pending: 'Being checked',
  failed_retryable: 'No match yet',
  failed_terminal: 'Failed',
  'verify-attempt': 'Check a claim',
  'issue-reward': 'Issue points',
  'check-engagement': 'Look again',
  'sweep-comments': 'Read comments',
  'settle-comments': 'Compare comments',
  'refresh-metrics': 'Read figures',
  'fetch-likers': 'Read likers',
  'read-canary': 'Check a platform',
  scope: 'Permission missing',
  removed: 'Deleted',
  swept: 'All were read',
  partial: 'Read in part',
  'shared-account': 'Handle of several creators',
  'same-text': 'Same text',
  'new-account': 'New account',
  'first-second': 'In the first second',
  review: 'Waits for an approval',
  limit: 'A limit is reached',
  holding: 'To be seen again',
  taken: 'Account or comment rewarded already',
  draw: 'Waits for the draw',
  gone: 'Comment or like is gone',
  lifecycle: 'The instance',
  storage: 'The database',
  after_end: 'After the end',
  shared_handle: 'Handle of several creators',
};

/** Codes and words of the API within sentences. */
const CODES: Readonly<Record<string, string>> = {
  'target opened': 'opened the post',
  SCRAPING_RATE_LIMITED: 'the rate limit is reached',
  PLATFORM_UNAVAILABLE: 'the platform gave no usable response',
  PLATFORM_TIMEOUT: 'the platform did not answer in time',
  POST_NOT_FOUND: 'there is no such post',
  POST_PRIVATE: 'the post is private',
  POST_AGE_RESTRICTED: 'the post is shown to adults only',
  POST_UNAVAILABLE: 'the platform does not show the post',
  NOT_SUPPORTED: 'the platform cannot be read in this way',
};

/** A reason of the history as a sentence. */
export function reasonText(reason: string): string {
  const text = reason.replaceAll(
    /\b[A-Z]+(?:_[A-Z]+)+\b|^target opened$/g,
    (code) => CODES[code] ?? words(code).toLowerCase(),
  );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const term = (name: string): string => TERMS[name] ?? words(name);

/** All others are gray. */
const STATES_OF_COLOR = {
  green: ['rewarded', 'succeeded', 'running', 'active', 'ok'],
  teal: ['verified'],
  yellow: ['pending', 'verification_pending', 'awaiting_claim'],
  blue: ['upcoming'],
  orange: ['failed_retryable', 'after_end', 'shared_handle', 'hidden', 'removed'],
  red: ['failed', 'failed_terminal', 'refused', 'expired', 'revoked', 'scope'],
};

export function StateBadge({ state }: { readonly state: string }) {
  const color = Object.entries(STATES_OF_COLOR).find(([, states]) => states.includes(state))?.[0] ?? 'gray';
  return (
    <Badge color={color} variant="dot" tt="none" fw={500} miw="max-content">
      {term(state)}
    </Badge>
  );
}
