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
import { isPrivate, loginOrChallenge, loginOrChallengePage, notFound, type Subject } from './refusals.ts';
import { forgetTokens, STALE_KEY } from './tokens.ts';

const CHECKPOINTS = ['checkpoint_required', 'challenge_required', 'feedback_required', 'consent_required'];
/** In `message`, `error_type` or `logout_reason`, when the session is over. */
const LOGGED_OUT = ['user_has_logged_out', 'logged_out', 'invalid_session', 'session_expired'];
/** The numbers of GraphQL's own refusals. */
const NOT_LOGGED_IN = 1_357_001;
const TOO_MANY_REQUESTS = 1_675_004;
const GONE = ['media not found or unavailable', 'has been deleted'];

/** The JSON object of a good answer. `subject` says what a "not found" is about. */
export function readApiBody(response: ScrapingResponse, identity: Identity, subject: Subject): Verdict<JsonObject> {
  const retryAfterSeconds = parseRetryAfter(response.header('retry-after'), new Date());
  if (response.status >= 300 && response.status < 400) {
    return (
      loginOrChallenge(response.header('location') ?? '', response.url) ?? {
        kind: 'unreadable',
        reason: 'unexpected-redirect',
      }
    );
  }
  const body = parseJson(response.text.replace(/^\s*for \(;;\);/, ''));
  const refusal = isObject(body) ? readMessage(response.status, body, identity, subject) : null;
  if (refusal !== null) return refusal;
  if (response.status === 429) return { kind: 'throttled', retryAfterSeconds };
  if (response.status >= 500) return { kind: 'unreadable', reason: `http-${response.status}`, retries: 2 };
  if (!isObject(body)) return readNonJson(response, identity);
  if (response.status === 401) return refused(identity, 'unauthorized');
  if (response.status !== 200) return { kind: 'unreadable', reason: `http-${response.status}` };
  const failure = readGraphqlErrors(body, identity);
  if (failure !== null) return failure;
  if (body.status === 'fail') return { kind: 'unreadable', reason: 'api-refused' };
  identity.memory.delete(STALE_KEY);
  return { kind: 'ok', value: body };
}

function readMessage(status: number, body: JsonObject, identity: Identity, subject: Subject): Verdict<never> | null {
  const text = (asText(body.message, 2000) ?? '').trim().toLowerCase();
  const errorType = (asText(body.error_type, 200) ?? '').toLowerCase();
  const checkpoint = CHECKPOINTS.find((name) => text === name || errorType === name) ?? checkpointIn(body, errorType);
  if (checkpoint !== undefined) {
    return { kind: 'blocked', reason: checkpoint.replace('_', '-'), session: 'quarantined' };
  }
  if (LOGGED_OUT.some((name) => text === name || errorType === name || body.logout_reason === name)) {
    return refused(identity, 'logged-out');
  }
  if (body.error === NOT_LOGGED_IN) return refused(identity, 'not-logged-in');
  if (body.error === TOO_MANY_REQUESTS) return { kind: 'throttled' };
  if (GONE.some((phrase) => text.includes(phrase))) return { kind: 'permanent', error: notFound(subject) };
  if (text.includes('not authorized to view user')) return { kind: 'permanent', error: isPrivate(subject) };
  // "Please wait a few minutes": with the flag the session is over and waiting does not help; without it, it does.
  if (body.require_login === true && status !== 403) return refused(identity, 'require-login');
  if (text.startsWith('please wait')) return { kind: 'throttled' };
  if (status === 403 && text === 'login_required') return tokensRefused(identity, 'login-required');
  if (subject === 'profile' && status === 404 && text.includes('not found')) {
    return { kind: 'permanent', error: notFound(subject) };
  }
  return null;
}

/** A checkpoint in other words, or in another language: where to solve it is what tells. */
function checkpointIn(body: JsonObject, errorType: string): string | undefined {
  const hasPlace = asText(body.checkpoint_url) !== null || isObject(body.challenge);
  return hasPlace || errorType.startsWith('checkpoint') ? 'checkpoint_required' : undefined;
}

/** Errors of GraphQL come with status 200. `execution error` is a retired doc_id: never taken for "not found". */
function readGraphqlErrors(body: JsonObject, identity: Identity): Verdict<never> | null {
  if (!Array.isArray(body.errors) || body.errors.length === 0) return null;
  const messages = body.errors
    .slice(0, 20)
    .map((error: unknown) => (asText(field(error, 'message'), 500) ?? '').toLowerCase());
  if (messages.some((message) => message.includes('rate limit'))) return { kind: 'throttled' };
  const checkpoint = CHECKPOINTS.find((name) => messages.includes(name));
  if (checkpoint !== undefined) {
    return { kind: 'blocked', reason: checkpoint.replace('_', '-'), session: 'quarantined' };
  }
  if (messages.some((message) => message === 'login_required' || LOGGED_OUT.includes(message))) {
    return refused(identity, 'logged-out');
  }
  if (body.data !== null && body.data !== undefined) return { kind: 'unreadable', reason: 'graphql-error' };
  const isStale = messages.some((message) => message.includes('execution error') || message.includes('document'));
  return { kind: 'unreadable', reason: isStale ? 'stale-doc-id' : 'graphql-error' };
}

function readNonJson(response: ScrapingResponse, identity: Identity): Verdict<never> {
  const text = response.text.trimStart();
  const page = text.startsWith('<') ? loginOrChallengePage(text) : null;
  if (page !== null) return page;
  if (response.status === 401) return refused(identity, 'unauthorized');
  if (response.status === 403) return tokensRefused(identity, 'forbidden');
  if (response.status !== 200) return { kind: 'unreadable', reason: `http-${response.status}` };
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

function refused(identity: Identity, reason: string): Verdict<never> {
  return identity.kind === 'session' ? { kind: 'blocked', reason, session: 'dead' } : { kind: 'blocked', reason };
}
