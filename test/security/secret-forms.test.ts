import { describe, expect, it } from 'vitest';
import { formsOf } from './secret-forms.ts';

const SECRET = 'p?ss~word>of 27 characters!';
const isFound = (text: string, secret = SECRET): boolean => formsOf(secret).some((form) => text.includes(form));

describe('the forms of a secret', () => {
  it.each(['base64', 'base64url'] as const)('hold its %s, whatever was encoded with it', (encoding) => {
    for (let before = 0; before < 9; before += 1) {
      for (let after = 0; after < 4; after += 1) {
        for (const length of [25, 26, 27]) {
          const secret = SECRET.slice(0, length);
          const text = Buffer.from(`${'ÿ'.repeat(before)}${secret}${'ÿ'.repeat(after)}`, 'latin1').toString(encoding);
          expect(isFound(text, secret), `${length} bytes between ${before} and ${after} others`).toBe(true);
        }
      }
    }
  });

  it('hold the credentials of a proxy', () => {
    expect(isFound(`Basic ${Buffer.from(`proxy-user:${SECRET}`).toString('base64')}`)).toBe(true);
  });

  it.each([
    ['as it is', SECRET],
    ['in a URL', encodeURIComponent(SECRET)],
    ['hex', Buffer.from(SECRET).toString('hex')],
    ['hex in capitals', Buffer.from(SECRET).toString('hex').toUpperCase()],
  ])('hold it %s', (_form, text) => {
    expect(isFound(`...${text}...`)).toBe(true);
  });

  it('hold a secret that came out of a URL', () => {
    expect(isFound('sessionid=42:alive-and-well', '42%3Aalive-and-well')).toBe(true);
    expect(isFound('100%-of-it', '100%-of-it')).toBe(true);
  });

  it('hold the bytes that a secret stands for', () => {
    const key = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - 7 * index));
    for (const secret of [key.toString('hex'), `whsec_${key.toString('base64')}`]) {
      for (const text of [
        key.toString('latin1'),
        key.toString('hex'),
        key.toString('base64'),
        key.toString('base64url'),
      ]) {
        expect(isFound(text, secret)).toBe(true);
      }
      expect(isFound(Buffer.concat([Buffer.from('{"key":"'), key]).toString('base64'), secret)).toBe(true);
    }
  });

  it('hold nothing that other texts hold, too', () => {
    for (const form of formsOf(SECRET)) expect(form.length).toBeGreaterThanOrEqual(SECRET.length);
    const other = SECRET.replace('word', 'term');
    for (const text of [other, ...formsOf(other)]) expect(isFound(text)).toBe(false);
  });
});
