/**
 * A strict reader of DER, small enough to check by eye. It looks at certificates before any library does: minimal
 * lengths only, nothing behind the end, bounded depth.
 */

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
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

/** All elements of a run of DER. @throws DerError */
export function readElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = readElement(bytes, at);
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
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

/** Checks that everything below an element is DER too. @throws DerError */
export function checkNested(element: DerElement, depth = 0): void {
  if (depth > MAX_DEPTH) throw new DerError('nested too deep');
  if ((element.tag & CONSTRUCTED) === 0) return;
  for (const child of readElements(element.content)) checkNested(child, depth + 1);
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
    if (count === 0 || count > 3) throw new DerError('indefinite or oversized length');
    length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + (bytes[start + 2 + i] ?? 0);
    header += count;
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerError('length is not minimal');
  }
  const end = start + header + length;
  if (end > bytes.length) throw new DerError('cut short');
  return { tag, content: bytes.subarray(start + header, end), whole: bytes.subarray(start, end) };
}
