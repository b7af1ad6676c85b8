import { expect, it } from 'vitest';
import { toPortError } from '../../../adapters/postgres/failures.ts';

/** What PostgreSQL, PgBouncer, the driver and the network say of a server that cannot be used now. */
const UNAVAILABLE = {
  'connection lost, or refused by PgBouncer': '08000 08001 08003 08004 08006 08P01',
  'password or role refused': '28000 28P01',
  'no such database': '3D000',
  'only reads: a standby, also after a failover': '25006',
  'idle for too long, or a transaction that takes too long': '25P03 25P04 57P05',
  'no right': '42501',
  'other transactions, or recovery on a standby, stay in the way': '40001 40003 40P01 55P03 57014',
  'full disk, no memory, too many connections, a limit of the configuration': '53000 53100 53200 53300 53400',
  'shutdown, crash, start or recovery, dropped database': '57000 57P01 57P02 57P03 57P04',
  'system, also of its disk': '58000 58030 58P01 58P02',
  'its own faults, such as a page that a full disk cut short': 'XX000 XX001 XX002',
  network:
    'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN ENOENT EMFILE EADDRNOTAVAIL',
  TLS: 'CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE ERR_TLS_CERT_ALTNAME_INVALID EPROTO',
};

const withCode = (code: string) => Object.assign(new Error('of a test'), { code });

it.each(Object.entries(UNAVAILABLE))('answers 503: %s', (_why, codes) => {
  for (const code of codes.split(' ')) {
    expect(toPortError(withCode(code)), code).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  }
});

it.each([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'The server does not support SSL connections',
  'There was an error establishing an SSL connection',
  'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
  'Received unexpected commandComplete message from backend.',
])('answers 503 if the driver says: %s', (message) => {
  expect(toPortError(new Error(message))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

it.each([
  '22001',
  '22P02',
  '23502',
  '23505',
  '25P02',
  '42601',
  '42703',
  '42P01',
  'P0001',
  'NOT_FOUND',
  'EVENT_NOT_ELIGIBLE',
])('hands on a fault of the statement or of the caller as it is: %s', (code) => {
  const error = withCode(code);
  expect(toPortError(error)).toBe(error);
});
