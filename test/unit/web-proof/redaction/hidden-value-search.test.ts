import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { credentialParts, hiddenValue } from '../../../../core/web-proof/redaction/hidden-value.ts';
import {
  blankHidden,
  findHiddenValue,
  type SearchedText,
} from '../../../../core/web-proof/redaction/hidden-value-search.ts';

const value = (text: string) => {
  const bytes = Buffer.from(text);
  return hiddenValue('the value', 'sent', bytes, [{ start: 0, end: bytes.length }]);
};
const textOf = (text: string | Uint8Array, where = 'the response'): SearchedText => ({
  where,
  bytes: typeof text === 'string' ? Buffer.from(text) : text,
  place: 'text',
});
const search = (secrets: string | readonly string[], visible: string | Uint8Array) =>
  findHiddenValue([secrets].flat().map(value), [textOf(visible)]);
const base64 = (text: string, encoding: 'base64' | 'base64url' = 'base64') => Buffer.from(text).toString(encoding);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the search for hidden values', () => {
  it.each([
    ['s3cret-token', 's3cret-tokes3cret-token'],
    ['rocket 🚀 rocket', '"rocket \\ud83d\\ude80 rocket" rocket &#128640; rocket'],
    ['a/b"c\\d=e&f', '{"echo":"a\\/b\\"c\\\\d=e&f"}'],
    ['a/b"c\\d=e&f', 'a%2Fb%22c%5cd%3De%26f'],
    ['a/b"c\\d=e&f', 'a/b&quot;c\\d=e&amp;f'],
    ['<tag> & more', '&#60;tag&#x3e; &#38; more'],
    ['José García', '<p>Jos&eacute; Garc&iacute;a</p> or Jos&eacute'],
    ['¡Jürgen@Ÿÿ.test!', '&iexcl;J&uumlrgen&commat;&Yuml;&yuml;&period;test&excl;'],
    ['me & <you> ©', 'me &AMP; &LTyou&gt &COPY'],
    ['Σωκράτης', '&Sigma;&omega;&kappa;&rho;ά&tau;&eta;&sigmaf;'],
    ['12\u00a0345 €', '12&nbsp;345&nbsp;&euro;'],
    ['line\nfeed\tand\bmore\f\r', 'line\\nfeed\\tand\\bmore\\f\\r'],
    ['last \u{10ffff} one', 'last &#x10ffff; one'],
    ['a&b&c&d&e', 'a%26amp%3bb%26amp%3Bc%26amp%3bd%26amp%3be'],
    ['two "words"', 'two+%5c%22words%5C%22'],
    ['s3cret-token', '&#1114112; &#x110000; &#9999999; &amp &nope; s3cret&#45;token'],
    ['+49 171 1234567', '"https:\\u002f/x.test/?phone=\\u00252B49+171+1234567"'],
    // In other letter case.
    ['Żółć Żółć', 'żÓŁĆ ŻóŁĆ'],
    ['Jürgen Müller', Buffer.from('dear JÜRGEN MÜLLER', 'latin1')],
    ['ΟΔΥΣΣΕΥΣ', 'ΟΔΥΣΣΕΥΣ:a'],
    ['Οδυσσεύς', 'ΟΔΥΣΣΕΎΣΑ'],
    ['Jan Großmann', 'JAN GROSSMANN'],
    // What looks alike.
    ['José García', 'José García'.normalize('NFD')],
    ['s3cret-token', 'ｓ３ｃｒｅｔ－ｔｏｋｅｎ'],
    ['s3cret-token', 's3\u200bcret&shy;-to\\u2060ken'],
    ['two words here', 'two\u2009words \n here'],
    ['Žižkov-Ďáblice', '%u017Di%u017Ekov-%u010E%u00E1blice'],
    ['12345678.50', '{"total":12345678.5}'],
    // With escapes in escapes.
    ['me@mail.test', 'me%252540mail.test'],
    ['a, b, c\\', 'before%61%2C%20b%2C%20c%5Cafter'],
    ['100,00 %', '{"v":"100,00 %25off"}'],
    ['say "hi" now', '{"raw":"{\\"say\\":\\"say \\\\\\"hi\\\\\\" now\\"}"}'],
    ['a"b@mail.test', '<p data-x="a\\&quot;b\\u0040mail.test">'],
    ['me@mail.test', "'me\\x40mail.test'"],
    // In Base64.
    ['żółć 12', `"/u/1/${base64('{"v":"żółć 12"}')}"`],
    ['???>>>???>>>', base64('a???>>>???>>>', 'base64url')],
    ['482913', base64('{"otp":"482913"}', 'base64url')],
  ])('finds %j in %j', (secret: string, visible: string | Buffer) => {
    expect(search(secret, visible).kind).toBe('found');
  });

  it.each([8, 9, 10])('finds %i bytes in Base64, whatever is before and behind them', (length) => {
    const secret = 'ü?>s3cret-'.slice(0, length - 1);
    for (const before of ['', 'x', 'xy', 'xyz']) {
      for (const after of ['', '\x00', '\u07ff', '\uffff', '\u07ff\u07ff']) {
        for (const encoding of ['base64', 'base64url'] as const) {
          expect(search(secret, `"${base64(before + secret + after, encoding)}"`).kind).toBe('found');
        }
      }
    }
  });

  it.each([
    ['4711', '{"note":"your pin is 4711."}'],
    ['4711', 'pin4711'],
    ['4711', '{"total":"4711.00 EUR"}'],
    ['47.5', '{"total":"47.50"}'],
    ['482913', 'v=%34%38%32%39%31%33'],
    ['Bartosz', '/users/BARTOSZ/'],
    ['Jürg', Buffer.from('for Jürg.', 'latin1')],
    ['李小龙', '你好李小龙先生'],
    ['王芳', '"\\u738b\\u82b3"'],
  ])('finds the short %j in %j as a whole word', (secret: string, visible: string | Buffer) => {
    expect(search(secret, visible).kind).toBe('found');
  });

  it.each([
    ['s3cret-token', 's3cret-toke n'],
    ['s3cret-token', ''],
    ['ŁŁŁŁŁŁŁŁ', 'AAAAAAAA'],
    ['12345678', '1234\u00005678'],
    ['s3cret-to', 'czNjcmV0LXRw'],
    ['4711', '14711 47110 3.4711 4711.5 47.11'],
    ['4711', '"\\u4711" &#4711; %4711'],
    ['4711', '4711.05 4711.0.1'],
    ['47.5', '47.505 47.51'],
    ['1.2.1', '1.2.10'],
    ['v1.1', 'v1.10'],
    ['anna', 'Hannah Annabel annas annaß'],
    ['-4711', '14711 4711.5'],
    ['王芳', '王芳芳'],
    // Fewer than four bytes.
    ['123', '123'],
    // The trust page says so: a caller who hides such a value must know how the server shows it.
    ['+14155550123', '(415) 555-0123'],
    ['PL61109010140000071219812874', 'PL61 1090 1014 0000 0712 1981 2874'],
    ['1234567', '1,234,567'],
    ['Łukasz Żak', '&Lstrok;ukasz &Zdot;ak'],
    ['me@mail.test', 'me&commatmail.test me&Commat;mail.test'],
    ['me@mail.test', sha256('me@mail.test')],
    ['s3cret-token', Buffer.from('s3cret-token').toString('hex')],
    ['s3cret-token', Buffer.from('s3cret-token', 'utf16le')],
  ])('does not find %j in %j', (secret: string, visible: string | Buffer) => {
    expect(search(secret, visible)).toEqual({ kind: 'clean', noted: [] });
  });

  it('gives up on a text that escapes and letters of many letters make hundreds of times as long', () => {
    const unit = `${'\ufdfa'.repeat(60)}+%252525252B\\\\\\\\u002b&amp;amp;amp;amp;#43;`;
    expect(search('s3cret-token', unit.repeat(1_500)).kind).toBe('unknown');
  });

  it.each(['2026-11-22T08:46:40Z', '1990-2026', 'f47ac10b-2026-4711-a567-0e02b2c3d479', 'f2026c'])(
    'only notes a number in a date or an id: %s',
    (visible) => {
      expect(search('2026', visible)).toEqual({ kind: 'clean', noted: ['the value'] });
    },
  );

  it('says in which part of a text a value is, if that is known', () => {
    const bytes = Buffer.from('one s3cret-token');
    const parts = () => [textOf(bytes.subarray(0, 3), 'the first'), textOf(bytes.subarray(4), 'the second')];
    const whereOf = (secret: string) => findHiddenValue([value(secret)], [{ ...textOf(bytes, 'all'), parts }]);
    expect(whereOf('s3cret-token')).toEqual({ kind: 'found', what: 'the value', where: 'the second' });
    expect(whereOf('one s3cret')).toMatchObject({ where: 'all' });
  });

  it('finds nothing inside or across hidden bytes, and leaves what it blanks as it was', () => {
    // A Node buffer, as sockets give them.
    const bytes = Buffer.from('head s3cret-token tail');
    const blanked = blankHidden(bytes, [{ start: 5, end: 17 }]);
    expect(search('s3cret-token', blanked).kind).toBe('clean');
    expect(search('head tail', blanked).kind).toBe('clean');
    expect(bytes.toString()).toBe('head s3cret-token tail');
  });

  it('looks for each of several values that begin alike', () => {
    const secrets = ['same-one', 'same-two', 'same-three'];
    for (const visible of secrets) expect(search(secrets, `is ${visible}`).kind).toBe('found');
    expect(search(secrets, 'same-four').kind).toBe('clean');
  });

  it('gives up, rather than taking minutes, on input made for it', () => {
    const start = 'a'.repeat(5_000);
    const secrets = Array.from({ length: 20 }, (_, i) => `${start}${i}`);
    expect(search(secrets, start + start).kind).toBe('unknown');
  });

  it('reads a run of escapes that fills the whole text', () => {
    const run = '\\u0041'.repeat(170_000);
    expect(search('s3cret-token', `${run}s3cret-token`).kind).toBe('found');
    expect(search('s3cret-token', run).kind).toBe('clean');
  });

  it('ends with the reason of its signal', () => {
    const reason = new Error('The caller has gone.');
    const find = () => findHiddenValue([value('s3cret-token')], [textOf('s3cret-token')], AbortSignal.abort(reason));
    expect(find).toThrow(reason);
  });
});

describe('a hidden value', () => {
  it('is given away by its texts, each named once', () => {
    const described = (text: string, decoded: readonly string[] = []) => {
      const bytes = Buffer.from(text, 'latin1');
      return hiddenValue('the value', 'received', bytes, [{ start: 0, end: bytes.length }], decoded).tellTales;
    };
    expect(described('12345678', ['12345678', '1234567', 'żółć'])).toEqual(['12345678', '1234567', 'żółć']);
    expect(described('')).toEqual(['']);
    expect(described(' a b\n', ['+c '])).toEqual([' a b\n', '+c ', 'a b', '+c']);
    expect(described('\xe9'.repeat(8))).toEqual(['é'.repeat(8)]);
  });

  it('has a description of at most 120 characters', () => {
    expect(hiddenValue('x'.repeat(130), 'sent', new Uint8Array(), []).what).toBe('x'.repeat(120));
  });
});

describe('the secret parts of a header', () => {
  const KEY = 'sk_live_51H8abcDEF';
  const basic = (pair: string, ...parts: string[]): [string, string, string[]] => [
    'authorization',
    `Basic ${btoa(pair)}`,
    [btoa(pair), pair, ...parts],
  ];

  it.each<[name: string, text: string, parts: string[]]>([
    ['proxy-authorization', 'Token  t', ['t']],
    ['authorization', 'Basic %%%', ['%%%']],
    ['authorization', 'lonely', ['']],
    ['authorization', 'Bearer\ttwo words', ['two words']],
    ['x-forwarded-authorization', 'Custom abc', ['abc']],
    ['x-other', 'Bearer abc', ['abc']],
    basic('user:pass:word', 'pass:word'),
    basic(`${KEY}:`, '', KEY),
    basic(`${KEY}:X`, 'X', KEY),
    basic(`${KEY}:x-oauth-basic`, 'x-oauth-basic', KEY),
    ['cookie', 'theme=dark; a="b3c45d"; sid = longer-value ; n=1', ['b3c45d', 'longer-value', '1']],
    ['set-cookie', 'sid=abc1=; Path=/some-long-path; HttpOnly', ['abc1=']],
    ['x-forwarded-for', '203.0.113.77, 10.0.0.1', ['203.0.113.77', '10.0.0.1']],
  ])('%s: %s', (name, text, parts) => {
    expect(credentialParts(name, text)).toEqual(parts);
  });
});
