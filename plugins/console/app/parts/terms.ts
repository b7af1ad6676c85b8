/** The words of the console for the names of the API. What has no word of its own is shown as `words` writes it. */
import { words } from './format.tsx';

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
