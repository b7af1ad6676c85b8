/** One request on its way to its response: what every step of the dispatcher is given. */
import type { Caller } from '../../../core/access/token.ts';
import type { BodyShare } from '../body-budget.ts';
import type { HttpRequest } from '../message.ts';
import type { Dialect, Route } from '../route.ts';
import { requestIdOf } from './request-headers.ts';

/** What a request may hold of bodies and answers. */
export interface BodyShares {
  readonly own: BodyShare;
  /** Of a sender that only the body can tell, until it has; null if the caller is known. */
  readonly stranger: BodyShare | null;
}

export interface Exchange {
  readonly route: Route;
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly dialect: Dialect;
  /** Of `performance.now()`. */
  readonly startedAt: number;
  /** Set by `admit`. Null on routes that need no caller. */
  caller: Caller | null;
  /** Header fields of the caller's quota. Null without one, and until the request was counted. */
  quotaHeaders: Readonly<Record<string, string>> | null;
  /** Of the row's own limits, once they were taken from: a failure tells what is left, too. */
  limitHeaders: Readonly<Record<string, string>> | null;
  /** Set by `withBodyShares`. Null on routes without a body. */
  shares: BodyShares | null;
}

/** Starts the exchange of one request. */
export function openExchange(route: Route, request: HttpRequest): Exchange {
  return {
    route,
    request,
    requestId: requestIdOf(request.headers, request.requestId),
    dialect: route.dialect ?? 'engagement',
    startedAt: performance.now(),
    caller: null,
    quotaHeaders: null,
    limitHeaders: null,
    shares: null,
  };
}
