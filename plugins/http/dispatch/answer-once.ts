/**
 * Between the input and the handler, for a request with an `Idempotency-Key`: the first one runs, and its final answer is stored.
 * Later ones get that answer (docs/specification/engagement.md#repeated-requests).
 *
 * A request that runs holds a lease, which it renews. If its process dies, the lease ends within `LEASE_MS`, and the same
 * request may run again: nobody knows if the first one had its effect. Until then it is refused as `IDEMPOTENCY_KEY_IN_USE`.
 */
import { createHash } from 'node:crypto';
import { type Caller, personOf } from '../../../core/access/token.ts';
import type { UseCaseParts } from '../../../core/engagement/use-case-parts.ts';
import { DomainError, ERROR_CATALOGUE, type ErrorCode, isDomainError } from '../../../core/errors.ts';
import { parseJson } from '../../../core/json-reader.ts';
import type { IdempotencyStore } from '../../../core/ports/idempotency-store.ts';
import type { LimitRule } from '../../../core/ports/rate-limiter.ts';
import { callerKey } from '../access.ts';
import { IDEMPOTENCY_KEY, REPLAYED, readIdempotencyKey, takesIdempotencyKey } from '../idempotency-key.ts';
import type { Reply } from '../route.ts';
import type { Exchange } from './exchange.ts';

/** The box seals every answer, since some hold a secret or a token. The limiter counts what is stored of each caller. */
export interface AnswerOnceDeps extends Pick<UseCaseParts, 'secretBox' | 'limiter' | 'clock' | 'logger'> {
  readonly store: IdempotencyStore;
}

/** Runs a request, or answers it with what was stored. */
export type AnswerOnce = (exchange: Exchange, run: () => Promise<Reply>) => Promise<Reply>;

/** How long an answer is stored. */
const KEEP_MS = 24 * 60 * 60 * 1_000;
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** Larger answers are not stored; only batches of many web proofs have them. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Smaller answers are always stored: they say what was changed, and each costs about as much as a line of the log. */
const LARGE_ANSWER_BYTES = 16 * 1024;
const UNIT_BYTES = 1024;
/** Of a caller's large answers: web proofs, seals and batches of posts. */
const LARGE_ANSWERS: LimitRule = {
  name: 'stored-answers',
  units: (256 * 1024 * 1024) / UNIT_BYTES,
  windowSeconds: KEEP_MS / 1_000,
};
const RETRY_AFTER_SECONDS = 1;

type Outcome =
  | { readonly reply: Pick<Reply, 'status' | 'body' | 'contentType' | 'headers'> }
  | { readonly code: ErrorCode; readonly message: string; readonly details?: DomainError['details'] };

/** A refusal that was stored. */
export class ReplayedRefusal extends DomainError {
  readonly headers = { [REPLAYED]: 'true' };
}

/** Whether a request asks to be answered once. */
export function isToBeAnsweredOnce({ route, request }: Exchange): boolean {
  return request.headers[IDEMPOTENCY_KEY] !== undefined && takesIdempotencyKey(route);
}

/** Makes the step. It throws what `run` throws, a stored refusal, or a `DomainError` about the key. */
export function createAnswerOnce({ store, secretBox, limiter, clock, logger }: AnswerOnceDeps): AnswerOnce {
  return async (exchange, run) => {
    const { route, request, caller, query, body } = exchange;
    const header = exchange.header(IDEMPOTENCY_KEY) ?? '';
    const scope = [personOf(caller), route.id, request.params, readIdempotencyKey(header, route)];
    const key = digest(scope);
    const fingerprint = digest([query, body]);
    const lease = crypto.randomUUID();
    const now = clock.now();
    const claim = { key, fingerprint, lease, leaseUntil: inMs(now, LEASE_MS), expiresAt: inMs(now, KEEP_MS) };
    const known = await store.claim(claim, now);
    if (known === null) return runOnce(exchange, key, lease, run);
    if (known.fingerprint !== fingerprint) throw reused();
    if (known.answer === null) throw inUse();
    return replay(parseJson(secretBox.open(known.answer, contextOf(key))) as Outcome);
  };

  async function runOnce(exchange: Exchange, key: string, lease: string, run: () => Promise<Reply>): Promise<Reply> {
    const renewal = setInterval(() => {
      store.renew(key, lease, inMs(clock.now(), LEASE_MS)).catch((err: unknown) => {
        logger.warn({ err }, 'the lease of an idempotency key could not be renewed');
      });
    }, RENEW_MS).unref();
    try {
      const reply = await run();
      await settle(exchange, key, lease, outcomeOf(reply));
      return reply;
    } catch (error) {
      await settle(exchange, key, lease, refusalOf(error));
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /** The work is done: a storage that fails now does not take its answer from the client. */
  async function settle({ caller }: Exchange, key: string, lease: string, outcome: Outcome | null): Promise<void> {
    try {
      const text = outcome === null ? '' : JSON.stringify(outcome);
      if (text !== '' && (await hasRoom(caller, Buffer.byteLength(text)))) {
        await store.end(key, lease, secretBox.seal(text, contextOf(key)));
      } else await store.end(key, lease, null);
    } catch (err) {
      logger.warn({ err }, 'the answer to a request with an idempotency key was not stored');
    }
  }

  async function hasRoom(caller: Caller | null, bytes: number): Promise<boolean> {
    if (bytes <= LARGE_ANSWER_BYTES) return true;
    if (bytes > MAX_ANSWER_BYTES) return false;
    const units = Math.ceil(bytes / UNIT_BYTES);
    return (await limiter.consume(LARGE_ANSWERS, callerKey(caller), units)).allowed;
  }
}

/** Null for what a repeated request may find otherwise. */
function outcomeOf({ status, body, rows, contentType, headers = {} }: Reply): Outcome | null {
  if (!isFinal(status) || rows !== undefined) return null;
  return { reply: { status, body, headers, ...(contentType === undefined ? {} : { contentType }) } };
}

function refusalOf(error: unknown): Outcome | null {
  if (!isDomainError(error) || !isFinal(error.status) || error.retryAfterSeconds !== undefined) return null;
  const { code, message, details } = error;
  return { code, message, ...(details === undefined ? {} : { details }) };
}

function isFinal(status: number): boolean {
  return status < 500 && status !== ERROR_CATALOGUE.SCRAPING_RATE_LIMITED.status;
}

function replay(outcome: Outcome): Reply {
  if ('reply' in outcome) {
    const { reply } = outcome;
    return { ...reply, headers: { ...reply.headers, [REPLAYED]: 'true' } };
  }
  const { code, message, details } = outcome;
  throw new ReplayedRefusal(code, message, details === undefined ? {} : { details });
}

function reused(): DomainError {
  const what = 'This Idempotency-Key was sent with another request before: use a new key for a new request.';
  return new DomainError('IDEMPOTENCY_KEY_REUSED', what);
}

function inUse(): DomainError {
  const what = 'The first request with this Idempotency-Key is still running: repeat this one later.';
  return new DomainError('IDEMPOTENCY_KEY_IN_USE', what, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** A stored answer opens under its own key only. */
const contextOf = (key: string) => `idempotency:${key}`;

const inMs = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds);

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
