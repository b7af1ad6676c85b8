import { describe, expect, it } from 'vitest';
import { failureHeaders, headerComponents, successHeaders } from '../../../plugins/http/response-headers.ts';
import type { Route } from '../../../plugins/http/route.ts';
import { row } from './requests.ts';

const plain = row();
const get: Route = { ...plain, method: 'GET' };
const limited: Route = { ...plain, limits: () => [] };
const LIMITS = ['ratelimit-policy', 'ratelimit'];

describe('the header fields that the OpenAPI document names', () => {
  it('are those of the limits too if a success has limits', () => {
    expect(Object.keys(successHeaders(get))).toEqual(['x-request-id']);
    expect(Object.keys(successHeaders(plain))).toEqual(['x-request-id', 'idempotent-replayed']);
    expect(Object.keys(successHeaders(limited))).toEqual(['x-request-id', ...LIMITS, 'idempotent-replayed']);
  });

  it.each<[number, Route, readonly string[]]>([
    [404, get, []],
    [409, get, []],
    [404, limited, ['idempotent-replayed']],
    [409, plain, ['retry-after', 'idempotent-replayed']],
    [401, plain, ['www-authenticate']],
    [503, limited, ['retry-after']],
    [429, plain, ['retry-after', ...LIMITS]],
    [429, limited, ['retry-after', ...LIMITS]],
  ])('follow from the status %d of a failure', (status, route, names) => {
    expect(Object.keys(failureHeaders(status, route))).toEqual(['x-request-id', ...names]);
  });

  it('describe what is referred to, and nothing else', () => {
    expect(Object.keys(headerComponents({ '/': failureHeaders(401, plain) }))).toEqual([
      'x-request-id',
      'www-authenticate',
    ]);
  });

  it('refer to components that are described', () => {
    const references = { ...failureHeaders(401, plain), ...failureHeaders(429, limited) };
    for (const [name, reference] of Object.entries(references)) {
      expect(reference).toEqual({ $ref: `#/components/headers/${name}` });
      const type = name === 'retry-after' ? 'integer' : 'string';
      expect(headerComponents(references)[name]).toEqual({
        description: expect.stringMatching(/\w/),
        schema: { type },
      });
    }
  });
});
