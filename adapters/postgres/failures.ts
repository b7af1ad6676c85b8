import { codeOf, DomainError } from '../../core/errors.ts';

/**
 * Concurrent transactions met: serialization failure, deadlock, or a unique index or foreign key that refused the later one. The same
 * steps find what the other has stored.
 */
export function isClash(error: unknown): boolean {
  return /^(?:40001|40P01|23505|23503)$/.test(codeOf(error));
}

/**
 * Classes of SQLSTATE for a server that cannot be used: connection, authorisation, no such database, resources, time limits and
 * shutdown, system, the server's own faults (a page that a full disk cut short). Besides them: other transactions that stay in the
 * way, no rights, a server that only reads, a transaction that stood still or took too long.
 */
const UNAVAILABLE = /^(?:08|28|3D|53|57|58|XX)...$|^(?:40001|40003|40P01|55P03|42501|25006|25P03|25P04)$/;
/** Codes of sockets, of the system, and of TLS: a certificate that has expired, say. */
const SOCKET =
  /^(?:E[A-Z\d]+|EAI_\w+|ERR_(?:SOCKET|STREAM|SSL|TLS)_\w+|CERT_\w+|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT(?:_IN_CHAIN)?|UNABLE_TO_\w+|HOSTNAME_MISMATCH)$/;
/** What the driver says without a code. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after|The server does not support SSL|There was an error establishing an SSL|SASL|Received unexpected)/;

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
