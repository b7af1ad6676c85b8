import type { ContentDecoder } from '../../ports/content-decoder.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { codingNamed, codingNames, MAX_CODINGS } from './content-codings.ts';
import { type HttpRequest, type HttpResponse, headersNamed, sideOf } from './message.ts';
import { transcriptError } from './transcript-error.ts';

/** Most bytes that a body may have after decoding. Real text of the longest answer that is proven unpacks to about half. */
export const MAX_DECODED_BODY = 2 * 1024 * 1024;

export interface DecodedContent {
  readonly bytes: Uint8Array;
  /** Hidden offsets of `bytes`; always empty when the content was compressed. */
  readonly hidden: readonly ByteRange[];
}

/**
 * The body with its content codings undone.
 * @returns null when it cannot be known: an unknown coding, or a compressed body of which bytes are hidden.
 * @throws DomainError `INTERNAL_SERVER_ERROR` for malformed compressed data and beyond `MAX_DECODED_BODY`.
 */
export async function decodeContent(
  message: HttpRequest | HttpResponse,
  decoder: ContentDecoder,
): Promise<DecodedContent | null> {
  const names = codingNames(headersNamed(message, 'content-encoding').map(({ value }) => value));
  if (names.length > MAX_CODINGS) throw transcriptError(sideOf(message), `more than ${MAX_CODINGS} content codings`);
  const { bytes, hidden } = message.body;
  if (names.length === 0 || bytes.length === 0) return { bytes, hidden };
  if (hidden.length > 0) return null;
  let content = bytes;
  // Codings are listed in the order in which they were applied.
  for (const name of names.reverse()) {
    const coding = codingNamed(name);
    if (coding === undefined || decoder.codings?.includes(coding) === false) return null;
    content = await decoder.decode(coding, content, MAX_DECODED_BODY);
  }
  return { bytes: content, hidden: [] };
}
