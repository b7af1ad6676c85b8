/** Unpacks gzip (RFC 1952), zlib (RFC 1950) and raw deflate data, whole: nothing may follow it. */
import { joinBytes } from '../../core/join-bytes.ts';
import { hasZlibHeader } from '../../core/web-proof/http/zlib-header.ts';
import { inflate, MalformedContent } from './inflate.ts';

const GZIP_MAGIC = 0x8b1f;
const DEFLATE = 8;
const RESERVED_FLAGS = 0xe0;
const [HEADER_CHECK, EXTRA, NAME, COMMENT] = [0x02, 0x04, 0x08, 0x10];
const FIXED_HEADER_BYTES = 10;
const ZLIB_DICTIONARY = 0x20;
const LARGEST_WINDOW = 7;

/**
 * Unpacks all members, one after the other.
 * @throws MalformedContent, ContentTooLarge
 */
export function gunzip(data: Uint8Array, maxLength: number): Uint8Array {
  const members: Uint8Array[] = [];
  let length = 0;
  let at = 0;
  do {
    const { bytes, end } = inflate(data, endOfGzipHeader(data, at), maxLength - length);
    const isWhole = numberAt(data, end, 4) === crc32(bytes) && numberAt(data, end + 4, 4) === bytes.length;
    if (!isWhole) throw new MalformedContent('a checksum or length is wrong');
    if (bytes.length > 0) members.push(bytes);
    length += bytes.length;
    at = end + 8;
  } while (at < data.length);
  return members.length === 1 ? (members[0] as Uint8Array) : joinBytes(members);
}

/**
 * Unpacks zlib data, and raw deflate data, which some servers send under the same name.
 * @throws MalformedContent, ContentTooLarge
 */
export function undeflate(data: Uint8Array, maxLength: number): Uint8Array {
  const isZlib = hasZlibHeader(data);
  if (isZlib && (data[0] as number) >> 4 > LARGEST_WINDOW) throw new MalformedContent('the window is too large');
  if (isZlib && ((data[1] as number) & ZLIB_DICTIONARY) !== 0) throw new MalformedContent('it needs a dictionary');
  const { bytes, end } = inflate(data, isZlib ? 2 : 0, maxLength);
  if (isZlib && adler32(bytes) !== numberAt(data.subarray(end, end + 4).toReversed(), 0, 4)) {
    throw new MalformedContent('the checksum is wrong');
  }
  if ((isZlib ? end + 4 : end) !== data.length) throw new MalformedContent('other data follows');
  return bytes;
}

function endOfGzipHeader(data: Uint8Array, start: number): number {
  const flags = data[start + 3] ?? 0;
  const isGzip =
    numberAt(data, start, 2) === GZIP_MAGIC && data[start + 2] === DEFLATE && (flags & RESERVED_FLAGS) === 0;
  if (!isGzip) throw new MalformedContent('a header is wrong');
  let at = start + FIXED_HEADER_BYTES;
  if (flags & EXTRA) at += 2 + numberAt(data, at, 2);
  if (flags & NAME) at = endOfText(data, at);
  if (flags & COMMENT) at = endOfText(data, at);
  if ((flags & HEADER_CHECK) === 0) return at;
  if (numberAt(data, at, 2) !== (crc32(data.subarray(start, at)) & 0xffff)) {
    throw new MalformedContent('the checksum of a header is wrong');
  }
  return at + 2;
}

function endOfText(data: Uint8Array, start: number): number {
  const end = data.indexOf(0, start);
  if (end === -1) throw new MalformedContent('the data is cut short');
  return end + 1;
}

/** A number in `count` bytes, the lowest first. */
function numberAt(data: Uint8Array, start: number, count: number): number {
  if (start + count > data.length) throw new MalformedContent('the data is cut short');
  let value = 0;
  for (let at = start + count - 1; at >= start; at -= 1) value = value * 256 + (data[at] as number);
  return value;
}

const CRC_OF_BYTE = new Uint32Array(256).map((_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_OF_BYTE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}

const ADLER_MODULUS = 65_521;

function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % ADLER_MODULUS;
    high = (high + low) % ADLER_MODULUS;
  }
  return high * 65_536 + low;
}
