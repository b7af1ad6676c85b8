import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { atOnce, type Steps } from '../../../../core/web-proof/attested-values/steps.ts';
import { blankHidden, echoSteps, findEcho, type SearchedText } from '../../../../core/web-proof/redaction/echo.ts';
import { credentialParts, hiddenValue } from '../../../../core/web-proof/redaction/hidden-value.ts';
import { countTurns } from '../../../support/turns.ts';

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
    ['s3cret-token', ''],
    // What is left of letters that Latin-1 does not have.
    ['ŁŁŁŁŁŁŁŁ', 'AAAAAAAA'],
    // Base64 that ends otherwise.
    ['s3cret-to', 'czNjcmV0LXRw'],
  ])('does not find %j in %j', async (secret: string, visible: string | Buffer) => {
    expect(await search(secret, visible)).toBe('clean');
  });

  const hash = (algorithm: string, text: string, encoding: 'hex' | 'base64' | 'base64url' = 'hex') =>
    createHash(algorithm).update(text).digest(encoding);

  const UUID = '550e8400-e29b-41d4-a716-446655440000';

  it.each([
    ['other letter case', 'Ada.Lovelace', 'hello ADA.LOVELACE!'],
    ['other letter case beyond ASCII', 'Żółć Żółć', 'żÓŁĆ ŻóŁĆ'],
    ['other letter case in Latin-1', 'Jürgen Müller', Buffer.from('JÜRGEN MÜLLER', 'latin1')],
    ['hex', 's3cret-token', Buffer.from('s3cret-token').toString('hex')],
    ['upper-case hex', 's3cret-token', Buffer.from('x:s3cret-token:y').toString('hex').toUpperCase()],
    ['double percent escapes', 'me@mail.test/x', 'q=me%2540mail.test%252Fx'],
    ['triple percent escapes', 'me@mail.test', 'me%252540mail.test'],
    ['what looks like an escape together with its neighbour', 'a, b, c\\', 'before%61%2C%20b%2C%20c%5Cafter'],
    ['a percent sign before digits', '100,00 %', '{"v":"100,00 %25off"}'],
    ['JSON in JSON', 'say "hi" now', '{"raw":"{\\"say\\":\\"say \\\\\\"hi\\\\\\" now\\"}"}'],
    ['JSON in HTML', 'a"b@mail.test', '<p data-x="a\\&quot;b\\u0040mail.test">'],
    ['entities in entities', 'AT&T & more', 'AT&amp;amp;T &amp;amp; more'],
    ['escapes of scripts', 'me@mail.test', "'me\\x40mail.test'"],
    ['a token that holds JSON', 'me@mail.test', Buffer.from('{"sub":"1","mail":"me@mail.test"}').toString('base64url')],
    ['MD5', 'Me@Mail.test', `https://gravatar.test/${hash('md5', 'me@mail.test')}?s=80`],
    ['SHA-256, as newer avatars', 'Me@Mail.test ', `/avatar/${hash('sha256', 'me@mail.test')}.png`],
    ['SHA-1', 's3cret-token', `sha1=${hash('sha1', 's3cret-token').toUpperCase()}`],
    ['SHA-512 in Base64', 's3cret-token', `sha-512=:${hash('sha512', 's3cret-token', 'base64')}:`],
    ['MD5 in Base64', 's3cret-token', `"${hash('md5', 's3cret-token', 'base64url')}"`],
    ['MD5 of a PIN', '4711', `{"v":"${hash('md5', '4711')}"}`],
    ['digits in groups', '4111111111111111', 'card 4111 1111 1111 1111'],
    ['digits in other groups', '4111 1111 1111 1111', 'card 4111-1111-1111-1111'],
    ['digits without groups', '4111 1111 1111 1111', '{"pan":4111111111111111}'],
    ['a telephone number', '+48 600-700-800', 'tel:48600700800'],
    ['a telephone number in groups', '48600700800', 'call +48 (600) 700-800 now'],
    ['thousands', '1234567', 'about 1,234,567 in all'],
    ['a short number of thousands', '4711', '4,711 of them'],
    ['a code in halves', '482913', 'Your code: 482 913'],
    ['a code in pairs', '482913', 'Your code: 48-29-13'],
    ['a PIN in digits', '4711', 'type 4 7 1 1'],
    ['a number with spaces beyond ASCII', '1234567', '1\u202f234\u202f567'],
    ['an amount', '1234.5', 'You have $1,234.50.'],
    ['an amount in another grouping', '1,234.50', '{"v":1234.5}'],
    ['an amount in cents', '1234.5', '{"cents":123450}'],
    ['cents as an amount', '123450', '1.234,50 €'],
    ['a whole amount', '4711', '4711.00'],
    ['a debt', '-98765.43', 'You owe -$98,765.43.'],
    ['a debt in thousands', '-1234567', '{"v":"-1,234,567"}'],
    ['a debt in cents', '-98765.43', '{"v":-9876543}'],
    ['a debt in brackets', '(98,765.43)', '{"v":-98765.43}'],
    ['a small debt', '-47.11', '\u221247.11 \u20ac'],
    ['a short negative number', '-4711', 'minus 4711'],
    ['the hash of a negative number', '-4711', hash('md5', '4711')],
    ['a degree of longitude', '-122.419416', '122.419416W'],
    ['a degree with its direction', '122.419416\u00b0 W', '{"lon":-122.419416}'],
    ['a price with a currency sign', '$1,234,567', '{"v":1234567}'],
    ['a price of a country', '-US$ 1,234,567', '{"v":1234567}'],
    ['a price with a currency code', '98765.43 EUR', '{"v":98765.43}'],
    ['a low price with a currency code', 'EUR 47.11', '{"v":47.11}'],
    ['a price in letters beyond ASCII', '1\u00a0234\u202f567 z\u0142', '{"v":1234567}'],
    ['a UUID without hyphens', UUID, UUID.replaceAll('-', '')],
    ['a UUID with hyphens', UUID.replaceAll('-', ''), `urn:uuid:${UUID.toUpperCase()}!`],
    ['an IBAN in groups', 'PL61109010140000071219812874', 'to PL61 1090 1014 0000 0712 1981 2874.'],
    [
      'an IBAN in groups with spaces beyond ASCII',
      'DE89370400440532013000',
      'DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000',
    ],
    ['an IBAN without groups', 'DE89 3704 0044 0532 0130 00', '/DE89370400440532013000'],
    ['a network address with dots', '00:1b:44:11:3a:b7', '001b.4411.3ab7'],
    ['a network address of letters', 'aa:bb:cc:dd:ee:ff', 'aabbccddeeff'],
    ['a network address of letters in groups', 'aabbccddeeff', 'aa-bb-cc-dd-ee-ff'],
    ['a licence key of letters', 'ABCD-EFGH-IJKL-M', 'abcdefghijklm'],
    ['a licence key in other groups', 'A1CD-EFGH-IJKL', 'a1cdef_ghijkl'],
    ['groups behind many others', 'a1cd-efgh', `${'x '.repeat(1_500)}a1 cdef gh`],
    ['hex with colons', '482913', '34:38:32:39:31:33'],
    ['hex with prefixes', '4711', '0x34, 0x37, 0x31, 0x31'],
    ['hex as one number', 's3cret-token', `0x${Buffer.from('s3cret-token').toString('hex')}`],
    ['a list of bytes', 's3cret-token', JSON.stringify(Buffer.from('s3cret-token'))],
    ['a list of bytes over lines', 's3cret-token', JSON.stringify(Buffer.from('s3cret-token'), null, 2)],
    ['hex over lines', 's3cret-token', Buffer.from('s3cret-token').toString('hex').replace(/../g, '0x$&,\n  ')],
    ['hex in columns', 's3cret-token', Buffer.from('s3cret-token').toString('hex').replace(/../g, '$&   ')],
    ['UTF-16, least byte first', 's3cret-token', Buffer.from('{"key":"s3cret-token"}', 'utf16le')],
    ['UTF-16, greatest byte first', 's3cret-token', Buffer.from('{"key":"s3cret-token"}', 'utf16le').swap16()],
    ['a short value in UTF-16', '4711', Buffer.from('{"pin":4711}', 'utf16le')],
    ['Latin-1 letters in UTF-16', 'J\u00fcrgen M\u00fcller', Buffer.from('J\u00fcrgen M\u00fcller', 'utf16le')],
    ['escapes in UTF-16', 'me@mail.test', Buffer.from('"me\\u0040mail.test"', 'utf16le')],
    ['UTF-32', 's3cret-token', Buffer.from([...'s3cret-token'].join('\0\0\0'))],
    ['hex of hex', '4711', Buffer.from(Buffer.from('4711').toString('hex')).toString('hex')],
    ['Base64 of Base64', '4711', btoa(btoa('4711'))],
    ['Base64 of hex', '4711', btoa(Buffer.from('4711').toString('hex'))],
    [
      'Base64 with a value across two lines',
      's3cret-token',
      btoa(`${'.'.repeat(52)}s3cret-token.`).replace(/(.{76})/, '$1\r\n'),
    ],
    ['UTF-16 in Base64', '4711', Buffer.from('4711', 'utf16le').toString('base64')],
    ['UTF-16 in hex', 'Bartosz', Buffer.from('Bartosz', 'utf16le').swap16().toString('hex')],
    ['escapes of old scripts', 'rocket 🚀 rocket', 'rocket %ud83d%ude80 rocket'],
    ['escapes of new scripts', 'rocket 🚀 rocket', 'rocket \\u{1f680} rocket \\u{110000}'],
    ['escapes of Python', 'rocket 🚀 rocket', 'rocket \\U0001f680 rocket'],
    ['escaped bytes', 'Żółć Łąka', '\\xc5\\xbb\\xc3\\xb3\\xc5\\x82\\xc4\\x87 \\305\\201\\304\\205ka'],
    ['quoted-printable text', 'Żółć Łąka', '=C5=BB=C3=B3=C5=82=C4=87 =C5=81=C4=85ka'],
    ['entities with names', 'Jürgen@mail.test', 'J&uuml;rgen&commat;mail&period;test'],
    ['entities without semicolons', 's3cret-token', '&#115&#0000051&#x63;ret-token'],
    ['accents that stand behind their letters', 'Żółć Łąka', 'Żółć Łąka'.normalize('NFD')],
    ['accents in one character', 'Żółć Łąka'.normalize('NFD'), 'Żółć Łąka'],
    [
      'accents of other scripts',
      '\u0419\u043e\u0433\u0430\u043d\u043d',
      '\u0419\u043e\u0433\u0430\u043d\u043d'.normalize('NFD'),
    ],
    ['an accent behind a letter with one', 'Nguy\u1ec5n', 'Nguy\u00ea\u0303n'],
    ['syllables in parts', '\ud64d\uae38\ub3d9', '\ud64d\uae38\ub3d9'.normalize('NFD')],
    ['voiced syllables in parts', '\u30ac\u30ae\u30d1', '\u30ac\u30ae\u30d1'.normalize('NFD')],
    ['a hash with colons', '4711', hash('md5', '4711').replace(/(..)(?=.)/g, '$1:')],
    ['a hash in the form of a UUID', '4711', hash('md5', '4711').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')],
    ['a hash behind a length', '4711', `W/"4-${hash('sha1', '4711', 'base64').slice(0, 27)}"`],
    ['a hash in a path', '4711', `/v/${hash('sha256', '4711', 'base64url').slice(0, 43)}/x`],
    ['a hash in Base64 of its hex', '4711', btoa(hash('md5', '4711'))],
    ['SHA-512/224', '4711', hash('sha512-224', '4711')],
    ['SHA-512/256', '4711', hash('sha512-256', '4711')],
    ['SHA3-224', '4711', hash('sha3-224', '4711')],
    ['SHA3-256', '4711', hash('sha3-256', '4711')],
    ['SHA3-384', '4711', hash('sha3-384', '4711')],
    ['SHA3-512', '4711', hash('sha3-512', '4711')],
    ['RIPEMD-160', '4711', hash('ripemd160', '4711')],
    ['BLAKE2', '4711', hash('blake2b512', '4711')],
    ['BLAKE2 of 32 bytes', '4711', 'b302eec3109720d61650b5bf33ff3b1bf67793c7b32d2badae60c811157f5a59'],
  ])('finds %s', async (_what, secret: string, visible: string | Buffer) => {
    expect(await search(secret, visible)).toBe('found');
  });

  it.each([
    ['a PIN', '4711', '{"note":"your pin is 4711."}'],
    ['a PIN as a number', '4711', '{"a":4711,"b":1}'],
    ['a PIN behind a label', '4711', 'id_4711;pin4711'],
    ['a PIN before a unit', '4711', '4711kg'],
    ['a PIN beside another script', '4711', '€4711'],
    ['a PIN at the end', '4711', 'x=4711'],
    ['a code in Base64', '482913', `v=${Buffer.from('482913').toString('base64')}`],
    ['a code in hex', '482913', `v=${Buffer.from('482913').toString('hex')}`],
    ['a code in a token', '482913', Buffer.from('{"otp":"482913"}').toString('base64url')],
    ['a code in escapes', '482913', 'v=%34%38%32%39%31%33'],
    ['a name', 'Bartosz', 'Hello, Bartosz! Bye.'],
    ['a name in other case', 'Bartosz', '/users/BARTOSZ/'],
    ['a name with escapes', 'Żaneta', '"\\u017baneta"'],
    ['a name in Latin-1', 'Jürg', Buffer.from('for Jürg.', 'latin1')],
    ['a word with signs', 'a-b.c', 'is a-b.c here'],
  ])('finds %s as a whole word', async (_what, secret: string, visible: string | Buffer) => {
    expect(await search(secret, visible)).toBe('found');
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
  ])('does not take %s for it', async (_what, secret: string, visible: string) => {
    expect(await search(secret, visible)).toBe('clean');
  });

  it('names values of 1 to 3 bytes that are there as words, once each', async () => {
    const values = ['42', 'no', '7', 'abc'].map((text, i) => ({ ...value(text), what: `v${i}` }));
    const texts = ['42 NO 42', '421 not abcd', '"7"'].map((text) => ({ where: 'x', bytes: Buffer.from(text) }));
    expect(await findEcho(values, texts)).toMatchObject({ kind: 'clean', noted: ['v0', 'v1', 'v2'] });
  });

  it('says in which part of a text it stands, if that is known', async () => {
    const bytes = Buffer.from('one s3cret-token');
    const parts = function* (): Steps<SearchedText[]> {
      yield;
      return [
        { where: 'the first', bytes: bytes.subarray(0, 3) },
        { where: 'the second', bytes: bytes.subarray(4) },
      ];
    };
    const found = await findEcho([value('s3cret-token')], [{ where: 'all', bytes, parts }]);
    expect(found).toMatchObject({ kind: 'found', where: 'the second' });
    expect(await findEcho([value('one s3cret')], [{ where: 'all', bytes, parts }])).toMatchObject({ where: 'all' });
  });

  it('takes steps in proportion to what it reads, however many values are hidden', async () => {
    const stepsFor = async (count: number, length: number, make: (n: number) => string) => {
      const values = Array.from({ length: count }, (_, n) => value(make(n)));
      const unit = '{"url":"https://site.test/p/x","id":"zz","n":[1,2,3]},';
      const { kind, steps } = await findEcho(values, [
        { where: 'x', bytes: Buffer.from(unit.repeat(length / unit.length)) },
      ]);
      expect(kind).toBe('clean');
      return steps;
    };
    for (const make of [
      (n: number) => `https://site.test/p/${n}`,
      (n: number) => `${100_000 + n}`,
      (n: number) => `w${n.toString(36)}`,
      () => 'same again',
    ]) {
      const one = await stepsFor(1, 5_000, make);
      expect(one).toBeLessThan(20 * 5_000);
      // A thousand times the values: some more comparisons wherever values and text begin alike.
      expect(await stepsFor(1_000, 5_000, make)).toBeLessThan(30 * one);
      expect(await stepsFor(100, 50_000, make)).toBeLessThan(15 * (await stepsFor(100, 5_000, make)));
    }
  });

  it('gives up on more hashes than it can make', () => {
    // MD5, SHA-1 with RIPEMD-160, and three of 28 bytes of each, as it is and in small letters: twelve. Nothing else is looked for.
    const words = [16, 20, 28].map((length) => `"${'ab'.repeat(length)}"`).join();
    const values = Array.from({ length: 8_334 }, (_, n) => ({ ...value(`V${n}`), hashedOnly: true }));
    const kindFor = (count: number) =>
      atOnce(echoSteps(values.slice(0, count), [{ where: 'x', bytes: Buffer.from(words) }])).kind;
    expect(kindFor(8_334)).toBe('unknown');
    expect(kindFor(1_000)).toBe('clean');
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

  it.each([8, 9, 10])('finds %i bytes in Base64, wherever they are in it', async (length) => {
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
    expect(found).toMatchObject({ kind: 'found', what: 'the value', where: 'the body' });
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
    const start = 'a'.repeat(5_000);
    const values = Array.from({ length: 20 }, (_, i) => value(`${start}${i}`));
    expect(await kindOf(values, Buffer.from(start + start))).toBe('unknown');
  });

  it('reads a run of escapes that fills the whole text', async () => {
    const run = '\\u0041'.repeat(170_000);
    expect(await search('s3cret-token', `${run}s3cret-token`)).toBe('found');
    expect(await search('s3cret-token', run)).toBe('clean');
  });

  it.each([
    ['groups of digits', '48600700800123', '1 '],
    ['groups of one digit that the number begins with', '11111111111112', '1 '],
    ['letters with accents', 's3cret-token', 'e\u0301'],
    ['letters with many accents', 's3cret-token', 'e\u0301\u0301 '],
    ['short words of Base64', 's3cret-token', 'QUFBQUFB '],
    ['lists of bytes', 's3cret-token', '1, '],
    ['escapes', 's3cret-token', '%41'],
    ['backslashes', 's3cret-token', '\\\\'],
    ['groups of letters and digits', 'a1a1a1a1', 'a1 '],
    ['timestamps with the number', '2026', '2026-11-22t08:46:40.471z '],
  ])('reads %s in steps, the more the longer the text is', (_what, secret, unit) => {
    const stepsFor = (length: number) => {
      const bytes = Buffer.from(unit.repeat(length / unit.length));
      return [...echoSteps([value(secret)], [{ where: 'x', bytes }])].length;
    };
    const long = stepsFor(100_000);
    expect(long).toBeGreaterThan(8 * stepsFor(10_000) - 200);
    expect(long).toBeGreaterThan(50);
  });

  it('compares groups of digits with the wanted numbers only', async () => {
    const stepsFor = async (secret: string) => {
      const { kind, steps } = await findEcho(
        [value(secret)],
        [{ where: 'x', bytes: Buffer.from('1 '.repeat(50_000)) }],
      );
      expect(kind).toBe('clean');
      return steps;
    };
    expect(await stepsFor('48600700800123')).toBeLessThan(1.1 * (await stepsFor('s3cret-token')));
    // Each group is compared with the number that begins like it, not with every window of 31.
    expect(await stepsFor('11111111111112')).toBeLessThan(20 * 100_000);
  });

  it('ends with the reason of its signal', async () => {
    const reason = new Error('The caller has gone.');
    const searched = [{ where: 'x', bytes: Buffer.from('s3cret-token') }];
    await expect(findEcho([value('s3cret-token')], searched, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it.each([
    ['a number of thousands with a fraction of zero', '4711', '4,711.0'],
    ['a number without thousands', '4711', 'x 4711.00 y'],
    ['an amount with one digit of its hundredths', '1234.50', '1,234.5'],
    ['a number among many', '482913', '1 2 3 482 913 4 5'.replace('3 482', '3; 482').replace('913 4', '913; 4')],
  ])('finds %s', async (_what, secret, visible) => {
    expect(await search(secret, visible)).toBe('found');
  });

  it('lets other work in, the more there is to read', async () => {
    // Each look at the clock finds it a millisecond later, on a machine of any speed.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now++);
    onTestFinished(() => clock.mockRestore());
    using turns = countTurns();
    // Four readings: as it is, without escapes, with spaces for plus signs, and both without JSON escapes.
    await search('s3cret-token', '+'.repeat(262_145));
    expect(turns.soFar()).toBeGreaterThanOrEqual(3);
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
    expect(described('- $1,234.50 ').tellTales).toEqual(['- $1,234.50 ', '- $1,234.50', '1,234.50']);
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
