import { joinBytes } from '../../join-bytes.ts';
import { type ByteRange, clipRanges, unionOfRanges } from '../tlsnotary/ranges.ts';
import { anyHidden, type VisibleBytes } from '../tlsnotary/visible-bytes.ts';
import { readHeaders, readLine } from './header-lines.ts';
import type { BodySegment, HttpBody, HttpHeader } from './message.ts';
import { decodeLatin1 } from './text.ts';
import { type TranscriptSide, transcriptError } from './transcript-error.ts';

/** How the length of a body is told. */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' };

/**
 * The framing that the headers declare; `none` if they declare nothing.
 * @throws DomainError if it is ambiguous or hidden; with both content-length and transfer-encoding, or one of them twice; with
 * a transfer coding other than chunked; with a value that has hidden bytes.
 */
export function declaredFraming(
  visible: VisibleBytes,
  version: string,
  headers: readonly HttpHeader[],
  side: TranscriptSide,
): BodyFraming {
  const named = (name: string) => headers.filter((header) => !header.opaque && header.name === name);
  const lengths = named('content-length');
  const codings = named('transfer-encoding');
  const [declared, ...others] = [...lengths, ...codings];
  if (declared === undefined) return { kind: 'none' };
  if (others.length > 0) {
    throw transcriptError(side, 'content-length and transfer-encoding may appear only once and not together');
  }
  if (anyHidden(visible, declared.valueRange.start, declared.valueRange.end)) {
    throw transcriptError(side, `${declared.name} is hidden, so the body has no known end`, declared.line.start);
  }
  if (codings.length === 0) {
    if (!/^\d{1,15}$/.test(declared.value)) throw transcriptError(side, 'content-length is not a number');
    return { kind: 'length', length: Number(declared.value) };
  }
  if (version === 'HTTP/1.0') throw transcriptError(side, 'transfer-encoding does not exist in HTTP/1.0');
  if (declared.value.toLowerCase() !== 'chunked') {
    throw transcriptError(side, 'no transfer coding other than chunked is supported');
  }
  return { kind: 'chunked' };
}

/**
 * The body that starts here and ends the direction. Without a declared length a request has none, and a response ends with the
 * connection. With `bare` there must be none, whatever was declared.
 * @throws DomainError for a body that is longer or shorter than it says, or malformed
 */
export function readBody(
  visible: VisibleBytes,
  start: number,
  ending: BodyFraming | { readonly kind: 'bare' },
  side: TranscriptSide,
): HttpBody {
  if (ending.kind === 'chunked') return readChunked(visible, start, side);
  if (ending.kind === 'length') return readSized(visible, start, ending.length, side);
  if (ending.kind === 'none' && side === 'response') return { ...readRest(visible, start), endsWithConnection: true };
  if (start !== visible.bytes.length) throw transcriptError(side, 'bytes follow a message that has no body', start);
  return joinSegments(visible, []);
}

function readRest(visible: VisibleBytes, start: number): HttpBody {
  const length = visible.bytes.length - start;
  return joinSegments(visible, length === 0 ? [] : [{ bodyStart: 0, transcriptStart: start, length }]);
}

/** Exactly `length` bytes, which must be all that is left. */
function readSized(visible: VisibleBytes, start: number, length: number, side: TranscriptSide): HttpBody {
  const left = visible.bytes.length - start;
  if (left < length) throw transcriptError(side, `the body is cut short: ${left} of ${length} bytes`, start);
  if (left > length) throw transcriptError(side, 'bytes follow the end of the body', start + length);
  return readRest(visible, start);
}

/** Chunks, trailers and nothing behind them. */
function readChunked(visible: VisibleBytes, start: number, side: TranscriptSide): HttpBody {
  const segments: BodySegment[] = [];
  let at = start;
  let bodyStart = 0;
  for (;;) {
    const size = readLine(visible, at, side);
    if (anyHidden(visible, size.start, size.end)) throw transcriptError(side, 'a chunk size is hidden', size.start);
    const match = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/.exec(
      decodeLatin1(visible.bytes.subarray(size.start, size.end)),
    );
    if (match?.[1] === undefined) throw transcriptError(side, 'a chunk size is malformed', size.start);
    const length = Number.parseInt(match[1], 16);
    at = size.next;
    if (length === 0) break;
    const end = at + length;
    if (end + 2 > visible.bytes.length) throw transcriptError(side, 'a chunk is cut short', size.start);
    segments.push({ bodyStart, transcriptStart: at, length });
    bodyStart += length;
    const after = readLine(visible, end, side);
    if (after.start !== after.end) throw transcriptError(side, 'a chunk is longer than its size', end);
    at = after.next;
  }
  const { headers: trailers, next } = readHeaders(visible, at, side);
  if (next !== visible.bytes.length) throw transcriptError(side, 'bytes follow the end of the body', next);
  return joinSegments(visible, segments, trailers);
}

function joinSegments(
  visible: VisibleBytes,
  segments: readonly BodySegment[],
  trailers: readonly HttpHeader[] = [],
): HttpBody {
  const hidden: ByteRange[] = [];
  let firstHidden = 0;
  for (const { bodyStart, transcriptStart, length } of segments) {
    const end = transcriptStart + length;
    // Both lists are sorted: what ended before this segment matters to no later one.
    while ((visible.hidden[firstHidden]?.end ?? Number.POSITIVE_INFINITY) <= transcriptStart) firstHidden++;
    let lastHidden = firstHidden;
    while ((visible.hidden[lastHidden]?.start ?? Number.POSITIVE_INFINITY) < end) lastHidden++;
    for (const range of clipRanges(visible.hidden.slice(firstHidden, lastHidden), transcriptStart, end)) {
      hidden.push({ start: bodyStart + range.start, end: bodyStart + range.end });
    }
  }
  const bytes = bytesOfSegments(segments, visible.bytes);
  return { bytes, hidden: unionOfRanges(hidden), segments, trailers, endsWithConnection: false };
}

/** The bytes of a body, of which `transcript` has the segments. */
export function bytesOfSegments(segments: readonly BodySegment[], transcript: Uint8Array): Uint8Array {
  return joinBytes(segments.map(({ transcriptStart: at, length }) => transcript.subarray(at, at + length)));
}
