/** What an answer of the JSON API means, REST and GraphQL alike. */
import {
  asDigits,
  asText,
  type Identity,
  isObject,
  type JsonObject,
  parseJson,
  type ScrapingResponse,
  type Verdict,
} from '../scraping/index.ts';
import { type GraphqlError, graphqlErrorsOf, isWhole } from './graphql-errors.ts';
import { isPrivate, loginOrChallenge, loginOrChallengePage, notFound, type Subject, unconfirmed } from './refusals.ts';
import { forgetTokens, STALE_KEY } from './tokens.ts';

/** Instagram's names for a refusal of the account: it has to log in and pass a check, or to agree to something. */
const CHECKPOINTS = ['checkpoint_required', 'challenge_required', 'feedback_required', 'consent_required'];
/** When the session is over. */
const LOGGED_OUT = ['user_has_logged_out', 'logged_out', 'invalid_session', 'session_expired'];
/** When the identity or its address is refused: waiting does not help, and the session may be in order. */
const IDENTITY_REFUSED = ['sentry_block', 'ip_block'];
const LOGIN_REQUIRED = 'login_required';
const TOO_OFTEN = 'rate_limit_error';
/** Of an account that Instagram has disabled: in `error_type`, or as the beginning of the message. */
const INACTIVE = 'inactive user';
const DISABLED = 'your account has been';
/** Of an account whose category Instagram can show to nobody. */
const BROKEN_ASSET = 'asset asset://';
/** The numbers of GraphQL's own refusals. */
const NOT_LOGGED_IN = '1357001';
const TOO_MANY_REQUESTS = '1675004';
const NO_SUCH_MEDIA = '4630001';
/** An address of the API that is gone is "not found" as well. */
const NO_SUCH_USER = /^(?:sorry, )?(?:this |the )?(?:user|username|profile) (?:was |is |could )?not (?:be )?found/;

/** The JSON object of a good answer. `subject` says what a "not found" is about. */
export function readApiBody(response: ScrapingResponse, identity: Identity, subject: Subject): Verdict<JsonObject> {
  if (response.status >= 300 && response.status < 400) {
    return loginOrChallenge(response.header('location') ?? '', response.url) ?? odd('unexpected-redirect');
  }
  const throttled: Verdict<never> = { kind: 'throttled', retryAfterSeconds: response.retryAfterSeconds };
  const body = parseJson(response.text.replace(/^\s*for \(;;\);/, ''));
  const refusal = isObject(body)
    ? (readMessage(response.status, body, identity, subject) ?? readErrors(response.status, body, identity))
    : null;
  if (refusal !== null) return refusal === 'throttled' ? throttled : refusal;
  if (isObject(body) && subject === 'post' && saysMediaIsGone(body)) return gone(identity, subject);
  if (response.status === 429) return throttled;
  if (response.status >= 500) return { kind: 'unreadable', reason: `http-${response.status}`, retries: 2 };
  if (!isObject(body)) return readNonJson(response, identity);
  if (response.status === 401) return unauthorized(identity);
  if (response.status !== 200) return odd(`http-${response.status}`);
  const failure = readGraphqlFailure(body);
  if (failure !== null) return failure;
  if (body.status === 'fail') return odd('api-refused');
  identity.memory.delete(STALE_KEY);
  return { kind: 'ok', value: body };
}

/** Of words or a place that we do not know: it may be the session's own trouble. */
function odd(reason: string): Verdict<never> {
  return { kind: 'unreadable', reason, othersMayRead: true };
}

type Refusal = Verdict<never> | 'throttled';

function readMessage(status: number, body: JsonObject, identity: Identity, subject: Subject): Refusal | null {
  const text = messageOf(body);
  const errorType = (asText(body.error_type, 200) ?? '').toLowerCase();
  const isNamed = (name: string): boolean => text === name || errorType === name;
  // A good answer may carry the fields of a refusal, as long as they say nothing.
  const isFailure = status !== 200 || body.status === 'fail';
  const checkpoint = CHECKPOINTS.find(isNamed) ?? (isFailure ? checkpointIn(body, [errorType, text]) : undefined);
  if (checkpoint !== undefined) return check(checkpoint);
  if (errorType.replace('_', ' ') === INACTIVE || text.startsWith(DISABLED)) return check('account_inactive');
  const isOver = LOGGED_OUT.some((name) => isNamed(name) || body.logout_reason === name);
  if (isOver || (isFailure && saysLoggedOut(body))) return refused(identity, 'logged-out');
  if (isNamed(TOO_OFTEN)) return 'throttled';
  const block = IDENTITY_REFUSED.find(isNamed);
  if (block !== undefined) return { kind: 'blocked', reason: block.replace('_', '-') };
  const code = asDigits(body.error);
  if (code === NOT_LOGGED_IN) return refused(identity, 'not-logged-in');
  if (code === TOO_MANY_REQUESTS) return 'throttled';
  if (text.startsWith(BROKEN_ASSET)) return { kind: 'unreadable', reason: 'broken-asset' };
  if (text.includes('not authorized to view user')) return { kind: 'permanent', error: isPrivate(subject) };
  // "Please wait a few minutes": with the flag the session is over and waiting does not help; without it, it does.
  if (isFailure && body.require_login === true && status !== 403) return refused(identity, 'require-login');
  if (text.startsWith('please wait')) return 'throttled';
  if (isNamed(LOGIN_REQUIRED)) return loginRequired(status, identity, 'login-required');
  if (subject === 'profile' && status === 404 && NO_SUCH_USER.test(text)) return gone(identity, subject);
  return null;
}

function messageOf({ message }: JsonObject): string {
  return (asText(message, 2000) ?? '').trim().toLowerCase();
}

/**
 * To an account that is blocked, what its owner has is missing. About a post the API is never believed, since a broken way
 * says the same of every post: the page has to confirm it.
 */
function gone(identity: Identity, subject: Subject): Verdict<never> {
  const error = subject === 'post' ? unconfirmed(subject) : notFound(subject);
  return { kind: 'permanent', error, ...(identity.kind === 'session' ? { unlessAgreed: unconfirmed(subject) } : {}) };
}

/** A checkpoint in other words, or in another language: where to solve it is what tells. */
function checkpointIn(body: JsonObject, words: readonly string[]): string | undefined {
  const hasPlace =
    (asText(body.checkpoint_url) ?? '') !== '' || (isObject(body.challenge) && Object.keys(body.challenge).length > 0);
  return hasPlace || words.some((word) => /^checkpoint(?:_|$)/.test(word)) ? 'checkpoint_required' : undefined;
}

/** In whatever words: the reason is a number or a name, the title is for people. */
function saysLoggedOut({ logout_reason, error_title }: JsonObject): boolean {
  const hasReason = typeof logout_reason === 'number' || (typeof logout_reason === 'string' && logout_reason !== '');
  return hasReason || (asText(error_title, 500) ?? '').toLowerCase().includes('logged out');
}

/** What the errors of GraphQL say of the identity, under any status. */
function readErrors(status: number, body: JsonObject, identity: Identity): Refusal | null {
  const errors = graphqlErrorsOf(body);
  const words = errors.flatMap((error) => error.words);
  const codes = errors.flatMap((error) => error.codes);
  const isSaid = (name: string): boolean => words.includes(name);
  if (codes.includes(TOO_MANY_REQUESTS) || isSaid(TOO_OFTEN) || words.some((text) => text.includes('rate limit'))) {
    return 'throttled';
  }
  const checkpoint = CHECKPOINTS.find(isSaid);
  if (checkpoint !== undefined) return check(checkpoint);
  if (codes.includes(NOT_LOGGED_IN) || LOGGED_OUT.some(isSaid)) return refused(identity, 'logged-out');
  const block = IDENTITY_REFUSED.find(isSaid);
  if (block !== undefined) return { kind: 'blocked', reason: block.replace('_', '-') };
  return isSaid(LOGIN_REQUIRED) ? loginRequired(status, identity, 'logged-out') : null;
}

/** In the words of REST or of GraphQL. */
function saysMediaIsGone(body: JsonObject): boolean {
  if (isAboutMissingMedia(messageOf(body)) || asDigits(body.error) === NO_SUCH_MEDIA) return true;
  return !isWhole(body) && graphqlErrorsOf(body).some(isAboutMedia);
}

function isAboutMedia({ words, codes }: GraphqlError): boolean {
  return codes.includes(NO_SUCH_MEDIA) || words.some(isAboutMissingMedia);
}

/** Errors of the query itself come with status 200. `execution error` is a retired doc_id: never taken for "not found". */
function readGraphqlFailure(body: JsonObject): Verdict<never> | null {
  const errors = graphqlErrorsOf(body);
  if (errors.length === 0 || isWhole(body)) return null;
  if (body.data !== null && body.data !== undefined) return { kind: 'unreadable', reason: 'graphql-error' };
  const words = errors.flatMap((error) => error.words);
  const isStale = words.some((text) => text.includes('execution error') || text.includes('document'));
  return { kind: 'unreadable', reason: isStale ? 'stale-doc-id' : 'graphql-error' };
}

function readNonJson(response: ScrapingResponse, identity: Identity): Verdict<never> {
  const text = response.text.trimStart();
  const page = text.startsWith('<') ? loginOrChallengePage(text) : null;
  if (page !== null) return page;
  if (response.status === 401) return unauthorized(identity);
  if (response.status === 403) return tokensRefused(identity, 'forbidden');
  if (response.status !== 200) return odd(`http-${response.status}`);
  if (text === '') return { kind: 'unreadable', reason: 'empty-body', retries: 1 };
  if (!text.startsWith('<')) return { kind: 'unreadable', reason: 'not-json', retries: 1 };
  forgetTokens(identity);
  return { kind: 'unreadable', reason: 'html-instead-of-json', retries: 1, immediately: true };
}

/** Once with fresh tokens; when they are refused too, the identity is (its fingerprint, most likely). */
function tokensRefused(identity: Identity, reason: string): Verdict<never> {
  if (identity.memory.has(STALE_KEY)) {
    identity.memory.delete(STALE_KEY);
    return { kind: 'blocked', reason };
  }
  forgetTokens(identity);
  return { kind: 'unreadable', reason, retries: 1, immediately: true };
}

/** Under 403 it may also mean that the tokens do not fit. */
function loginRequired(status: number, identity: Identity, reason: string): Verdict<never> {
  return status === 403 ? tokensRefused(identity, 'login-required') : refused(identity, reason);
}

/** The account has to log in and pass a check. */
function check(name: string): Verdict<never> {
  return { kind: 'blocked', reason: name.replace('_', '-'), session: 'quarantined' };
}

function refused(identity: Identity, reason: string): Verdict<never> {
  return identity.kind === 'session' ? { kind: 'blocked', reason, session: 'dead' } : { kind: 'blocked', reason };
}

/** A status without a word: the session may be over, or the endpoint may not be for it. */
function unauthorized(identity: Identity): Verdict<never> {
  const blocked = { kind: 'blocked', reason: 'unauthorized' } as const;
  return identity.kind === 'session' ? { ...blocked, session: 'sent-away' } : blocked;
}

const MEDIA = /\b(?:media|post|photo|video|reel)\b/;
const GONE =
  /\b(?:unavailable|not (?:be )?(?:found|available)|no longer (?:available|exists?)|(?:does|do) not exist|(?:was|has been|were) (?:deleted|removed)|(?:isn|wasn|doesn|couldn|can)[’']?t (?:be )?(?:available|found|exist))\b/;

/** Whether a sentence says of a post that it is not there. One about a comment, or an asset of Instagram's own, does not. */
function isAboutMissingMedia(text: string): boolean {
  if (text.includes('://')) return false;
  // `media_not_found` is a word of programs for the same.
  const sentences = text.replace(/^\w+$/, (word) => word.replaceAll('_', ' ')).split('.');
  return sentences.some((sentence) => {
    const at = GONE.exec(sentence)?.index;
    const subject = at === undefined ? '' : sentence.slice(0, at);
    return MEDIA.test(subject) && !/\bcomment/.test(subject);
  });
}
