import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import { DomainError } from '../../core/errors.ts';

const DUPLICATE_KEY = 11_000;

/**
 * Server codes that mean "not now" or "not you", from MongoDB's list of error codes: host unreachable or not found, network
 * timeout, shutdown, stepped down, not primary, interrupted, time limit, write concern; authentication and authorisation.
 */
const UNAVAILABLE = new Set([6, 7, 13, 18, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** True when a unique index refused the write. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** True when unique indexes are the only thing that went wrong in a bulk. */
export function isDuplicateBulk(error: unknown): error is MongoBulkWriteError {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false;
  const refusals = error.result.getWriteErrors();
  return refusals.length > 0 && refusals.every((one) => one.code === DUPLICATE_KEY);
}

/** The error that callers of the port see: `SERVICE_UNAVAILABLE` when the server cannot be used, else the error itself. */
export function toPortError(error: unknown): unknown {
  const unavailable =
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoClientClosedError ||
    (error instanceof Error && error.name === 'MongoWaitQueueTimeoutError') ||
    (error instanceof MongoServerError && typeof error.code === 'number' && UNAVAILABLE.has(error.code));
  if (!unavailable) return error;
  return new DomainError('SERVICE_UNAVAILABLE', 'MongoDB cannot be reached or refuses the request; try again.', {
    cause: error,
  });
}

/** For calls before `open()` and after `close()`. */
export function notOpen(): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', 'The MongoDB storage is not open: call open() first.');
}
