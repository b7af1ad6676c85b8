/**
 * Finds where the members of a gzip body end (RFC 1952 section 2.2). The `DecompressionStream` of browsers reads one member and does
 * not say how long it was. So its deflate data (RFC 1951) is followed here, without making the content. The stream judges whether a
 * member is sound.
 */

const FIXED_HEADER = 10;
const TRAILER = 8;
const FLAG = { headerCheck: 2, extra: 4, name: 8, comment: 16 } as const;
const MAX_BITS = 15;
const END_OF_BLOCK = 256;
const FIRST_LENGTH = 257;
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
/** In which the lengths of the codes for lengths of codes are written. */
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** The members of a body, one after the other. What cannot be followed is a part of the last one. */
export function* gzipMembers(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let start = 0; start < bytes.length; ) {
    // Most bodies have one member, and need not be followed.
    const end = isBegun(bytes, start + 1) ? endOfMember(bytes, start) : bytes.length;
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** Whether bytes as at the beginning of a member stand anywhere from `from` on. */
function isBegun(bytes: Uint8Array, from: number): boolean {
  for (let at = bytes.indexOf(0x1f, from); at !== -1; at = bytes.indexOf(0x1f, at + 1)) {
    if (bytes[at + 1] === 0x8b && bytes[at + 2] === 0x08) return true;
  }
  return false;
}

function endOfMember(bytes: Uint8Array, start: number): number {
  const end = new DeflateReader(bytes, endOfHeader(bytes, start)).end() + TRAILER;
  return Math.min(end, bytes.length);
}

function endOfHeader(bytes: Uint8Array, start: number): number {
  const flags = bytes[start + 3] ?? 0;
  let at = start + FIXED_HEADER;
  if (flags & FLAG.extra) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  for (const flag of [FLAG.name, FLAG.comment]) {
    if (flags & flag) at = bytes.indexOf(0, at) + 1 || bytes.length;
  }
  return flags & FLAG.headerCheck ? at + 2 : at;
}

/** A canonical Huffman code: how many codes have each length, and their symbols in order. */
interface Code {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

function codeOf(lengths: ArrayLike<number>): Code {
  const counts = new Uint16Array(MAX_BITS + 1);
  for (let symbol = 0; symbol < lengths.length; symbol++)
    counts[lengths[symbol] ?? 0] = (counts[lengths[symbol] ?? 0] ?? 0) + 1;
  const next = new Uint16Array(MAX_BITS + 2);
  counts[0] = 0;
  for (let bits = 1; bits <= MAX_BITS; bits++) next[bits + 1] = (next[bits] ?? 0) + (counts[bits] ?? 0);
  const symbols = new Uint16Array(lengths.length);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const bits = lengths[symbol] ?? 0;
    if (bits === 0) continue;
    symbols[next[bits] ?? 0] = symbol;
    next[bits] = (next[bits] ?? 0) + 1;
  }
  return { counts, symbols };
}

const FIXED_LENGTHS = [...Array(288).keys()].map((symbol) =>
  symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
);
const FIXED = { literals: codeOf(FIXED_LENGTHS), distances: codeOf(Array(30).fill(5)) };

/** Follows deflate data. Past the end of the bytes, and for codes that do not exist, the end is `Infinity`. */
class DeflateReader {
  readonly #bytes: Uint8Array;
  /** In bits. */
  #at: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = 8 * start;
  }

  /** The offset behind the last block. */
  end(): number {
    for (let isLast = false; !isLast && this.#isInside(); ) {
      isLast = this.#bits(1) === 1;
      const kind = this.#bits(2);
      if (kind === 0) this.#stored();
      else if (kind === 1) this.#block(FIXED.literals, FIXED.distances);
      else if (kind === 2) this.#dynamic();
      else this.#fail();
    }
    return Math.ceil(this.#at / 8);
  }

  #isInside(): boolean {
    return this.#at < 8 * this.#bytes.length;
  }

  #fail(): void {
    this.#at = Number.POSITIVE_INFINITY;
  }

  #bits(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit++) {
      value |= (((this.#bytes[this.#at >>> 3] ?? 0) >>> (this.#at & 7)) & 1) << bit;
      this.#at += 1;
    }
    return value;
  }

  #symbol({ counts, symbols }: Code): number {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let bits = 1; bits <= MAX_BITS; bits++) {
      code |= this.#bits(1);
      const count = counts[bits] ?? 0;
      if (code - count < first) return symbols[index + code - first] ?? 0;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    this.#fail();
    return END_OF_BLOCK;
  }

  #stored(): void {
    this.#at = 8 * Math.ceil(this.#at / 8);
    const length = this.#bits(16);
    this.#at += 16 + 8 * length;
  }

  #block(literals: Code, distances: Code): void {
    while (this.#isInside()) {
      const symbol = this.#symbol(literals);
      if (symbol === END_OF_BLOCK) return;
      if (symbol < END_OF_BLOCK) continue;
      this.#bits(LENGTH_EXTRA[symbol - FIRST_LENGTH] ?? 0);
      this.#bits(Math.max(0, (this.#symbol(distances) >> 1) - 1));
    }
  }

  #dynamic(): void {
    const literals = this.#bits(5) + 257;
    const distances = this.#bits(5) + 1;
    const written = this.#bits(4) + 4;
    const lengths = new Uint8Array(CODE_LENGTH_ORDER.length);
    for (const symbol of CODE_LENGTH_ORDER.slice(0, written)) lengths[symbol] = this.#bits(3);
    const code = codeOf(lengths);
    const all = new Uint8Array(literals + distances);
    for (let at = 0; at < all.length && this.#isInside(); ) {
      const symbol = this.#symbol(code);
      if (symbol < 16) all[at++] = symbol;
      else {
        const repeated = symbol === 16 ? (all[at - 1] ?? 0) : 0;
        const times = symbol === 16 ? 3 + this.#bits(2) : symbol === 17 ? 3 + this.#bits(3) : 11 + this.#bits(7);
        all.fill(repeated, at, at + times);
        at += times;
      }
    }
    this.#block(codeOf(all.subarray(0, literals)), codeOf(all.subarray(literals)));
  }
}
