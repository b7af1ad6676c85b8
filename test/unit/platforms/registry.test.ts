import { describe, expect, it } from 'vitest';
import type { PlatformDescriptor } from '../../../core/platforms/descriptor.ts';
import { pathSegments } from '../../../core/platforms/post-url.ts';
import { createPlatformRegistry, registryProblems } from '../../../core/platforms/registry.ts';
import { DESCRIPTORS } from '../../support/platforms.ts';

function toy(changes: Partial<PlatformDescriptor> = {}): PlatformDescriptor {
  const { name = 'toy', hosts = ['toy.example'] } = changes;
  return {
    name,
    label: 'Toy',
    hosts,
    contentTypes: ['post'],
    canonicalUrl: (id) => `https://${hosts[0]}/${id}`,
    parseUrl: (url) => ({
      platform: name,
      contentType: 'post',
      contentId: pathSegments(url)[0] ?? '',
      canonicalUrl: `https://${hosts[0]}${url.pathname}`,
    }),
    postUrlForms: [{ shown: '/…', path: /./ }],
    isHandle: (handle) => /^[a-z]+$/.test(handle),
    actions: ['comment'],
    sweepsReplies: false,
    ...changes,
  };
}

describe('the registry of platforms', () => {
  it('hands a URL to the platform that has its host, and to no other', () => {
    const registry = createPlatformRegistry([...DESCRIPTORS, toy(), toy({ name: 'sub', hosts: ['sub.toy.example'] })]);
    expect(registry.parsePostUrl('https://toy.example/1?x=1')?.platform).toBe('toy');
    expect(registry.parsePostUrl('https://SUB.toy.example/1')?.platform).toBe('sub');
    expect(registry.parsePostUrl('https://www.instagram.com/p/AAA/')?.platform).toBe('instagram');
    const others =
      'https://toy.example.com/1 https://x.toy.example/1 https://toy.example:8443/1 https://u@toy.example/1';
    for (const text of [...others.split(' '), 'ftp://toy.example/1', 'toy.example:8443/1']) {
      expect(registry.parsePostUrl(text), text).toBeNull();
    }
  });

  it('knows the names in the order of registration, their labels, and nothing of the others', () => {
    const registry = createPlatformRegistry([toy(), ...DESCRIPTORS]);
    expect(registry.names).toEqual(['toy', 'instagram', 'tiktok']);
    expect([registry.labelOf('tiktok'), registry.labelOf('gone')]).toEqual(['TikTok', 'gone']);
    expect(registry.parseHandle('toy', ' @ABC ')).toBe('abc');
    expect(() => registry.describe('gone')).toThrow(expect.objectContaining({ code: 'NOT_SUPPORTED' }));
  });

  it.each<[string, readonly PlatformDescriptor[], string]>([
    ['no platform', [], 'Register at least one platform.'],
    ['a name twice', [toy(), toy({ hosts: ['b.example'] })], 'Two platforms are named toy: register each once.'],
    ['a host twice', [toy(), toy({ name: 'other' })], 'The host toy.example belongs to two platforms, toy and other.'],
    ['a name that is no word', [toy({ name: 'My Toy' })], '"My Toy" is not 2 to 20 lower-case letters and digits'],
    ['a host with a path', [toy({ hosts: ['toy.example/x'] })], 'unusable host: "toy.example/x"'],
    ['a host in upper case', [toy({ hosts: ['Toy.example'] })], 'unusable host: "Toy.example"'],
  ])('refuses %s', (_what, descriptors, message) => {
    expect(registryProblems(descriptors).join(' ')).toContain(message);
    expect(() => createPlatformRegistry(descriptors)).toThrow(TypeError);
  });
});
