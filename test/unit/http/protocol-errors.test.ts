import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { clientErrorListener } from '../../../plugins/http/protocol-errors.ts';
import { hostRefusal, linkableHost } from '../../../plugins/http/request-headers.ts';
import { testDispatcher } from './requests.ts';

/** A connection that remembers what was written to it. */
class Connection extends EventEmitter {
  writable = true;
  destroyed = false;
  sent: string | null = null;
  end(text: string, done: () => void): void {
    this.sent = text;
    done();
  }
  destroy(): void {
    this.destroyed = true;
  }
}

describe('what the HTTP parser refuses', () => {
  const refuse = (code: string, connection = new Connection()): Connection => {
    const error = Object.assign(new Error('x'), { code });
    clientErrorListener(testDispatcher())(error, connection as unknown as Duplex);
    return connection;
  };

  it.each([
    ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout', 'REQUEST_TIMEOUT', 'in time'],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large', 'PAYLOAD_TOO_LARGE', 'extensions of a chunk'],
  ])('is answered in the documented form and ends the connection: %s', (code, status, documented, words) => {
    const { sent, destroyed } = refuse(code);
    const [head = '', body = ''] = String(sent).split('\r\n\r\n');
    const [first, ...headers] = head.split('\r\n');
    expect(first).toBe(`HTTP/1.1 ${status}`);
    expect(headers).toContain('connection: close');
    expect(headers).toContain('content-type: application/json; charset=utf-8');
    expect(headers).toContain(`content-length: ${Buffer.byteLength(body)}`);
    const { error } = JSON.parse(body);
    expect(error).toMatchObject({ code: documented, message: expect.stringContaining(words) });
    expect(headers).toContain(`x-request-id: ${error.requestId}`);
    expect(destroyed).toBe(true);
  });

  it('is logged, with as much as is known of it', () => {
    const dispatcher = testDispatcher();
    const error = Object.assign(new Error('x'), { code: 'HPE_INVALID_METHOD' });
    clientErrorListener(dispatcher)(error, new Connection() as unknown as Duplex);
    expect(dispatcher.lines).toMatchObject([{ facts: { method: 'UNKNOWN', status: 400, code: 'INVALID_REQUEST' } }]);
  });

  it('gets no answer when the connection cannot carry one', () => {
    expect(refuse('ECONNRESET')).toMatchObject({ sent: null, destroyed: true });
    const closed = new Connection();
    closed.writable = false;
    expect(refuse('HPE_INVALID_METHOD', closed)).toMatchObject({ sent: null, destroyed: true });
  });
});

describe('the Host header', () => {
  const LONGEST = `${'a'.repeat(63)}.`.repeat(4).slice(0, 253);
  const refusalOf = (host: string) => hostRefusal({ httpVersion: '1.1', rawHeaders: ['Host', host] });

  it.each([
    ...['localhost:3000', 'my_app-1:80', 'example.com.', 'xn--mnchen-3ya.de', 'a:'],
    ...['127.0.0.1', '[2001:db8::1]:8080', '[::ffff:1.2.3.4]', `${LONGEST}:65535`],
  ])('may be %s', (host) => {
    expect(refusalOf(host)).toBeNull();
    expect(linkableHost(host)).toBe(host);
  });

  it.each([
    ...['', 'a?b', 'a\\b', '"', '%00', 'm\u00fcnchen.de', 'a:65536', 'a:000080', 'a:b', 'a:1:2'],
    ...['::1', '[::1]a', '[1.2.3.4]', '[:::]', '[fe80::1%25eth0]', '..', '256.1.1.1', '0x100000000', `${LONGEST}a`],
    'javascript:alert(1)//',
  ])('may not be %j', (host) => {
    const refusal = { code: 'INVALID_REQUEST', message: expect.stringContaining('a name or an address') };
    expect(refusalOf(host)).toMatchObject(refusal);
    expect(() => linkableHost(host)).toThrow(expect.objectContaining(refusal));
  });
});
