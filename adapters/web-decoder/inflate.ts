/**
 * Unpacks deflate data (RFC 1951), and says where it ends. `DecompressionStream` does not say it, so the members of a gzip
 * body cannot be told apart with it, and runtimes differ in what may follow the first.
 */

/** The data is not deflate, or is cut short. */
export class MalformedContent extends Error {}

/** More bytes come out than were allowed. */
export class ContentTooLarge extends Error {}

export interface Inflated {
  readonly bytes: Uint8Array;
  /** Index of the first byte behind the deflate data. */
  readonly end: number;
}

const MAX_BITS = 15;
const FIRST_CAPACITY = 1_024;
const END_OF_BLOCK = 256;
const MAX_LENGTH_CODES = 286;
const MAX_DISTANCE_CODES = 30;

/** For each length symbol from 257 on: the shortest length that it stands for, and how many bits are added. */
const LENGTH_BASES = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASES = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const DISTANCE_BITS = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
/** The order in which a block lists the lengths of the codes for its lengths. */
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** A canonical Huffman code: how many symbols have each length, and the symbols in the order of their codes. */
interface Code {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
  /** Codes that no symbol has, in the longest length; negative if there are too many symbols. */
  readonly left: number;
}

function codeOf(lengths: Uint8Array): Code {
  const counts = new Uint16Array(MAX_BITS + 1);
  for (const length of lengths) counts[length] = (counts[length] as number) + 1;
  const offsets = new Uint16Array(MAX_BITS + 1);
  let left = 1;
  for (let bits = 1; bits <= MAX_BITS; bits += 1) {
    left = left * 2 - (counts[bits] as number);
    if (left < 0) break;
    if (bits < MAX_BITS) offsets[bits + 1] = (offsets[bits] as number) + (counts[bits] as number);
  }
  const symbols = new Uint16Array(lengths.length);
  if (left < 0) return { counts, symbols, left };
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const at = offsets[length] as number;
    symbols[at] = symbol;
    offsets[length] = at + 1;
  }
  return { counts, symbols, left: counts[0] === lengths.length ? 0 : left };
}

/** Only a code of one symbol, or of none, may leave codes unused. */
function requireComplete({ left, counts, symbols }: Code): void {
  const isSingle = (counts[0] as number) + (counts[1] as number) === symbols.length;
  if (left < 0 || (left > 0 && !isSingle)) throw new MalformedContent('a code is over-subscribed or incomplete');
}

const FIXED_LENGTHS = new Uint8Array(288).map((_, symbol) =>
  symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
);
const FIXED_CODES = { lengthCode: codeOf(FIXED_LENGTHS), distanceCode: codeOf(new Uint8Array(30).fill(5)) };

/**
 * Unpacks the deflate data that begins at `start`. Takes time in proportion to the bytes that go in and come out.
 * @throws MalformedContent, and ContentTooLarge as soon as there are more than `maxLength` bytes
 */
export function inflate(data: Uint8Array, start: number, maxLength: number): Inflated {
  return new Inflater(data, start, maxLength).run();
}

class Inflater {
  readonly #data: Uint8Array;
  readonly #maxLength: number;
  #at: number;
  /** Bits that were taken from the data and not used yet, and how many. */
  #bits = 0;
  #bitCount = 0;
  #out: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  #length = 0;

  constructor(data: Uint8Array, start: number, maxLength: number) {
    this.#data = data;
    this.#at = start;
    this.#maxLength = maxLength;
  }

  run(): Inflated {
    for (let isLast = false; !isLast; ) {
      isLast = this.#take(1) === 1;
      const kind = this.#take(2);
      if (kind === 0) this.#stored();
      else if (kind === 1) this.#block(FIXED_CODES.lengthCode, FIXED_CODES.distanceCode);
      else if (kind === 2) this.#dynamic();
      else throw new MalformedContent('a block has an unknown type');
    }
    // A copy: thousands of small members must not hold a buffer each.
    return { bytes: this.#out.slice(0, this.#length), end: this.#at };
  }

  #take(count: number): number {
    while (this.#bitCount < count) {
      if (this.#at >= this.#data.length) throw new MalformedContent('the data is cut short');
      this.#bits |= (this.#data[this.#at] as number) << this.#bitCount;
      this.#at += 1;
      this.#bitCount += 8;
    }
    const taken = this.#bits & ((1 << count) - 1);
    this.#bits >>>= count;
    this.#bitCount -= count;
    return taken;
  }

  #symbol({ counts, symbols }: Code): number {
    let code = 0;
    let first = 0;
    let index = 0;
    // Fields are slow to reach, and this is where the time goes.
    let [at, held, left] = [this.#at, this.#bits, this.#bitCount];
    for (let bits = 1; bits <= MAX_BITS; bits += 1) {
      if (left === 0) {
        if (at >= this.#data.length) throw new MalformedContent('the data is cut short');
        held = this.#data[at] as number;
        left = 8;
        at += 1;
      }
      code |= held & 1;
      held >>>= 1;
      left -= 1;
      const count = counts[bits] as number;
      if (code - count < first) {
        [this.#at, this.#bits, this.#bitCount] = [at, held, left];
        return symbols[index + code - first] as number;
      }
      index += count;
      first = (first + count) * 2;
      code *= 2;
    }
    throw new MalformedContent('a code has no symbol');
  }

  #stored(): void {
    // The rest of the last byte is padding.
    this.#bits = 0;
    this.#bitCount = 0;
    const length = this.#take(16);
    if (length !== (~this.#take(16) & 0xffff)) throw new MalformedContent('the length of a stored block is wrong');
    const end = this.#at + length;
    if (end > this.#data.length) throw new MalformedContent('the data is cut short');
    this.#makeRoom(length);
    this.#out.set(this.#data.subarray(this.#at, end), this.#length);
    this.#length += length;
    this.#at = end;
  }

  #dynamic(): void {
    const lengthCodes = this.#take(5) + 257;
    const distanceCodes = this.#take(5) + 1;
    const listed = this.#take(4) + 4;
    if (lengthCodes > MAX_LENGTH_CODES || distanceCodes > MAX_DISTANCE_CODES)
      throw new MalformedContent('too many codes');
    const ofLengths = new Uint8Array(CODE_LENGTH_ORDER.length);
    for (const symbol of CODE_LENGTH_ORDER.slice(0, listed)) ofLengths[symbol] = this.#take(3);
    const lengthsCode = codeOf(ofLengths);
    if (lengthsCode.left !== 0) throw new MalformedContent('a code is over-subscribed or incomplete');
    const lengths = this.#codeLengths(lengthsCode, lengthCodes + distanceCodes);
    if (lengths[END_OF_BLOCK] === 0) throw new MalformedContent('a block has no end');
    const lengthCode = codeOf(lengths.subarray(0, lengthCodes));
    const distanceCode = codeOf(lengths.subarray(lengthCodes));
    requireComplete(lengthCode);
    requireComplete(distanceCode);
    this.#block(lengthCode, distanceCode);
  }

  #codeLengths(code: Code, count: number): Uint8Array {
    const lengths = new Uint8Array(count);
    for (let at = 0; at < count; ) {
      const symbol = this.#symbol(code);
      if (symbol < 16) {
        lengths[at] = symbol;
        at += 1;
        continue;
      }
      if (symbol === 16 && at === 0) throw new MalformedContent('there is no length to repeat');
      const repeated = symbol === 16 ? (lengths[at - 1] as number) : 0;
      const times = symbol === 16 ? 3 + this.#take(2) : symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7);
      if (at + times > count) throw new MalformedContent('too many lengths of codes');
      lengths.fill(repeated, at, at + times);
      at += times;
    }
    return lengths;
  }

  #block(lengthCode: Code, distanceCode: Code): void {
    for (let symbol = this.#symbol(lengthCode); symbol !== END_OF_BLOCK; symbol = this.#symbol(lengthCode)) {
      if (symbol < END_OF_BLOCK) {
        this.#makeRoom(1);
        this.#out[this.#length] = symbol;
        this.#length += 1;
      } else {
        this.#repeat(symbol - END_OF_BLOCK - 1, distanceCode);
      }
    }
  }

  #repeat(lengthSymbol: number, distanceCode: Code): void {
    const base = LENGTH_BASES[lengthSymbol];
    if (base === undefined) throw new MalformedContent('a length is unknown');
    const length = base + this.#take(LENGTH_BITS[lengthSymbol] as number);
    const symbol = this.#symbol(distanceCode);
    const distance = (DISTANCE_BASES[symbol] as number) + this.#take(DISTANCE_BITS[symbol] as number);
    if (distance > this.#length) throw new MalformedContent('a repetition begins before the data');
    this.#makeRoom(length);
    const out = this.#out;
    // Byte by byte: the repeated part may reach into itself.
    for (let at = this.#length; at < this.#length + length; at += 1) out[at] = out[at - distance] as number;
    this.#length += length;
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed > this.#maxLength) throw new ContentTooLarge();
    if (needed <= this.#out.length) return;
    const larger = new Uint8Array(Math.min(this.#maxLength, Math.max(needed, 2 * this.#out.length)));
    larger.set(this.#out.subarray(0, this.#length));
    this.#out = larger;
  }
}
