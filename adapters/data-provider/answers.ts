/** What an answer of the provider means before its contents matter: the account, the provider's own trouble, refusals. */
import type { DomainError, ErrorCode } from '../../core/errors.ts';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import {
  asText,
  clearRefusal,
  isObject,
  type JsonObject,
  parseJson,
  readTrouble,
  type ScrapingResponse,
  type Verdict,
  whyNoJson,
} from '../scraping/index.ts';
import { type Subject, wordOn } from './words.ts';

export interface Reading {
  readonly platform: PlatformName;
  readonly subject: Subject;
  /** What a status says about our account. */
  readonly accountStatuses: AccountStatuses;
}

/** About our account: the same for every question, and asking again changes nothing. */
const ACCOUNT_TROUBLE = {
  'provider-key': 'The data provider rejected the API key.',
  'provider-credits': 'The credits with the data provider are used up; buy more.',
  'provider-forbidden': 'The data provider does not let this account read it; check its plan.',
  'provider-account': 'The data provider refuses this account; check its key and its plan.',
};

export type AccountStatuses = Readonly<Record<number, keyof typeof ACCOUNT_TROUBLE>>;

/** Whether an error is about our account with the provider, which only its owner can put right. */
export function isAboutAccount({ details }: DomainError): boolean {
  return Object.hasOwn(ACCOUNT_TROUBLE, String(details?.reason));
}

/** "API account not found", "No account for this API key", "Your subscription was not found". */
const OUR_ACCOUNT =
  /\b(?:api|your|our|customer|developer)\b|\b(?:credits?|subscription|billing|plan|workspace|organi[sz]ation)\b/i;

/** What the provider itself lacked: a post or profile that was not found for it may be there. */
const OUR_MEANS = /\b(?:api[ _-]?key|(?:this|that|your) key|log ?in|prox(?:y|ies)|session|token|captcha)\b/i;

/** The JSON object of a good answer. */
export function readAnswer(response: ScrapingResponse, reading: Reading): Verdict<JsonObject> {
  const { status } = response;
  const broken = readTrouble(response);
  if (broken !== null) return broken;
  if (status >= 300 && status < 400) return { kind: 'unreadable', reason: 'unexpected-redirect' };
  const trouble = reading.accountStatuses[status];
  if (trouble !== undefined) return accountTrouble(trouble, reading);
  const body = parseJson(response.text);
  if (status === 200) {
    if (!isObject(body)) return { kind: 'unreadable', reason: whyNoJson(response.text), retries: 1 };
    if (body.success !== false && body.status !== 'fail') return { kind: 'ok', value: body };
  }
  const message = messageOf(body);
  if (isAboutOurAccount(message)) return accountTrouble('provider-account', reading);
  const said = readWords(message, reading);
  if (said !== null) return said;
  return status === 200
    ? { kind: 'unreadable', reason: 'provider-error', retries: 1 }
    : { kind: 'unreadable', reason: `http-${status}` };
}

/** Words about the account with the provider say nothing about a post or a profile. */
function isAboutOurAccount(message: string): boolean {
  return (
    OUR_ACCOUNT.test(message) &&
    /\b(?:account|key|token|credits?|subscription|billing|plan|workspace|organi[sz]ation)\b/i.test(message)
  );
}

function accountTrouble(trouble: keyof typeof ACCOUNT_TROUBLE, reading: Reading): Verdict<never> {
  return refusal('PLATFORM_UNAVAILABLE', ACCOUNT_TROUBLE[trouble], trouble, reading);
}

/** The refusals of posts and profiles, in the words that the port has for them. */
function notFound(reading: Reading): Verdict<never> {
  return reading.subject === 'post'
    ? refusal('POST_NOT_FOUND', 'There is no such post, or it was deleted.', 'not-found', reading)
    : refusal('PROFILE_NOT_FOUND', 'There is no such profile; check the spelling of the handle.', 'not-found', reading);
}

/** An answer that says nothing about what was asked for. Instagram gives it about existing posts, to readers whom it shows nothing. */
export function unanswered(reading: Reading): Verdict<never> {
  const message = `The data provider answered without a word about the ${reading.subject}; try again later.`;
  return refusal('PLATFORM_UNAVAILABLE', message, 'unanswered', reading);
}

export function ageRestricted(reading: Reading): Verdict<never> {
  return refusal('POST_AGE_RESTRICTED', 'The post is age restricted and cannot be read.', 'age-restricted', reading);
}

/** The platforms' own words, which the provider hands on. */
function readWords(message: string, reading: Reading): Verdict<never> | null {
  const { subject } = reading;
  switch (wordOn(subject, message)) {
    case 'private':
      return subject === 'post'
        ? refusal('POST_PRIVATE', 'The post is visible to approved followers only.', 'private', reading)
        : refusal('PROFILE_PRIVATE', 'The profile is private.', 'private', reading);
    case 'age-restricted':
      return ageRestricted(reading);
    case 'not-found':
      return OUR_MEANS.test(message) ? null : notFound(reading);
    case null:
      return null;
  }
}

/** All of its places: one may hold the word for programs, such as `MediaNotFound`. */
function messageOf(body: unknown): string {
  if (!isObject(body)) return '';
  const { message, error, detail, exc_type } = body;
  const name = asText(exc_type, 100)?.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  const places = [message, error, detail, name].map((text) => asText(text, 2_000) ?? '');
  return places.filter((text) => text !== '').join('\n');
}

function refusal(code: ErrorCode, message: string, reason: string, { platform }: Reading): Verdict<never> {
  return clearRefusal(platform, code, message, reason);
}
