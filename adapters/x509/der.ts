/**
 * A strict reader of DER, small enough to check by eye. It looks at certificates before any library does: minimal
 * lengths of at most two bytes, nothing after the end, bounded depth.
 */
import { bytesToHex } from '@noble/hashes/utils.js';

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** `[0]` … `[3]`, constructed. */
  context0: 0xa0,
  context3: 0xa3,
} as const;

export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Header and content. */
  readonly whole: Uint8Array;
}

/** The bytes are not DER, or not of the wanted shape. Never leaves this folder. */
export class DerError extends Error {}

const MAX_DEPTH = 24;
const CONSTRUCTED = 0x20;
/** 64 KiB, which is also the largest certificate that a presentation may hold. */
const MAX_LENGTH_BYTES = 2;

/** The elements of a run of DER, one by one: what follows the last one asked for is not looked at. @throws DerError */
export function* eachElement(bytes: Uint8Array): Generator<DerElement, void> {
  for (let at = 0; at < bytes.length; ) {
    const element = readElement(bytes, at);
    yield element;
    at += element.whole.length;
  }
}

/** All elements of a run of DER. @throws DerError */
export function readElements(bytes: Uint8Array): DerElement[] {
  return [...eachElement(bytes)];
}

/** The one element that the bytes are. @throws DerError */
export function readSingle(bytes: Uint8Array, tag: number): DerElement {
  const element = readElement(bytes, 0);
  if (element.whole.length !== bytes.length) throw new DerError('trailing bytes');
  return expectTag(element, tag);
}

/** @throws DerError unless the element is there and has the tag. */
export function expectTag(element: DerElement | undefined, tag: number): DerElement {
  if (element?.tag !== tag) throw new DerError(`expected tag ${tag}`);
  return element;
}

/**
 * The big-endian bytes of an INTEGER that is not negative, without a sign byte; one zero byte for zero.
 * @throws DerError when it is negative, empty or not minimal.
 */
export function readNonNegative(element: DerElement | undefined): Uint8Array {
  const { content } = expectTag(element, TAG.integer);
  const [first, second] = content;
  if (first === undefined) throw new DerError('an integer is empty');
  if (first > 0x7f) throw new DerError('an integer is negative');
  if (first !== 0 || second === undefined) return content;
  if (second <= 0x7f) throw new DerError('an integer is not minimal');
  return content.subarray(1);
}

/** The bytes of a BIT STRING. @throws DerError when it does not consist of whole bytes. */
export function readBitString(element: DerElement | undefined): Uint8Array {
  const { content } = expectTag(element, TAG.bitString);
  if (content[0] !== 0) throw new DerError('a bit string has unused bits');
  return content.subarray(1);
}

/**
 * True for `ff`, false for `00`: DER leaves a default out, but certificates of public authorities spell it out.
 * @throws DerError for anything else.
 */
export function readBoolean(element: DerElement): boolean {
  const [value, ...rest] = expectTag(element, TAG.boolean).content;
  if ((value !== 0 && value !== 0xff) || rest.length > 0) throw new DerError('a boolean is malformed');
  return value === 0xff;
}

/** Checks that everything below an element is DER too. @throws DerError */
export function checkNested(element: DerElement, depth = 0): void {
  if (depth > MAX_DEPTH) throw new DerError('nested too deep');
  if ((element.tag & CONSTRUCTED) === 0) return;
  for (const child of eachElement(element.content)) checkNested(child, depth + 1);
}

function readElement(bytes: Uint8Array, start: number): DerElement {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined) throw new DerError('cut short');
  if ((tag & 0x1f) === 0x1f) throw new DerError('high tag numbers do not occur in certificates');
  let length = first;
  let header = 2;
  if (first > 0x7f) {
    const count = first & 0x7f;
    if (count === 0 || count > MAX_LENGTH_BYTES) throw new DerError('indefinite or oversized length');
    length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + (bytes[start + 2 + i] ?? 0);
    header += count;
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerError('length is not minimal');
  }
  const end = start + header + length;
  if (end > bytes.length) throw new DerError('cut short');
  const content = bytes.subarray(start + header, end);
  if (tag === TAG.oid) checkOid(content);
  return { tag, content, whole: bytes.subarray(start, end) };
}

/** The last byte of each number has no high bit, and no number begins with zeros. Libraries refuse others. */
function checkOid(content: Uint8Array): void {
  let isFirst = true;
  for (const byte of content) {
    if (isFirst && byte === 0x80) throw new DerError('an object identifier is not minimal');
    isFirst = byte < 0x80;
  }
  if (content.length === 0 || !isFirst) throw new DerError('an object identifier is cut short');
}

/** Lower-case hex, for comparing. */
export const hex = bytesToHex;
