/** One error model, three dialects on the wire. */
import { DomainError, isDomainError } from '../../core/errors.ts';
import type { Dialect, Reply } from './route.ts';

export const API_VERSION = 'v2.0' as const;

/** Every failure becomes a `DomainError`; what is unknown becomes a 500 whose text reveals nothing. */
export function asDomainError(error: unknown, dialect: Dialect): DomainError {
  if (isDomainError(error)) return error;
  return dialect === 'engagement'
    ? new DomainError('INTERNAL_ERROR', 'Something unexpected failed. Quote the request id when you report it.', {
        cause: error,
      })
    : new DomainError('INTERNAL_SERVER_ERROR', 'Something unexpected failed.', { cause: error });
}

/** The reply for a failure in the dialect of its route. */
export function errorReply(error: DomainError, dialect: Dialect, requestId: string): Reply {
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(Math.max(0, Math.ceil(error.retryAfterSeconds)));
  }
  if (error.code === 'UNAUTHORIZED') headers['www-authenticate'] = 'Bearer';
  if (error.code === 'METHOD_NOT_ALLOWED' && Array.isArray(error.details?.allow)) {
    headers.allow = error.details.allow.join(', ');
  }
  return { status: error.status, headers, body: errorBody(error, dialect, requestId) };
}

function errorBody(error: DomainError, dialect: Dialect, requestId: string): unknown {
  const { code, message, details } = error;
  if (dialect === 'v2') return { apiVersion: API_VERSION, success: false, error: { code, message } };
  if (dialect === 'v1') return { success: false, error: message };
  return { error: { code, message, ...(details === undefined ? {} : { details }), requestId } };
}
