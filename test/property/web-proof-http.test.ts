import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDomainError } from '../../core/errors.ts';
import { parseRequest } from '../../core/web-proof/http/parse-request.ts';
import { parseResponse } from '../../core/web-proof/http/parse-response.ts';
import { complementOfRanges, sliceRanges, unionOfRanges } from '../../core/web-proof/tlsnotary/ranges.ts';
import { allVisible, layOut } from '../../core/web-proof/tlsnotary/visible-bytes.ts';
import { runs } from '../support/property-runs.ts';

const name = fc
  .stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/)
  .filter((text) => !/^(content-length|transfer-)/i.test(text));
const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
const headers = fc.array(fc.tuple(name, value), { maxLength: 6 });
const body = fc.uint8Array({ maxLength: 80 });
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

function join(...parts: (string | Uint8Array)[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts.map((part) => (typeof part === 'string' ? latin1(part) : part))));
}

/** Cuts the body into chunks of the given sizes. */
function chunk(bytes: Uint8Array, sizes: readonly number[]): Uint8Array {
  const parts: (string | Uint8Array)[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    const piece = bytes.subarray(at, at + size);
    at += piece.length;
    if (piece.length > 0) parts.push(`${piece.length.toString(16)}\r\n`, piece, '\r\n');
  }
  return join(...parts, '0\r\n\r\n');
}

const lines = (list: readonly (readonly [string, string])[]) => list.map(([n, v]) => `${n}: ${v}\r\n`).join('');

describe('HTTP transcripts', () => {
  it('that are sound are read as they were written', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 5 });
    fc.assert(
      fc.property(headers, body, fc.option(sizes), (list, content, chunks) => {
        const framing = chunks === null ? `Content-Length: ${content.length}` : 'Transfer-Encoding: chunked';
        const framed = chunks === null ? content : chunk(content, chunks);
        const bytes = join(`HTTP/1.1 200 OK\r\n${lines(list)}${framing}\r\n\r\n`, framed);
        const parsed = parseResponse(allVisible(bytes), 'GET');
        expect(parsed.body.bytes).toEqual(content);
        expect(parsed.headers.slice(0, -1).map((header) => [header.name, header.value])).toEqual(
          list.map(([n, v]) => [n.toLowerCase(), v]),
        );
        for (const { bodyStart, transcriptStart, length } of parsed.body.segments) {
          expect(bytes.subarray(transcriptStart, transcriptStart + length)).toEqual(
            content.subarray(bodyStart, bodyStart + length),
          );
        }
      }),
      runs(150),
    );
  });

  it('of which values are hidden have the same parts, with X for each hidden byte', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 6 }), body, (list, content) => {
        const bytes = join(`PUT / HTTP/1.1\r\n${lines(list)}Content-Length: ${content.length}\r\n\r\n`, content);
        const shown = parseRequest(allVisible(bytes));
        const hidden = unionOfRanges(shown.headers.slice(0, -1).map((header) => header.valueRange));
        const revealed = complementOfRanges(hidden, bytes.length);
        const masked = parseRequest(layOut(sliceRanges(bytes, revealed), revealed, bytes.length));
        expect(masked.headers.map((header) => header.name)).toEqual(shown.headers.map((header) => header.name));
        expect(masked.headers.slice(0, -1).map((header) => header.value)).toEqual(
          list.map(([, v]) => 'X'.repeat(v.length)),
        );
        expect(masked.body).toEqual(shown.body);
      }),
      runs(100),
    );
  });

  it('that are anything else are refused, and nothing else happens', () => {
    const piece = fc.oneof(
      fc.constantFrom('GET / HTTP/1.1', 'HTTP/1.1 200 OK', '\r\n', '\n', ': ', 'Host: a', 'Transfer-Encoding: chunked'),
      fc.constantFrom('Content-Length: 2', '0\r\n\r\n', '2\r\nhi\r\n', ' ', '\0', 'HTTP/1.1 100 x\r\n\r\n'),
      fc.string({ maxLength: 6 }),
    );
    const hiding = fc.array(fc.record({ start: fc.nat(80), end: fc.nat(80) }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), hiding, (pieces, ranges) => {
        const bytes = latin1(pieces.join(''));
        const revealed = complementOfRanges(unionOfRanges(ranges), bytes.length);
        const visible = layOut(sliceRanges(bytes, revealed), revealed, bytes.length);
        for (const parse of [() => parseRequest(visible), () => parseResponse(visible, 'GET')]) {
          try {
            parse();
          } catch (error) {
            if (!isDomainError(error, 'INTERNAL_SERVER_ERROR')) throw error;
          }
        }
      }),
      runs(1_000),
    );
  });
});
