import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../core/errors.ts';
import { asDomainError, errorReply } from '../../../plugins/http/error-reply.ts';

describe('a failure that nobody foresaw', () => {
  it.each([
    ['engagement', 'INTERNAL_ERROR'],
    ['v1', 'INTERNAL_SERVER_ERROR'],
    ['v2', 'INTERNAL_SERVER_ERROR'],
  ] as const)('is one of the server in %s, reveals nothing and keeps its cause for the log', (dialect, code) => {
    const cause = new Error('password');
    const error = asDomainError(cause, dialect);
    expect(error).toMatchObject({ code, status: 500, cause });
    expect(JSON.stringify(errorReply(error, dialect, 'r'))).not.toContain('password');
  });

  it('is left as it is if it is a domain error', () => {
    const error = new DomainError('NOT_FOUND', 'Gone.');
    expect(asDomainError(error, 'v2')).toBe(error);
  });
});

describe('the headers of a failure', () => {
  const headersOf = (...given: ConstructorParameters<typeof DomainError>) =>
    errorReply(new DomainError(...given), 'engagement', 'r').headers;
  const allow = ['GET', 'DELETE'];

  it.each<[ReturnType<typeof headersOf>, ...ConstructorParameters<typeof DomainError>]>([
    [{}, 'NOT_FOUND', 'Gone.'],
    [{}, 'NOT_FOUND', 'Gone.', { details: { allow } }],
    [{ 'www-authenticate': 'Bearer' }, 'UNAUTHORIZED', 'Who?'],
    [{ allow: 'GET, DELETE' }, 'METHOD_NOT_ALLOWED', 'No.', { details: { allow } }],
    [{}, 'METHOD_NOT_ALLOWED', 'No.'],
    [{}, 'METHOD_NOT_ALLOWED', 'No.', { details: { allow: 'GET' } }],
    [{ 'retry-after': '2' }, 'SCRAPING_RATE_LIMITED', 'Slow down.', { retryAfterSeconds: 1.2 }],
    [{ 'retry-after': '0' }, 'SCRAPING_RATE_LIMITED', 'Slow down.', { retryAfterSeconds: -3 }],
  ])('are %j for %s', (headers, ...given) => {
    expect(headersOf(...given)).toEqual(headers);
  });
});

it('names details only if there are any, and nothing but code and message to web-proof clients', () => {
  const plain = new DomainError('NOT_FOUND', 'Gone.');
  const detailed = new DomainError('NOT_FOUND', 'Gone.', { details: { id: 1 } });
  const bodies = [plain, detailed].map((error) => errorReply(error, 'engagement', 'r').body);
  expect(bodies).toStrictEqual([
    { error: { code: 'NOT_FOUND', message: 'Gone.', requestId: 'r' } },
    { error: { code: 'NOT_FOUND', message: 'Gone.', details: { id: 1 }, requestId: 'r' } },
  ]);
  expect(errorReply(detailed, 'v1', 'r').body).toEqual({ success: false, error: 'Gone.' });
  expect(errorReply(detailed, 'v2', 'r').body).toEqual({
    apiVersion: 'v2.0',
    success: false,
    error: { code: 'NOT_FOUND', message: 'Gone.' },
  });
});
