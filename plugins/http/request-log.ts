/** One line for each request that was answered. */
import type { Caller } from '../../core/access/token.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Route } from './route.ts';

export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** Null when no row takes the request. */
  readonly route: Pick<Route, 'id' | 'probe'> | null;
  readonly status: number;
  /** Of a failure. */
  readonly code: ErrorCode | undefined;
  /** Null on routes that need none, and when it was refused for being unknown. */
  readonly caller: Pick<Caller, 'key'> | null;
  readonly startedAt: number;
}

/**
 * Says who got what from which row. Path, query, headers and bodies are left out: tokens, codes and the links of creators
 * are there.
 */
export function logRequest(logger: Logger, answered: AnsweredRequest): void {
  const { requestId, method, route, status, code, caller, startedAt } = answered;
  const fields = {
    requestId,
    method,
    route: route?.id ?? null,
    status,
    code,
    caller: caller?.key,
    ms: Math.round(performance.now() - startedAt),
  };
  if (route?.probe && status < 400) logger.debug(fields, 'request');
  else logger.info(fields, 'request');
}
