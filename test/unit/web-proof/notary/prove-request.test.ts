import { describe, expect, it } from 'vitest';
import { writeRequest } from '../../../../core/web-proof/notarize/request-message.ts';
import {
  notarizeRequestSchema,
  parseHeaderLine,
  proveRequestSchema,
} from '../../../../core/web-proof/prove-request.ts';

const url = 'https://api.example.com/v1?x=1';
const written = (body: Record<string, unknown>) =>
  Buffer.from(writeRequest(notarizeRequestSchema.parse({ url, ...body })).bytes).toString();

describe('the prove request', () => {
  it('has the defaults of the specification', () => {
    const defaults = { method: 'GET', headers: [], maxRecvData: 92_160, redaction: [] };
    expect(proveRequestSchema.parse({ url })).toEqual({ url, ...defaults });
  });

  it('takes null for no body, as transcripts say it', () => {
    for (const schema of [proveRequestSchema, notarizeRequestSchema]) {
      for (const method of ['GET', 'POST', 'TRACE', 'CONNECT'])
        expect(schema.parse({ url, method, body: null })).toEqual(schema.parse({ url, method }));
    }
    expect(written({ method: 'POST', body: null })).toBe(written({ method: 'POST' }));
  });

  it.each([
    [{ headers: ['A: b', 'a:c', 'X-Empty:'] }],
    [{ headers: ['connection: close'] }],
    [{ headers: ['Cookie: a=b; c="d"', 'X: tab\tand żółć'] }],
    [{ maxRecvData: 1 }],
    [{ body: '' }],
    [{ body: 'ż'.repeat(131_072) }],
    [{ method: 'POST', body: 'x', redaction: [{ request: { headers: ['a'] } }] }],
    [{ method: 'TRACE', redaction: [{ response: { headers: ['a'] } }] }],
    [{ headers: Array(100).fill('a: b') }],
    [{ headers: [`a: ${'x'.repeat(8_189)}`] }],
    [{ url: `https://a.example/${'x'.repeat(8_174)}` }],
    [{ notaryUrl: 'x'.repeat(8_192) }],
    [{ url: 'https://api.example.com:8443/' }],
    [{ url: 'https://API.Example.com./' }],
    [{ url: 'https://żółć.example/' }],
    [{ notaryUrl: 'https://notary.example/v0.1.0-alpha.12' }],
  ])('may hold %j', (body) => {
    expect(proveRequestSchema.safeParse({ url, ...body }).success).toBe(true);
  });

  it.each([
    [{ url: undefined }],
    [{ url: 'ftp://api.example.com/' }],
    [{ url: 'https://0177.0.0.1/' }],
    [{ url: 'https://[::1]/' }],
    [{ url: 'https://a..example/' }],
    [{ url: `https://${'a'.repeat(64)}.example/` }],
    [{ method: 'get' }],
    [{ headers: { accept: 'x' } }],
    [{ headers: ['a: b\r\nx: y'] }],
    [{ headers: ['a\r\n: b'] }],
    [{ headers: Array(101).fill('a: b') }],
    [{ body: 5 }],
    [{ maxRecvData: 0 }],
    [{ maxRecvData: 92_161 }],
    [{ maxRecvData: 1.5 }],
    [{ max_recv_data: 100 }],
    [{ unknown: 1 }],
    [{ redaction: {} }],
    [{ method: 'TRACE', redaction: [{ request: { url_query_except: ['a'] } }] }],
  ])('must not hold %j', (body) => {
    expect(proveRequestSchema.safeParse({ url, ...body }).success).toBe(false);
  });
});

describe('a prove request that is refused', () => {
  const header = 'not of the form "Header-Name: value", or with control characters';
  const host = 'the host must be a DNS name: nothing else can be proven by a certificate';
  const credentials = 'the URL must not hold a user name or password';

  it.each([
    [{ url: '/path' }, ['url'], 'not a URL'],
    [{ url: 'http://a.test/' }, ['url'], 'only https URLs can be proven'],
    [{ url: 'https://u@a.test/' }, ['url'], credentials],
    [{ url: 'https://:p@a.test/' }, ['url'], credentials],
    [{ url: 'https://127.0.0.1/' }, ['url'], host],
    [{ headers: ['x'] }, ['headers', 0], header],
    [{ headers: ['a: b', 'a: \u007f'] }, ['headers', 1], header],
    [
      { headers: ['connection: upgrade'] },
      ['headers', 0],
      'the connection is always closed after one answer: leave the header connection out',
    ],
    ...'Host content-length transfer-encoding upgrade EXPECT trailer te keep-alive proxy-connection'
      .split(' ')
      .map(
        (name) =>
          [
            { headers: [`${name}: x`] },
            ['headers', 0],
            `the header ${name.toLowerCase()} is set by the prover`,
          ] as const,
      ),
    [{ body: '\ud800' }, ['body'], 'not well-formed text'],
    [{ body: 'ż'.repeat(131_073) }, ['body'], 'longer than 262144 bytes'],
    [{ method: 'TRACE', body: '' }, ['body'], 'TRACE has no body'],
    [{ method: 'CONNECT', body: 'x' }, ['body'], 'CONNECT has no body'],
    [
      { method: 'TRACE', redaction: [{ request: { headers: ['a'] } }] },
      ['redaction'],
      'TRACE makes the server repeat the request, so nothing of the request can be hidden',
    ],
  ] as const)('is told where and why: %#', (body, path, message) => {
    for (const schema of [proveRequestSchema, notarizeRequestSchema]) {
      expect(schema.safeParse({ url, ...body }).error?.issues).toMatchObject([{ path, message }]);
    }
  });

  it('has a bound just below', () => {
    const accepts = (body: object) => proveRequestSchema.safeParse({ url, ...body }).success;
    expect(accepts({ headers: [`a: ${'x'.repeat(8_190)}`] })).toBe(false);
    expect(accepts({ url: `https://a.example/${'x'.repeat(8_175)}` })).toBe(false);
    expect(accepts({ notaryUrl: 'x'.repeat(8_193) })).toBe(false);
    expect(notarizeRequestSchema.safeParse({ url, notaryUrl: 'https://notary.test' }).success).toBe(false);
  });

  it.each([
    ['A-b:c', { name: 'a-b', value: 'c' }],
    ['a: \t b \t c\t ', { name: 'a', value: 'b \t c' }],
    ['a:', { name: 'a', value: '' }],
    ['a: \t ', { name: 'a', value: '' }],
    ['a::b', { name: 'a', value: ':b' }],
    ['a: ~\u0080\u{10ffff}', { name: 'a', value: '~\u0080\u{10ffff}' }],
    ['a: \u00a0', { name: 'a', value: '\u00a0' }],
    [' a: b', null],
    ['(a: b', null],
    ['a b', null],
    ['a: \u001f', null],
    ['a: \u007f', null],
    ['a: \n', null],
    ['a: \udc00', null],
  ])('because of a header line, taken apart: %j', (line, expected) => {
    expect(parseHeaderLine(line)).toEqual(expected);
  });
});

describe('the request on the wire', () => {
  it('has the headers of the caller first, in lower case, then ours', () => {
    expect(written({ headers: ['X-B:  2 ', 'X-A: 1', 'Connection: Close'], method: 'PUT', body: 'ż' })).toBe(
      'PUT /v1?x=1 HTTP/1.1\r\nx-b: 2\r\nx-a: 1\r\nconnection: close\r\nhost: api.example.com\r\ncontent-length: 2\r\naccept-encoding: identity\r\n\r\nż',
    );
  });

  it.each([
    ['https://api.example.com', 'GET / HTTP/1.1', 'host: api.example.com'],
    ['https://api.example.com:443/a b?c=d e#f', 'GET /a%20b?c=d%20e HTTP/1.1', 'host: api.example.com'],
    ['https://API.example.com.:8443/', 'GET / HTTP/1.1', 'host: api.example.com:8443'],
    ['https://api.example.com/a/../b\\c', 'GET /b/c HTTP/1.1', 'host: api.example.com'],
    ['https://żółć.example/ż', 'GET /%C5%BC HTTP/1.1', 'host: xn--kda4b0koi.example'],
    ['https://api.example.com/\r\nx: y', 'GET /x:%20y HTTP/1.1', 'host: api.example.com'],
  ])('%s', (target, line, host) => {
    const lines = written({ url: target }).split('\r\n');
    expect(lines[0]).toBe(line);
    expect(lines).toContain(host);
  });

  it.each([
    ['GET', undefined, '', ''],
    ['GET', '', 'content-length: 0\r\n', ''],
    ['DELETE', 'abc', 'content-length: 3\r\n', 'abc'],
    ['POST', undefined, 'content-length: 0\r\n', ''],
    ['PATCH', undefined, 'content-length: 0\r\n', ''],
    ['PUT', 'abc', 'content-length: 3\r\n', 'abc'],
  ])('%s with the body %j says its length where there may be one', (method, body, length, shown) => {
    expect(written({ method, body })).toBe(
      `${method} /v1?x=1 HTTP/1.1\r\nconnection: close\r\nhost: api.example.com\r\n${length}accept-encoding: identity\r\n\r\n${shown}`,
    );
  });

  it('leaves the coding to a caller who names one', () => {
    expect(written({ headers: ['X-A: 1', 'Accept-Encoding: gzip'] })).toBe(
      'GET /v1?x=1 HTTP/1.1\r\nx-a: 1\r\naccept-encoding: gzip\r\nconnection: close\r\nhost: api.example.com\r\n\r\n',
    );
  });

  it('says where it goes: name without the trailing dot, and port', () => {
    const target = (address: string) => writeRequest(notarizeRequestSchema.parse({ url: address }));
    expect(target('https://API.example.com.')).toMatchObject({ serverName: 'api.example.com', port: 443 });
    expect(target('https://api.example.com:8443')).toMatchObject({ serverName: 'api.example.com', port: 8443 });
  });

  it('names the authority with CONNECT', () => {
    expect(written({ method: 'CONNECT' })).toMatch(/^CONNECT api\.example\.com:443 HTTP\/1\.1\r\n/);
    expect(written({ method: 'CONNECT', url: 'https://a.example:8443/x' })).toMatch(/^CONNECT a\.example:8443 HTTP/);
  });
});
