import { describe, expect, it } from 'vitest';
import { isDomainError } from '../../../../core/errors.ts';
import { parseRequest } from '../../../../core/web-proof/http/parse-request.ts';
import { parseResponse } from '../../../../core/web-proof/http/parse-response.ts';
import { allVisible } from '../../../../core/web-proof/tlsnotary/visible-bytes.ts';
import { marked } from '../../../support/hidden-parts.ts';

const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const textOf = (bytes: Uint8Array) => String.fromCharCode(...bytes);

const request = (text: string) => parseRequest(marked(text));
const response = (text: string, method = 'GET') => parseResponse(marked(text), method);
const lines = (message: { headers: readonly { name: string; value: string; opaque: boolean }[] }) =>
  message.headers.map(({ name, value, opaque }) => (opaque ? name : `${name}: ${value}`));

function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (isDomainError(error, 'INTERNAL_SERVER_ERROR')) return error.message;
    throw error;
  }
  return 'accepted';
}

const head = (...lines: string[]) => [...lines, '', ''].join('\r\n');
const get = (...headers: string[]) => head('GET / HTTP/1.1', ...headers);
const put = (header: string, body = '') => `${head('PUT / HTTP/1.1', header)}${body}`;
const chunked = (body: string) => `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}${body}`;
const NO_REQUEST_LINE = 'the request line is not "METHOD target HTTP/1.1" (at byte 0).';
const NO_STATUS_LINE = 'the status line is not "HTTP/1.1 status reason", or is hidden (at byte 0).';
const ONE_LENGTH = 'content-length and transfer-encoding may appear only once and not together.';
const NO_NUMBER = 'content-length is not a number.';

describe('requests', () => {
  it('have method, target, version, lower-cased headers in order, body and raw bytes', () => {
    const text = 'POST /a?b=c HTTP/1.1\r\nHost: a.test\r\nX-A: 1\r\nx-a:  2 \t\r\nContent-Length: 4\r\n\r\nbody';
    const parsed = request(text);
    expect(parsed).toMatchObject({ method: 'POST', target: '/a?b=c', version: 'HTTP/1.1' });
    expect(lines(parsed)).toEqual(['host: a.test', 'x-a: 1', 'x-a: 2', 'content-length: 4']);
    expect(textOf(parsed.body.bytes)).toBe('body');
    expect(textOf(parsed.raw)).toBe(text);
    const [host] = parsed.headers;
    expect(text.slice(host?.valueRange.start, host?.valueRange.end)).toBe('a.test');
    expect(text.slice(parsed.targetRange.start, parsed.targetRange.end)).toBe('/a?b=c');
  });

  it('show hidden bytes as X, one for one, and do not lower-case them', () => {
    const parsed = request(
      'GET /me?token=«abc»&d HTTP/1.1\r\nAuthorization: «secret»\r\n«X-Key: 12»\r\nX-«Na»me: v\r\nCoo«kie: a=1»\r\n\r\n',
    );
    expect(parsed.target).toBe('/me?token=XXX&d');
    expect(lines(parsed)).toEqual(['authorization: XXXXXX', 'XXXXXXXXX', 'x-XXme: v', 'CooXXXXXXXX']);
    expect(textOf(parsed.raw)).toContain('Authorization: XXXXXX\r\nXXXXXXXXX\r\n');
    expect(textOf(parsed.raw)).not.toContain('secret');
  });

  it('read values that are not ASCII as UTF-8, or else as Latin-1', () => {
    const parsed = request('GET / HTTP/1.1\r\nA: \xc3\xbc\r\nB: \xfc\r\n\r\n');
    expect(lines(parsed)).toEqual(['a: ü', 'b: ü']);
  });

  it('may be in other forms', () => {
    expect(request('OPTIONS * HTTP/1.1\r\n\r\n').target).toBe('*');
    expect(request('CONNECT a.test:443 HTTP/1.1\r\n\r\n').target).toBe('a.test:443');
    expect(request('GET https://a.test/ HTTP/1.0\r\n\r\n').version).toBe('HTTP/1.0');
    expect(textOf(request('PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n').body.bytes)).toBe(
      'hi',
    );
  });

  it.each([
    ['nothing', '', 'a line is cut short (at byte 0).'],
    ['no version', 'GET /\r\n\r\n', NO_REQUEST_LINE],
    ['a method that is no token', head('G@T / HTTP/1.1'), NO_REQUEST_LINE],
    ['a hidden version', head('GET / HTTP/1.«1»'), NO_REQUEST_LINE],
    ['a target that is not ASCII', head('GET /\xe9 HTTP/1.1'), NO_REQUEST_LINE],
    ['a hidden end of the method', head('GE«T» / HTTP/1.1'), 'method or version are hidden (at byte 0).'],
    ['the end of the head hidden', 'GET / HTTP/1.1\r\nA: b\r\n«\r\n»', 'a line is cut short (at byte 22).'],
    ['bare LF in a header', get('A: b\nC: d'), 'a line does not end with CRLF (at byte 20).'],
    ['bare CR', get('A: b\rC: d'), 'a line does not end with CRLF (at byte 20).'],
    ['a header folded with a tab', get('\tA: b'), 'a header line is folded (at byte 16).'],
    ['a space before the colon', get('A : b'), 'a header name is not a token (at byte 16).'],
    ['a header without colon', get('ab'), 'a header has no colon (at byte 16).'],
    ['a DEL in a value', get('A: b\x7f'), 'a header line holds a control character (at byte 20).'],
    ['a control character below the space', get('A: \x1f'), 'a header line holds a control character (at byte 19).'],
    ['bytes after a request without body', get() + get(), 'bytes follow a message that has no body (at byte 18).'],
    ['a long body', put('Content-Length: 1', 'hi'), 'bytes follow the end of the body (at byte 38).'],
    ['two framings', put('Content-Length: 12\r\nTransfer-Encoding: chunked', '2\r\nhi\r\n0\r\n\r\n'), ONE_LENGTH],
    ['two content-lengths', put('Content-Length: 2\r\nContent-Length: 2', 'hi'), ONE_LENGTH],
    ['a signed content-length', put('Content-Length: +2', 'hi'), NO_NUMBER],
    ['a content-length of many digits', put(`Content-Length: ${'0'.repeat(16)}`), NO_NUMBER],
    [
      'a hidden transfer-encoding',
      put('Transfer-Encoding: «chunked»', '0\r\n\r\n'),
      'transfer-encoding is hidden, so the body has no known end (at byte 16).',
    ],
    [
      'another transfer coding',
      put('Transfer-Encoding: gzip, chunked', '0\r\n\r\n'),
      'no transfer coding other than chunked is supported.',
    ],
    [
      'transfer-encoding in HTTP/1.0',
      put('Transfer-Encoding: chunked', '0\r\n\r\n').replace('/1.1', '/1.0'),
      'transfer-encoding does not exist in HTTP/1.0.',
    ],
    ['too many headers', get(...Array(1_001).fill('a: b')), 'more than 1000 headers (at byte 6016).'],
    [
      'a line at the limit of lines',
      get(`a: ${'b'.repeat(262_142)}`),
      'more than 262144 header bytes (at byte 262163).',
    ],
    ['a line just beyond it', get(`a: ${'b'.repeat(262_143)}`), 'a line is too long (at byte 16).'],
    [
      'many header bytes',
      get(...Array(257).fill(`a: ${'b'.repeat(1_019)}`)),
      'more than 262144 header bytes (at byte 263184).',
    ],
  ])('are refused with %s', (_what, text, reason) => {
    expect(refusal(() => request(text))).toBe(`Transcript parsing failed: request: ${reason}`);
  });
});

describe('limits that are kept', () => {
  it('1000 headers are read, and 16 interim responses', () => {
    expect(request(`GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(1_000)}\r\n`).headers).toHaveLength(1_000);
    const interim = 'HTTP/1.1 199 Wait\r\n\r\n';
    expect(response(`${interim.repeat(16)}HTTP/1.1 200 OK\r\n\r\n`).status).toBe(200);
    expect(refusal(() => response(`${interim.repeat(17)}HTTP/1.1 200 OK\r\n\r\n`))).toContain('16 interim');
  });
});

describe('header values', () => {
  it('stand where their range says, without blanks, and may be empty', () => {
    const text = 'GET / HTTP/1.1\r\nA:\r\nB: \t \r\nC:\t c\td \t\r\n\r\n';
    const { headers } = request(text);
    expect(headers.map(({ value }) => value)).toEqual(['', '', 'c\td']);
    expect(headers.every(({ valueRange: { start, end } }) => start <= end)).toBe(true);
    expect(headers.map(({ valueRange: { start, end } }) => text.slice(start, end))).toEqual(['', '', 'c\td']);
    expect(headers.map(({ nameRange: { start, end } }) => text.slice(start, end))).toEqual(['A', 'B', 'C']);
    expect(headers.map(({ line: { start, end } }) => text.slice(start, end))).toEqual(['A:', 'B: \t ', 'C:\t c\td \t']);
  });

  it('are empty, behind the line, where the colon is hidden', () => {
    const [header] = request('GET / HTTP/1.1\r\nC\xc3\xbc«kie: a=1»\r\n\r\n').headers;
    expect(header).toEqual({
      name: 'CüXXXXXXXX',
      value: '',
      opaque: true,
      line: { start: 16, end: 27 },
      nameRange: { start: 16, end: 27 },
      valueRange: { start: 27, end: 27 },
    });
  });
});

describe('responses', () => {
  it('have status, version, headers and body', () => {
    const parsed = response('HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno');
    expect(parsed).toMatchObject({ status: 404, version: 'HTTP/1.1' });
    expect(textOf(parsed.body.bytes)).toBe('no');
  });

  it('may have no reason, or a hidden one', () => {
    expect(response('HTTP/1.1 200\r\n\r\n').status).toBe(200);
    expect(response('HTTP/1.1 200 «OK»\r\n\r\n').status).toBe(200);
  });

  it('without a declared length end with the connection', () => {
    expect(textOf(response('HTTP/1.0 200 OK\r\n\r\nall\r\nthe rest').body.bytes)).toBe('all\r\nthe rest');
  });

  it('follow interim ones', () => {
    const text =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nhi';
    const parsed = response(text);
    expect(parsed.status).toBe(200);
    expect(lines(parsed)).toEqual(['a: b']);
    expect(textOf(parsed.raw)).toBe(text);
  });

  it('to HEAD, successful ones to CONNECT, 101, 204 and 304 have no body', () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n';
    const none = { bytes: new Uint8Array(), hidden: [], segments: [], trailers: [], endsWithConnection: false };
    expect(response(head, 'HEAD').body).toEqual(none);
    expect(response('HTTP/1.1 200 OK\r\n\r\n').body).toEqual({ ...none, endsWithConnection: true });
    expect(response('HTTP/1.1 299 OK\r\n\r\n', 'CONNECT').body).toEqual(none);
    expect(response(head, 'CONNECT').body.bytes.length).toBe(0);
    expect(response('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n').body.bytes.length).toBe(0);
    expect(response('HTTP/1.1 204 No Content\r\n\r\n').status).toBe(204);
    expect(response('HTTP/1.1 101 Switching Protocols\r\n\r\n').status).toBe(101);
    for (const status of ['300', '502']) {
      const refused = `HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nno`;
      expect(textOf(response(refused, 'CONNECT').body.bytes)).toBe('no');
    }
    expect(textOf(response('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi', 'GET').body.bytes)).toBe('hi');
  });

  it('join chunks, skip extensions and trailers, and map hidden bytes into the body', () => {
    const parsed = response(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n' +
        '5\r\n{"a":\r\n8;x="y"\r\n"«secre»"}\r\n4 \r\n,"b"\r\n00\r\nT: v\r\n\r\n',
    );
    expect(textOf(parsed.body.bytes)).toBe('{"a":"XXXXX"},"b"');
    expect(parsed.body.hidden).toEqual([{ start: 6, end: 11 }]);
    expect(lines(parsed)).toEqual(['transfer-encoding: Chunked']);
    const restored = parsed.body.segments.map(({ transcriptStart, length }) =>
      textOf(parsed.raw.subarray(transcriptStart, transcriptStart + length)),
    );
    expect(restored).toEqual(['{"a":', '"XXXXX"}', ',"b"']);
    expect(parsed.body.trailers).toMatchObject([{ name: 't', value: 'v' }]);
  });

  it.each([
    ['control characters in the reason', head('HTTP/1.1 200 O\0K'), NO_STATUS_LINE],
    ['text before the status line', head('xHTTP/1.1 200 OK'), NO_STATUS_LINE],
    ['only interim ones', head('HTTP/1.1 100 Continue'), 'a line is cut short (at byte 25).'],
    ['a body after 204', `${head('HTTP/1.1 204 No')}hi`, 'bytes follow a message that has no body (at byte 19).'],
    ['a body after 101', `${head('HTTP/1.1 101 Go')}hi`, 'bytes follow a message that has no body (at byte 19).'],
    [
      'a cut body',
      `${head('HTTP/1.1 200 OK', 'Content-Length: 9')}hi`,
      'the body is cut short: 2 of 9 bytes (at byte 38).',
    ],
    ['no last chunk', chunked('2\r\nhi\r\n'), 'a line is cut short (at byte 54).'],
    ['bytes after the last chunk', chunked('0\r\n\r\nx'), 'bytes follow the end of the body (at byte 52).'],
    ['a hidden chunk size', chunked('«2»\r\nhi\r\n0\r\n\r\n'), 'a chunk size is hidden (at byte 47).'],
    ['a hidden end of a chunk', chunked('2\r\nhi«\r\n»0\r\n\r\n'), 'a chunk is longer than its size (at byte 52).'],
    ['an oversized chunk size', chunked('ffffffff\r\nhi\r\n0\r\n\r\n'), 'a chunk is cut short (at byte 47).'],
    ['a chunk size of many digits', chunked('000000002\r\nhi\r\n0\r\n\r\n'), 'a chunk size is malformed (at byte 47).'],
    ['a chunk without its end', chunked('2\r\nhi\r'), 'a chunk is cut short (at byte 47).'],
    ['a control character in an extension', chunked('2;\0\r\nhi\r\n'), 'a chunk size is malformed (at byte 47).'],
  ])('are refused with %s', (_what, text, reason) => {
    expect(refusal(() => response(text))).toBe(`Transcript parsing failed: response: ${reason}`);
  });

  it('are not confused by hidden bytes that spell X', () => {
    // Shown bytes that are X themselves are data; only the ranges say what is hidden.
    expect(allVisible(bytesOf('XX'))).toEqual({ bytes: bytesOf('XX'), revealed: [{ start: 0, end: 2 }], hidden: [] });
    expect(allVisible(bytesOf(''))).toEqual({ bytes: bytesOf(''), revealed: [], hidden: [] });
    expect(refusal(() => request('GET / HTTP/1.1\r\nXXX\r\n\r\n'))).toMatch(/no colon/);
  });
});
