import { anyHidden, type VisibleBytes } from '../tlsnotary/visible-bytes.ts';
import { declaredFraming, readBody } from './body.ts';
import { isToken, readHeaders, readLine } from './header-lines.ts';
import type { HttpRequest } from './message.ts';
import { decodeLatin1 } from './text.ts';
import { transcriptError } from './transcript-error.ts';

const VERSION = /^HTTP\/1\.[01]$/;
const TARGET = /^[\x21-\x7e]+$/;

/**
 * The sent direction of a transcript as exactly one HTTP/1.1 request. Method and version must be revealed; target and
 * headers may be hidden in part.
 * @throws DomainError `INTERNAL_SERVER_ERROR` ("Transcript parsing failed …") for anything else.
 */
export function parseRequest(visible: VisibleBytes): HttpRequest {
  const line = readLine(visible, 0, 'request');
  const text = decodeLatin1(visible.bytes.subarray(line.start, line.end));
  const afterMethod = text.indexOf(' ');
  const beforeVersion = text.lastIndexOf(' ');
  const method = text.slice(0, afterMethod);
  const target = text.slice(afterMethod + 1, beforeVersion);
  const version = text.slice(beforeVersion + 1);
  if (afterMethod === -1 || !isToken(method) || !VERSION.test(version) || !TARGET.test(target)) {
    throw transcriptError('request', 'the request line is not "METHOD target HTTP/1.1"', 0);
  }
  if (anyHidden(visible, 0, afterMethod + 1) || anyHidden(visible, beforeVersion, line.next)) {
    throw transcriptError('request', 'method or version are hidden', 0);
  }
  const { headers, next } = readHeaders(visible, line.next, 'request');
  const framing = declaredFraming(visible, version, headers, 'request');
  return {
    method,
    target,
    targetRange: { start: afterMethod + 1, end: beforeVersion },
    version,
    headers,
    body: readBody(visible, next, framing, 'request'),
    raw: visible.bytes,
  };
}
