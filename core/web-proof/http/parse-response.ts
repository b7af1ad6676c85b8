import { anyHidden, type VisibleBytes } from '../tlsnotary/visible-bytes.ts';
import { type BodyFraming, declaredFraming, readBody } from './body.ts';
import { readHeaders, readLine } from './header-lines.ts';
import type { HttpHeader, HttpResponse } from './message.ts';
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
  const interimHeaders: HttpHeader[] = [];
  for (let interim = 0; interim <= MAX_INFORMATIONAL; interim++) {
    const { status, version, headers, next, ending } = readHead(visible, at, requestMethod);
    if (ending.kind !== 'interim') {
      const body = readBody(visible, next, ending, 'response');
      const allHeaders = [...interimHeaders, ...headers, ...body.trailers];
      return { status, version, headers, allHeaders, body, raw: visible.bytes };
    }
    interimHeaders.push(...headers);
    at = next;
  }
  throw transcriptError('response', `more than ${MAX_INFORMATIONAL} interim responses`, at);
}

/** What follows a head: another head, no body (`bare`), or one whose end is told like this, if at all. */
export type ResponseEnding =
  | BodyFraming
  | { readonly kind: 'interim' }
  | { readonly kind: 'bare'; readonly isTunnel: boolean };

interface Head {
  readonly version: string;
  readonly status: number;
  readonly headers: readonly HttpHeader[];
  readonly next: number;
  readonly ending: ResponseEnding;
}

/** One head of a response, interim ones included, and what follows it. @throws DomainError as `parseResponse` does */
export function readHead(visible: VisibleBytes, start: number, requestMethod: string): Head {
  const line = readLine(visible, start, 'response');
  const match = STATUS_LINE.exec(decodeLatin1(visible.bytes.subarray(line.start, line.end)));
  const [, version, digits] = match ?? [];
  if (version === undefined || digits === undefined || anyHidden(visible, start, start + FIXED_LENGTH)) {
    throw transcriptError('response', 'the status line is not "HTTP/1.1 status reason", or is hidden', start);
  }
  const status = Number(digits);
  const head = { version, status, ...readHeaders(visible, line.next, 'response') };
  if (status < 200 && status !== 101) return { ...head, ending: { kind: 'interim' } };
  const ending = declaredFraming(visible, version, head.headers, 'response');
  const isTunnel = requestMethod === 'CONNECT' && status >= 200 && status < 300;
  const isBare = requestMethod === 'HEAD' || isTunnel || status === 101 || status === 204 || status === 304;
  return { ...head, ending: isBare ? { kind: 'bare', isTunnel } : ending };
}
