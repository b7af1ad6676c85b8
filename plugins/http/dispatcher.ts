/**
 * The one place that turns a request into a response. The later steps are files of `dispatch/`; the mounts only translate between
 * their framework and `HttpRequest`/`HttpResponse`.
 */

import type { Audit } from '../../core/access/audit.ts';
import type { RequireOwn } from '../../core/engagement/brands/own-brand.ts';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import { type Logger, silentLogger } from '../../core/ports/logger.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { noTelemetry, type Telemetry } from '../../core/ports/telemetry.ts';
import { type Authenticate, callerKey, callerOf, checkAccess, type Identify } from './access.ts';
import { ownsNothing } from './brand-access.ts';
import { type ByteCounter, type ByteShare, CALLER_BYTES, createByteCounter, STRANGER_BYTES } from './byte-counter.ts';
import { type AnswerOnce, isToBeAnsweredOnce } from './dispatch/answer-once.ts';
import { Exchange } from './dispatch/exchange.ts';
import { receiveInput } from './dispatch/receive-input.ts';
import { runHandler } from './dispatch/run-handler.ts';
import { streamRows } from './dispatch/stream-rows.ts';
import { failureResponse, toResponse } from './dispatch/to-response.ts';
import { asDomainError } from './error-reply.ts';
import { limitHeaders, takeRequest } from './limits.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import { NO_SUCH_PATH } from './not-found.ts';
import { authorizationRefusal, hostRefusal, requestIdOf } from './request-headers.ts';
import { logRequest } from './request-log.ts';
import { bodySchemaOf, type Dialect, type Route } from './route.ts';

/** What `createDispatcher` takes. */
export interface DispatcherDeps {
  readonly authenticate: Authenticate;
  readonly identify?: Identify;
  readonly limiter: RateLimiter;
  /** Keeps callers of one brand to what is theirs; without it they reach nothing that belongs to a brand. */
  readonly requireOwn?: RequireOwn;
  /** Records what administrators do; without it nothing is recorded. */
  readonly audit?: Audit;
  /** Without a trailing slash. */
  readonly publicUrl?: string | undefined;
  readonly logger: Logger;
  readonly telemetry?: Telemetry;
  /** Answers requests with an `Idempotency-Key` once; without it the header means nothing. */
  readonly answerOnce?: AnswerOnce;
  /** Counts the bodies and answers of callers with a token, over all mounts. */
  readonly byteCounter?: ByteCounter;
}

/** Answers requests for all mounts. */
export interface Dispatcher {
  /** Answers a request for one row of the table. Never rejects. */
  dispatch(route: Route, request: HttpRequest): Promise<HttpResponse>;
  /** The answer to a failure before a row was found or reached, for example a malformed path. */
  refuse(
    error: unknown,
    request: Pick<HttpRequest, 'headers' | 'method' | 'requestId'>,
    dialect?: Dialect,
  ): HttpResponse;
}

/** Builds the dispatcher; one serves any number of mounts, which then share its budget for bodies. */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { telemetry = noTelemetry, limiter, logger, publicUrl, answerOnce, requireOwn = ownsNothing, audit } = deps;
  const { byteCounter = createByteCounter(CALLER_BYTES) } = deps;
  // Senders that only their bodies can tell take nothing from callers with a token.
  const strangers = createByteCounter(STRANGER_BYTES);
  const statusOf = ({ status }: HttpResponse) => String(status);
  return {
    dispatch(route, request) {
      const { headers } = request;
      return telemetry.observe({ kind: 'request', name: route.id, headers }, () => respond(route, request), statusOf);
    },
    refuse(error, { method, headers, requestId: ofHost }, dialect = 'engagement') {
      const startedAt = performance.now();
      const requestId = requestIdOf(headers, ofHost);
      const { code } = asDomainError(error, dialect);
      const response = failureResponse(error, { requestId, dialect, routeId: null }, logger);
      const { status } = response;
      logRequest(logger, { requestId, method, route: null, status, code, caller: null, startedAt });
      return response;
    },
  };

  async function respond(route: Route, request: HttpRequest): Promise<HttpResponse> {
    const exchange = new Exchange(route, request, publicUrl);
    const { requestId, dialect, startedAt } = exchange;
    let code: ErrorCode | undefined;
    let response: HttpResponse;
    try {
      await admit(exchange, deps);
      if (bodySchemaOf(route) !== undefined) exchange.share = openShare(exchange);
      response = await answer(exchange);
    } catch (error) {
      code = asDomainError(error, dialect).code;
      // A client that went away gets no answer, and is no failure of ours.
      const log = request.signal().aborted ? silentLogger : logger;
      const pageOf = (failure: DomainError) => route.failurePage?.(failure, request);
      response = failureResponse(error, { requestId, dialect, routeId: route.id, pageOf }, log);
    }
    response = heldUntilSent(withLimitHeaders(response, exchange), exchange);
    const { method } = request;
    const { status } = response;
    logRequest(logger, { requestId, method, route, status, code, caller: exchange.caller, startedAt });
    return response;
  }

  async function answer(exchange: Exchange): Promise<HttpResponse> {
    await receiveInput(exchange);
    const run = () => runHandler(exchange, { limiter, requireOwn, audit });
    const once = isToBeAnsweredOnce(exchange) ? answerOnce : undefined;
    const reply = await (once === undefined ? run() : once(exchange, run));
    if (reply.rows === undefined) return toResponse(reply, exchange.requestId);
    return streamRows(exchange, reply, reply.rows, logger);
  }

  function openShare({ caller, request }: Exchange): ByteShare {
    return caller === null ? strangers.open(request.ip()) : byteCounter.open(callerKey(caller));
  }
}

/**
 * First step: sets the caller of the exchange. It reads no body, so that a client without a token cannot make the server read megabytes.
 * @throws DomainError `INVALID_REQUEST`, `NOT_FOUND`, `UNAUTHORIZED`, `QUOTA_EXCEEDED` or `FORBIDDEN`
 */
async function admit(exchange: Exchange, { authenticate, identify, limiter }: DispatcherDeps): Promise<void> {
  const { request, route } = exchange;
  const refusal = request.raw ? (hostRefusal(request.raw) ?? authorizationRefusal(request.raw)) : null;
  if (refusal !== null) throw refusal;
  checkPath(request);
  exchange.caller = await callerOf(request, route, authenticate, identify);
  if (route.unmetered !== true) await takeRequest(exchange.caller, limiter, exchange.taken);
  checkAccess(exchange.caller, route);
}

/** Fastify hands `/campaigns/` to `/campaigns/:id` with an empty id; Express does not find it: the same 404 for both. */
function checkPath({ params }: HttpRequest): void {
  for (const name in params) if (params[name] === '') throw new DomainError('NOT_FOUND', NO_SUCH_PATH);
}

function withLimitHeaders(response: HttpResponse, { taken }: Exchange): HttpResponse {
  return taken.length === 0 ? response : { ...response, headers: { ...response.headers, ...limitHeaders(taken) } };
}

/**
 * From here on the request's share holds the answer instead of the body: a client that reads slowly holds it for long. An
 * answer is never refused, because its work is done; a handler whose answer is large calls `hold` before the work. Answers to
 * strangers are small.
 */
function heldUntilSent(response: HttpResponse, { share, caller }: Exchange): HttpResponse {
  share?.release();
  if (share === null || caller === null) return response;
  share.count(Buffer.byteLength(response.body));
  return share.held === 0 ? response : { ...response, release: () => share.release() };
}
