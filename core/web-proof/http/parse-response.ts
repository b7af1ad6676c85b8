import { anyHidden, type VisibleBytes } from '../tlsnotary/visible-bytes.ts';
import { declaredFraming, readChunked, readNoBody, readSized, readUntilEnd } from './body.ts';
import { readHeaders, readLine } from './header-lines.ts';
import type { HttpBody, HttpHeader, HttpResponse } from './message.ts';
import { decodeLatin1 } from './text.ts';
import { transcriptError } from './transcript-error.ts';

const STATUS_LINE = /^(HTTP\/1\.[01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
/** `HTTP/1.1 200`: the part of a status line that must be revealed. */
const FIXED_LENGTH = 12;
const MAX_INFORMATIONAL = 16;

/**
 * The received direction of a transcript as the response to a request with this method. Interim responses (1xx) are
 * skipped. Responses to HEAD, successful ones to CONNECT, 101, 204 and 304 have no body.
 *
 * Hidden bytes of the head are taken for parts of names and values. What a prover hid there may have been line ends; no
 * parser can tell. Who must rule that out looks at the hidden ranges, or trusts the notary to hide values only.
 * @throws DomainError `INTERNAL_SERVER_ERROR` ("Transcript parsing failed …") when it is not exactly one response, or
 * its status or framing is hidden.
 */
export function parseResponse(visible: VisibleBytes, requestMethod: string): HttpResponse {
  let at = 0;
  for (let interim = 0; interim <= MAX_INFORMATIONAL; interim++) {
    const head = readHead(visible, at);
    if (head.status >= 200 || head.status === 101) {
      const { status, version, headers } = head;
      return { status, version, headers, body: readBody(visible, head, requestMethod), raw: visible.bytes };
    }
    at = head.next;
  }
  throw transcriptError('response', `more than ${MAX_INFORMATIONAL} interim responses`, at);
}

interface Head {
  readonly version: string;
  readonly status: number;
  readonly headers: readonly HttpHeader[];
  readonly next: number;
}

function readHead(visible: VisibleBytes, start: number): Head {
  const line = readLine(visible, start, 'response');
  const match = STATUS_LINE.exec(decodeLatin1(visible.bytes.subarray(line.start, line.end)));
  const [, version, status] = match ?? [];
  if (version === undefined || status === undefined || anyHidden(visible, start, start + FIXED_LENGTH)) {
    throw transcriptError('response', 'the status line is not "HTTP/1.1 status reason", or is hidden', start);
  }
  const { headers, next } = readHeaders(visible, line.next, 'response');
  return { version, status: Number(status), headers, next };
}

function readBody(visible: VisibleBytes, head: Head, requestMethod: string): HttpBody {
  const { status, version, headers, next } = head;
  const framing = declaredFraming(visible, version, headers, 'response');
  const tunnel = requestMethod === 'CONNECT' && status >= 200 && status < 300;
  if (requestMethod === 'HEAD' || tunnel || status === 101 || status === 204 || status === 304) {
    return readNoBody(visible, next, 'response');
  }
  if (framing.kind === 'chunked') return readChunked(visible, next, 'response');
  if (framing.kind === 'length') return readSized(visible, next, framing.length, 'response');
  return readUntilEnd(visible, next);
}
