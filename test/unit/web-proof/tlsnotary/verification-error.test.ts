import { describe, expect, it } from 'vitest';
import { sameBytes } from '../../../../core/web-proof/tlsnotary/verification-error.ts';

describe('bytes', () => {
  it('are the same when all of them are, and there are no more', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    expect(sameBytes(bytes, Uint8Array.of(1, 2, 3))).toBe(true);
    for (const other of [[], [1, 2], [1, 2, 4], [0, 2, 3], [1, 2, 3, 0]]) {
      expect(sameBytes(bytes, Uint8Array.from(other))).toBe(false);
      expect(sameBytes(Uint8Array.from(other), bytes)).toBe(false);
    }
  });
});
