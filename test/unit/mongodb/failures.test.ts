import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { expect, it } from 'vitest';
import { toPortError } from '../../../adapters/mongodb/failures.ts';

/** Codes of MongoDB, and of services that are compatible with it, for a server that cannot be used now. */
const UNAVAILABLE = {
  'host not found or unreachable, network timeout': [6, 7, 89, 202, 9001],
  'authentication or authorisation': [13, 18],
  'other writes stay in the way': [24, 112],
  'time limit': [50, 262],
  'write or read concern': [64, 100, 133, 134],
  'shutdown, stepped down, not primary, interrupted': [91, 189, 10107, 11600, 11602, 13435, 13436],
  'full disk': [14031],
  'too many requests': [16500],
};

it.each(Object.entries(UNAVAILABLE))('answers 503: %s', (_why, codes) => {
  for (const code of codes) {
    const error = new MongoServerError({ code, message: 'of a test' });
    expect(toPortError(error), String(code)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  }
});

it.each([
  new MongoNetworkError('connection 1 to db:27017 closed'),
  new MongoServerSelectionError('Server selection timed out', {} as never),
  new MongoServerError({ code: 16_908_292, message: 'deadlock detected' }),
  Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }),
])('answers 503 if the driver says: $message', (error) => {
  expect(toPortError(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

it.each([2, 9, 121, 11_000])('hands on a fault of the command or of the caller as it is: %i', (code) => {
  const error = new MongoServerError({ code, message: 'of a test' });
  expect(toPortError(error)).toBe(error);
});
