/**
 * The one place that turns a request into a response: caller, body, schemas, limits, handler, reply. The mounts only
 * translate between their framework and `HttpRequest`/`HttpResponse`.
 */
import type { Caller } from '../../core/access/token.ts';
import { DomainError, type ErrorCode, isDomainError } from '../../core/errors.ts';
import { type Logger, silentLogger } from '../../core/ports/logger.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { noTelemetry, type Telemetry } from '../../core/ports/telemetry.ts';
import { type Authenticate, callerKey, callerOf, checkRole, type Identify } from './access.ts';
import { parseBody, type ReadBody, readBody } from './body.ts';
import {
  type BodyBudget,
  type BodyShare,
  createBodyBudget,
  DEFAULT_BODY_BUDGET,
  STRANGERS_BODY_BUDGET,
} from './body-budget.ts';
import { encoderOf } from './encode-reply.ts';
import { asDomainError, errorReply } from './error-reply.ts';
import { hostRefusal } from './host-header.ts';
import { consumeLimits, LimitExceeded } from './limits.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import { NO_SUCH_PATH } from './not-found.ts';
import { parseInput } from './parse-input.ts';
import { logRequest } from './request-log.ts';
import type { Dialect, Reply, Route, RouteInput } from './route.ts';

const DEFAULT_MAX_BODY_BYTES = 64 * 1024;

export interface DispatcherDeps {
  readonly authenticate: Authenticate;
  readonly identify?: Identify;
  readonly limiter: RateLimiter;
  /** Without a trailing slash. */
  readonly publicUrl?: string | undefined;
  readonly logger: Logger;
  readonly telemetry?: Telemetry;
  /** Of the bodies that are held at one time, over all mounts. */
  readonly bodyBudget?: BodyBudget;
  /** How many milliseconds a client may take to receive so many bytes; `receivingMs` by default. */
  readonly answerMs?: (bytes: number) => number;
}

export interface Dispatcher {
  /** Answers a request for one row of the table. Never rejects. */
  dispatch(route: Route, request: HttpRequest): Promise<HttpResponse>;
  /** The answer to a failure before a row was found or reached, for example a malformed path. */
  refuse(error: unknown, request: Pick<HttpRequest, 'headers' | 'method'>, dialect?: Dialect): HttpResponse;
}

/** Builds the dispatcher; one serves any number of mounts, which then share its budget for bodies. */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { telemetry = noTelemetry, bodyBudget = createBodyBudget(DEFAULT_BODY_BUDGET) } = deps;
  const strangers = createBodyBudget(STRANGERS_BODY_BUDGET);
  const statusOf = ({ status }: HttpResponse) => String(status);
  return {
    dispatch(route, request) {
      const { headers } = request;
      return telemetry.observe({ kind: 'request', name: route.id, headers }, () => respond(route, request), statusOf);
    },
    refuse(error, request, dialect = 'engagement') {
      const startedAt = performance.now();
      const { method, headers } = request;
      const requestId = requestIdOf(headers);
      const { code } = asDomainError(error, dialect);
      const response = failure(error, dialect, requestId, deps.logger, null);
      const { status } = response;
      logRequest(deps.logger, { requestId, method, route: null, status, code, caller: null, startedAt });
      return response;
    },
  };

  async function respond(route: Route, request: HttpRequest): Promise<HttpResponse> {
    const startedAt = performance.now();
    const { method } = request;
    const requestId = requestIdOf(request.headers);
    const dialect = route.dialect ?? 'engagement';
    let response: HttpResponse;
    let caller: Caller | null = null;
    let code: ErrorCode | undefined;
    try {
      const refusal = request.raw ? hostRefusal(request.raw) : null;
      if (refusal !== null) throw refusal;
      checkPath(request);
      // Before the body is read: a caller without a token cannot make us read megabytes.
      caller = await callerOf(request, route.access, deps.authenticate, deps.identify);
      checkRole(caller, route.access, dialect);
      response = await answer(caller, route, request, requestId, { ...deps, bodyBudget, strangers });
    } catch (error) {
      code = asDomainError(error, dialect).code;
      // A client that went away gets no answer, and is no failure of ours.
      const log = request.signal.aborted ? silentLogger : deps.logger;
      response = failure(error, dialect, requestId, log, route.id);
    }
    const { status } = response;
    logRequest(deps.logger, { requestId, method, route, status, code, caller, startedAt });
    return response;
  }
}

type AnswerDeps = DispatcherDeps &
  Required<Pick<DispatcherDeps, 'bodyBudget'>> & {
    /** For bodies while it is not known who sends them: they take nothing from the others. */
    readonly strangers: BodyBudget;
  };

/** Fastify hands `/campaigns/` to `/campaigns/:id` with an empty id; Express does not find it: the same 404 for both. */
function checkPath({ params }: HttpRequest): void {
  if (Object.values(params).some((value) => value === '')) throw new DomainError('NOT_FOUND', NO_SUCH_PATH);
}

async function answer(
  caller: Caller | null,
  route: Route,
  request: HttpRequest,
  requestId: string,
  deps: AnswerDeps,
): Promise<HttpResponse> {
  if (!route.body) {
    return toResponse(await answerCaller(caller, null, route, request, requestId, deps), requestId);
  }
  const share = deps.bodyBudget.open(caller === null ? route.id : callerKey(caller));
  const stranger = caller === null ? deps.strangers.open(request.ip) : null;
  try {
    const reply = await answerCaller(caller, { share, stranger }, route, request, requestId, deps);
    return heldUntilSent(toResponse(reply, requestId), share, deps.answerMs ?? receivingMs);
  } catch (error) {
    share.release();
    throw error;
  } finally {
    stranger?.release();
  }
}

/**
 * From here on the request's share holds the answer instead: a client that reads slowly holds it for long. It is never
 * refused, for its work is done and counted, and perhaps not to be done twice; a handler whose answer is large asks `hold`
 * before the work.
 */
function heldUntilSent(response: HttpResponse, share: BodyShare, answerMs: (bytes: number) => number): HttpResponse {
  const bytes = Buffer.byteLength(response.body);
  share.release();
  share.count(bytes);
  if (share.held === 0) return response;
  return { ...response, held: { deadlineMs: answerMs(bytes), release: () => share.release() } };
}

const RECEIVING_GRACE_MS = 30_000;
/** One Mbit/s. */
const RECEIVING_BYTES_PER_SECOND = 125_000;

/**
 * A slow line has the time it takes. One that reads nothing, or a byte now and then, would otherwise hold what its caller may
 * have for as long as it likes.
 */
function receivingMs(bytes: number): number {
  return RECEIVING_GRACE_MS + Math.ceil((bytes / RECEIVING_BYTES_PER_SECOND) * 1000);
}

interface Shares {
  readonly share: BodyShare;
  /** Of a sender that only the body can tell, until it has. */
  readonly stranger: BodyShare | null;
}

async function answerCaller(
  caller: Caller | null,
  shares: Shares | null,
  route: Route,
  request: HttpRequest,
  requestId: string,
  deps: AnswerDeps,
): Promise<Reply> {
  const params = parseInput(route.params, request.params, 'path');
  const query = route.query
    ? parseInput(route.query, queryObject(request.query), 'query', route.invalidCode)
    : undefined;
  // What a host has read already cannot be left unread.
  const isTooLarge = Number(headerOf(request, 'content-length')) > (route.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
  if (request.body.kind === 'stream' && !isTooLarge) route.checkHeaders?.((name) => headerOf(request, name));
  const raw = shares === null ? null : await readRequestBody(route, request, shares.stranger ?? shares.share);
  if (raw !== null && route.checkSender) checkSender(route.checkSender, request, raw);
  if (shares !== null && shares.stranger !== null) {
    shares.stranger.release();
    shares.share.take(raw?.bytes?.length ?? 0);
  }
  const body = raw === null ? undefined : parseRequestBody(route, raw, headerOf(request, 'content-type'));
  const parsed = { params, query, body, caller, requestId };
  const input = new Input(request, deps.publicUrl, parsed, shares?.share ?? null);
  const limitHeaders = route.limits ? await consumeLimits(deps.limiter, route.limits(input)) : undefined;
  const reply = await route.handle(input);
  const schema = route.responses[reply.status]?.schema;
  const sent = schema === undefined ? reply.body : encoderOf(schema)(reply.body);
  return { ...reply, body: sent, headers: { ...limitHeaders, ...reply.headers } };
}

type AnyInput = RouteInput<unknown, unknown, unknown>;
type Parsed = Pick<AnyInput, 'params' | 'query' | 'body' | 'caller' | 'requestId'>;

/** A class, since making an object with getters of its own takes a microsecond. */
class Input implements AnyInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: Caller | null;
  readonly requestId: string;
  readonly hold: (bytes: number) => void;
  readonly #request: HttpRequest;
  readonly #publicUrl: string | undefined;

  constructor(request: HttpRequest, publicUrl: string | undefined, parsed: Parsed, share: BodyShare | null) {
    this.params = parsed.params;
    this.query = parsed.query;
    this.body = parsed.body;
    this.caller = parsed.caller;
    this.requestId = parsed.requestId;
    this.hold = (bytes) => share?.take(bytes);
    this.#request = request;
    this.#publicUrl = publicUrl;
  }

  get ip(): string {
    return this.#request.ip;
  }

  get baseUrl(): string {
    return this.#publicUrl ?? this.#request.baseUrl;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  header(name: string): string | undefined {
    return headerOf(this.#request, name);
  }
}

function readRequestBody(route: Route, request: HttpRequest, share: BodyShare) {
  const coding = headerOf(request, 'content-encoding')?.trim().toLowerCase() ?? '';
  // What a host's own parser has unpacked already is none of our business.
  if (request.body.kind === 'stream' && coding !== '' && coding !== 'identity') {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.');
  }
  const maxBytes = route.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
  return readBody(request.body, headerOf(request, 'content-length'), maxBytes, share);
}

function checkSender(
  check: NonNullable<Route['checkSender']>,
  request: HttpRequest,
  { bytes, parsed }: ReadBody,
): void {
  const rawBody = parsed === undefined ? (bytes ?? new Uint8Array()) : null;
  check({ rawBody, header: (name) => headerOf(request, name) });
}

function parseRequestBody(route: Route, raw: ReadBody, contentType: string | undefined) {
  const value = parseBody(raw, contentType, route.form === true, route.invalidCode);
  if (value === undefined && route.bodyOptional) return undefined;
  if (value === undefined && route.body) {
    throw new DomainError(route.invalidCode ?? 'INVALID_REQUEST', 'Invalid request: a JSON body is required.');
  }
  return parseInput(route.body, value, 'body', route.invalidCode);
}

/** Repeated parameters keep the first value; `__proto__` is a name like any other. */
function queryObject(query: string): Record<string, string> {
  const result: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) result[name] ??= value;
  return result;
}

function headerOf(request: Pick<HttpRequest, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

function requestIdOf(headers: HttpRequest['headers']): string {
  const given = headerOf({ headers }, 'x-request-id');
  return given !== undefined && REQUEST_ID.test(given) ? given : crypto.randomUUID();
}

function failure(
  error: unknown,
  dialect: Dialect,
  requestId: string,
  logger: Logger,
  route: string | null,
): HttpResponse {
  const domainError = asDomainError(error, dialect);
  if (!isDomainError(error)) {
    logger.error({ requestId, route, err: error }, 'unexpected failure');
  } else if (domainError.status >= 500 && domainError.cause !== undefined) {
    logger.warn({ requestId, route, code: domainError.code, err: domainError.cause }, 'request failed');
  }
  const reply = errorReply(domainError, dialect, requestId);
  const headers = error instanceof LimitExceeded ? { ...error.headers, ...reply.headers } : reply.headers;
  return toResponse({ ...reply, ...(headers ? { headers } : {}) }, requestId);
}

function toResponse(reply: Reply, requestId: string): HttpResponse {
  const isText = reply.contentType !== undefined && typeof reply.body === 'string';
  return {
    status: reply.status,
    headers: {
      'content-type': reply.contentType ?? 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
      ...reply.headers,
    },
    body: reply.body === undefined ? '' : isText ? (reply.body as string) : JSON.stringify(reply.body),
    ...(reply.encoded === undefined ? {} : { encoded: reply.encoded }),
  };
}
