/** What an answer of the API means before its contents matter: quota, the key, refusals. */
import type { DomainError, ErrorCode } from '../../core/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import {
  asText,
  clearRefusal,
  field,
  isObject,
  type JsonObject,
  parseJson,
  readTrouble,
  type ScrapingResponse,
  type Verdict,
  whyNoJson,
} from '../scraping/index.ts';

/** What was asked for; `owner` is the channel of a video that was found. */
export type Subject = 'video' | 'comments' | 'channel' | 'owner';

const QUOTA = new Set(['quotaExceeded', 'dailyLimitExceeded', 'dailyLimitExceededUnreg']);
const TOO_FAST = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED']);
/** Google calls a spent quota of a day a rate limit too; only the name of the limit tells them apart. */
const DAILY_LIMIT = /\blimit '[^']{0,100} per day'/;
/** About the key or its project: the same for every question, and asking again changes nothing. */
const KEY = new Set([
  'keyInvalid',
  'keyExpired',
  'accessNotConfigured',
  'ipRefererBlocked',
  'API_KEY_INVALID',
  'API_KEY_SERVICE_BLOCKED',
  'API_KEY_HTTP_REFERRER_BLOCKED',
  'API_KEY_IP_ADDRESS_BLOCKED',
  'API_KEY_ANDROID_APP_BLOCKED',
  'API_KEY_IOS_APP_BLOCKED',
  'CONSUMER_INVALID',
  'CONSUMER_SUSPENDED',
  'SERVICE_DISABLED',
]);

/** The JSON object of a good answer. */
export function readAnswer(response: ScrapingResponse, subject: Subject, clock: Clock): Verdict<JsonObject> {
  const { status, text } = response;
  if (status >= 300 && status < 400) return { kind: 'unreadable', reason: 'unexpected-redirect' };
  const trouble = readTrouble(response);
  if (trouble?.kind === 'unreadable') return trouble;
  const body = parseJson(text);
  if (status === 200 && !isObject(body)) return { kind: 'unreadable', reason: whyNoJson(text), retries: 1 };
  // An error is one under any status: what stands between us and the API may have changed it.
  if (status === 200 && isObject(body) && !isObject(body.error)) return { kind: 'ok', value: body };
  const reasons = reasonsIn(body);
  const is = (known: ReadonlySet<string>): boolean => reasons.some((reason) => known.has(reason));
  if (is(QUOTA) || isDailyLimit(body)) return { kind: 'throttled', retryAfterSeconds: secondsToReset(clock.now()) };
  if (status === 429 || is(TOO_FAST)) return { kind: 'throttled', retryAfterSeconds: response.retryAfterSeconds };
  if (status === 401 || is(KEY)) {
    const message =
      'YouTube rejected the API key: check it, and that the YouTube Data API v3 is enabled for its project.';
    return refusal('PLATFORM_UNAVAILABLE', message, 'api-key');
  }
  if (reasons.includes('commentsDisabled')) {
    return refusal('POST_UNAVAILABLE', 'Comments are turned off for this video.', 'comments-disabled');
  }
  const isAboutVideo = subject === 'video' || subject === 'comments';
  if (reasons.includes('videoNotFound') && isAboutVideo) return videoNotFound();
  if (reasons.includes('channelNotFound') && subject === 'channel') return channelNotFound();
  if (reasons.includes('channelForbidden') && subject === 'channel') {
    return refusal('PROFILE_PRIVATE', 'This YouTube channel is not public.', 'private');
  }
  // A token of another list, or one that has expired.
  if (reasons.includes('invalidPageToken')) {
    return refusal('INVALID_REQUEST', 'The cursor is no longer accepted; begin without one.', 'invalid-cursor');
  }
  // The API's word for trouble of its own.
  if (reasons.includes('processingFailure')) return { kind: 'unreadable', reason: 'processing-failure', retries: 2 };
  return { kind: 'unreadable', reason: status === 200 ? 'api-error' : `http-${status}` };
}

export function isAboutKey(error: DomainError): boolean {
  return error.details?.reason === 'api-key';
}

/** Private videos look the same. */
export function videoNotFound(): Verdict<never> {
  return refusal('POST_NOT_FOUND', 'This YouTube video does not exist, or is private.', 'not-found');
}

export function channelNotFound(): Verdict<never> {
  return refusal('PROFILE_NOT_FOUND', 'There is no such YouTube channel.', 'not-found');
}

/** The video is there, so nothing about its channel proves that the one or the other is not. */
export function ownerUnknown(): Verdict<never> {
  return { kind: 'unreadable', reason: 'owner-unknown', retries: 1 };
}

function refusal(code: ErrorCode, message: string, reason: string): Verdict<never> {
  return clearRefusal('youtube', code, message, reason);
}

/** In both dialects of Google's errors: `errors[].reason`, and `details[].reason` of `ErrorInfo`. */
function reasonsIn(body: unknown): string[] {
  const lists = ['errors', 'details'].map((list) => field(body, 'error', list)).filter(Array.isArray);
  const reasons = lists.flatMap((list) => list.slice(0, 20).map((entry: unknown) => field(entry, 'reason')));
  return reasons.filter((reason) => typeof reason === 'string');
}

function isDailyLimit(body: unknown): boolean {
  return DAILY_LIMIT.test(asText(field(body, 'error', 'message')) ?? '');
}

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;
const clock = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/**
 * The seconds, at least 1, until the daily quota of a key is given again: at midnight in California. Days of 23 and 25 hours
 * are counted as they are.
 */
export function secondsToReset(now: Date): number {
  const left = DAY_SECONDS - secondOfDay(now);
  const overshoot = secondOfDay(new Date(now.getTime() + left * 1_000));
  if (overshoot === 0) return left;
  return overshoot < DAY_SECONDS / 2 ? left - overshoot : left + HOUR_SECONDS;
}

function secondOfDay(time: Date): number {
  const parts = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  return (parts.hour ?? 0) * HOUR_SECONDS + (parts.minute ?? 0) * 60 + (parts.second ?? 0);
}
