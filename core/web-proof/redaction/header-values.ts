import { declaredFraming } from '../http/body.ts';
import { readHeaders, readLine } from '../http/header-lines.ts';
import type { HttpHeader, HttpResponse } from '../http/message.ts';
import { decodeLatin1 } from '../http/text.ts';
import { allVisible } from '../http/visible-bytes.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import type { Selection } from './schema.ts';

/** Needed to make sense of a message; never hidden, whatever a selection says. */
const ALWAYS_REVEALED = new Set(['content-length', 'transfer-encoding', 'content-type', 'content-encoding']);

/** The headers whose values a selection hides, every duplicate included. Names are compared without case. */
export function hiddenHeaders(headers: readonly HttpHeader[], selection: Selection): HttpHeader[] {
  if (selection.kind === 'none') return [];
  const named = new Set(selection.names.map((name) => name.toLowerCase()));
  const listedAreHidden = selection.kind === 'deny';
  return headers.filter(({ name }) => !ALWAYS_REVEALED.has(name) && named.has(name) === listedAreHidden);
}

/** Where the values stand that no selection hides. */
export function alwaysRevealed(headers: readonly HttpHeader[]): ByteRange[] {
  return headers.filter(({ name }) => ALWAYS_REVEALED.has(name)).map(({ valueRange }) => valueRange);
}

/**
 * Every header line of the received direction: those of interim responses, of the response itself, and the trailers of a
 * chunked body. `received` must be what `response` was parsed from.
 */
export function allResponseHeaders(received: Uint8Array, response: HttpResponse): HttpHeader[] {
  const visible = allVisible(received);
  const headers: HttpHeader[] = [];
  let at = 0;
  for (;;) {
    const line = readLine(visible, at, 'response');
    const head = readHeaders(visible, line.next, 'response');
    headers.push(...head.headers);
    at = head.next;
    const status = Number(decodeLatin1(received.subarray(line.start + 9, line.start + 12)));
    if (status >= 200 || status === 101) break;
  }
  if (at === received.length) return headers;
  if (declaredFraming(visible, response.version, response.headers, 'response').kind === 'chunked') {
    const last = response.body.segments.at(-1);
    // Behind the last chunk's CRLF stands the line with the size 0, then the trailers.
    const lastSize = last === undefined ? at : last.transcriptStart + last.length + 2;
    headers.push(...readHeaders(visible, readLine(visible, lastSize, 'response').next, 'response').headers);
  }
  return headers;
}
