import { describe, expect, it } from 'vitest';
import { blankHidden, findEcho } from '../../../../core/web-proof/redaction/echo.ts';
import { credentialParts, hiddenValue } from '../../../../core/web-proof/redaction/hidden-value.ts';

const value = (text: string) => {
  const bytes = Buffer.from(text);
  return hiddenValue('the value', 'sent', bytes, [{ start: 0, end: bytes.length }]);
};
const search = (secret: string, visible: string) =>
  findEcho([value(secret)], [{ where: 'the response', bytes: Buffer.from(visible) }]).kind;

describe('the echo check', () => {
  it.each([
    ['s3cret-token', 'you sent s3cret-token!'],
    ['żółć żółć', 'żółć żółć'],
    ['żółć żółć', '"\\u017c\\u00f3\\u0142\\u0107 \\u017c\\u00f3\\u0142\\u0107"'],
    ['rocket 🚀 rocket', '"rocket \\ud83d\\ude80 rocket"'],
    ['a/b"c\\d=e&f', 'a/b"c\\d=e&f'],
    ['a/b"c\\d=e&f', '{"echo":"a\\/b\\"c\\\\d=e&f"}'],
    ['a/b"c\\d=e&f', 'a%2Fb%22c%5cd%3De%26f'],
    ['a/b"c\\d=e&f', 'a/b&quot;c\\d=e&amp;f'],
    ['two words here', 'q=two+words+here'],
    ['two words here', 'q=two%20words%20here'],
    ['<tag> & more', '&lt;tag&gt; &amp; more'],
    ['<tag> & more', '&#60;tag&#x3e; &#38; more'],
    ['s3cret-token', Buffer.from('s3cret-token').toString('base64')],
    ['s3cret-token', Buffer.from('user:s3cret-token').toString('base64')],
    ['s3cret-token', Buffer.from('x:s3cret-token:y').toString('base64')],
    ['s3cret-token', Buffer.from('xy:s3cret-token').toString('base64url')],
    ['???>>>???>>>', Buffer.from('a???>>>???>>>').toString('base64url')],
  ])('finds %j in %j', (secret, visible) => {
    expect(search(secret, visible)).toBe('found');
  });

  it.each([
    ['s3cret-token', 's3cret-toke n'],
    ['short', 'short'],
    ['1234567', '1234567'],
    ['s3cret-token', ''],
  ])('does not find %j in %j', (secret, visible) => {
    expect(search(secret, visible)).toBe('clean');
  });

  it('finds nothing inside or across hidden bytes', () => {
    const bytes = Buffer.from('head s3cret-token tail');
    const blanked = blankHidden(bytes, [{ start: 5, end: 17 }]);
    expect(findEcho([value('s3cret-token')], [{ where: 'x', bytes: blanked }]).kind).toBe('clean');
  });

  it('takes a visible NUL for what it is', () => {
    expect(search('12345678', '1234\u00005678')).toBe('clean');
  });

  it('tells what and where', () => {
    const found = findEcho([value('s3cret-token')], [{ where: 'the body', bytes: Buffer.from('s3cret-token') }]);
    expect(found).toEqual({ kind: 'found', what: 'the value', where: 'the body' });
  });

  it('gives up, rather than taking minutes, on input made for it', () => {
    const start = 'a'.repeat(20_000);
    const values = Array.from({ length: 20 }, (_, i) => value(`${start}${i}`));
    expect(findEcho(values, [{ where: 'x', bytes: Buffer.from(start + start) }]).kind).toBe('unknown');
  });
});

describe('credentials', () => {
  it.each([
    ['authorization', 'Bearer abc.def', ['abc.def']],
    ['proxy-authorization', 'Token  t', ['t']],
    ['authorization', `Basic ${btoa('user:pass:word')}`, [btoa('user:pass:word'), 'user:pass:word', 'pass:word']],
    ['authorization', 'Basic %%%', ['%%%']],
    ['authorization', 'lonely', ['']],
    ['cookie', 'a=1; b="two"; c', ['1', 'two', 'c']],
    ['set-cookie', 'sid=abc=; Path=/; HttpOnly', ['abc=']],
    ['x-other', 'Bearer abc', []],
  ])('%s: %s', (name, text, parts) => {
    expect(credentialParts(name, text)).toEqual(parts);
  });
});
