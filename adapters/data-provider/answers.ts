/** What an answer of the provider means before its contents matter: the account, the provider's own trouble, refusals. */
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import type { PlatformName } from '../../core/lookups/platform-name.ts';
import type { Clock } from '../../core/ports/clock.ts';
import {
  asText,
  isObject,
  type JsonObject,
  parseJson,
  parseRetryAfter,
  type ScrapingResponse,
  type Verdict,
} from '../scraping/index.ts';

/** What was asked for. */
export type Subject = 'post' | 'profile';

export interface Reading {
  readonly platform: PlatformName;
  readonly subject: Subject;
  readonly clock: Clock;
}

/** Statuses about our account: the same for every question, and nothing that asking again would mend. */
const ACCOUNT_TROUBLE: Readonly<Record<number, { readonly reason: string; readonly message: string }>> = {
  401: { reason: 'provider-key', message: 'The data provider does not take our key.' },
  402: { reason: 'provider-credits', message: 'Our credits with the data provider are used up.' },
  403: { reason: 'provider-forbidden', message: 'The data provider does not let our account read this.' },
};

/** The JSON object of a good answer. */
export function readAnswer(response: ScrapingResponse, reading: Reading): Verdict<JsonObject> {
  const { status } = response;
  if (status === 429) {
    return {
      kind: 'throttled',
      retryAfterSeconds: parseRetryAfter(response.header('retry-after'), reading.clock.now()),
    };
  }
  if (status >= 300 && status < 400) return { kind: 'unreadable', reason: 'unexpected-redirect' };
  if (status >= 500) return { kind: 'unreadable', reason: `http-${status}`, retries: 2 };
  const trouble = ACCOUNT_TROUBLE[status];
  if (trouble !== undefined) return refusal('PLATFORM_UNAVAILABLE', trouble.message, trouble.reason, reading);
  const body = parseJson(response.text);
  if (status !== 200) return readRefusal(status, body, reading);
  if (!isObject(body)) return { kind: 'unreadable', reason: unreadableReason(response.text), retries: 1 };
  if (body.success !== false && body.status !== 'fail') return { kind: 'ok', value: body };
  return readWords(messageOf(body), reading) ?? { kind: 'unreadable', reason: 'provider-error', retries: 1 };
}

/** The refusals of posts and profiles, in the words that the port has for them. */
export function notFound(reading: Reading): Verdict<never> {
  return reading.subject === 'post'
    ? refusal('POST_NOT_FOUND', 'There is no such post, or it was deleted.', 'not-found', reading)
    : refusal('PROFILE_NOT_FOUND', 'There is no such profile; check the spelling of the handle.', 'not-found', reading);
}

function readRefusal(status: number, body: unknown, reading: Reading): Verdict<never> {
  const message = messageOf(body);
  // A server that does not know the path says 404 as well: only the provider's own words are proof that a post is gone.
  const isPathUnknown = message === '' || /^(?:route|cannot get|no route|path|endpoint)\b/i.test(message);
  const spoken = readWords(message, reading);
  if (spoken !== null && !isPathUnknown) return spoken;
  if (status === 404 && !isPathUnknown) return notFound(reading);
  return { kind: 'unreadable', reason: `http-${status}` };
}

/** The platforms' own words, which the provider hands on. */
function readWords(message: string, reading: Reading): Verdict<never> | null {
  const { subject } = reading;
  if (/not authorized to view|\bprivate\b/i.test(message)) {
    return subject === 'post'
      ? refusal('POST_PRIVATE', 'The post is visible to approved followers only.', 'private', reading)
      : refusal('PROFILE_PRIVATE', 'The profile is private.', 'private', reading);
  }
  if (subject === 'post' && /\bage[- ]?(?:restricted|gated)|restricted (?:post|video|media|reel)/i.test(message)) {
    return refusal('POST_AGE_RESTRICTED', 'The post is age restricted and cannot be read.', 'age-restricted', reading);
  }
  // In two steps: one pattern for both would look for the second from every first.
  const subjectAt = message.search(/\b(?:post|media|video|reel|item|user|profile|account)\b/i);
  const isGone = subjectAt !== -1 && /not found|deleted|does(?:n.t| not) exist/i.test(message.slice(subjectAt));
  return isGone ? notFound(reading) : null;
}

function messageOf(body: unknown): string {
  if (!isObject(body)) return '';
  const message = asText(body.message, 2_000) ?? asText(body.error, 2_000) ?? '';
  return message === '' && body.success === false ? 'refused' : message;
}

function unreadableReason(text: string): string {
  const start = text.trimStart();
  if (start === '') return 'empty-body';
  return start.startsWith('<') ? 'html-instead-of-json' : 'not-json';
}

function refusal(code: ErrorCode, message: string, reason: string, { platform }: Reading): Verdict<never> {
  return { kind: 'definitive', error: new DomainError(code, message, { details: { reason, platform } }) };
}
