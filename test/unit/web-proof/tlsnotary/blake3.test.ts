import { blake3 as reference } from '@noble/hashes/blake3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Blake3, blake3 } from '../../../../core/web-proof/tlsnotary/blake3.ts';
import { HASH, hashFunction } from '../../../../core/web-proof/tlsnotary/hash-algorithms.ts';
import { runs } from '../../../support/property-runs.ts';

const CHUNK = 1024;

/** The input of the published test vectors: bytes that count from 0 to 250, again and again. */
const counting = (length: number) => Uint8Array.from({ length }, (_, index) => index % 251);

describe('BLAKE3', () => {
  it.each([
    [0, 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262'],
    [1, '2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213'],
    [1024, '42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7'],
    [1025, 'd00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444'],
  ])('gives the published hash of %i bytes', (length, hash) => {
    expect(bytesToHex(blake3(counting(length)))).toBe(hash);
  });

  it('agrees with @noble/hashes however the input is cut into pieces', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 3 * CHUNK }), { maxLength: 8 });
    fc.assert(
      fc.property(pieces, (parts) => {
        const [hash, expected] = [new Blake3(), reference.create({})];
        for (const part of parts) {
          hash.update(part);
          expected.update(part);
        }
        expect(hash.digest()).toEqual(expected.digest());
      }),
      runs(200),
    );
  });

  it('is the hash with number 2 of attestations', () => {
    const hash = hashFunction(HASH.blake3);
    expect(hash?.(counting(100))).toEqual(reference(counting(100)));
    expect(hash?.create().update(counting(100)).digest()).toEqual(reference(counting(100)));
  });
});
