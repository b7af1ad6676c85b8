import { describe, expect, it } from 'vitest';
import { isDomainError } from '../../../../core/errors.ts';
import { parseRequest } from '../../../../core/web-proof/http/parse-request.ts';
import { parseResponse } from '../../../../core/web-proof/http/parse-response.ts';
import { complementOfRanges, sliceRanges } from '../../../../core/web-proof/tlsnotary/ranges.ts';
import { allVisible, layOut, type VisibleBytes } from '../../../../core/web-proof/tlsnotary/visible-bytes.ts';

const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const textOf = (bytes: Uint8Array) => String.fromCharCode(...bytes);

/** Text as a transcript; what stands between « and » is hidden. */
function transcript(marked: string): VisibleBytes {
  const hidden: { start: number; end: number }[] = [];
  let plain = '';
  for (const piece of marked.split(/[«»]/).map((text, i) => ({ text, masked: i % 2 === 1 }))) {
    if (piece.masked) hidden.push({ start: plain.length, end: plain.length + piece.text.length });
    plain += piece.text;
  }
  const bytes = bytesOf(plain);
  const revealed = complementOfRanges(hidden, bytes.length);
  return layOut(sliceRanges(bytes, revealed), revealed, bytes.length);
}

const request = (marked: string) => parseRequest(transcript(marked));
const response = (marked: string, method = 'GET') => parseResponse(transcript(marked), method);
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

const NO_REQUEST_LINE = 'the request line is not "METHOD target HTTP/1.1" (at byte 0).';
const NO_STATUS_LINE = 'the status line is not "HTTP/1.1 status reason", or is hidden (at byte 0).';

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

  const REFUSED: Record<string, readonly [text: string, reason: string]> = {
    nothing: ['', 'a line is cut short (at byte 0).'],
    'no version': ['GET /\r\n\r\n', NO_REQUEST_LINE],
    'HTTP/2': ['GET / HTTP/2\r\n\r\n', NO_REQUEST_LINE],
    'a space in the target': ['GET /a b HTTP/1.1\r\n\r\n', NO_REQUEST_LINE],
    'a method that is no token': ['G@T / HTTP/1.1\r\n\r\n', NO_REQUEST_LINE],
    'a hidden version': ['GET / HTTP/1.«1»\r\n\r\n', NO_REQUEST_LINE],
    'all hidden': ['«GET / HTTP/1.1»«\r\n\r\n»', 'a line is cut short (at byte 0).'],
    'the end of the head hidden': ['GET / HTTP/1.1\r\nA: b\r\n«\r\n»', 'a line is cut short (at byte 22).'],
    'bare LF in a header': ['GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n', 'a line does not end with CRLF (at byte 20).'],
    'bare CR': ['GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n', 'a line does not end with CRLF (at byte 20).'],
    'a folded header': ['GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n', 'a header line is folded (at byte 22).'],
    'a header folded with a tab': ['GET / HTTP/1.1\r\n\tA: b\r\n\r\n', 'a header line is folded (at byte 16).'],
    'a space before the colon': ['GET / HTTP/1.1\r\nA : b\r\n\r\n', 'a header name is not a token (at byte 16).'],
    'an empty header name': ['GET / HTTP/1.1\r\n: b\r\n\r\n', 'a header name is not a token (at byte 16).'],
    'a header without colon': ['GET / HTTP/1.1\r\nab\r\n\r\n', 'a header has no colon (at byte 16).'],
    'a NUL in a value': ['GET / HTTP/1.1\r\nA: \0\r\n\r\n', 'a header line holds a control character (at byte 19).'],
    'no end of the head': ['GET / HTTP/1.1\r\nA: b\r\n', 'a line is cut short (at byte 22).'],
    'bytes after a request without body': [
      'GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n',
      'bytes follow a message that has no body (at byte 18).',
    ],
    'a body that is too short': [
      'PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\nhi',
      'the body is cut short: 2 of 3 bytes (at byte 37).',
    ],
    'a body that is too long': [
      'PUT / HTTP/1.1\r\nContent-Length: 1\r\n\r\nhi',
      'bytes follow the end of the body (at byte 38).',
    ],
    'content-length and transfer-encoding': [
      'PUT / HTTP/1.1\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
      'content-length and transfer-encoding may appear only once and not together.',
    ],
    'two content-lengths': [
      'PUT / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi',
      'content-length and transfer-encoding may appear only once and not together.',
    ],
    'a list of content-lengths': [
      'PUT / HTTP/1.1\r\nContent-Length: 2, 2\r\n\r\nhi',
      'content-length is not a number.',
    ],
    'a signed content-length': ['PUT / HTTP/1.1\r\nContent-Length: +2\r\n\r\nhi', 'content-length is not a number.'],
    'a hidden content-length': [
      'PUT / HTTP/1.1\r\nContent-Length: «2»\r\n\r\nhi',
      'content-length is hidden, so the body has no known end (at byte 16).',
    ],
    'a hidden transfer-encoding': [
      'PUT / HTTP/1.1\r\nTransfer-Encoding: «chunked»\r\n\r\n0\r\n\r\n',
      'transfer-encoding is hidden, so the body has no known end (at byte 16).',
    ],
    'another transfer coding': [
      'PUT / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      'no transfer coding other than chunked is supported.',
    ],
    'transfer-encoding in HTTP/1.0': [
      'PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'transfer-encoding does not exist in HTTP/1.0.',
    ],
    'too many headers': [`GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(1001)}\r\n`, 'more than 1000 headers (at byte 6016).'],
    'a header line at the limit of lines': [
      `GET / HTTP/1.1\r\na: ${'b'.repeat(262_142)}\r\n\r\n`,
      'more than 262144 header bytes (at byte 262163).',
    ],
    'a header line just beyond the limit of lines': [
      `GET / HTTP/1.1\r\na: ${'b'.repeat(262_143)}\r\n\r\n`,
      'a line is too long (at byte 16).',
    ],
    'a DEL in a value': ['GET / HTTP/1.1\r\nA: b\x7f\r\n\r\n', 'a header line holds a control character (at byte 20).'],
    'a control character below the space': [
      'GET / HTTP/1.1\r\nA: \x1f\r\n\r\n',
      'a header line holds a control character (at byte 19).',
    ],
    'a version with something before it': ['GET / xHTTP/1.1\r\n\r\n', NO_REQUEST_LINE],
    'a version with something behind it': ['GET / HTTP/1.10\r\n\r\n', NO_REQUEST_LINE],
    'a target that is not ASCII': ['GET /\xe9 HTTP/1.1\r\n\r\n', NO_REQUEST_LINE],
    'no target': ['GET  HTTP/1.1\r\n\r\n', NO_REQUEST_LINE],
    'one word': ['GET\r\n\r\n', NO_REQUEST_LINE],
    'a hidden end of the method': ['GE«T» / HTTP/1.1\r\n\r\n', 'method or version are hidden (at byte 0).'],
    'a content-length of many digits': [
      `PUT / HTTP/1.1\r\nContent-Length: ${'0'.repeat(16)}\r\n\r\n`,
      'content-length is not a number.',
    ],
    'many header bytes': [
      `GET / HTTP/1.1\r\n${`a: ${'b'.repeat(1_019)}\r\n`.repeat(257)}\r\n`,
      'more than 262144 header bytes (at byte 263184).',
    ],
  };
  for (const [title, [text, reason]] of Object.entries(REFUSED)) {
    it(`are refused with ${title}`, () => {
      expect(refusal(() => request(text))).toBe(`Transcript parsing failed: request: ${reason}`);
    });
  }
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

  it('of hidden lines never frame a body', () => {
    expect(request('GET / HTTP/1.1\r\ncontent-length«:» 5\r\n\r\n').body.bytes).toHaveLength(0);
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

  it('keep a hidden run that spans chunk data only', () => {
    const parsed = response('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na«b»\r\n2\r\n«c»d\r\n0\r\n\r\n');
    expect(textOf(parsed.body.bytes)).toBe('aXXd');
    expect(parsed.body.hidden).toEqual([{ start: 1, end: 3 }]);
  });

  const chunked = (body: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;
  const REFUSED: Record<string, readonly [text: string, reason: string]> = {
    'a hidden status': ['HTTP/1.1 «200» OK\r\n\r\n', NO_STATUS_LINE],
    'a malformed status': ['HTTP/1.1 20 OK\r\n\r\n', NO_STATUS_LINE],
    'another protocol': ['ICY 200 OK\r\n\r\n', NO_STATUS_LINE],
    'only interim ones': ['HTTP/1.1 100 Continue\r\n\r\n', 'a line is cut short (at byte 25).'],
    'a second response': [
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
      'bytes follow the end of the body (at byte 38).',
    ],
    'a body after 204': ['HTTP/1.1 204 No Content\r\n\r\nhi', 'bytes follow a message that has no body (at byte 27).'],
    'a body after 101': ['HTTP/1.1 101 Switching\r\n\r\nhi', 'bytes follow a message that has no body (at byte 26).'],
    'a cut body': [
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi',
      'the body is cut short: 2 of 9 bytes (at byte 38).',
    ],
    'no last chunk': [chunked('2\r\nhi\r\n'), 'a line is cut short (at byte 54).'],
    'no end after the last chunk': [chunked('2\r\nhi\r\n0\r\n'), 'a line is cut short (at byte 57).'],
    'bytes after the last chunk': [chunked('0\r\n\r\nx'), 'bytes follow the end of the body (at byte 52).'],
    'a chunk longer than its size': [chunked('2\r\nhey\r\n0\r\n\r\n'), 'a chunk is longer than its size (at byte 52).'],
    'a chunk shorter than its size': [chunked('4\r\nhey\r\n0\r\n\r\n'), 'a line does not end with CRLF (at byte 54).'],
    'a hidden chunk size': [chunked('«2»\r\nhi\r\n0\r\n\r\n'), 'a chunk size is hidden (at byte 47).'],
    'a hidden end of a chunk': [chunked('2\r\nhi«\r\n»0\r\n\r\n'), 'a chunk is longer than its size (at byte 52).'],
    'a chunk size that is no number': [chunked('x\r\nhi\r\n0\r\n\r\n'), 'a chunk size is malformed (at byte 47).'],
    'an oversized chunk size': [chunked('ffffffff\r\nhi\r\n0\r\n\r\n'), 'a chunk is cut short (at byte 47).'],
    'a chunk size of many digits': [
      chunked('000000000002\r\nhi\r\n0\r\n\r\n'),
      'a chunk size is malformed (at byte 47).',
    ],
    'a chunk that is cut': [chunked('4\r\nhi\r\n'), 'a chunk is cut short (at byte 47).'],
    'a chunk without its end': [chunked('2\r\nhi\r'), 'a chunk is cut short (at byte 47).'],
    'more than a chunk size': [chunked('2 x\r\nhi\r\n0\r\n\r\n'), 'a chunk size is malformed (at byte 47).'],
    'a control character in a chunk extension': [
      chunked('2;\0\r\nhi\r\n0\r\n\r\n'),
      'a chunk size is malformed (at byte 47).',
    ],
    'control characters in the reason': ['HTTP/1.1 200 O\0K\r\n\r\n', NO_STATUS_LINE],
    'text before the status line': ['xHTTP/1.1 200 OK\r\n\r\n', NO_STATUS_LINE],
  };
  for (const [title, [text, reason]] of Object.entries(REFUSED)) {
    it(`are refused with ${title}`, () => {
      expect(refusal(() => response(text))).toBe(`Transcript parsing failed: response: ${reason}`);
    });
  }

  it('are not confused by hidden bytes that spell X', () => {
    // Shown bytes that are X themselves are data; only the ranges say what is hidden.
    expect(allVisible(bytesOf('XX'))).toEqual({ bytes: bytesOf('XX'), revealed: [{ start: 0, end: 2 }], hidden: [] });
    expect(allVisible(bytesOf(''))).toEqual({ bytes: bytesOf(''), revealed: [], hidden: [] });
    expect(refusal(() => request('GET / HTTP/1.1\r\nXXX\r\n\r\n'))).toMatch(/no colon/);
  });
});
