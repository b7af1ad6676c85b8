import { describe, expect, it } from 'vitest';
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from '../../../core/security/base64.ts';
import { createSecretBox } from '../../../core/security/secret-box.ts';
import { hashToken } from '../../../core/security/token-hash.ts';

const key = new Uint8Array(32).fill(7);

describe('secret box', () => {
  const box = createSecretBox(key);

  it('opens what it sealed, in any script and with a byte order mark', () => {
    for (const text of ['', 'whsec_abc', 'ключ 🔑', '\ufefftext', 'x'.repeat(10_000)]) {
      expect(box.open(box.seal(text, 'webhook'), 'webhook')).toBe(text);
    }
  });

  it('seals the same text differently every time, and never shows it', () => {
    const sealed = box.seal('whsec_secret', 'webhook');
    expect(sealed).not.toBe(box.seal('whsec_secret', 'webhook'));
    expect(sealed).toMatch(/^x1\.[A-Za-z0-9_-]+$/);
    expect(sealed).not.toContain('secret');
  });

  it('refuses another context and another key', () => {
    const sealed = box.seal('whsec_secret', 'webhook');
    expect(() => box.open(sealed, 'session')).toThrow('not sealed by this key');
    expect(() => createSecretBox(new Uint8Array(32).fill(8)).open(sealed, 'webhook')).toThrow('secrets key replaced');
  });

  it('refuses a text with any character changed', () => {
    const sealed = box.seal('whsec_secret', 'webhook');
    for (let index = 0; index < sealed.length; index += 1) {
      const other = sealed[index] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, index) + other + sealed.slice(index + 1);
      expect(() => box.open(changed, 'webhook'), `character ${index}`).toThrow();
    }
    for (const text of ['', 'x1.', 'x1.AAAA', 'x2.AAAA', 'whsec_plain'])
      expect(() => box.open(text, 'webhook')).toThrow();
  });

  it('wants a key of 32 bytes, and keeps its own copy', () => {
    expect(() => createSecretBox(new Uint8Array(16))).toThrow(RangeError);
    const own = new Uint8Array(32).fill(9);
    const copied = createSecretBox(own);
    const sealed = copied.seal('text', 'c');
    own.fill(0);
    expect(copied.open(sealed, 'c')).toBe('text');
  });
});

describe('base64', () => {
  it('agrees with Buffer on every length', () => {
    for (let length = 0; length < 50; length += 1) {
      const bytes = crypto.getRandomValues(new Uint8Array(length));
      expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
      expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
      expect(decodeBase64Url(encodeBase64Url(bytes))).toEqual(bytes);
    }
  });

  it('refuses what is not canonical', () => {
    for (const text of ['A', 'AA', 'AB==', 'AAB=', 'AA=A', 'AA\n==', 'AA-_', '====']) {
      expect(decodeBase64(text), text).toBeNull();
    }
    for (const text of ['A', 'AB', 'AAB', 'AA==', 'AA+/']) expect(decodeBase64Url(text), text).toBeNull();
  });
});

describe('comparison and hashing', () => {
  it('hashes tokens with SHA-256', () => {
    expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
