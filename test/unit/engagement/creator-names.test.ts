import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { youtubeDescriptor } from '../../../adapters/youtube/index.ts';
import { assertedHandle } from '../../../core/engagement/creators/asserted-handle.ts';
import { placeholderEmail } from '../../../core/engagement/creators/placeholder-email.ts';
import { createPlatformRegistry } from '../../../core/platforms/registry.ts';
import { DESCRIPTORS } from '../../support/platforms.ts';

const registry = createPlatformRegistry([...DESCRIPTORS, youtubeDescriptor]);

describe('a handle that is asserted', () => {
  it.each([
    [' @Ada.L ', 'ada.l'],
    ['a', 'a'],
    ['a-b_.', 'a-b_.'],
    ['a'.repeat(64), 'a'.repeat(64)],
  ])('may be %j', (raw, handle) => {
    expect(assertedHandle(registry, 'instagram', raw)).toBe(handle);
  });

  it.each([
    ['@Кириллица', 'кириллица'],
    ['u\u0308nï', 'ünï'],
    ['a·b·c', 'a·b·c'],
    ['a-b', 'a-b'],
  ])('may be %j where the platform gives out such handles', (raw, handle) => {
    expect(assertedHandle(registry, 'youtube', raw)).toBe(handle);
  });

  it.each(['🎂🎂🎂', 'https://youtube.com/@кот', 'channel/UCuAXFkgsw1L7xaCfnd5JJOw', 'два слова'])(
    'must not be %j, also there',
    (raw) => {
      const refused = expect.objectContaining({ code: 'INVALID_REQUEST' });
      expect(() => assertedHandle(registry, 'youtube', raw)).toThrowError(refused);
    },
  );

  it.each(['', 'https://www.instagram.com/ada', '..', '_-.', 'a'.repeat(65), 'ada\u0000', 'ünï'])(
    'must not be %j',
    (raw) => {
      expect(() => assertedHandle(registry, 'instagram', raw)).toThrowError(
        expect.objectContaining({
          code: 'INVALID_REQUEST',
          message: 'handle must be a handle such as "name" or "@name", not a URL or a text.',
          details: { issues: [{ path: 'body.handle', message: 'must be a handle' }] },
        }),
      );
    },
  );
});

describe('placeholder e-mail', () => {
  const digest = (externalId: string) => createHash('sha256').update(externalId).digest('hex').slice(0, 16);

  it.each(['user-42', 'a', 'a.bc', 'A_1.b-c.d2', 'x'.repeat(64)])('shows the externalId where it can: %s', (id) => {
    expect(placeholderEmail(id)).toBe(`${id}@creators.invalid`);
  });

  it.each([
    ['user // 42', 'user-42'],
    [' (user 42) ', 'user-42'],
    ['x'.repeat(65), 'x'.repeat(32)],
    [`${'x'.repeat(31)} y`, 'x'.repeat(31)],
    ['a..b', 'a-b'],
    ['a.', 'a'],
    ['a.é', 'a'],
    ['', 'creator'],
  ])('is made of what is readable in it and a digest otherwise: %j', (id, readable) => {
    expect(placeholderEmail(id)).toBe(`${readable}.${digest(id)}@creators.invalid`);
  });

  it('is valid and different for every externalId', () => {
    const ids = ['user 42', 'user/42', 'USER 42', '', '..', 'x'.repeat(200), 'x'.repeat(199), 'ünï'];
    const emails = ids.map(placeholderEmail);
    expect(new Set(emails).size).toBe(ids.length);
    for (const email of emails) expect(email).toMatch(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*@creators\.invalid$/);
  });
});
