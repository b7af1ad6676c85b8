import { describe, expect, it } from 'vitest';
import { createNotFound, dialectOfPath } from '../../../plugins/http/not-found.ts';
import type { Route } from '../../../plugins/http/route.ts';

const rows = [
  { method: 'GET', path: '/brands/{brandId}' },
  { method: 'DELETE', path: '/brands/{brandId}' },
  { method: 'GET', path: '/api/v2.0/evm' },
  { method: 'PUT', path: '/a(b)[c]/{id}/d+' },
] as Route[];

describe('createNotFound', () => {
  it('tells an unknown path from a known one with another method', () => {
    const refuse = createNotFound(rows);
    expect(refuse('POST', '/brands/7')).toMatchObject({
      code: 'METHOD_NOT_ALLOWED',
      status: 405,
      details: { allow: ['GET', 'HEAD', 'DELETE'] },
    });
    expect(refuse('GET', '/a(b)[c]/7/d+').details).toEqual({ allow: ['PUT'] });
    expect(refuse('PUT', '/brands/7').message).toContain('GET, HEAD, DELETE');
    for (const path of ['/brands', '/brands/', '/brands/7/x', '/x', '/x/brands/7', '/api/v2x0/evm', '/ab[c]/7/dd']) {
      expect(refuse('GET', path), path).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    }
  });
});

describe('dialectOfPath', () => {
  it.each([
    ['/api/v2.0/nowhere', 'v2'],
    ['/api/v2.0/evm/guest-id?x=1', 'v2'],
    ['/api/v1/verify', 'v1'],
    ['/v1/stats', 'engagement'],
    ['/api/v2x0/verify', 'engagement'],
    ['/x/api/v2.0/verify', 'engagement'],
  ])('answers %s as %s', (path, dialect) => {
    expect(dialectOfPath(path)).toBe(dialect);
  });
});
