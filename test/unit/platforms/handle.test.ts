import { describe, expect, it } from 'vitest';
import { normaliseHandle } from '../../../core/platforms/handle.ts';
import { parseHandle, REGISTRY } from '../../support/platforms.ts';

describe('handles', () => {
  it('are trimmed, without @, lower case', () => {
    expect(normaliseHandle('  @Nat.Geo_1\n')).toBe('nat.geo_1');
    expect(normaliseHandle('natgeo')).toBe('natgeo');
  });

  it('are not made of letters that only become ASCII', () => {
    expect(parseHandle('instagram', '\u212Aelly')).toBeNull();
    expect(normaliseHandle('É\u212A')).toBe('é\u212A');
  });

  it('are the same however their letters are composed', () => {
    for (const handle of ['josé', 'JOSÉ', 'Åse', 'J\u030C', 'ǰ', '한글']) {
      expect(normaliseHandle(handle.normalize('NFD'))).toBe(normaliseHandle(handle));
      expect(normaliseHandle(normaliseHandle(handle))).toBe(normaliseHandle(handle));
    }
    expect(normaliseHandle('J\u030C')).toBe('ǰ');
  });

  it('lose one @ only: two are a mistake', () => {
    expect(parseHandle('instagram', '@@natgeo')).toBeNull();
  });

  it.each(['a', 'nat.geo', '_x_', '123', 'a'.repeat(30)])('%s may be one on Instagram', (handle) => {
    expect(REGISTRY.describe('instagram').isHandle(handle)).toBe(true);
  });

  it.each([...['', 'a b', 'a\u0000', 'a\n', 'a'.repeat(31)], ...'. .a a. a..b a-b a/b ä аbc https://x.y/a'.split(' ')])(
    '%j may not',
    (handle) => {
      expect(REGISTRY.describe('instagram').isHandle(handle)).toBe(false);
      expect(REGISTRY.describe('tiktok').isHandle(handle === 'a..b' || handle.length === 31 ? '' : handle)).toBe(false);
    },
  );
});
