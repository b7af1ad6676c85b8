/** Last step: turns a reply or a failure into the response that the mounts send. */
import { type DomainError, isDomainError } from '../../../core/errors.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import { asDomainError, errorReply } from '../error-reply.ts';
import type { HttpResponse } from '../message.ts';
import type { Dialect, Reply } from '../route.ts';
import { ReplayedRefusal } from './answer-once.ts';

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

/** Writes a reply: JSON, or its text or bytes if it has a content type of its own. */
export function toResponse(reply: Reply, requestId: string): HttpResponse {
  const { status, contentType } = reply;
  const headers: Record<string, string> = {
    'content-type': contentType ?? 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    ...reply.headers,
  };
  // Of a 304 caches would put it in the place of the type that the body came with.
  if (WITHOUT_BODY.has(status)) delete headers['content-type'];
  return { status, headers, body: bodyOf(reply) };
}

function bodyOf({ body, contentType }: Reply): HttpResponse['body'] {
  if (body === undefined) return '';
  const isWritten = typeof body === 'string' || body instanceof Uint8Array;
  return isWritten && contentType !== undefined ? body : JSON.stringify(body);
}

export interface FailedRequest {
  readonly requestId: string;
  readonly dialect: Dialect;
  /** Null if no row was found. */
  readonly routeId: string | null;
  readonly pageOf?: ((error: DomainError) => Reply | undefined) | undefined;
}

/** Writes a failure in its dialect, and logs the cause of those that are not the client's. */
export function failureResponse(error: unknown, failed: FailedRequest, logger: Logger): HttpResponse {
  const { requestId, dialect, routeId: route, pageOf } = failed;
  const domainError = asDomainError(error, dialect);
  const { code, status, cause } = domainError;
  if (!isDomainError(error)) logger.error({ requestId, route, err: error }, 'unexpected failure');
  else if (status >= 500 && cause !== undefined) logger.warn({ requestId, route, code, err: cause }, 'request failed');
  const reply = errorReply(domainError, dialect, requestId);
  const page = pageOf?.(domainError);
  const ownHeaders = error instanceof ReplayedRefusal ? error.headers : page?.headers;
  return toResponse({ ...reply, ...page, headers: { ...ownHeaders, ...reply.headers } }, requestId);
}
