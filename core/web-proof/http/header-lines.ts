import { anyHidden, type VisibleBytes } from '../tlsnotary/visible-bytes.ts';
import type { HttpHeader } from './message.ts';
import { decodeHeaderText, decodeLatin1 } from './text.ts';
import { type TranscriptSide, transcriptError } from './transcript-error.ts';

/** Bounds of a message's head; servers refuse far smaller ones. */
export const HEAD_LIMITS = { bytes: 256 * 1024, headers: 1_000 } as const;

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export interface Line {
  readonly start: number;
  /** Offset of the CRLF. */
  readonly end: number;
  /** Offset behind the CRLF. */
  readonly next: number;
}

/** The line that starts at `start`. @throws DomainError without a CRLF, and for a CR or LF that is not part of one. */
export function readLine(visible: VisibleBytes, start: number, side: TranscriptSide): Line {
  const { bytes } = visible;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === CR && bytes[at + 1] === LF) return { start, end: at, next: at + 2 };
    if (byte === CR || byte === LF) throw transcriptError(side, 'a line does not end with CRLF', at);
    if (at - start > HEAD_LIMITS.bytes) throw transcriptError(side, 'a line is too long', start);
  }
  throw transcriptError(side, 'a line is cut short', start);
}

/** True for the characters of methods and header names. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Header lines (or trailers) up to and with the empty line.
 * @returns the headers and the offset behind the empty line.
 * @throws DomainError for folded lines, names that are not tokens, control characters in values, and heads beyond
 * `HEAD_LIMITS`.
 */
export function readHeaders(
  visible: VisibleBytes,
  start: number,
  side: TranscriptSide,
): { headers: HttpHeader[]; next: number } {
  const headers: HttpHeader[] = [];
  let at = start;
  for (;;) {
    const line = readLine(visible, at, side);
    at = line.next;
    if (line.start === line.end) return { headers, next: at };
    if (at - start > HEAD_LIMITS.bytes) throw transcriptError(side, `more than ${HEAD_LIMITS.bytes} header bytes`, at);
    if (headers.length === HEAD_LIMITS.headers) {
      throw transcriptError(side, `more than ${HEAD_LIMITS.headers} headers`, line.start);
    }
    headers.push(parseHeader(visible, line, side));
  }
}

function parseHeader(visible: VisibleBytes, line: Line, side: TranscriptSide): HttpHeader {
  const { bytes } = visible;
  const first = bytes[line.start];
  if (first === SPACE || first === TAB) throw transcriptError(side, 'a header line is folded', line.start);
  checkValue(bytes, line, side);
  const colon = bytes.subarray(line.start, line.end).indexOf(COLON);
  if (colon === -1) return opaqueHeader(visible, line, side);

  const nameRange = { start: line.start, end: line.start + colon };
  if (!isToken(decodeLatin1(bytes.subarray(nameRange.start, nameRange.end)))) {
    throw transcriptError(side, 'a header name is not a token', line.start);
  }
  let valueStart = nameRange.end + 1;
  let valueEnd = line.end;
  while (valueStart < valueEnd && isBlank(bytes[valueStart])) valueStart++;
  while (valueStart < valueEnd && isBlank(bytes[valueEnd - 1])) valueEnd--;
  return {
    name: lowerCaseVisible(visible, nameRange.start, nameRange.end),
    value: decodeHeaderText(bytes.subarray(valueStart, valueEnd)),
    opaque: false,
    line: { start: line.start, end: line.end },
    nameRange,
    valueRange: { start: valueStart, end: valueEnd },
  };
}

/** A line without a visible colon is a header only if the colon can be among its hidden bytes. */
function opaqueHeader(visible: VisibleBytes, line: Line, side: TranscriptSide): HttpHeader {
  if (!anyHidden(visible, line.start, line.end)) throw transcriptError(side, 'a header has no colon', line.start);
  return {
    name: decodeHeaderText(visible.bytes.subarray(line.start, line.end)),
    value: '',
    opaque: true,
    line: { start: line.start, end: line.end },
    nameRange: { start: line.start, end: line.end },
    valueRange: { start: line.end, end: line.end },
  };
}

function checkValue(bytes: Uint8Array, line: Line, side: TranscriptSide): void {
  for (let at = line.start; at < line.end; at++) {
    const byte = bytes[at] ?? 0;
    if ((byte < SPACE && byte !== TAB) || byte === 0x7f) {
      throw transcriptError(side, 'a header line holds a control character', at);
    }
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

/** Header names are case-insensitive, but the `X` of a hidden byte is a sign, not a letter. */
function lowerCaseVisible(visible: VisibleBytes, start: number, end: number): string {
  if (!anyHidden(visible, start, end)) return decodeLatin1(visible.bytes.subarray(start, end)).toLowerCase();
  let name = '';
  for (let at = start; at < end; at++) {
    const character = String.fromCharCode(visible.bytes[at] ?? 0);
    name += anyHidden(visible, at, at + 1) ? character : character.toLowerCase();
  }
  return name;
}
