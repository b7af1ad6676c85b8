import { describe, expect, it } from 'vitest';
import { alteringHeader } from '../../../../core/web-proof/http/altering-headers.ts';
import { proveRequestSchema } from '../../../../core/web-proof/prove.ts';

const PART = 'a part of the resource';
const CONDITION = 'an answer on a condition';
const METHOD = 'another method';
const URL_ = 'another URL';

describe('a request header that changes what is asked for', () => {
  it.each([
    ['range', PART],
    ['If-Range', PART],
    ['request-range', PART],
    ['x-range', PART],
    ['x-ms-range', PART],
    ['a-im', PART],
    ['if-none-match', CONDITION],
    ['if-modified-since', CONDITION],
    ['X-HTTP-Method-Override', METHOD],
    ['x_http_method_override', METHOD],
    ['x-method-override', METHOD],
    ['http-method-override', METHOD],
    ['x-http-method', METHOD],
    ['x-method', METHOD],
    ['x-http-verb-override', METHOD],
    ['x-forwarded-method', METHOD],
    ['x-original-method', METHOD],
    ['x-original-url', URL_],
    ['X_ORIGINAL_URL', URL_],
    ['x-original-uri', URL_],
    ['x-original-path', URL_],
    ['x-original-host', URL_],
    ['x-rewrite-url', URL_],
    ['x-rewrite-uri', URL_],
    ['x-override-url', URL_],
    ['x-host-override', URL_],
    ['x-http-host-override', URL_],
    ['x-http-path-override', URL_],
    ['x-http-destinationurl', URL_],
    ['x-envoy-original-path', URL_],
    ['x-request-uri', URL_],
    ['request-uri', URL_],
    ['x-proxy-url', URL_],
    ['x-host', URL_],
    ['x-url', URL_],
    ['x-forwarded-host', URL_],
    ['x-forwarded-proto', URL_],
    ['x-forwarded-prefix', URL_],
    ['x-forwarded-path', URL_],
    ['x-forwarded-uri', URL_],
    ['x-forwarded-server', URL_],
    ['x-forwarded-port', URL_],
    ['forwarded', URL_],
  ])('%s asks for %s, and is refused by prove', (name, what) => {
    expect(alteringHeader(name)).toBe(what);
    const { error } = proveRequestSchema.safeParse({ url: 'https://a.test/', headers: [`${name}: x`] });
    expect(error?.issues[0]).toMatchObject({
      path: ['headers', 0],
      message: expect.stringContaining(`${name.toLowerCase()} is refused: it asks for ${what}`),
    });
  });

  it.each([
    'accept',
    'accept-ranges',
    'accept-encoding',
    'access-control-request-method',
    'access-control-request-headers',
    'authorization',
    'content-type',
    'cookie',
    'origin',
    'prefer',
    'referer',
    'user-agent',
    'x-api-key',
    'x-csrf-token',
    'x-forwarded-for',
    'x-xp-forwarded-for',
    'if-match',
    'if-unmodified-since',
    'x-real-ip',
    'x-request-id',
    'x-requested-with',
    'x-ig-app-id',
    'if',
  ])('is not %s', (name) => {
    expect(alteringHeader(name)).toBeNull();
    expect(proveRequestSchema.safeParse({ url: 'https://a.test/', headers: [`${name}: x`] }).success).toBe(true);
  });
});
