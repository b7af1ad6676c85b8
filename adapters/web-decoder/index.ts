import { DomainError } from '../../core/errors.ts';
import { joinBytes } from '../../core/join-bytes.ts';
import type { ContentCoding, ContentDecoder } from '../../core/ports/content-decoder.ts';
import { hasZlibHeader } from '../../core/web-proof/http/zlib-header.ts';

/** At most a thousand times as many bytes come out: a small piece bounds what is made before it can be counted. */
const PIECE_BYTES = 1024;

/** Undoes content codings with the `DecompressionStream` of browsers and edge runtimes, which has no Brotli. */
export function createWebContentDecoder(): ContentDecoder {
  return { codings: ['gzip', 'deflate'], decode };
}

async function decode(coding: ContentCoding, bytes: Uint8Array, maxLength: number): Promise<Uint8Array> {
  const format = coding === 'gzip' ? 'gzip' : hasZlibHeader(bytes) ? 'deflate' : 'deflate-raw';
  const { writable, readable } = new DecompressionStream(format);
  const writing = write(writable.getWriter(), bytes);
  // What went wrong shows on the reader's side too.
  writing.catch(() => undefined);
  const reader = readable.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > maxLength) throw refusal(`it has more than ${maxLength} bytes after decoding ${coding}`);
      pieces.push(value);
    }
    await writing;
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    if (error instanceof DomainError) throw error;
    throw refusal(`its ${coding} content is malformed, cut short or followed by other data`, error);
  }
  return joinBytes(pieces);
}

async function write(writer: WritableStreamDefaultWriter, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    await writer.ready;
    await writer.write(bytes.slice(at, at + PIECE_BYTES));
  }
  await writer.close();
}

function refusal(reason: string, cause?: unknown): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `Transcript parsing failed: body: ${reason}.`, { cause });
}
