import { DomainError } from '../../core/errors.ts';
import { joinBytes } from '../../core/join-bytes.ts';
import type { ContentCoding, ContentDecoder } from '../../core/ports/content-decoder.ts';
import { hasZlibHeader } from '../../core/web-proof/http/content-codings.ts';

/** At most a thousand times as many bytes come out: a small piece bounds what is made before it can be counted. */
const PIECE_BYTES = 1024;

/** Most pieces of a body of gzip that are tried for a member. Bodies have one member, and few have more. */
const MAX_TRIES = 128;

type Format = 'gzip' | 'deflate' | 'deflate-raw';

/** Undoes content codings with the `DecompressionStream` of browsers and edge runtimes, which has no Brotli. */
export function createWebContentDecoder(): ContentDecoder {
  return { codings: ['gzip', 'deflate'], decode };
}

async function decode(coding: ContentCoding, bytes: Uint8Array, maxLength: number): Promise<Uint8Array> {
  const tooLong = refusal(`it has more than ${maxLength} bytes after decoding ${coding}`);
  const content =
    coding === 'gzip'
      ? await readMembers(bytes, maxLength, tooLong)
      : await readWhole(hasZlibHeader(bytes) ? 'deflate' : 'deflate-raw', bytes, maxLength, tooLong);
  if (content === null) throw refusal(`its ${coding} content is malformed, cut short or followed by other data`);
  return content;
}

/**
 * Reads the members of a body of gzip, one after the other (RFC 1952 section 2.2). The stream of a browser reads one and does not
 * say how long it was. So a member is tried up to each place where another may begin. Null for what is malformed.
 */
async function readMembers(bytes: Uint8Array, maxLength: number, tooLong: DomainError): Promise<Uint8Array | null> {
  const members: Uint8Array[] = [];
  let left = maxLength;
  let tries = 0;
  for (let start = 0; start < bytes.length; ) {
    let member: Uint8Array | null = null;
    for (const end of endsFrom(bytes, start)) {
      tries += 1;
      if (tries > MAX_TRIES) throw refusal('it has too many members of gzip');
      member = await readWhole('gzip', bytes.subarray(start, end), left, tooLong);
      if (member === null) continue;
      start = end;
      break;
    }
    if (member === null) return null;
    left -= member.length;
    members.push(member);
  }
  return joinBytes(members);
}

/** The end of the body, which is the end of most members, and then every place where another may begin. */
function* endsFrom(bytes: Uint8Array, start: number): Generator<number, void> {
  yield bytes.length;
  for (let at = bytes.indexOf(0x1f, start + 1); at !== -1; at = bytes.indexOf(0x1f, at + 1)) {
    if (bytes[at + 1] === 0x8b && bytes[at + 2] === 0x08) yield at;
  }
}

/** The content of one stream; null for what is not exactly one. Throws `tooLong` beyond `maxLength`. */
async function readWhole(
  format: Format,
  bytes: Uint8Array,
  maxLength: number,
  tooLong: DomainError,
): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of decompressed(format, bytes)) {
      length += piece.length;
      if (length > maxLength) throw tooLong;
      pieces.push(piece);
    }
  } catch (error) {
    if (error === tooLong) throw error;
    return null;
  }
  return joinBytes(pieces);
}

async function* decompressed(format: Format, bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
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

function refusal(reason: string): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `Transcript parsing failed: body: ${reason}.`);
}
