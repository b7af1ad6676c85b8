import { describe, expect, it } from 'vitest';
import { isDomainError } from '../../../../core/errors.ts';
import { parseRequest } from '../../../../core/web-proof/http/parse-request.ts';
import { parseResponse } from '../../../../core/web-proof/http/parse-response.ts';
import { allVisible, layOut, type VisibleBytes } from '../../../../core/web-proof/http/visible-bytes.ts';
import { complementOfRanges, sliceRanges } from '../../../../core/web-proof/tlsnotary/ranges.ts';

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

  const REFUSED: Record<string, string> = {
    nothing: '',
    'an empty line first': '\r\nGET / HTTP/1.1\r\n\r\n',
    'no version': 'GET /\r\n\r\n',
    'HTTP/2': 'GET / HTTP/2\r\n\r\n',
    'a space in the target': 'GET /a b HTTP/1.1\r\n\r\n',
    'a method that is no token': 'G@T / HTTP/1.1\r\n\r\n',
    'a hidden method': '«GET» / HTTP/1.1\r\n\r\n',
    'a hidden version': 'GET / HTTP/1.«1»\r\n\r\n',
    'all hidden': '«GET / HTTP/1.1»«\r\n\r\n»',
    'the end of the head hidden': 'GET / HTTP/1.1\r\nA: b\r\n«\r\n»',
    'bare LF': 'GET / HTTP/1.1\nHost: a\n\n',
    'bare LF in a header': 'GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n',
    'bare CR': 'GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n',
    'a folded header': 'GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n',
    'a space before the colon': 'GET / HTTP/1.1\r\nA : b\r\n\r\n',
    'an empty header name': 'GET / HTTP/1.1\r\n: b\r\n\r\n',
    'a header without colon': 'GET / HTTP/1.1\r\nab\r\n\r\n',
    'a NUL in a value': 'GET / HTTP/1.1\r\nA: \0\r\n\r\n',
    'no end of the head': 'GET / HTTP/1.1\r\nA: b\r\n',
    'bytes after a request without body': 'GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n',
    'a body that is too short': 'PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\nhi',
    'a body that is too long': 'PUT / HTTP/1.1\r\nContent-Length: 1\r\n\r\nhi',
    'content-length and transfer-encoding':
      'PUT / HTTP/1.1\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
    'two content-lengths': 'PUT / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi',
    'a list of content-lengths': 'PUT / HTTP/1.1\r\nContent-Length: 2, 2\r\n\r\nhi',
    'a signed content-length': 'PUT / HTTP/1.1\r\nContent-Length: +2\r\n\r\nhi',
    'a hidden content-length': 'PUT / HTTP/1.1\r\nContent-Length: «2»\r\n\r\nhi',
    'a hidden transfer-encoding': 'PUT / HTTP/1.1\r\nTransfer-Encoding: «chunked»\r\n\r\n0\r\n\r\n',
    'another transfer coding': 'PUT / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    'transfer-encoding in HTTP/1.0': 'PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'too many headers': `GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(1001)}\r\n`,
    'a header that is too long': `GET / HTTP/1.1\r\na: ${'b'.repeat(300_000)}\r\n\r\n`,
  };
  for (const [title, text] of Object.entries(REFUSED)) {
    it(`are refused with ${title}`, () => {
      expect(refusal(() => request(text))).toMatch(/^Transcript parsing failed: request: /);
    });
  }
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
    expect(response(head, 'HEAD').body.bytes.length).toBe(0);
    expect(response(head, 'CONNECT').body.bytes.length).toBe(0);
    expect(response('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n').body.bytes.length).toBe(0);
    expect(response('HTTP/1.1 204 No Content\r\n\r\n').status).toBe(204);
    expect(response('HTTP/1.1 101 Switching Protocols\r\n\r\n').status).toBe(101);
    expect(textOf(response('HTTP/1.1 502 Bad\r\nContent-Length: 2\r\n\r\nno', 'CONNECT').body.bytes)).toBe('no');
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
  });

  it('keep a hidden run that spans chunk data only', () => {
    const parsed = response('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na«b»\r\n2\r\n«c»d\r\n0\r\n\r\n');
    expect(textOf(parsed.body.bytes)).toBe('aXXd');
    expect(parsed.body.hidden).toEqual([{ start: 1, end: 3 }]);
  });

  const chunked = (body: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;
  const REFUSED: Record<string, string> = {
    'a hidden status': 'HTTP/1.1 «200» OK\r\n\r\n',
    'a malformed status': 'HTTP/1.1 20 OK\r\n\r\n',
    'another protocol': 'ICY 200 OK\r\n\r\n',
    'only interim ones': 'HTTP/1.1 100 Continue\r\n\r\n',
    'endless interim ones': `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(20)}HTTP/1.1 200 OK\r\n\r\n`,
    'a second response': 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
    'a body after 204': 'HTTP/1.1 204 No Content\r\n\r\nhi',
    'a cut body': 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi',
    'no last chunk': chunked('2\r\nhi\r\n'),
    'no end after the last chunk': chunked('2\r\nhi\r\n0\r\n'),
    'bytes after the last chunk': chunked('0\r\n\r\nx'),
    'a chunk longer than its size': chunked('2\r\nhey\r\n0\r\n\r\n'),
    'a chunk shorter than its size': chunked('4\r\nhey\r\n0\r\n\r\n'),
    'a hidden chunk size': chunked('«2»\r\nhi\r\n0\r\n\r\n'),
    'a hidden end of a chunk': chunked('2\r\nhi«\r\n»0\r\n\r\n'),
    'a chunk size that is no number': chunked('x\r\nhi\r\n0\r\n\r\n'),
    'a negative chunk size': chunked('-2\r\nhi\r\n0\r\n\r\n'),
    'an oversized chunk size': chunked('ffffffff\r\nhi\r\n0\r\n\r\n'),
    'a chunk size of many digits': chunked('000000000002\r\nhi\r\n0\r\n\r\n'),
  };
  for (const [title, text] of Object.entries(REFUSED)) {
    it(`are refused with ${title}`, () => {
      expect(refusal(() => response(text))).toMatch(/^Transcript parsing failed: response: /);
    });
  }

  it('are not confused by hidden bytes that spell X', () => {
    // Shown bytes that are X themselves are data; only the ranges say what is hidden.
    expect(allVisible(bytesOf('XX')).hidden).toEqual([]);
    expect(refusal(() => request('GET / HTTP/1.1\r\nXXX\r\n\r\n'))).toMatch(/no colon/);
  });
});
