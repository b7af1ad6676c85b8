import { describe, expect, it } from 'vitest';
import { alteringHeader } from '../../../../core/web-proof/http/altering-headers.ts';
import { proveRequestSchema } from '../../../../core/web-proof/prove.ts';

describe('a request header that changes what is asked for', () => {
  it.each([
    [
      'a part of the resource',
      'range If-Range request-range x-ms-range a-im range-unit X-Content-Range TimeSeekRange.dlna.org',
    ],
    ['an older version of the resource', 'Accept-Datetime x_accept_datetime'],
    ['an answer on a condition', 'if-none-match if-modified-since'],
    [
      'another method',
      'X-HTTP-Method-Override http-method-override x-http-verb-override _METHOD x-method x-http-method ' +
        'x-requested-method x-original-method x-envoy-original-method x-forwarded-method',
    ],
    [
      'another URL',
      'x-original-url X_ORIGINAL_URL x-rewrite-uri x-override-url http-host-override x-http-destinationurl x-url ' +
        'x-request-uri x-requested-url x-target-url x-upstream-host x-destination-path x-envoy-original-dst-host ' +
        'x-forward-host x-path-info x-pathinfo x-original-query x-query-string x-original-query-string script-name ' +
        'x-server-name x-scheme x-url-scheme front-end-https base-url x-full-path x-proxy-url x-forwarded-host ' +
        'x-forwarded-proto x-forwarded-prefix x-forwarded-server x-forwarded-port forwarded',
    ],
    ['another body', 'content_length Transfer_Encoding'],
  ])('asks for %s, and is refused by prove: %s', (what, names) => {
    for (const name of names.split(' ')) {
      expect(alteringHeader(name), name).toBe(what);
      const { error } = proveRequestSchema.safeParse({ url: 'https://a.test/', headers: [`${name}: x`] });
      expect(error?.issues[0]).toMatchObject({
        path: ['headers', 0],
        message: expect.stringContaining(`${name.toLowerCase()} is refused: it asks for ${what}`),
      });
    }
  });

  it.each([
    'accept-ranges x-arrange accept-encoding accept-language if if-match if-unmodified-since',
    'access-control-request-method access-control-request-headers x-requested-with x-request-id x-request-start',
    'x-forwarded-for x-xp-forwarded-for x-real-ip origin referer user-agent sec-fetch-mode sec-fetch-dest prefer',
  ])('is none of %s', (names) => {
    for (const name of names.split(' ')) {
      expect(alteringHeader(name), name).toBeNull();
      expect(proveRequestSchema.safeParse({ url: 'https://a.test/', headers: [`${name}: x`] }).success).toBe(true);
    }
  });
});
