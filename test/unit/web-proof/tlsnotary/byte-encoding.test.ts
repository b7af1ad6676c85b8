import { chacha12 } from '@noble/ciphers/chacha.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBytes } from '../../../../core/web-proof/tlsnotary/byte-encoding.ts';
import { runs } from '../../../support/property-runs.ts';

const BLOCK = 16;

/** By the definition: each bit has a block of the keystream, with delta added if the bit is set. */
function byDefinition(seed: Uint8Array, delta: Uint8Array, start: number, data: Uint8Array): Uint8Array {
  const keystream = chacha12(seed, new Uint8Array(12), new Uint8Array(128 * (start + data.length))).slice(128 * start);
  return keystream.map((byte, at) => {
    const bit = Math.floor(at / BLOCK);
    const isSet = (((data[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
    return isSet ? byte ^ (delta[at % BLOCK] ?? 0) : byte;
  });
}

describe('the encoding of transcript bytes', () => {
  it('adds delta to the block of every bit that is set, wherever delta lies in memory', () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    fc.assert(
      fc.property(
        bytes(32),
        fc.record({ memory: bytes(24), at: fc.nat(8) }),
        fc.nat(50),
        fc.uint8Array({ maxLength: 40 }),
        (seed, { memory, at }, start, data) => {
          const delta = memory.subarray(at, at + BLOCK);
          expect(encodeBytes({ seed, delta }, 'sent', start, data)).toEqual(byDefinition(seed, delta, start, data));
        },
      ),
      runs(100),
    );
  });
});
