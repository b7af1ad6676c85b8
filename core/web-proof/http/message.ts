import type { ByteRange } from '../tlsnotary/ranges.ts';
import type { TranscriptSide } from './transcript-error.ts';

/** A header line. Offsets count from the start of the transcript's direction. */
export interface HttpHeader {
  /** Lower-cased; a hidden byte is `X`. When the colon itself is hidden: the whole line as it stands. */
  readonly name: string;
  /** Without the white space around it; UTF-8, or Latin-1 where it is not. */
  readonly value: string;
  /** The colon is hidden, so nobody can tell name and value apart. */
  readonly opaque: boolean;
  /** The line without its CRLF. */
  readonly line: ByteRange;
  readonly nameRange: ByteRange;
  /** Empty range when there is no value. */
  readonly valueRange: ByteRange;
}

/** Where a run of body bytes is in the transcript: chunked framing splits a body into several. */
export interface BodySegment {
  readonly bodyStart: number;
  readonly transcriptStart: number;
  readonly length: number;
}

export interface HttpBody {
  /** Without transfer framing, still content-encoded; hidden bytes are `X`. */
  readonly bytes: Uint8Array;
  /** Hidden offsets of `bytes`, canonical. */
  readonly hidden: readonly ByteRange[];
  readonly segments: readonly BodySegment[];
  /** Header lines behind the last chunk; servers may take them for headers. Empty without chunks. */
  readonly trailers: readonly HttpHeader[];
  /** It declares no length, so it ends where the connection does. */
  readonly endsWithConnection: boolean;
}

interface HttpMessage {
  /** `HTTP/1.1` or `HTTP/1.0`. */
  readonly version: string;
  readonly headers: readonly HttpHeader[];
  /** Empty for messages that have none. */
  readonly body: HttpBody;
  /** The direction's bytes as on the wire, hidden ones `X`. */
  readonly raw: Uint8Array;
}

export interface HttpRequest extends HttpMessage {
  readonly method: string;
  /** The request target as on the wire; a hidden byte is `X`. */
  readonly target: string;
  readonly targetRange: ByteRange;
}

export interface HttpResponse extends HttpMessage {
  readonly status: number;
  /** Every header line of the direction: those of interim responses, `headers`, and the trailers. */
  readonly allHeaders: readonly HttpHeader[];
}

/** Which side of an exchange a message is. */
export function sideOf(message: HttpRequest | HttpResponse): TranscriptSide {
  return 'target' in message ? 'request' : 'response';
}

/** Headers with this lower-case name, in order. Opaque lines never match. */
export function headersNamed(message: HttpMessage, name: string): HttpHeader[] {
  return message.headers.filter((header) => !header.opaque && header.name === name);
}
