/**
 * The one place that turns a request into a response. Each step is a file of `dispatch/`; the mounts only translate between
 * their framework and `HttpRequest`/`HttpResponse`.
 */

import type { Audit } from '../../core/access/audit.ts';
import type { RequireOwn } from '../../core/engagement/brands/own-brand.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { type Logger, silentLogger } from '../../core/ports/logger.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { noTelemetry, type Telemetry } from '../../core/ports/telemetry.ts';
import type { Authenticate, Identify } from './access.ts';
import { type BodyBudget, createBodyBudget, DEFAULT_BODY_BUDGET, STRANGERS_BODY_BUDGET } from './body-budget.ts';
import { ownsNothing } from './brand-access.ts';
import { admit } from './dispatch/admit.ts';
import { type AnswerOnce, isToBeAnsweredOnce } from './dispatch/answer-once.ts';
import { type BodyBudgets, receivingMs, withBodyShares } from './dispatch/body-shares.ts';
import { type Exchange, openExchange } from './dispatch/exchange.ts';
import { receiveInput } from './dispatch/receive-input.ts';
import { requestIdOf } from './dispatch/request-headers.ts';
import { runHandler } from './dispatch/run-handler.ts';
import { streamRows } from './dispatch/stream-rows.ts';
import { failureResponse, toResponse } from './dispatch/to-response.ts';
import { asDomainError } from './error-reply.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import { withQuotaHeaders } from './quota.ts';
import { logRequest } from './request-log.ts';
import type { Dialect, Route } from './route.ts';

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
  /** Of the bodies that are held at one time, over all mounts. */
  readonly bodyBudget?: BodyBudget;
  /**
   * How many milliseconds a client may take to receive so many bytes.
   * @default 30 seconds, and the time that they take at 1 Mbit/s
   */
  readonly answerMs?: (bytes: number) => number;
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
  const budgets: BodyBudgets = {
    callers: deps.bodyBudget ?? createBodyBudget(DEFAULT_BODY_BUDGET),
    strangers: createBodyBudget(STRANGERS_BODY_BUDGET),
    answerMs: deps.answerMs ?? receivingMs,
  };
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
    const exchange = openExchange(route, request);
    const { requestId, dialect, startedAt } = exchange;
    let code: ErrorCode | undefined;
    const failed = (error: unknown) => {
      code = asDomainError(error, dialect).code;
      // A client that went away gets no answer, and is no failure of ours.
      const log = request.signal.aborted ? silentLogger : logger;
      const response = failureResponse(error, { requestId, dialect, routeId: route.id }, log);
      return response.headers.ratelimit === undefined ? withQuotaHeaders(response, exchange.limitHeaders) : response;
    };
    let response: HttpResponse;
    try {
      await admit(exchange, deps);
      // A refusal counts as held like every other answer.
      response = await withBodyShares(exchange, budgets, () => answer(exchange).catch(failed));
    } catch (error) {
      response = failed(error);
    }
    response = withQuotaHeaders(response, exchange.quotaHeaders);
    const { method } = request;
    const { status } = response;
    logRequest(logger, { requestId, method, route, status, code, caller: exchange.caller, startedAt });
    return response;
  }

  async function answer(exchange: Exchange): Promise<HttpResponse> {
    const received = receiveInput(exchange, publicUrl);
    const input = received instanceof Promise ? await received : received;
    const run = () => runHandler(exchange, input, { limiter, requireOwn, audit });
    const once = isToBeAnsweredOnce(exchange) ? answerOnce : undefined;
    const reply = await (once === undefined ? run() : once(exchange, input, run));
    if (reply.rows === undefined) return toResponse(reply, exchange.requestId);
    return streamRows(exchange, reply, reply.rows, { logger, answerMs: budgets.answerMs });
  }
}
