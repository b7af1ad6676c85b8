import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, it } from 'vitest';
import { keccak256 } from '../../../core/web-proof/keccak.ts';

it('is the digest of the library, for every length up to two blocks and for long messages', () => {
  const bytes = Uint8Array.from({ length: 5_000 }, (_, i) => (i * 89 + (i >> 8)) & 0xff);
  for (const length of [...Array.from({ length: 275 }, (_, length) => length), 4_999, 5_000]) {
    const message = bytes.subarray(bytes.length - length);
    expect(keccak256(message), `${length} bytes`).toEqual(keccak_256(message));
  }
});

it('returns bytes that a later digest leaves alone', () => {
  const first = keccak256(Uint8Array.of(1));
  const copy = first.slice();
  keccak256(Uint8Array.of(2));
  expect(first).toEqual(copy);
});
