/** Why an attempt waits, for people who ask. It is read from what the state machine stores, so a restart changes nothing. */
import type { DomainError } from '../../errors.ts';
import { adviceOn, nearMiss, type Requirement } from '../rules/unmet-rules.ts';
import type { Attempt } from './attempt.ts';
import { rulesOf, takes } from './states.ts';

/**
 * `NO_MATCH`: nothing was found yet. `ACCOUNT_UNKNOWN`: the platform does not tell what is required of the account. `CHECK_FAILED`: the
 * check broke down. All others are codes of the platform's refusal.
 */
const WORDS = {
  NO_MATCH: 'No match was found yet.',
  ACCOUNT_UNKNOWN: 'The platform does not tell what is required of the account.',
  CHECK_FAILED: 'The check broke down.',
  SCRAPING_RATE_LIMITED: 'The platform refused the read: the rate limit is reached.',
  PLATFORM_UNAVAILABLE: 'The platform refused the read, or gave no usable answer.',
  PLATFORM_TIMEOUT: 'The platform did not answer in time.',
  POST_NOT_FOUND: 'The platform has no such post.',
  POST_PRIVATE: 'The post is private.',
  POST_AGE_RESTRICTED: 'The post is shown to adults only.',
  POST_UNAVAILABLE: 'The platform does not show the post to us.',
  NOT_SUPPORTED: 'The platform cannot be read in this way.',
} as const;

export type WaitingReason = keyof typeof WORDS;
export const WAITING_REASONS = Object.keys(WORDS) as readonly WaitingReason[];

export interface WaitingAttempt {
  readonly reason: WaitingReason;
  /** The reason in words. */
  readonly message: string;
  readonly since: Date;
  /** Not before this time. Null if the creator has to claim again. */
  readonly nextCheckAt: Date | null;
}

const UNREADABLE = 'post could not be read: ';
const UNREADABLE_CODE = new RegExp(`^${UNREADABLE}(\\w+)`);
const UNDECIDED = 'no match found, but ';

/** For the history: the code and, if the platform's adapter names one, what exactly was in the way. */
export function unreadable(error: DomainError): string {
  const reason = error.details?.reason;
  return UNREADABLE + (typeof reason === 'string' ? `${error.code} (${reason.slice(0, 100)})` : error.code);
}

/** For the history: nothing was found, and why that proves nothing. */
export function undecided(why: string): string {
  return UNDECIDED + why;
}

const UNKNOWN = 'the platform does not tell of the account: ';
const FACTS: Readonly<Record<Requirement, string>> = {
  followers: 'followers',
  posts: 'posts',
  'account-age': 'age',
  private: 'whether it is public',
  'not-proven': 'owner',
};

/** For the history: what the platform does not tell of the account of a match. */
export function unknownOfAccount(names: readonly Requirement[]): string {
  return UNKNOWN + names.map((name) => FACTS[name]).join(', ');
}

/** Why the attempt waits; null if nothing is in its way, or if it is over. */
export function waitingOf(attempt: Attempt): WaitingAttempt | null {
  const { state, recheck, stateHistory, updatedAt, unmetRules } = attempt;
  const { open, awaits } = rulesOf(state);
  if (state === 'failed_retryable') {
    const since = stateHistory.at(-1)?.at ?? updatedAt;
    const message =
      unmetRules == null ? WORDS.NO_MATCH : `${capitalised(nearMiss(unmetRules))}.${adviceOn(unmetRules)}`;
    return { reason: 'NO_MATCH', message, since, nextCheckAt: null };
  }
  if (recheck === null || !open || (awaits === null && !takes(state, 'recheck'))) return null;
  const { at, why } = recheck;
  const reason = reasonOf(why);
  const since = (stateHistory.findLast((entry) => entry.reason === why) ?? stateHistory.at(-1))?.at ?? updatedAt;
  const message = why.startsWith(UNDECIDED)
    ? `No match was found, but ${why.slice(UNDECIDED.length)}.`
    : reason === 'ACCOUNT_UNKNOWN'
      ? `${capitalised(why)}.`
      : WORDS[reason];
  return { reason, message, since, nextCheckAt: at };
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function reasonOf(why: string): WaitingReason {
  if (why.startsWith(UNDECIDED)) return 'NO_MATCH';
  if (why.startsWith(UNKNOWN)) return 'ACCOUNT_UNKNOWN';
  const code = UNREADABLE_CODE.exec(why)?.[1] ?? '';
  return code in WORDS ? (code as WaitingReason) : 'CHECK_FAILED';
}
