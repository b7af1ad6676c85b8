import { describe, expect, it } from 'vitest';
import { Reader } from '../../../../core/web-proof/tlsnotary/reader.ts';
import { Writer } from '../../../../core/web-proof/tlsnotary/writer.ts';

const bincode = () => new Writer('bincode');
/** A view into something larger, as a network buffer is one. */
function reader(writer: Writer): Reader {
  const bytes = writer.bytes();
  const whole = new Uint8Array(bytes.length + 7).fill(0xee);
  whole.set(bytes, 3);
  return new Reader(whole.subarray(3, 3 + bytes.length));
}
const malformed = (message: string) =>
  expect.objectContaining({
    code: 'INVALID_PRESENTATION',
    message: `The data cannot be decoded as a presentation: ${message}.`,
  });

describe('the reader', () => {
  it('reads what the writer writes', () => {
    const input = reader(
      bincode()
        .u8(255)
        .u32(2 ** 32 - 1)
        .u64(Number.MAX_SAFE_INTEGER)
        .byteString(Uint8Array.of(1, 2))
        .byteString(new TextEncoder().encode('\ufeffż'))
        .variant(0)
        .variant(1)
        .raw(Uint8Array.of(0, 1, 9)),
    );
    expect(input.u8('a')).toBe(255);
    expect(input.u32('b')).toBe(2 ** 32 - 1);
    expect(input.u64('c')).toBe(Number.MAX_SAFE_INTEGER);
    expect(input.byteString(2, 'd')).toEqual(Uint8Array.of(1, 2));
    expect(input.text(5, 'e')).toBe('\ufeffż');
    expect([input.direction(), input.direction()]).toEqual(['sent', 'received']);
    expect(input.option('f', () => input.u8('g'))).toBeNull();
    expect(input.option('f', () => input.u8('g'))).toBe(9);
    expect(input.offset).toBe(1 + 4 + 8 + 10 + 13 + 8 + 3);
    expect(() => input.end()).not.toThrow();
  });

  it.each<[string, Writer, (input: Reader) => unknown, string]>([
    ['a byte too few', bincode().u8(0), (input) => input.u32('x'), 'x is cut short (at byte 0)'],
    ['nothing', bincode(), (input) => input.u8('x'), 'x is cut short (at byte 0)'],
    [
      'a number beyond 2^53 - 1',
      bincode()
        .u8(0)
        .raw(Uint8Array.of(0, 0, 0, 0, 0, 0, 0x20, 0)),
      (input) => [input.u8('w'), input.u64('x')],
      'x is too large (at byte 1)',
    ],
    [
      'a byte string that is too long',
      bincode().u8(0).byteString(new Uint8Array(3)),
      (input) => [input.u8('w'), input.byteString(2, 'x')],
      'x: 3 is more than the limit of 2 (at byte 1)',
    ],
    [
      'a length beyond the end',
      bincode().u64(2).u8(0),
      (input) => input.byteString(9, 'x'),
      'x is cut short (at byte 0)',
    ],
    [
      'a length that is cut short',
      bincode().u32(0),
      (input) => input.byteString(9, 'x'),
      'the length of x is cut short (at byte 0)',
    ],
    [
      'text that is not UTF-8',
      bincode().u8(0).byteString(Uint8Array.of(0xff)),
      (input) => [input.u8('w'), input.text(9, 'x')],
      'x is not UTF-8 (at byte 1)',
    ],
    [
      'items that cannot all be there',
      bincode().u64(3).raw(new Uint8Array(5)),
      (input) => input.list(2, 9, 'x', () => input.u8('y')),
      'x is cut short (at byte 0)',
    ],
    [
      'something between present and absent',
      bincode().u8(0).u8(2),
      (input) => [input.u8('w'), input.option('x', () => 1)],
      'x is neither present nor absent (2) (at byte 1)',
    ],
    [
      'an unknown variant',
      bincode().u8(0).variant(2),
      (input) => [input.u8('w'), input.variant(2, 'x')],
      'x 2 does not exist (at byte 1)',
    ],
    [
      'an unknown direction',
      bincode().variant(2),
      (input) => input.direction(),
      'direction 2 does not exist (at byte 0)',
    ],
    [
      'ranges that touch',
      bincode().u8(0).u64(2).u64(0).u64(1).u64(1).u64(2),
      (input) => [input.u8('w'), input.ranges(2, 'x', true)],
      'x are not sorted, apart and non-empty (at byte 1)',
    ],
    [
      'no range where there must be one',
      bincode().u8(0).u64(0),
      (input) => [input.u8('w'), input.ranges(2, 'x', false)],
      'x are empty (at byte 1)',
    ],
    [
      'a bound that is cut short',
      bincode().u64(1).u64(1).u64(0).u32(0),
      (input) => [input.u64('w'), input.ranges(1, 'x', true)],
      'x is cut short (at byte 8)',
    ],
    [
      'bytes behind the end',
      bincode().u8(0).u8(1).u8(2),
      (input) => [input.u8('w'), input.end()],
      '2 bytes follow its end (at byte 1)',
    ],
  ])('refuses %s, and says what and where', (_title, written, read, message) => {
    expect(() => read(reader(written))).toThrow(malformed(message));
  });

  it('takes as many items and bytes as there may be, and none where there may be none', () => {
    expect(reader(bincode().byteString(new Uint8Array(2))).byteString(2, 'x')).toHaveLength(2);
    const items = reader(
      bincode()
        .u64(3)
        .raw(Uint8Array.of(1, 2, 3)),
    );
    expect(items.list(1, 3, 'x', () => items.u8('y'))).toEqual([1, 2, 3]);
    const ranges = reader(bincode().u64(0).u64(1).u64(0).u64(1));
    expect(ranges.ranges(0, 'x', true)).toEqual([]);
    expect(ranges.ranges(1, 'x', false)).toEqual([{ start: 0, end: 1 }]);
    expect(reader(bincode().u64(2 ** 40)).u64('x')).toBe(2 ** 40);
  });
});

describe('the writer', () => {
  it('writes counts and variants as each encoding does', () => {
    const written = (encoding: 'bincode' | 'bcs', value: number) => [
      ...new Writer(encoding).count(value).variant(value).bytes(),
    ];
    expect(written('bincode', 1)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    for (const [value, bytes] of [
      [0, [0]],
      [127, [127]],
      [128, [0x80, 1]],
      [300, [0xac, 2]],
      [16_383, [0xff, 0x7f]],
      [16_384, [0x80, 0x80, 1]],
      [2 ** 32, [0x80, 0x80, 0x80, 0x80, 0x10]],
    ] as const) {
      expect(written('bcs', value)).toEqual([...bytes, ...bytes]);
    }
  });
});
