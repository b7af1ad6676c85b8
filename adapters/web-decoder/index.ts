import { DomainError } from '../../core/errors.ts';
import { joinBytes } from '../../core/join-bytes.ts';
import type { ContentCoding, ContentDecoder } from '../../core/ports/content-decoder.ts';
import { hasZlibHeader } from '../../core/web-proof/http/zlib-header.ts';
import { gzipMembers } from './gzip-members.ts';

/** At most a thousand times as many bytes come out: a small piece bounds what is made before it can be counted. */
const PIECE_BYTES = 1024;

/** Each takes a tenth of a millisecond, and an empty one only 20 bytes. */
const MAX_MEMBERS = 4_096;

/** Undoes content codings with the `DecompressionStream` of browsers and edge runtimes, which has no Brotli. */
export function createWebContentDecoder(): ContentDecoder {
  return { codings: ['gzip', 'deflate'], decode };
}

async function decode(coding: ContentCoding, bytes: Uint8Array, maxLength: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  let parts = 0;
  try {
    for (const part of coding === 'gzip' ? gzipMembers(bytes) : [bytes]) {
      parts += 1;
      if (parts > MAX_MEMBERS) throw refusal(`it has more than ${MAX_MEMBERS} members of gzip`);
      const format = coding === 'gzip' ? 'gzip' : hasZlibHeader(bytes) ? 'deflate' : 'deflate-raw';
      for await (const piece of decompressed(format, part)) {
        length += piece.length;
        if (length > maxLength) throw refusal(`it has more than ${maxLength} bytes after decoding ${coding}`);
        pieces.push(piece);
      }
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw refusal(`its ${coding} content is malformed, cut short or followed by other data`, error);
  }
  return joinBytes(pieces);
}

async function* decompressed(
  format: 'gzip' | 'deflate' | 'deflate-raw',
  bytes: Uint8Array,
): AsyncGenerator<Uint8Array, void> {
  const { writable, readable } = new DecompressionStream(format);
  const writing = write(writable.getWriter(), bytes);
  // The reader rejects with the same error.
  writing.catch(() => undefined);
  const reader = readable.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    await writing;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
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
