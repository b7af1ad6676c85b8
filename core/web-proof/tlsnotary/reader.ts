import { DomainError } from '../../errors.ts';
import type { Direction } from './presentation.ts';
import { type ByteRange, isCanonical } from './ranges.ts';

/** The bytes are not a presentation. The offset is where reading stopped. */
export function malformed(what: string, offset?: number): DomainError {
  const where = offset === undefined ? '' : ` (at byte ${offset})`;
  return new DomainError('INVALID_PRESENTATION', `The data cannot be decoded as a presentation: ${what}${where}.`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Strict bincode reader. Every count and length is checked against the bytes that are left before anything is
 * allocated, and byte strings are views of the input. What is read can never be much larger than the input.
 */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get offset(): number {
    return this.#at;
  }

  fixed(length: number, what: string): Uint8Array {
    if (length > this.#left()) throw malformed(`${what} is cut short`, this.#at);
    const start = this.#at;
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }

  u8(what: string): number {
    return this.fixed(1, what)[0] ?? 0;
  }

  u32(what: string): number {
    const start = this.#at;
    this.fixed(4, what);
    return this.#view.getUint32(start, true);
  }

  /** At most 2^53 − 1. */
  u64(what: string): number {
    const start = this.#at;
    this.fixed(8, what);
    const value = this.#view.getBigUint64(start, true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw malformed(`${what} is too large`, start);
    return Number(value);
  }

  byteString(maximum: number, what: string): Uint8Array {
    return this.fixed(this.#count(1, maximum, what), what);
  }

  text(maximum: number, what: string): string {
    const start = this.#at;
    const bytes = this.byteString(maximum, what);
    try {
      return utf8.decode(bytes);
    } catch {
      throw malformed(`${what} is not UTF-8`, start);
    }
  }

  /** @param minimum the fewest bytes that an item takes. */
  list<T>(minimum: number, maximum: number, what: string, item: () => T): T[] {
    const count = this.#count(minimum, maximum, what);
    const items: T[] = [];
    for (let i = 0; i < count; i++) items.push(item());
    return items;
  }

  option<T>(what: string, value: () => T): T | null {
    const start = this.#at;
    const tag = this.u8(what);
    if (tag > 1) throw malformed(`${what} is neither present nor absent (${tag})`, start);
    return tag === 1 ? value() : null;
  }

  /** The number of an enum's variant, below `count`. */
  variant(count: number, what: string): number {
    const start = this.#at;
    const value = this.u32(what);
    if (value >= count) throw malformed(`${what} ${value} does not exist`, start);
    return value;
  }

  direction(): Direction {
    return this.variant(2, 'direction') === 0 ? 'sent' : 'received';
  }

  /** Ranges in canonical form. */
  ranges(maximum: number, what: string, mayBeEmpty: boolean): ByteRange[] {
    const start = this.#at;
    const ranges = this.list(16, maximum, what, () => ({ start: this.u64(what), end: this.u64(what) }));
    if (!isCanonical(ranges)) throw malformed(`${what} are not sorted, apart and non-empty`, start);
    if (ranges.length === 0 && !mayBeEmpty) throw malformed(`${what} are empty`, start);
    return ranges;
  }

  end(): void {
    if (this.#left() > 0) throw malformed(`${this.#left()} bytes follow its end`, this.#at);
  }

  #left(): number {
    return this.#bytes.length - this.#at;
  }

  #count(minimum: number, maximum: number, what: string): number {
    const start = this.#at;
    const count = this.u64(`the length of ${what}`);
    if (count > maximum) throw malformed(`${what}: ${count} is more than the limit of ${maximum}`, start);
    if (count * minimum > this.#left()) throw malformed(`${what} is cut short`, start);
    return count;
  }
}
