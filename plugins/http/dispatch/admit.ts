/** First step: refuses a request by its target, its `Host` and `Authorization` headers and its caller. */
import { DomainError } from '../../../core/errors.ts';
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { type Authenticate, callerOf, checkAccess, type Identify } from '../access.ts';
import { takeRequest } from '../limits.ts';
import type { HttpRequest } from '../message.ts';
import { NO_SUCH_PATH } from '../not-found.ts';
import { authorizationRefusal, hostRefusal } from '../request-headers.ts';
import type { Exchange } from './exchange.ts';

export interface AdmitDeps {
  readonly authenticate: Authenticate;
  readonly identify?: Identify;
  readonly limiter: RateLimiter;
}

/**
 * Sets the caller of the exchange. It reads no body, so that a client without a token cannot make the server read megabytes.
 * @throws DomainError `INVALID_REQUEST`, `NOT_FOUND`, `UNAUTHORIZED`, `QUOTA_EXCEEDED` or `FORBIDDEN`
 */
export async function admit(exchange: Exchange, { authenticate, identify, limiter }: AdmitDeps): Promise<void> {
  const { request, route } = exchange;
  const refusal = request.raw ? (hostRefusal(request.raw) ?? authorizationRefusal(request.raw)) : null;
  if (refusal !== null) throw refusal;
  checkPath(request);
  exchange.caller = await callerOf(request, route, authenticate, identify);
  const counted = route.unmetered === true ? undefined : takeRequest(exchange.caller, limiter);
  if (counted !== undefined) exchange.quotaHeaders = await counted;
  checkAccess(exchange.caller, route);
}

/** Fastify hands `/campaigns/` to `/campaigns/:id` with an empty id; Express does not find it: the same 404 for both. */
function checkPath({ params }: HttpRequest): void {
  for (const name in params) if (params[name] === '') throw new DomainError('NOT_FOUND', NO_SUCH_PATH);
}
