import { DomainError } from '../../core/errors.ts';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * Concurrent transactions met: serialization failure, deadlock, or a unique index or foreign key that refused the later one. The same
 * steps find what the other has stored.
 */
export function isClash(error: unknown): boolean {
  return /^(?:40001|40P01|23505|23503)$/.test(codeOf(error));
}

/**
 * Classes of SQLSTATE for a server that cannot be used: connection, authorisation, no such database, resources, time limits and
 * shutdown, system, the server's own faults (a page that a full disk cut short). Besides them: no rights, and a server that only reads.
 */
const UNAVAILABLE = /^(?:08|28|3D|53|57|58|XX)...$|^(?:42501|25006)$/;
const SOCKET =
  /^(?:EPIPE|ECONN\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|ENOENT|EAI_AGAIN|ERR_STREAM_\w+)$/;
/** What the driver says without a code. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after|The server does not support SSL)/;

/** The error that callers of the port see: `SERVICE_UNAVAILABLE` when the server cannot be used, else the error itself. */
export function toPortError(error: unknown): unknown {
  const code = codeOf(error);
  const isUnavailable =
    UNAVAILABLE.test(code) || SOCKET.test(code) || (error instanceof Error && MESSAGES.test(error.message));
  if (!isUnavailable) return error;
  const hint = code === '53100' ? ': its disk is full' : code === '42501' ? ': grant its user the right' : '';
  const why = code && ` (${code}${hint})`;
  return unavailable(`PostgreSQL cannot be reached or refuses the request${why}; try again.`, error);
}

/** The message never quotes the URL, which may hold a password. */
export function unavailable(message: string, cause?: unknown): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', message, { cause });
}
