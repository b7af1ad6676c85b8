/** Bytes on the wire that reach no route: the documented error body, on both hosts. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HOST_KINDS } from '../support/hosts.ts';
import { instanceOfBlock } from '../support/instance.ts';

const CRLF = '\r\n';
const lines = (...parts: readonly string[]) => `${parts.join(CRLF)}${CRLF}${CRLF}`;

describe.each(HOST_KINDS)('on %s', (host) => {
  const instance = instanceOfBlock({ host });

  function open(): Socket {
    return connect(Number(new URL(instance.baseUrl).port), '127.0.0.1');
  }

  /** Everything that comes back until the host closes the connection. */
  async function exchange(...sent: readonly string[]): Promise<string> {
    const socket = open();
    for (const text of sent) socket.write(text);
    let received = '';
    for await (const chunk of socket) received += (chunk as Buffer).toString('latin1');
    return received;
  }

  function expectError(received: string, status: number, code: string): void {
    const [head = '', body = ''] = received.split(`${CRLF}${CRLF}`);
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head.toLowerCase()).toContain('content-type: application/json; charset=utf-8');
    expect(head.toLowerCase()).toContain('connection: close');
    const { error } = JSON.parse(body) as { error: { code: string; requestId: string } };
    expect(error.code).toBe(code);
    expect(head.toLowerCase()).toContain(`x-request-id: ${error.requestId}`);
  }

  it.each([
    ['not HTTP', 'HELLO'],
    ['a wrong version', 'GET /healthz HTTP/9.9'],
    ['a space in a header name', `GET /healthz HTTP/1.1${CRLF}Host: a${CRLF}x y: z`],
    ['two lengths', `POST /admin/brands HTTP/1.1${CRLF}Host: a${CRLF}Content-Length: 1${CRLF}Content-Length: 2`],
    [
      'a length and chunks',
      `POST /admin/brands HTTP/1.1${CRLF}Host: a${CRLF}Content-Length: 1${CRLF}Transfer-Encoding: chunked`,
    ],
  ])('answers what the parser refuses with the error body: %s', async (_what, head) => {
    expectError(await exchange(lines(head)), 400, 'INVALID_REQUEST');
  });

  it('says nothing of a body that the client has, which caches would keep as its type and length', async () => {
    const [script] = (await exchange(get('/docs', 'Host: a'))).match(/docs\/scripts\/[\w.-]+/) ?? [];
    const [head, body] = (await exchange(get(`/${script}`, 'Host: a', 'If-None-Match: *'))).split(`${CRLF}${CRLF}`);
    expect(head).toMatch(/^HTTP\/1\.1 304 /);
    expect(head).toMatch(/^etag: /m);
    expect(head).not.toMatch(/^content-/im);
    expect(body).toBe('');
  });

  const junk = [
    ['not HTTP', lines('\0')],
    ['a header that is too large', lines('GET /healthz HTTP/1.1', 'Host: a', `x: ${'x'.repeat(20_000)}`)],
  ] as const;

  it.each(junk)(
    'answers a request whole before it ends the connection for what follows it: %s',
    async (what, after) => {
      const token = `Authorization: Bearer ${instance.adminToken}`;
      for (const pieces of ['one', 'two']) {
        const body = JSON.stringify({ name: 'Before', slug: `before-${what.length}-${pieces}-${host}` });
        const type = ['Content-Type: application/json', `Content-Length: ${body.length}`];
        const made = lines('POST /admin/brands HTTP/1.1', 'Host: a', token, ...type) + body;
        const received = await (pieces === 'one' ? exchange(made + after) : exchange(made, after));
        expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201']);
        expect(received).toMatch(/"slug":"before-[^{}]*\}\}$/);
      }
      const list = lines('GET /openapi.json HTTP/1.1', 'Host: a');
      const [head = '', document = ''] = (await exchange(list + after)).split(`${CRLF}${CRLF}`);
      expect(head).toMatch(/^HTTP\/1\.1 200 /);
      expect(JSON.parse(Buffer.from(document, 'latin1').toString())).toHaveProperty('paths');
    },
  );

  it('answers headers that are too large with 431', async () => {
    const large = lines('GET /healthz HTTP/1.1', 'Host: a', `x: ${'x'.repeat(20_000)}`);
    expectError(await exchange(large), 431, 'HEADERS_TOO_LARGE');
  });

  const get = (path: string, ...headers: readonly string[]) =>
    lines(`GET ${path} HTTP/1.1`, ...headers, 'Connection: close');

  it.each(['/healthz', '/no/such/path'])('refuses two Host headers, and none: %s', async (path) => {
    expectError(await exchange(get(path, 'Host: a', 'host: b')), 400, 'INVALID_REQUEST');
    expectError(await exchange(get(path, 'Host: a', 'HOST: a')), 400, 'INVALID_REQUEST');
    expectError(await exchange(get(path)), 400, 'INVALID_REQUEST');
  });

  it.each(['/healthz', '/docs', '/openapi.json', '/no/such/path'])('refuses a Host that is none: %s', async (path) => {
    for (const host of ['', 'a b', 'a/b', 'a@b', '<script>', 'a:99999', '[::1', 'a, b', '1.2.3.4.5']) {
      expectError(await exchange(get(path, `Host: ${host}`)), 400, 'INVALID_REQUEST');
    }
  });

  it('refuses two Authorization headers', async () => {
    const own = `Authorization: Bearer ${instance.adminToken}`;
    expect(await exchange(get('/admin/brands', 'Host: a', own))).toMatch(/^HTTP\/1\.1 200 /);
    expectError(await exchange(get('/admin/brands', 'Host: a', own, own)), 400, 'INVALID_REQUEST');
  });

  it('makes no links without a Host', async () => {
    expectError(await exchange(lines('GET /docs HTTP/1.0')), 400, 'INVALID_REQUEST');
  });

  it('accepts one Host header, and none in HTTP/1.0', async () => {
    expect(await exchange(get('/healthz', 'Host: a'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchange(lines('GET /healthz HTTP/1.0'))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    ['a host and a port', 'example.com:443', 404, 'NOT_FOUND'],
    ['a path of a route', '/admin/brands', 405, 'METHOD_NOT_ALLOWED'],
  ])('refuses a tunnel to %s', async (_what, target, status, code) => {
    const asked = lines(`CONNECT ${target} HTTP/1.1`, 'Host: a');
    expectError(await exchange(asked), status, code);
    // What a hasty client sends after it is no reason to lose the answer.
    expectError(await exchange(asked, 'x'.repeat(100_000)), status, code);
    expectError(await exchange(lines(`CONNECT ${target} HTTP/1.1`, 'Host: a', 'Host: b')), 400, 'INVALID_REQUEST');
  });

  it('disconnects a client that keeps its side of a refused tunnel open', async () => {
    const socket = connect({ port: Number(new URL(instance.baseUrl).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.write(lines('CONNECT example.com:443 HTTP/1.1', 'Host: a'));
    socket.resume();
    await once(socket, 'end');
    const closed = once(socket, 'error');
    const sending = setInterval(() => socket.write('x'), 20);
    await closed.finally(() => clearInterval(sending));
  });

  it('answers the request before a tunnel, or ends the connection', async () => {
    const both = await exchange(lines('GET /healthz HTTP/1.1', 'Host: a') + lines('CONNECT a:1 HTTP/1.1', 'Host: a'));
    expect(both).not.toMatch(/^HTTP\/1\.1 404 /);
  });

  describe('Expect: 100-continue', () => {
    const post = (length: number, token: string, expectation = '100-continue') =>
      lines(
        'POST /admin/brands HTTP/1.1',
        'Host: a',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        `Content-Length: ${length}`,
        `Expect: ${expectation}`,
      );

    it('asks for the body once it will be read, and keeps the connection', async () => {
      const body = JSON.stringify({ name: 'Expected', slug: `expected-${host}` });
      const socket = open();
      socket.write(post(body.length, instance.adminToken));
      let received = '';
      for await (const chunk of socket) {
        received += (chunk as Buffer).toString('latin1');
        if (received === `HTTP/1.1 100 Continue${CRLF}${CRLF}`) socket.write(body);
        if (received.includes('"slug"')) socket.write(get('/healthz', 'Host: a'));
      }
      expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
      expect(received).toMatch(/HTTP\/1\.1 200 .*"status"/s);
    });

    it('refuses a body over the limit before it is sent', async () => {
      expectError(await exchange(post(100 * 1024 * 1024, instance.adminToken)), 413, 'PAYLOAD_TOO_LARGE');
    });

    it('refuses a caller without a token before the body is sent', async () => {
      expectError(await exchange(post(10, 'nobody')), 401, 'UNAUTHORIZED');
    });

    it('refuses other expectations', async () => {
      expectError(await exchange(post(10, instance.adminToken, 'tea')), 417, 'EXPECTATION_FAILED');
    });
  });
});
