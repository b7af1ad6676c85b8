import { joinBytes } from '../../join-bytes.ts';

/**
 * The two encodings of an attestation's structures. What travels is bincode, what is hashed and signed is BCS; they
 * differ only in how lengths and variants are written.
 */
export type Encoding = 'bincode' | 'bcs';

/** Collects the encoded parts of one value; `bytes()` joins them. */
export class Writer {
  readonly #encoding: Encoding;
  readonly #parts: Uint8Array[] = [];

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  /** Bytes as they are, without a length. */
  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    return this;
  }

  u8(value: number): this {
    return this.raw(Uint8Array.of(value));
  }

  u32(value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, value, true);
    return this.raw(bytes);
  }

  u64(value: number): this {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
    return this.raw(bytes);
  }

  /** The number of items or bytes that follow. */
  count(value: number): this {
    return this.#encoding === 'bincode' ? this.u64(value) : this.raw(uleb128(value));
  }

  /** The number of an enum's variant. */
  variant(value: number): this {
    return this.#encoding === 'bincode' ? this.u32(value) : this.raw(uleb128(value));
  }

  byteString(bytes: Uint8Array): this {
    return this.count(bytes.length).raw(bytes);
  }

  list<T>(items: readonly T[], write: (item: T) => void): this {
    this.count(items.length);
    for (const item of items) write(item);
    return this;
  }

  option<T>(value: T | null, write: (value: T) => void): this {
    this.u8(value === null ? 0 : 1);
    if (value !== null) write(value);
    return this;
  }

  bytes(): Uint8Array {
    return joinBytes(this.#parts);
  }
}

function uleb128(value: number): Uint8Array {
  const out: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    out.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
  return Uint8Array.from(out);
}
