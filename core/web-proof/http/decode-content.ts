import type { ContentCoding, ContentDecoder } from '../../ports/content-decoder.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { type HttpRequest, type HttpResponse, headersNamed } from './message.ts';
import { type TranscriptSide, transcriptError } from './transcript-error.ts';

/** Most bytes that a body may have after decoding. Real text of the longest answer that is proven unpacks to about half. */
export const MAX_DECODED_BODY = 2 * 1024 * 1024;
/** Nested codings are legal and unheard of beyond two. */
const MAX_CODINGS = 3;
const CODINGS: Readonly<Record<string, ContentCoding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
};

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
  side: TranscriptSide,
): Promise<DecodedContent | null> {
  const names = headersNamed(message, 'content-encoding')
    .flatMap((header) => header.value.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_CODINGS) throw transcriptError(side, `more than ${MAX_CODINGS} content codings`);
  const { bytes, hidden } = message.body;
  if (names.length === 0 || bytes.length === 0) return { bytes, hidden };
  if (hidden.length > 0) return null;
  let content = bytes;
  // Codings are listed in the order in which they were applied.
  for (const name of names.reverse()) {
    const coding = Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined;
    if (coding === undefined || decoder.codings?.includes(coding) === false) return null;
    content = await decoder.decode(coding, content, MAX_DECODED_BODY);
  }
  return { bytes: content, hidden: [] };
}
