import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDomainError } from '../../core/errors.ts';
import { decodePresentation } from '../../core/web-proof/tlsnotary/decode.ts';
import { encodePresentation } from '../../core/web-proof/tlsnotary/encode.ts';
import type { Presentation } from '../../core/web-proof/tlsnotary/presentation.ts';
import {
  type ByteRange,
  clipRanges,
  complementOfRanges,
  isCanonical,
  lengthOfRanges,
  overlapsRanges,
  sameRanges,
  sliceRanges,
  unionOfRanges,
} from '../../core/web-proof/tlsnotary/ranges.ts';
import { anyCharacter } from '../support/any-character.ts';
import { runs } from '../support/property-runs.ts';

const bytes = (maxLength: number, minLength = 0) => fc.uint8Array({ minLength, maxLength });
const fixed = (length: number) => bytes(length, length);
const u8 = fc.integer({ min: 0, max: 255 });
const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const u64 = fc.maxSafeNat();
const direction = fc.constantFrom('sent' as const, 'received' as const);
const typedHash = fc.record({ algorithm: u8, value: bytes(64) });
const looseRange = fc.record({ start: fc.nat(60), end: fc.nat(60) });
const someRanges = fc.array(looseRange, { maxLength: 8 }).map(unionOfRanges);
const ranges = someRanges.filter((list) => list.length > 0);
const field = <T>(value: fc.Arbitrary<T>) => fc.record({ id: u32, value });
const proof = fc.record({ algorithm: u8, leafCount: fc.nat(2 ** 20), hashes: fc.array(bytes(64), { maxLength: 4 }) });
const side = fc.record({ ranges: someRanges, hidden: fc.nat(5), data: fixed(60) }).map(({ ranges, hidden, data }) => ({
  bytes: sliceRanges(data, ranges),
  ranges,
  total: (ranges.at(-1)?.end ?? 0) + hidden,
}));
const commitment = fc.oneof(
  fc.record({ kind: fc.constant('encoding' as const), root: typedHash, seed: fixed(32), delta: fixed(16) }),
  fc.record({ kind: fc.constant('hash' as const), direction, ranges, hash: typedHash }),
);
const opening = fc.record({
  certificates: fc.array(bytes(40), { maxLength: 8 }),
  scheme: fc.nat(11),
  signature: bytes(80),
  clientRandom: fixed(32),
  serverRandom: fixed(32),
  serverEphemeralKey: bytes(66),
  blinder: fixed(16),
});
const name = fc.string({ unit: anyCharacter, maxLength: 60 }).filter((text) => text.isWellFormed());
const presentation: fc.Arbitrary<Presentation> = fc.record({
  signature: fc.record({ algorithm: u8, data: bytes(70) }),
  header: fc.record({ id: fixed(16), version: u32, root: typedHash }),
  body: fc.record({
    verifyingKey: field(fc.record({ algorithm: u8, data: bytes(66) })),
    connectionInfo: field(fc.record({ time: u64, tlsVersion: fc.nat(1), sentLength: u32, receivedLength: u32 })),
    serverEphemeralKey: field(bytes(66)),
    certificateCommitment: field(typedHash),
    extensions: fc.array(field(fc.record({ id: bytes(20), value: bytes(20) })), { maxLength: 3 }),
    transcriptCommitments: fc.array(field(commitment), { maxLength: 3 }),
  }),
  bodyProof: proof,
  identity: fc.option(fc.record({ name, opening })),
  transcript: fc.option(
    fc.record({
      sent: side,
      received: side,
      encodingProof: fc.option(
        fc.record({
          proof,
          openings: fc.uniqueArray(fc.record({ leaf: u64, direction, ranges, blinder: fixed(16) }), {
            selector: (item) => item.leaf,
            maxLength: 4,
          }),
        }),
      ),
      hashOpenings: fc.array(fc.record({ direction, ranges, algorithm: u8, blinder: fixed(16) }), { maxLength: 4 }),
    }),
  ),
});

/** Decoded, or null when refused; anything but a refusal with INVALID_PRESENTATION fails the test. */
function tryDecode(input: Uint8Array): Presentation | null {
  try {
    return decodePresentation(input);
  } catch (error) {
    if (!isDomainError(error, 'INVALID_PRESENTATION')) throw error;
    return null;
  }
}

describe('codec', () => {
  it('decodes what it encodes', () => {
    fc.assert(
      fc.property(presentation, (value) => {
        expect(decodePresentation(encodePresentation(value))).toEqual(value);
      }),
      runs(75),
    );
  });

  it('refuses every prefix and every extension', () => {
    fc.assert(
      fc.property(presentation, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (value, share) => {
        const whole = encodePresentation(value);
        expect(tryDecode(whole.subarray(0, Math.floor(share * whole.length)))).toBeNull();
        expect(tryDecode(Uint8Array.from([...whole, 0]))).toBeNull();
      }),
      runs(75),
    );
  });

  it('has one encoding for each presentation: what it accepts, it encodes to the same bytes', () => {
    const change = fc.record({ at: fc.nat(), value: u8 });
    fc.assert(
      fc.property(presentation, fc.array(change, { minLength: 1, maxLength: 3 }), (value, changes) => {
        const altered = encodePresentation(value);
        for (const { at, value: byte } of changes) altered[at % altered.length] = byte;
        const decoded = tryDecode(altered);
        if (decoded !== null) expect(encodePresentation(decoded)).toEqual(altered);
      }),
      runs(200),
    );
  });

  it('refuses arbitrary bytes without any other failure', () => {
    fc.assert(
      fc.property(bytes(2_000), (input) => {
        const decoded = tryDecode(input);
        if (decoded !== null) expect(encodePresentation(decoded)).toEqual(input);
      }),
      runs(125),
    );
  });
});

describe('ranges', () => {
  const loose = fc.array(looseRange, { maxLength: 12 });
  const offsets = (list: readonly ByteRange[]) => {
    const set = new Set<number>();
    for (const { start, end } of list) for (let at = start; at < end; at++) set.add(at);
    return set;
  };

  it('union, complement and clip are the set operations, in canonical form', () => {
    fc.assert(
      fc.property(loose, fc.nat(60), fc.nat(60), (list, a, b) => {
        const union = unionOfRanges(list);
        const wanted = offsets(list);
        expect(isCanonical(union)).toBe(true);
        expect(offsets(union)).toEqual(wanted);
        expect(lengthOfRanges(union)).toBe(wanted.size);

        const rest = complementOfRanges(union, a);
        expect(isCanonical(rest)).toBe(true);
        const missing = Array.from({ length: a }, (_, at) => at).filter((at) => !wanted.has(at));
        expect([...offsets(rest)]).toEqual(missing);

        const [start, end] = a < b ? [a, b] : [b, a];
        const inside = [...wanted].filter((at) => at >= start && at < end);
        expect(new Set([...offsets(clipRanges(union, start, end))].map((at) => at + start))).toEqual(new Set(inside));
        expect(overlapsRanges(union, start, end)).toBe(inside.length > 0);
        expect(sameRanges(union, unionOfRanges([...list].reverse()))).toBe(true);
      }),
      runs(125),
    );
  });
});
