import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, type ZlibOptions, zstdDecompress } from 'node:zlib';
import PQueue from 'p-queue';
import { DomainError } from '../../core/errors.ts';
import type { ContentCoding, ContentDecoder } from '../../core/ports/content-decoder.ts';
import { hasZlibHeader } from '../../core/web-proof/http/content-codings.ts';

/** As many as Node's own pool has threads. More at once would be no faster, and each holds what it has made so far. */
const CONCURRENCY = 4;

/** Undoes content codings with Node's zlib, off the main thread, a few at a time; output is bounded while it is made. */
export function createZlibContentDecoder(): ContentDecoder {
  const queue = new PQueue({ concurrency: CONCURRENCY });
  return { decode: (...args) => queue.add(() => decode(...args)) };
}

/** Bodies of HTTP have windows of at most 8 MiB (RFC 9659). Larger ones would take their memory before a byte is made. */
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/** Undoes one coding; rejects as Node's zlib does. Some servers send raw deflate under the name of the zlib format. */
export function decompress(
  coding: ContentCoding,
  bytes: Uint8Array,
  options: Pick<ZlibOptions, 'maxOutputLength' | 'rejectGarbageAfterEnd' | 'info'>,
): Promise<Uint8Array> {
  if (coding === 'br') return promisify(brotliDecompress)(bytes, options);
  if (coding === 'zstd') return promisify(zstdDecompress)(bytes, { ...options, ...ZSTD });
  return promisify(coding === 'gzip' ? gunzip : hasZlibHeader(bytes) ? inflate : inflateRaw)(bytes, options);
}

async function decode(coding: ContentCoding, bytes: Uint8Array, maxLength: number): Promise<Uint8Array> {
  const options = {
    // The limit counts bytes made; one more than allowed would already be too many.
    maxOutputLength: Math.max(1, maxLength),
    // A body of gzip may have several members (RFC 1952 section 2.2); what follows them is counted below.
    rejectGarbageAfterEnd: coding !== 'gzip',
    info: true,
  };
  const result: unknown = await decompress(coding, bytes, options).catch((error: Error) => {
    throw refusal(coding, maxLength, error);
  });
  const { buffer, engine } = result as { buffer: Uint8Array; engine: { bytesWritten: number } };
  if (engine.bytesWritten !== bytes.length) throw refusal(coding, maxLength);
  return buffer;
}

function refusal(coding: ContentCoding, maxLength: number, cause?: Error & { code?: string }): DomainError {
  const reason =
    cause === undefined || cause.code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END'
      ? `other data follows its ${coding} content`
      : cause.code === 'ERR_BUFFER_TOO_LARGE'
        ? `it has more than ${maxLength} bytes after decoding ${coding}`
        : `its ${coding} content is malformed or cut short`;
  return new DomainError('INTERNAL_SERVER_ERROR', `Transcript parsing failed: body: ${reason}.`, { cause });
}
