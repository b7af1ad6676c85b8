import { describe, expect, it } from 'vitest';
import { blankHidden, findEcho } from '../../../../core/web-proof/redaction/echo.ts';
import { credentialParts, hiddenValue } from '../../../../core/web-proof/redaction/hidden-value.ts';

const value = (text: string) => {
  const bytes = Buffer.from(text);
  return hiddenValue('the value', 'sent', bytes, [{ start: 0, end: bytes.length }]);
};
const kindOf = async (values: Parameters<typeof findEcho>[0], visible: Uint8Array) =>
  (await findEcho(values, [{ where: 'the response', bytes: visible }])).kind;
const search = (secret: string, visible: string | Uint8Array) =>
  kindOf([value(secret)], typeof visible === 'string' ? Buffer.from(visible) : visible);

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
    [`it's "quoted"`, 'it&apos;s &quot;quoted&quot;'],
    ['line\nfeed\tand\bmore\f\r', 'line\\nfeed\\tand\\bmore\\f\\r'],
    ['a\\b/c"d"e', 'x a\\\\b\\/c\\"d\\"e'],
    ['Jürgen Müller', Buffer.from('dear Jürgen Müller', 'latin1')],
    ['a+b/c+d=e', 'a+b%2Fc+d%3De'],
    ['last \u{10ffff} one', 'last &#x10ffff; one'],
    ['a&b&c&d&e', 'a%26amp%3bb%26amp%3Bc%26amp%3bd%26amp%3be'],
    ['two "words"', 'two+%5c%22words%5C%22'],
    ['rocket 🚀 rocket', 'rocket &#128640; rocket'],
    ['s3cret-token', 's3cret-tokes3cret-token'],
    ['s3cret-token', '&#1114112; &#x110000; &#9999999; &amp &nope; s3cret&#45;token'],
    ['s3cret-token', Buffer.from('s3cret-token').toString('base64')],
    ['s3cret-token', Buffer.from('user:s3cret-token').toString('base64')],
    ['s3cret-token', Buffer.from('x:s3cret-token:y').toString('base64')],
    ['s3cret-token', Buffer.from('xy:s3cret-token').toString('base64url')],
    ['???>>>???>>>', Buffer.from('a???>>>???>>>').toString('base64url')],
  ])('finds %j in %j', async (secret: string, visible: string | Buffer) => {
    expect(await search(secret, visible)).toBe('found');
  });

  it.each([
    ['s3cret-token', 's3cret-toke n'],
    ['short', 'short'],
    ['1234567', '1234567'],
    ['s3cret-token', ''],
    // Four letters in Latin-1, which stand anywhere by chance.
    ['éüöä', Buffer.from('éüöä', 'latin1')],
    // What is left of letters that Latin-1 does not have.
    ['ŁŁŁŁŁŁŁŁ', 'AAAAAAAA'],
    // Base64 that ends otherwise.
    ['s3cret-to', 'czNjcmV0LXRw'],
  ])('does not find %j in %j', async (secret: string, visible: string | Buffer) => {
    expect(await search(secret, visible)).toBe('clean');
  });

  it('finds nothing inside or across hidden bytes', async () => {
    const bytes = Buffer.from('head s3cret-token tail');
    const blanked = blankHidden(bytes, [{ start: 5, end: 17 }]);
    expect(await kindOf([value('s3cret-token')], blanked)).toBe('clean');
  });

  it('leaves what it blanks as it was', () => {
    // A Node buffer, as sockets give them.
    const bytes = Buffer.from('head secret tail');
    const blanked = blankHidden(bytes, [{ start: 5, end: 11 }]);
    expect(Buffer.from(blanked).toString()).toBe('head \0\0\0\0\0\0 tail');
    expect(bytes.toString()).toBe('head secret tail');
  });

  it.each([8, 9, 10])('finds %i bytes in Base64, wherever they stand in it', async (length) => {
    const secret = Buffer.from('\xfb\xff?>s3cret-'.slice(0, length), 'latin1');
    const hidden = hiddenValue('the value', 'sent', secret, [{ start: 0, end: length }]);
    for (const before of ['', 'x', 'xy', 'xyz']) {
      for (const after of ['', '\x00', '\xff', '\xff\xff', '\xff\xff\xff']) {
        const text = Buffer.concat([Buffer.from(before), secret, Buffer.from(after, 'latin1')]);
        for (const encoding of ['base64', 'base64url'] as const) {
          const visible = Buffer.from(`"${text.toString(encoding)}"`);
          expect(await kindOf([hidden], visible)).toBe('found');
        }
      }
    }
  });

  it('takes a visible NUL for what it is', async () => {
    expect(await search('12345678', '1234\u00005678')).toBe('clean');
  });

  it('tells what and where', async () => {
    const found = await findEcho([value('s3cret-token')], [{ where: 'the body', bytes: Buffer.from('s3cret-token') }]);
    expect(found).toEqual({ kind: 'found', what: 'the value', where: 'the body' });
  });

  it('looks for each of several values that begin alike', async () => {
    const values = ['same-one', 'same-two', 'same-three'].map(value);
    for (const visible of ['same-one', 'same-two', 'same-three']) {
      expect(await kindOf(values, Buffer.from(`is ${visible}`))).toBe('found');
    }
    expect(await kindOf(values, Buffer.from('same-four'))).toBe('clean');
  });

  it('looks in every text', async () => {
    const texts = ['nothing', 'is s3cret-token'].map((text, i) => ({ where: `text ${i}`, bytes: Buffer.from(text) }));
    expect(await findEcho([value('s3cret-token')], texts)).toMatchObject({ kind: 'found', where: 'text 1' });
  });

  it('gives up, rather than taking minutes, on input made for it', async () => {
    const start = 'a'.repeat(20_000);
    const values = Array.from({ length: 20 }, (_, i) => value(`${start}${i}`));
    expect(await kindOf(values, Buffer.from(start + start))).toBe('unknown');
  });

  it('reads a run of escapes that fills the whole text', async () => {
    const run = '\\u0041'.repeat(170_000);
    expect(await search('s3cret-token', `${run}s3cret-token`)).toBe('found');
    expect(await search('s3cret-token', run)).toBe('clean');
  });

  it('lets other work in, the more there is to read', async () => {
    const turns = async (length: number) => {
      let count = 0;
      let searching = true;
      const others = (async () => {
        for (; searching; count += 1) await new Promise((resolve) => setTimeout(resolve, 0));
      })();
      // Four readings: as it is, without escapes, with spaces for plus signs, and both without JSON escapes.
      await search('s3cret-token', '+'.repeat(length));
      searching = false;
      await others;
      return count;
    };
    // One is already waiting when the search begins.
    expect(await turns(1_000)).toBe(1);
    expect(await turns(262_145)).toBeGreaterThanOrEqual(3);
  });
});

describe('a hidden value', () => {
  const described = (text: string, decoded: readonly string[] = []) => {
    const bytes = Buffer.from(text, 'latin1');
    return hiddenValue('the value', 'received', bytes, [{ start: 0, end: bytes.length }], decoded);
  };

  it('is given away by its texts of 8 bytes or more, each named once', () => {
    expect(described('12345678', ['12345678', '1234567', 'żółć', 'żółw', '123456789']).tellTales).toEqual([
      '12345678',
      'żółć',
      '123456789',
    ]);
    // Seven bytes on the wire, however many they are in UTF-8.
    expect(described('\xe9'.repeat(7)).tellTales).toEqual([]);
    expect(described('\xe9'.repeat(8)).tellTales).toEqual(['é'.repeat(8)]);
    expect(value('12345678').tellTales).toEqual(['12345678']);
  });

  it('has a description of at most 120 characters', () => {
    expect(hiddenValue('x'.repeat(130), 'sent', new Uint8Array(), []).what).toBe('x'.repeat(120));
  });
});

describe('credentials', () => {
  it.each([
    ['authorization', 'Bearer abc.def', ['abc.def']],
    ['proxy-authorization', 'Token  t', ['t']],
    ['authorization', `Basic ${btoa('user:pass:word')}`, [btoa('user:pass:word'), 'user:pass:word', 'pass:word']],
    ['authorization', 'Basic %%%', ['%%%']],
    ['authorization', 'lonely', ['']],
    ['authorization', 'Bearer\ttoken', ['token']],
    ['authorization', 'Bearer two words', ['two words']],
    ['authorization', `bASIC  ${btoa('nocolon')}`, [btoa('nocolon'), 'nocolon', 'nocolon']],
    ['proxy-authorization', `Basic ${btoa('u:\xfc')}`, [btoa('u:\xfc'), 'u:ü', 'ü']],
    ['cookie', 'a="b; c=d"e"; =f; g = h ', ['"b', 'd"e"', 'f', 'h']],
    ['set-cookie', '"quoted"; a=b', ['quoted']],
    ['cookie', 'a=1; b="two"; c', ['1', 'two', 'c']],
    ['cookie', 'a="b"c', ['"b"c']],
    ['set-cookie', 'sid=abc=; Path=/; HttpOnly', ['abc=']],
    ['x-other', 'Bearer abc', []],
  ])('%s: %s', (name, text, parts) => {
    expect(credentialParts(name, text)).toEqual(parts);
  });
});
