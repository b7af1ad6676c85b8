import { DomainError } from '../../core/errors.ts';
import type { ContentCoding, ContentDecoder } from '../../core/ports/content-decoder.ts';
import { ContentTooLarge } from './inflate.ts';
import { gunzip, undeflate } from './unpack.ts';

/** Undoes content codings without help of the runtime, with the verdicts of zlib. It has no Brotli. */
export function createWebContentDecoder(): ContentDecoder {
  return { codings: ['gzip', 'deflate'], decode };
}

async function decode(coding: ContentCoding, bytes: Uint8Array, maxLength: number): Promise<Uint8Array> {
  try {
    return coding === 'gzip' ? gunzip(bytes, maxLength) : undeflate(bytes, maxLength);
  } catch (error) {
    if (error instanceof ContentTooLarge) throw refusal(`it has more than ${maxLength} bytes after decoding ${coding}`);
    throw refusal(`its ${coding} content is malformed, cut short or followed by other data`, error);
  }
}

function refusal(reason: string, cause?: unknown): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `Transcript parsing failed: body: ${reason}.`, { cause });
}
