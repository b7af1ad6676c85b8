import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseEnd } from '../../../../core/web-proof/notarize/response-end.ts';
import type { ProvableMethod } from '../../../../core/web-proof/prove-request.ts';
import { runs } from '../../../support/property-runs.ts';

/** Number of bytes after which the response was complete; null when it never was. */
function completeAfter(bytes: Buffer, steps: readonly number[], method: ProvableMethod = 'GET'): number | null {
  const end = createResponseEnd(method);
  let at = 0;
  for (const step of [...steps, ...Array(bytes.length).fill(1)]) {
    at = Math.min(at + step, bytes.length);
    if (end.isComplete(bytes.subarray(0, at))) return at;
  }
  return null;
}

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('the end of a response', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc', 'GET'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 'GET'],
    ['HTTP/1.1 204 No Content\r\n\r\n', 'GET'],
    ['HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', 'GET'],
    ['HTTP/1.1 101 Switching Protocols\r\n\r\n', 'GET'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 'HEAD'],
    ['HTTP/1.1 200 OK\r\n\r\n', 'CONNECT'],
    ['HTTP/1.1 299 OK\r\nContent-Length: 3\r\n\r\n', 'CONNECT'],
    ['HTTP/1.1 300 Choices\r\nContent-Length: 3\r\n\r\nabc', 'CONNECT'],
    ['HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nabc', 'CONNECT'],
    ['HTTP/1.1 199 Early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 'CONNECT'],
    [
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx',
      'GET',
    ],
    [`${CHUNKED}0\r\n\r\n`, 'GET'],
    [`${CHUNKED}3;a=b\r\nabc\r\nA\r\n0123456789\r\n000\r\n\r\n`, 'GET'],
    [`${CHUNKED}10\r\n0123456789abcdef\r\n0\r\n\r\n`, 'GET'],
    [`${CHUNKED}1\r\n0\r\n0\r\nX-Trailer: 1\r\nY: 2\r\n\r\n`, 'GET'],
    [`${CHUNKED}4\r\n\r\n\r\n\r\n0\r\n\r\n`, 'GET'],
  ] as const)('is found exactly: %j', (text, method) => {
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 20 }), (steps) => {
        expect(completeAfter(bytes, steps, method)).toBe(bytes.length);
      }),
      runs(50),
    );
    expect(completeAfter(bytes, [bytes.length], method)).toBe(bytes.length);
    expect(completeAfter(bytes.subarray(0, -1), [], method)).toBeNull();
  });

  it.each([
    ['HTTP/1.1 200 OK\r\n\r\nabc', 'GET'],
    ['HTTP/1.1 200 OK\r\n\r\nabc\r\n\r\n', 'OPTIONS'],
    // Whether it is well-formed, the parser says.
    ['no status line\r\n\r\nabc', 'CONNECT'],
    ['xHTTP/1.1 204 No Content\r\n\r\nabc', 'GET'],
    ['HTTP/1.1 099 Odd\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 'CONNECT'],
  ] as const)('is the end of the connection when no length is told: %j', (text, method) => {
    const end = createResponseEnd(method);
    expect(end.isComplete(Buffer.from('HTTP'))).toBe(false);
    expect(end.endsWithConnection).toBe(false);
    expect(end.isComplete(Buffer.from(text))).toBe(false);
    expect(end.endsWithConnection).toBe(true);
  });

  it('is not the end of the connection where a length is told', () => {
    for (const head of [CHUNKED, 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n']) {
      const end = createResponseEnd('GET');
      expect(end.isComplete(Buffer.from(head))).toBe(false);
      expect(end.endsWithConnection).toBe(false);
    }
  });

  it.each(['\r\nB: c\r\n', 'b\r\n', '\r\nb'])('is an empty line, not %j', (ending) => {
    expect(completeAfter(Buffer.from(`${CHUNKED}0\r\nA: b${ending}`), [])).toBeNull();
  });

  it.each([
    ['a bare LF in a trailer', '0\r\nA: b\n', 'Z: y\r\n'],
    ['a bare CR in a trailer', '0\r\nA: b\rZ', ': y\r\n'],
    ['a bare LF behind the trailers', '0\r\nA: b\r\n\n', ''],
    ['a bare LF behind a size', '3\n', 'abc\n0\n\n'],
    ['a bare LF behind the last size', '0\n', '\n'],
    ['a bare LF behind a chunk', '3\r\nabc\n0', '\r\n\r\n'],
    ['more bytes in a chunk than its size', '3\r\nabcde', '\r\n0\r\n\r\n'],
  ])('leaves %s to the parser instead of waiting for what never comes', (_title, until, rest) => {
    expect(completeAfter(Buffer.from(`${CHUNKED}${until}${rest}`), [])).toBe(CHUNKED.length + until.length);
  });

  it.each([
    ['no number', 'zz\r\n', 4],
    ['something before the number', 'zz1\r\n', 5],
    ['a line that does not end', '1'.repeat(2_000), 1_025],
    ['a line that does not end, later', `1\r\na\r\n${'1'.repeat(2_000)}`, 6 + 1_025],
  ])(
    'leaves a size of a chunk that is malformed to the parser instead of waiting for it: %s',
    (_title, text, after) => {
      expect(completeAfter(Buffer.from(`${CHUNKED}${text}`), [])).toBe(CHUNKED.length + after);
    },
  );

  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n', 'content-length is not a number'],
    ['HTTP/1.1 200 OK\n', 'a line does not end with CRLF \\(at byte 15\\)'],
    ['HTTP/1.1 200 OK\r\nA: b\nC: d\n\n', 'a line does not end with CRLF \\(at byte 21\\)'],
    ['HTTP/1.1 200 OK\r\nA: b\rC', 'a line does not end with CRLF \\(at byte 21\\)'],
    ['HTTP/1.1 200 OK\r\n\n', 'a line does not end with CRLF \\(at byte 17\\)'],
    ['\n', 'a line does not end with CRLF \\(at byte 0\\)'],
    ['HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'a header has no colon'],
  ])('refuses a malformed head: %j', (text, message) => {
    expect(() => createResponseEnd('GET').isComplete(Buffer.from(text))).toThrow(
      expect.objectContaining({
        code: 'INTERNAL_SERVER_ERROR',
        message: expect.stringMatching(new RegExp(`response.*${message}`)),
      }),
    );
  });

  it.each([
    ['HTTP/1.1 200 OK\r\n\r\n', 'CONNECT', 19],
    ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc', 'CONNECT', 63],
    ['HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nabc', 'CONNECT', undefined],
    ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc', 'GET', undefined],
    ['HTTP/1.1 204 No Content\r\n\r\n', 'GET', undefined],
  ] as const)('is where a tunnel begins, if one does: %j to %s', (text, method, tunnelStart) => {
    const end = createResponseEnd(method);
    expect(end.tunnelStart).toBeUndefined();
    expect(end.isComplete(Buffer.from(text))).toBe(true);
    expect(end.tunnelStart).toBe(tunnelStart);
  });
});
