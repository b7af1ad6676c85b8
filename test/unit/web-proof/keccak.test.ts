import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, it } from 'vitest';
import { keccak256, keccak256OfText } from '../../../core/web-proof/keccak.ts';

it('is the digest of the library, for every length up to two blocks and for long messages', () => {
  const bytes = Uint8Array.from({ length: 5_000 }, (_, i) => (i * 89 + (i >> 8)) & 0xff);
  for (const length of [...Array.from({ length: 275 }, (_, length) => length), 4_999, 5_000]) {
    const message = bytes.subarray(bytes.length - length);
    expect(keccak256(message), `${length} bytes`).toEqual(keccak_256(message));
  }
});

it('is the digest of parts in a row, and of text in UTF-8, if they are short and if they are long', () => {
  for (const length of [0, 1, 44, 45, 46, 67, 68, 134, 135, 136, 137, 400]) {
    const [ascii, wide, emoji] = ['a'.repeat(length), '€'.repeat(length), '\u{1f600}'.repeat(length)];
    for (const text of [ascii, wide, emoji, `${ascii}${emoji}`, `${ascii}\ud800`]) {
      const bytes = new TextEncoder().encode(text);
      const digest = keccak_256(bytes);
      expect(keccak256OfText(text), `${length} of ${text.slice(0, 2)}`).toEqual(digest);
      const cut = Math.floor(bytes.length / 3);
      expect(keccak256(bytes.subarray(0, cut), new Uint8Array(), bytes.subarray(cut))).toEqual(digest);
    }
  }
});

it('returns bytes that a later digest leaves alone', () => {
  const first = keccak256(Uint8Array.of(1));
  const copy = first.slice();
  keccak256(Uint8Array.of(2));
  expect(first).toEqual(copy);
});
