import { chacha12 } from '@noble/ciphers/chacha.js';
import type { RunningHash } from './hash-algorithms.ts';
import type { Direction, EncodingCommitment } from './presentation.ts';

/** Bytes of encoding per transcript byte: 16 for each bit. */
const ENCODED = 128;
/** Transcript bytes encoded at a time: keeps memory small whatever the length of a range. */
const STEP = 256;

type EncodingKey = Pick<EncodingCommitment, 'seed' | 'delta'>;

/**
 * Feeds the encoding of transcript bytes into a hash. Each byte has 8 blocks of 16 keystream bytes, lowest bit first;
 * `delta` is added to the block of a bit that is 1.
 * @param start offset of `data` in its direction; selects the place in the keystream.
 */
export function hashEncoding(
  hash: RunningHash,
  key: EncodingKey,
  direction: Direction,
  start: number,
  data: Uint8Array,
): void {
  for (let from = 0; from < data.length; from += STEP) {
    hash.update(encodeBytes(key, direction, start + from, data.subarray(from, from + STEP)));
  }
}

/** The encoding of the bytes, 128 bytes for each. */
export function encodeBytes(key: EncodingKey, direction: Direction, start: number, data: Uint8Array): Uint8Array {
  const { seed, delta } = key;
  // A 64-bit counter and a 64-bit stream id, in the IETF form of 32 and 96 bits: the counter's upper half stays zero.
  const nonce = new Uint8Array(12);
  nonce[4] = direction === 'sent' ? 0 : 1;
  const encoded = chacha12(seed, nonce, new Uint8Array(data.length * ENCODED), undefined, start * 2);
  // Four words at a time: the order of bytes in a word is the same on both sides.
  const words = new Uint32Array(encoded.buffer, encoded.byteOffset, encoded.length / 4);
  const [d0 = 0, d1 = 0, d2 = 0, d3 = 0] = new Uint32Array(delta.slice().buffer);
  for (let i = 0; i < data.length; i++) {
    const byte = data[i] ?? 0;
    for (let bit = 0; bit < 8; bit++) {
      if (((byte >> bit) & 1) === 0) continue;
      const block = (i * ENCODED + bit * 16) / 4;
      words[block] = (words[block] ?? 0) ^ d0;
      words[block + 1] = (words[block + 1] ?? 0) ^ d1;
      words[block + 2] = (words[block + 2] ?? 0) ^ d2;
      words[block + 3] = (words[block + 3] ?? 0) ^ d3;
    }
  }
  return encoded;
}
