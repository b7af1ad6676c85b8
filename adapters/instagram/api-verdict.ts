/** What an answer of the JSON API means, REST and GraphQL alike. */
import {
  asText,
  field,
  type Identity,
  isObject,
  type JsonObject,
  parseJson,
  parseRetryAfter,
  type ScrapingResponse,
  type Verdict,
} from '../scraping/index.ts';
import { isPrivate, loginOrChallenge, loginOrChallengePage, notFound, type Subject, unconfirmed } from './refusals.ts';
import { forgetTokens, STALE_KEY } from './tokens.ts';

const CHECKPOINTS = ['checkpoint_required', 'challenge_required', 'feedback_required', 'consent_required'];
/** In `message`, `error_type` or `logout_reason`, when the session is over. */
const LOGGED_OUT = ['user_has_logged_out', 'logged_out', 'invalid_session', 'session_expired'];
/** Of an account that Instagram has disabled: in `error_type`, or as the beginning of the message. */
const INACTIVE = 'inactive user';
const DISABLED = 'your account has been';
/** The numbers of GraphQL's own refusals. */
const NOT_LOGGED_IN = 1_357_001;
const TOO_MANY_REQUESTS = 1_675_004;
const NO_SUCH_MEDIA = 'media not found or unavailable';
/** Accounts and comments are deleted too. */
const DELETED = 'has been deleted';
const MEDIA = /\b(?:media|post|photo|video|reel)\b/;
/** An address of the API that is gone is "not found" as well. */
const NO_SUCH_USER = /^(?:sorry, )?(?:this |the )?(?:user|username|profile) (?:was |is |could )?not (?:be )?found/;

/** The JSON object of a good answer. `subject` says what a "not found" is about. */
export function readApiBody(response: ScrapingResponse, identity: Identity, subject: Subject): Verdict<JsonObject> {
  if (response.status >= 300 && response.status < 400) {
    return loginOrChallenge(response.header('location') ?? '', response.url) ?? odd('unexpected-redirect');
  }
  const retryAfterSeconds = parseRetryAfter(response.header('retry-after'), new Date());
  const throttled: Verdict<never> = { kind: 'throttled', retryAfterSeconds };
  const body = parseJson(response.text.replace(/^\s*for \(;;\);/, ''));
  const refusal = isObject(body)
    ? (readMessage(response.status, body, identity, subject) ?? readErrors(response.status, body, identity))
    : null;
  if (refusal !== null) return refusal === 'throttled' ? throttled : refusal;
  if (response.status === 429) return throttled;
  if (response.status >= 500) return { kind: 'unreadable', reason: `http-${response.status}`, retries: 2 };
  if (!isObject(body)) return readNonJson(response, identity);
  if (response.status === 401) return refused(identity, 'unauthorized');
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
  const text = (asText(body.message, 2000) ?? '').trim().toLowerCase();
  const errorType = (asText(body.error_type, 200) ?? '').toLowerCase();
  // A good answer may carry the fields of a refusal, as long as they say nothing.
  const isFailure = status !== 200 || body.status === 'fail';
  const checkpoint =
    CHECKPOINTS.find((name) => text === name || errorType === name) ??
    (isFailure ? checkpointIn(body, [errorType, text]) : undefined);
  if (checkpoint !== undefined) return check(checkpoint);
  if (errorType.replace('_', ' ') === INACTIVE || text.startsWith(DISABLED)) return check('account_inactive');
  const isNamed = LOGGED_OUT.some((name) => text === name || errorType === name || body.logout_reason === name);
  if (isNamed || (isFailure && saysLoggedOut(body))) return refused(identity, 'logged-out');
  if (body.error === NOT_LOGGED_IN) return refused(identity, 'not-logged-in');
  if (body.error === TOO_MANY_REQUESTS) return 'throttled';
  if (subject === 'post' && (text.includes(NO_SUCH_MEDIA) || isDeletedMedia(text))) {
    return gone(identity, subject);
  }
  if (text.includes('not authorized to view user')) return { kind: 'permanent', error: isPrivate(subject) };
  // "Please wait a few minutes": with the flag the session is over and waiting does not help; without it, it does.
  if (isFailure && body.require_login === true && status !== 403) return refused(identity, 'require-login');
  if (text.startsWith('please wait')) return 'throttled';
  if (text === 'login_required') return loginRequired(status, identity, 'login-required');
  if (subject === 'profile' && status === 404 && NO_SUCH_USER.test(text)) {
    return gone(identity, subject);
  }
  return null;
}

/** To an account that is blocked, what its owner has is missing. */
function gone(identity: Identity, subject: Subject): Verdict<never> {
  const error = notFound(subject);
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
  const messages = messagesOf(body);
  if (messages.some((message) => message.includes('rate limit'))) return 'throttled';
  const checkpoint = CHECKPOINTS.find((name) => messages.includes(name));
  if (checkpoint !== undefined) return check(checkpoint);
  if (messages.some((message) => LOGGED_OUT.includes(message))) return refused(identity, 'logged-out');
  return messages.includes('login_required') ? loginRequired(status, identity, 'logged-out') : null;
}

/** Errors of the query itself come with status 200. `execution error` is a retired doc_id: never taken for "not found". */
function readGraphqlFailure(body: JsonObject): Verdict<never> | null {
  const messages = messagesOf(body);
  if (messages.length === 0) return null;
  if (body.data !== null && body.data !== undefined) return { kind: 'unreadable', reason: 'graphql-error' };
  const isStale = messages.some((message) => message.includes('execution error') || message.includes('document'));
  return { kind: 'unreadable', reason: isStale ? 'stale-doc-id' : 'graphql-error' };
}

function messagesOf({ errors }: JsonObject): readonly string[] {
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, 20).map((error: unknown) => (asText(field(error, 'message'), 500) ?? '').toLowerCase());
}

function readNonJson(response: ScrapingResponse, identity: Identity): Verdict<never> {
  const text = response.text.trimStart();
  const page = text.startsWith('<') ? loginOrChallengePage(text) : null;
  if (page !== null) return page;
  if (response.status === 401) return refused(identity, 'unauthorized');
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

/** Whether a sentence says of a post, and not of a comment on it, that it has been deleted. */
function isDeletedMedia(text: string): boolean {
  const at = text.indexOf(DELETED);
  const subject = at < 0 ? '' : text.slice(text.lastIndexOf('.', at) + 1, at);
  return MEDIA.test(subject) && !/\bcomment/.test(subject);
}
