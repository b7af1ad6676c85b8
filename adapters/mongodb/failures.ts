import type { WriteError } from 'mongodb';
import { codeOf, DomainError } from '../../core/errors.ts';
import { isDriverError } from './driver.ts';

export const DUPLICATE_KEY = 11_000;

/**
 * Server codes that mean "not now" or "not you", from MongoDB's list of error codes. Not now: host unreachable or not found, network
 * timeout, shutdown, stepped down, not primary, interrupted, time limit, write concern. Besides those: full disk, too many requests,
 * other writes in the way. Not you: authentication and authorisation.
 */
const UNAVAILABLE = new Set([
  ...[6, 7, 13, 18, 24, 50, 64, 89, 91, 100, 112, 133, 134, 189, 202, 262],
  ...[9001, 10107, 11600, 11602, 13435, 13436, 14031, 16500],
]);

/** Errors of the driver. Of a call that `close()` cut short it is the session that expired: sessions are the driver's own here. */
const UNAVAILABLE_NAMES = new Set([
  'MongoClientClosedError',
  'MongoExpiredSessionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoNotConnectedError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoServerSelectionError',
  'MongoTopologyClosedError',
  'MongoWaitQueueTimeoutError',
  'PoolClearedOnNetworkError',
]);

/** Errors of the socket itself: the driver hands on as it is what a write to a connection just cut throws. */
const SOCKET_CODES =
  /^(EPIPE|ECONN\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ERR_STREAM_\w+)$/;

/** True when a unique index refused the write. */
export function isDuplicateKey(error: unknown): boolean {
  return isDriverError(error, 'MongoServerError') && error.code === DUPLICATE_KEY;
}

/** LockTimeout and WriteConflict; what a compatible service that stands on PostgreSQL calls a deadlock has no code of its own. */
const CONFLICTS = new Set([24, 112]);
const DEADLOCK = /\bdeadlock detected\b/;

/** Names what a server undid as a whole, for example a write that some clusters do in a transaction of their own. */
const UNDONE = 'TransientTransactionError';

function isClashing(code: unknown, message: unknown): boolean {
  if (code === DUPLICATE_KEY || (typeof code === 'number' && CONFLICTS.has(code))) return true;
  return typeof message === 'string' && DEADLOCK.test(message);
}

/**
 * True when all that went wrong is that concurrent writes met: a unique index refused the later one, or the server gave one
 * up. A write that may be repeated finds the other's outcome at the next try.
 */
export function isClash(error: unknown): boolean {
  if (!isDriverError(error, 'MongoServerError')) return false;
  const refused = refusedWrites(error);
  if (refused !== null) return refused.every((one) => isClashing(one.code, one.errmsg));
  if (isDriverError(error, 'MongoBulkWriteError') && error.result.getWriteConcernError() !== undefined) return false;
  // Also of a bulk whose command the server gave up: the driver gives it the code, the message and the labels of that.
  return isClashing(error.code, error.message) || error.hasErrorLabel(UNDONE);
}

/** True when the server gave a write up because concurrent ones met. A change that a unique index refuses stays refused. */
export function isGivenUp(error: unknown): boolean {
  return isClash(error) && !isDuplicateKey(error);
}

/** The writes of a bulk that the server refused; it did all others. Null for any other error: nobody knows what was done then. */
export function refusedWrites(error: unknown): readonly WriteError[] | null {
  if (!isDriverError(error, 'MongoBulkWriteError') || error.result.getWriteConcernError() !== undefined) return null;
  const refused = error.result.getWriteErrors();
  return refused.length === 0 ? null : refused;
}

/** The error that callers of the port see: `SERVICE_UNAVAILABLE` when the server cannot be used, else the error itself. */
export function toPortError(thrown: unknown): unknown {
  const error = unwrapped(thrown);
  const unavailable =
    (error instanceof Error && UNAVAILABLE_NAMES.has(error.name)) ||
    SOCKET_CODES.test(codeOf(error)) ||
    (isDriverError(error, 'MongoServerError') && (UNAVAILABLE.has(Number(error.code)) || DEADLOCK.test(error.message)));
  if (!unavailable) return thrown;
  return new DomainError('SERVICE_UNAVAILABLE', 'MongoDB cannot be reached or refuses the request; try again.', {
    cause: thrown,
  });
}

/** A bulk wraps what cut it short, for example a lost connection. */
function unwrapped(error: unknown): unknown {
  if (!isDriverError(error, 'MongoBulkWriteError')) return error;
  const { errorResponse } = error;
  return errorResponse instanceof Error ? errorResponse : error;
}
