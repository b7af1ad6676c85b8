import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { credentialParts, hiddenValue } from '../../../../core/web-proof/redaction/hidden-value.ts';
import { blankHidden, findHiddenValue } from '../../../../core/web-proof/redaction/hidden-value-search.ts';

const value = (text: string) => {
  const bytes = Buffer.from(text);
  return hiddenValue('the value', 'sent', bytes, [{ start: 0, end: bytes.length }]);
};
const kindOf = (values: Parameters<typeof findHiddenValue>[0], visible: Uint8Array) =>
  findHiddenValue(values, [{ where: 'the response', bytes: visible }]).kind;
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
    ['+49 171 1234567', '"https://x.test/?phone=%2B49+171+1234567"'],
    ['+49 171 1234567', '"https:\\u002f/x.test/?phone=\\u00252B49+171+1234567"'],
    ['ΟΔΥΣΣΕΥΣ', 'ΟΔΥΣΣΕΥΣ:a'],
    ['Οδυσσεύς', 'ΟΔΥΣΣΕΎΣΑ'],
    ['Jan Großmann', 'JAN GROSSMANN'],
    ['JAN GROSSMANN', 'Jan Großmann'],
  ])('finds %j in %j', (secret: string, visible: string | Buffer) => {
    expect(search(secret, visible)).toBe('found');
  });

  it.each([
    ['s3cret-token', 's3cret-toke n'],
    ['s3cret-token', ''],
    // What is left of letters that Latin-1 does not have.
    ['ŁŁŁŁŁŁŁŁ', 'AAAAAAAA'],
    // Base64 that ends otherwise.
    ['s3cret-to', 'czNjcmV0LXRw'],
  ])('does not find %j in %j', (secret: string, visible: string | Buffer) => {
    expect(search(secret, visible)).toBe('clean');
  });

  it.each([
    ['other letter case', 'Ada.Lovelace', 'hello ADA.LOVELACE!'],
    ['other letter case beyond ASCII', 'Żółć Żółć', 'żÓŁĆ ŻóŁĆ'],
    ['other letter case in Latin-1', 'Jürgen Müller', Buffer.from('JÜRGEN MÜLLER', 'latin1')],
    ['double percent escapes', 'me@mail.test/x', 'q=me%2540mail.test%252Fx'],
    ['triple percent escapes', 'me@mail.test', 'me%252540mail.test'],
    ['what looks like an escape together with its neighbour', 'a, b, c\\', 'before%61%2C%20b%2C%20c%5Cafter'],
    ['a percent sign before digits', '100,00 %', '{"v":"100,00 %25off"}'],
    ['JSON in JSON', 'say "hi" now', '{"raw":"{\\"say\\":\\"say \\\\\\"hi\\\\\\" now\\"}"}'],
    ['JSON in HTML', 'a"b@mail.test', '<p data-x="a\\&quot;b\\u0040mail.test">'],
    ['entities in entities', 'AT&T & more', 'AT&amp;amp;T &amp;amp; more'],
    ['escapes of scripts', 'me@mail.test', "'me\\x40mail.test'"],
    ['a token that holds JSON', 'me@mail.test', Buffer.from('{"sub":"1","mail":"me@mail.test"}').toString('base64url')],
  ])('finds %s', (_what, secret: string, visible: string | Buffer) => {
    expect(search(secret, visible)).toBe('found');
  });

  it.each([
    ['a PIN', '4711', '{"note":"your pin is 4711."}'],
    ['a PIN as a number', '4711', '{"a":4711,"b":1}'],
    ['a PIN behind a label', '4711', 'id_4711;pin4711'],
    ['a PIN before a unit', '4711', '4711kg'],
    ['a PIN beside another script', '4711', '€4711'],
    ['a PIN at the end', '4711', 'x=4711'],
    ['a code in Base64', '482913', `v=${Buffer.from('482913').toString('base64')}`],
    ['a code in a token', '482913', Buffer.from('{"otp":"482913"}').toString('base64url')],
    ['a code in escapes', '482913', 'v=%34%38%32%39%31%33'],
    ['a name', 'Bartosz', 'Hello, Bartosz! Bye.'],
    ['a name in other case', 'Bartosz', '/users/BARTOSZ/'],
    ['a name with escapes', 'Żaneta', '"\\u017baneta"'],
    ['a name in Latin-1', 'Jürg', Buffer.from('for Jürg.', 'latin1')],
    ['a word with signs', 'a-b.c', 'is a-b.c here'],
  ])('finds %s as a whole word', (_what, secret: string, visible: string | Buffer) => {
    expect(search(secret, visible)).toBe('found');
  });

  it.each([
    ['a part of a number', '4711', '14711 47110 3.4711 4711.5'],
    ['a part of an id', '4711', 'f4711c2b-4711-1b7c04711ade'.replace('-4711-', '-')],
    ['the number of a character', '4711', '"\\u4711" &#4711; %4711'],
    ['a part of a word', 'anna', 'Hannah Annabel annas annaß'],
    ['a list of numbers', '1234', '[12,34] 12-34 12 34'],
    ['a price', '4711', '47.11 4711.5 4711.05'],
    ['a list of numbers beyond bytes', '4711', '[52, 55, 49, 256]'],
    ['a date', '1122', '2026-11-22'],
    ['three bytes', '123', '123'],
    ['a low number without its sign', '-42', '42'],
    ['a part of a negative number', '-4711', '14711 4711.5'],
    ['the year of a month', 'NOV 2025', '2025'],
    ['the number of a document', 'RFC 7231', '7231'],
    ['a number with a unit', '4711 bytes', '4711'],
    ['words in other groups', 'some thing', 'something'],
    ['a word in two parts', 'something', 'some thing'],
    ['few letters and digits in groups', 'alpha-7', 'alpha7'],
    ['groups with several separators', 'a1cdefgh', 'a1-cdef gh'],
    ['a part of a group', 'a1cdefgh', 'a1 cdef ghi, ba1 cdef gh, a1cd  efgh'],
    ['part of a group behind many others', 'a1cdefgh', `${'x '.repeat(1_500)}xa1 cdef gh`],
  ])('does not take %s for it', (_what, secret: string, visible: string) => {
    expect(search(secret, visible)).toBe('clean');
  });

  it('names values of 1 to 3 bytes that are there as words, once each', () => {
    const values = ['42', 'no', '7', 'abc'].map((text, i) => ({ ...value(text), what: `v${i}` }));
    const texts = ['42 NO 42', '421 not abcd', '"7"'].map((text) => ({ where: 'x', bytes: Buffer.from(text) }));
    expect(findHiddenValue(values, texts)).toMatchObject({ kind: 'clean', noted: ['v0', 'v1', 'v2'] });
  });

  it('says in which part of a text it stands, if that is known', () => {
    const bytes = Buffer.from('one s3cret-token');
    const parts = () => [
      { where: 'the first', bytes: bytes.subarray(0, 3) },
      { where: 'the second', bytes: bytes.subarray(4) },
    ];
    const found = findHiddenValue([value('s3cret-token')], [{ where: 'all', bytes, parts }]);
    expect(found).toMatchObject({ kind: 'found', where: 'the second' });
    expect(findHiddenValue([value('one s3cret')], [{ where: 'all', bytes, parts }])).toMatchObject({ where: 'all' });
  });

  it('finds nothing inside or across hidden bytes', () => {
    const bytes = Buffer.from('head s3cret-token tail');
    const blanked = blankHidden(bytes, [{ start: 5, end: 17 }]);
    expect(kindOf([value('s3cret-token')], blanked)).toBe('clean');
  });

  it('leaves what it blanks as it was', () => {
    // A Node buffer, as sockets give them.
    const bytes = Buffer.from('head secret tail');
    const blanked = blankHidden(bytes, [{ start: 5, end: 11 }]);
    expect(Buffer.from(blanked).toString()).toBe('head \0\0\0\0\0\0 tail');
    expect(bytes.toString()).toBe('head secret tail');
  });

  it.each([8, 9, 10])('finds %i bytes in Base64, wherever they are in it', (length) => {
    const secret = Buffer.from('\xfb\xff?>s3cret-'.slice(0, length), 'latin1');
    const hidden = hiddenValue('the value', 'sent', secret, [{ start: 0, end: length }]);
    for (const before of ['', 'x', 'xy', 'xyz']) {
      for (const after of ['', '\x00', '\xff', '\xff\xff', '\xff\xff\xff']) {
        const text = Buffer.concat([Buffer.from(before), secret, Buffer.from(after, 'latin1')]);
        for (const encoding of ['base64', 'base64url'] as const) {
          const visible = Buffer.from(`"${text.toString(encoding)}"`);
          expect(kindOf([hidden], visible)).toBe('found');
        }
      }
    }
  });

  it.each([
    ['s3cret-token', '/confirm/', '{"v":"s\\u0033cret-token"}'],
    ['s3cret-token', 'session_', '{"v":"s3cret%2Dtoken"}'],
    ['żółć 12', 'key-', '{"v":"żółć 12"}'],
    ['4711', '/u/1/', '{"pin": 4711}'],
  ])('reads text in Base64 behind what is joined to it: %j behind %j', (secret, before, text) => {
    expect(search(secret, `"${before}${Buffer.from(text).toString('base64url')}"`)).toBe('found');
  });

  it.each([
    ['in MIME', 76, '\r\n'],
    ['in PEM', 64, '\n'],
    ['in JSON', 76, '\\r\\n'],
  ])('finds a value in Base64 that is cut into lines as %s', (_where, width, end) => {
    for (let from = 0; from < 24; from++) {
      const text = Buffer.from(`${' '.repeat(from + 30)}s3cret-token${' '.repeat(60)}`).toString('base64');
      const cut = text.match(new RegExp(`.{1,${width}}`, 'g'))?.join(end) ?? '';
      expect(search('s3cret-token', cut)).toBe('found');
    }
  });

  it.each([
    ['李小龙', '{"name":"李小龙"}', 'found'],
    ['李小龙', '你好李小龙先生', 'found'],
    ['王芳', '"\\u738b\\u82b3"', 'found'],
    ['王芳', '王芳芳', 'clean'],
    ['Żół', 'a żół b', 'found'],
    ['Żół', 'żółw', 'clean'],
    ['zł', '12 zł', 'clean'],
    ['abc', 'abc', 'clean'],
  ])('counts bytes, not characters, of a short value: %j in %j is %s', (secret, visible, kind) => {
    expect(search(secret, visible)).toBe(kind);
  });

  it('takes a visible NUL for what it is', () => {
    expect(search('12345678', '1234\u00005678')).toBe('clean');
  });

  it('tells what and where', () => {
    const found = findHiddenValue([value('s3cret-token')], [{ where: 'the body', bytes: Buffer.from('s3cret-token') }]);
    expect(found).toMatchObject({ kind: 'found', what: 'the value', where: 'the body' });
  });

  it('looks for each of several values that begin alike', () => {
    const values = ['same-one', 'same-two', 'same-three'].map(value);
    for (const visible of ['same-one', 'same-two', 'same-three']) {
      expect(kindOf(values, Buffer.from(`is ${visible}`))).toBe('found');
    }
    expect(kindOf(values, Buffer.from('same-four'))).toBe('clean');
  });

  it('looks in every text', () => {
    const texts = ['nothing', 'is s3cret-token'].map((text, i) => ({ where: `text ${i}`, bytes: Buffer.from(text) }));
    expect(findHiddenValue([value('s3cret-token')], texts)).toMatchObject({ kind: 'found', where: 'text 1' });
  });

  it('gives up, rather than taking minutes, on input made for it', () => {
    const start = 'a'.repeat(5_000);
    const values = Array.from({ length: 20 }, (_, i) => value(`${start}${i}`));
    expect(kindOf(values, Buffer.from(start + start))).toBe('unknown');
  });

  it('reads a run of escapes that fills the whole text', () => {
    const run = '\\u0041'.repeat(170_000);
    expect(search('s3cret-token', `${run}s3cret-token`)).toBe('found');
    expect(search('s3cret-token', run)).toBe('clean');
  });

  it('ends with the reason of its signal', () => {
    const reason = new Error('The caller has gone.');
    const searched = [{ where: 'x', bytes: Buffer.from('s3cret-token') }];
    expect(() => findHiddenValue([value('s3cret-token')], searched, AbortSignal.abort(reason))).toThrow(reason);
  });

  const hash = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex');

  // The trust page says so: a caller who hides such a value must know what the server shows of it.
  it.each([
    ['a telephone number in groups', '+14155550123', '(415) 555-0123'],
    ['an IBAN in groups', 'PL61109010140000071219812874', 'PL61 1090 1014 0000 0712 1981 2874'],
    ['an amount with thousands', '1234567', '1,234,567'],
    ['a hash', 'me@mail.test', hash('sha256', 'me@mail.test')],
    ['hex', 's3cret-token', Buffer.from('s3cret-token').toString('hex')],
    ['UTF-16', 's3cret-token', Buffer.from('s3cret-token', 'utf16le')],
  ])('does not find %s', (_what, secret: string, visible: string | Buffer) => {
    expect(search(secret, visible)).toBe('clean');
  });
});

describe('a hidden value', () => {
  const described = (text: string, decoded: readonly string[] = []) => {
    const bytes = Buffer.from(text, 'latin1');
    return hiddenValue('the value', 'received', bytes, [{ start: 0, end: bytes.length }], decoded);
  };

  it('is given away by its texts, each named once', () => {
    expect(described('12345678', ['12345678', '', '1234567', 'żółć']).tellTales).toEqual([
      '12345678',
      '1234567',
      'żółć',
    ]);
    expect(described('').tellTales).toEqual([]);
    expect(described('  ').tellTales).toEqual(['  ']);
    expect(described(' a b\n', ['+c ']).tellTales).toEqual([' a b\n', '+c ', 'a b', '+c']);
    expect(described('- $1,234.50 ').tellTales).toEqual(['- $1,234.50 ', '- $1,234.50']);
    expect(described('+48 600-700').tellTales).toEqual(['+48 600-700']);
    expect(described('\xe9'.repeat(8)).tellTales).toEqual(['é'.repeat(8)]);
    expect(value('12345678').tellTales).toEqual(['12345678']);
  });

  it('has a description of at most 120 characters', () => {
    expect(hiddenValue('x'.repeat(130), 'sent', new Uint8Array(), []).what).toBe('x'.repeat(120));
  });
});

describe('credentials', () => {
  type Row = [name: string, text: string, parts: string[]];
  const KEY = 'sk_live_51H8abcDEF';

  it.each<Row>([
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
    ['x-other', 'abc', []],
    ['x-other', 'Bearer abc', ['abc']],
    ['x-forwarded-authorization', 'Custom abc', ['abc']],
    ...[`${KEY}:`, `${KEY}:X`, `${KEY}:x-oauth-basic`].map((pair): Row => {
      return ['authorization', `Basic ${btoa(pair)}`, [btoa(pair), pair, pair.slice(KEY.length + 1), KEY]];
    }),
    // Names of users, and of keys with a password, are shown in answers.
    ...['someuser99:hunter2', 'alice.wonderland@mail.test:hunter2', `${KEY}:a1b2c3d4e5f6`].map((pair): Row => {
      return ['authorization', `Basic ${btoa(pair)}`, [btoa(pair), pair, pair.slice(pair.indexOf(':') + 1)]];
    }),
    ['authorization', 'Token token="0a1b2c3d", x=short', ['token="0a1b2c3d", x=short', '0a1b2c3d']],
    ['authorization', 'key=AAAA-0a1b2c3d', ['', 'AAAA-0a1b2c3d']],
    [
      'authorization',
      'Sas sr=a.test%2Fpath&sig = "a, \\"b\\" c',
      ['sr=a.test%2Fpath&sig = "a, \\"b\\" c', 'a, \\"b\\" c'],
    ],
    [
      'authorization',
      'OAuth oauth_consumer_key="xvz1evFS4wEE", OAuth_Token="370773112-GmHx"',
      ['oauth_consumer_key="xvz1evFS4wEE", OAuth_Token="370773112-GmHx"', '370773112-GmHx'],
    ],
    [
      'authorization',
      'Digest username="some user", realm="a realm", nonce="dcd98b7102dd", uri="/some/path", cnonce="0a4f113b", response="6629fae49393"',
      [
        'username="some user", realm="a realm", nonce="dcd98b7102dd", uri="/some/path", cnonce="0a4f113b", response="6629fae49393"',
        '6629fae49393',
      ],
    ],
    ['x-forwarded-for', '203.0.113.77, 1.1.1.1,10.0.0.1', ['203.0.113.77', '10.0.0.1']],
    [
      'forwarded',
      'for=203.0.113.77;proto=https, for="198.51.100.17";host=www.a.test',
      ['203.0.113.77', '198.51.100.17'],
    ],
  ])('%s: %s', (name, text, parts) => {
    expect(credentialParts(name, text)).toEqual(parts);
  });
});
