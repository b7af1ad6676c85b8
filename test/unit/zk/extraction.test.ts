import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parseDocument } from '../../../adapters/jmespath-worker/document.ts';
import { createJmespathEvaluator } from '../../../adapters/jmespath-worker/index.ts';
import { compileQuery } from '../../../adapters/jmespath-worker/query.ts';
import { elementPath, memberPath, ROOT_PATH } from '../../../core/web-proof/extraction/canonical-path.ts';
import { extractValues } from '../../../core/web-proof/extraction/extract-values.ts';
import { journalValueOfResult } from '../../../core/web-proof/extraction/journal-value.ts';
import {
  extractionHash,
  extractionSchema,
  isAcceptableQuery,
  queriesOf,
} from '../../../core/web-proof/extraction/queries.ts';
import { JSON_LIMITS, readJson, UnreadableJsonError } from '../../../core/web-proof/extraction/read-json.ts';
import { runs } from '../../support/property-runs.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const scalars = (text: string) => Object.fromEntries(readJson(bytes(text)).scalars ?? []);
const hash = (queries: readonly string[]) => `0x${Buffer.from(extractionHash(queries)).toString('hex')}`;

describe('reading JSON', () => {
  it('lists every scalar but null by its canonical path, in document order, with its own digits', () => {
    const text =
      '{"a":{"b-c":[1,{"x":"y"}],"":true},"n":-1.50,"e":1e3,"z":null,"big":12345678901234567890,"π":"p","o":{},"l":[]}';
    expect([...(readJson(bytes(text)).scalars ?? [])]).toEqual([
      ['a."b-c"[0]', { kind: 'uint256', text: '1' }],
      ['a."b-c"[1].x', { kind: 'string', text: 'y' }],
      ['a.""', { kind: 'json', text: 'true' }],
      ['n', { kind: 'json', text: '-1.50' }],
      ['e', { kind: 'json', text: '1e3' }],
      ['big', { kind: 'uint256', text: '12345678901234567890' }],
      ['"π"', { kind: 'string', text: 'p' }],
    ]);
  });

  it('reads a document that is a scalar or an array', () => {
    expect(scalars('"x"')).toEqual({ '@': { kind: 'string', text: 'x' } });
    expect(scalars(' [ [ 7 ] ] ')).toEqual({ '[0][0]': { kind: 'uint256', text: '7' } });
  });

  it('takes an integer beyond 256 bits for JSON text', () => {
    const max = 2n ** 256n - 1n;
    expect(scalars(`[${max},${max + 1n},-0,0,1.0]`)).toEqual({
      '[0]': { kind: 'uint256', text: String(max) },
      '[1]': { kind: 'json', text: String(max + 1n) },
      '[2]': { kind: 'json', text: '-0' },
      '[3]': { kind: 'uint256', text: '0' },
      '[4]': { kind: 'json', text: '1.0' },
    });
  });

  it('keeps the names and places of hidden values, and nothing else of them', () => {
    const text = '{"s":"secret","n":12345,"l":["hidden",2],"t":true}';
    const hide = (part: string) => ({ start: text.indexOf(part), end: text.indexOf(part) + part.length });
    const document = readJson(bytes(text), [hide('secret'), hide('12345'), hide('hidden'), hide('rue')]);
    expect(document.text).toBe('{"s":hidden,"n":hidden,"l":[hidden,2],"t":hidden}');
    expect([...(document.scalars ?? [])]).toEqual([['l[1]', { kind: 'uint256', text: '2' }]]);
    expect(readJson(bytes('abc'), [{ start: 0, end: 3 }]).text).toBe('hidden');
  });

  it('looks for wanted paths beyond the limit of what it lists', () => {
    const text = `{"items":[${'1,'.repeat(800)}1],"price":100.0,"none":null}`;
    const document = readJson(bytes(text), [], JSON_LIMITS, ['price', 'items[800]', 'items[801]', 'items', 'none']);
    expect(document.scalars).toBeUndefined();
    expect([...document.wanted]).toEqual([
      ['items[800]', { kind: 'uint256', text: '1' }],
      ['price', { kind: 'json', text: '100.0' }],
    ]);
    expect(readJson(bytes(text)).wanted.size).toBe(0);
  });

  it('passes over one byte order mark, hidden offsets being those of the bytes', () => {
    expect(scalars('\ufeff{"a":1}')).toEqual({ a: { kind: 'uint256', text: '1' } });
    const hidden = readJson(bytes('\ufeff{"a":"secret","b":2}'), [{ start: 9, end: 15 }]);
    expect(hidden.text).toBe('{"a":hidden,"b":2}');
    expect(() => readJson(bytes('\ufeff\ufeff1'))).toThrow(/value is expected/);
  });

  it('leaves the body itself as it is', () => {
    const body = bytes('{"s":"secret"}');
    readJson(body, [{ start: 6, end: 12 }]);
    expect(body).toEqual(bytes('{"s":"secret"}'));
  });

  it('takes a body for missing whose X are hidden, and for text whose X are not', () => {
    const text = '{"a":"XXX"}';
    expect(scalars(text)).toEqual({ a: { kind: 'string', text: 'XXX' } });
    expect(readJson(bytes(text), [{ start: 6, end: 9 }]).scalars?.size).toBe(0);
  });

  it('gives up listing beyond the limit, and paths too long to be queries', () => {
    expect(readJson(bytes(JSON.stringify(new Array(728).fill(1)))).scalars?.size).toBe(728);
    expect(readJson(bytes(JSON.stringify(new Array(729).fill(1)))).scalars).toBeUndefined();
    expect(readJson(bytes(JSON.stringify({ ['k'.repeat(513)]: 1, k: 2 }))).scalars?.size).toBe(1);
  });

  it('finds wanted paths in every canonical spelling, up to the longest', () => {
    const name = 'k'.repeat(512);
    const text = JSON.stringify({ [name]: 1, [`${name}k`]: 2, 'a.b': [{ '"': 3 }], list: new Array(800).fill(0) });
    const wanted = [name, `${name}k`, '"a.b"[0]."\\""', 'a.b', '@', 'list.[0]', 'list[00]', '."list"', '"\\x"', ''];
    expect([...readJson(bytes(text), [], JSON_LIMITS, wanted).wanted.keys()]).toEqual([name, '"a.b"[0]."\\""']);
    expect([...readJson(bytes('7'), [], JSON_LIMITS, ['@', 'a']).wanted.keys()]).toEqual(['@']);
  });

  it('leaves out text that has no UTF-8 form', () => {
    expect(scalars('["\\ud800","\\ud83d\\ude00"]')).toEqual({ '[1]': { kind: 'string', text: '😀' } });
  });

  it('agrees with JSON.parse on what is JSON, and with JMESPath on every canonical path', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(value, fc.nat(3), (json, space) => {
        const text = JSON.stringify(json, undefined, space);
        const document = readJson(bytes(text));
        expect(JSON.parse(document.text)).toEqual(JSON.parse(text));
        const [parsed] = parseDocument(document.text);
        for (const [path, listed] of document.scalars ?? []) {
          expect(journalValueOfResult(JSON.stringify(compileQuery(path)(parsed)))).toEqual(listed);
        }
      }),
      runs(300),
    );
  });

  it('never does anything but read or refuse', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', '"a"', '"b"', ':', ',', '1', 'null', ' ', '\\', '"', '\u{1F600}');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(12), fc.nat(12), (pieces, start, length) => {
        const body = bytes(pieces.join(''));
        const end = Math.min(body.length, start + length);
        try {
          parseDocument(readJson(body, start < end ? [{ start, end }] : []).text);
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableJsonError);
        }
      }),
      runs(2_000),
    );
  });
});

describe('canonical paths', () => {
  it.each([
    ['a', 'a.a'],
    ['_A9', 'a._A9'],
    ['Zz', 'a.Zz'],
    ['9a', 'a."9a"'],
    ['a-', 'a."a-"'],
    ['-a', 'a."-a"'],
    ['a"\\', 'a."a\\"\\\\"'],
    ['', 'a.""'],
  ])('of %j', (name, path) => {
    expect(memberPath('a', name)).toBe(path);
    expect(memberPath(ROOT_PATH, name)).toBe(path.slice(2));
  });

  it('of elements', () => {
    expect([elementPath(ROOT_PATH, 0), elementPath('a', 12)]).toEqual(['[0]', 'a[12]']);
  });
});

describe('what cannot be read', () => {
  const limits = { ...JSON_LIMITS, maxBytes: 8, maxDepth: 2 };
  it.each([
    ['{"a":1}}', 'unexpected text after the document, at character 7'],
    ['{a}', 'a member name is expected, at character 1'],
    ['{"a"1}', 'a colon is expected, at character 4'],
    ['{"a":1 2', 'a comma or the end of the object is expected, at character 7'],
    ['[1 2]', 'a comma or the end of the array is expected, at character 3'],
    ['["a', 'a string does not end, at character 1'],
    ['["\\x"]', 'a string is malformed, at character 5'],
    ['[nul]', 'a value is expected, at character 4'],
    ['[[[]]]', 'it is nested deeper than 2 levels, at character 2'],
    ['[{"":{}', 'it is nested deeper than 2 levels, at character 5'],
    ['"1234567"', 'the body is larger than 8 bytes'],
    ['1\0', 'the body contains a zero byte'],
    ['[1,]', 'a value is expected, at character 3'],
    ['[\ufeff1]', 'a value is expected, at character 3'],
    ['"a\u0001"', 'a string is malformed, at character 4'],
    ['"a\\', 'a string does not end, at character 0'],
  ])('%j', (text, message) => {
    expect(() => readJson(bytes(text), [], limits)).toThrow(new UnreadableJsonError(message));
  });

  it('names a member that occurs twice, in short', () => {
    const name = 'n'.repeat(70);
    expect(() => readJson(bytes(`{"${name}":1,"${name}":1}`))).toThrow(
      new UnreadableJsonError(`the member "${'n'.repeat(64)}" occurs twice in one object, at character 148`),
    );
    expect(() => readJson(bytes('{"abc":1}'), [{ start: 3, end: 4 }])).toThrow(
      new UnreadableJsonError('a member name has hidden bytes, at character 6'),
    );
    expect(() => readJson(bytes('{"a":1,"\\u0061":3}'))).toThrow(/occurs twice/);
    expect(() => readJson(Uint8Array.of(0xff))).toThrow(new UnreadableJsonError('the body is not UTF-8 text'));
    expect(() => readJson(bytes('['.repeat(100_000)))).toThrow(/deeper/);
  });

  it('is none of these', () => {
    expect(readJson(bytes('"123456"'), [], limits).text).toBe('"123456"');
    expect(readJson(bytes('[{},[]]'), [], limits).text).toBe('[{},[]]');
    expect([...(readJson(bytes('\t\r\n {\t"a"\r:\n[ ] , "b" : { "c" : 7 } }\n')).scalars ?? [])]).toHaveLength(1);
    const path = 'k'.repeat(512);
    expect([...(readJson(bytes(`{"${path}":1}`)).scalars ?? [])]).toHaveLength(1);
  });
});

describe('results', () => {
  it.each([
    ['"a\\"b"', { kind: 'string', text: 'a"b' }],
    ['149', { kind: 'uint256', text: '149' }],
    ['-1', { kind: 'json', text: '-1' }],
    ['true', { kind: 'json', text: 'true' }],
    ['[1,"a"]', { kind: 'json', text: '[1,"a"]' }],
    ['null', undefined],
    ['1e3', { kind: 'json', text: '1e3' }],
    ['[1', { kind: 'json', text: '[1' }],
    ['', undefined],
    ['"\\ud800"', undefined],
  ])('%s', (json, value) => {
    expect(journalValueOfResult(json)).toEqual(value);
  });
});

describe('queries', () => {
  const extraction = (jmespath: unknown) => extractionSchema.safeParse({ 'response.body': { jmespath } }).success;

  it('have the published hashes', () => {
    expect(hash(['data.repository.nameWithOwner', 'data.user.login', 'data.mergedPRs.issueCount'])).toMatch(
      /^0x85db70a0[0-9a-f]{52}c6c6$/,
    );
    expect(hash(['price', 'symbol'])).toMatch(/^0x3fadc0ed[0-9a-f]{52}3f2b$/);
    expect(hash(['price', 'symbol'])).not.toBe(hash(['symbol', 'price']));
    expect(hash([])).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
  });

  it("are refused when their hash would equal another's", () => {
    expect(hash(['a', 'b'])).toBe(hash(['aresponse.bodyjmespathb']));
    expect(extraction(['aresponse.bodyjmespathb'])).toBe(false);
    expect(isAcceptableQuery('aresponse.bodyjmespathb')).toBe(false);
    expect(extraction(['response.body', 'jmespath'])).toBe(true);
  });

  it('say why they are refused', () => {
    const problems = (jmespath: unknown) =>
      extractionSchema.safeParse({ 'response.body': { jmespath } }).error?.issues.map(({ message }) => message);
    expect(problems([''])).toEqual(['a query must not be empty']);
    expect(problems(['a'.repeat(513)])).toEqual(['a query has at most 512 characters']);
    expect(problems(['\ud800'])).toEqual(['a query must be well-formed Unicode']);
    expect(problems(['response.bodyjmespath'])).toEqual(['a query must not contain "response.bodyjmespath"']);
    expect(problems([])).toEqual(['name at least one query, or leave `extraction` out']);
    expect(problems(Array(9).fill('a'))).toEqual(['at most 8 queries in one request']);
    const queries = ['', 'a', 'a'.repeat(512), 'a'.repeat(513), '\ud800'];
    expect(queries.filter(isAcceptableQuery)).toEqual(['a', 'a'.repeat(512)]);
  });

  it('come from the response body in JMESPath and nowhere else', () => {
    for (const refused of [
      {},
      { 'response.headers': { jmespath: ['a'] } },
      { 'response.body': { regex: ['a'] } },
      { 'response.body': { jmespath: ['a'], exact: ['b'] } },
      { 'response.body': { jmespath: ['a'] }, 'request.url': { jmespath: ['a'] } },
      { response_body: { jmespath: ['a'] } },
    ]) {
      expect(extractionSchema.safeParse(refused).success, JSON.stringify(refused)).toBe(false);
    }
    expect(queriesOf(extractionSchema.parse({ 'response.body': { jmespath: ['a', 'b'] } }))).toEqual(['a', 'b']);
    expect(queriesOf(undefined)).toEqual([]);
  });
});

describe('extracted values', () => {
  const evaluator = createJmespathEvaluator();
  afterAll(() => evaluator.close());

  const ACCOUNT =
    '{"user":{"name":"bob","banned":true},"accounts":[{"id":"a","closed":true},{"id":"b","closed":true}],"n":[1,2]}';
  /** Hides every member of these names, and the number 2. */
  const HIDDEN = [...ACCOUNT.matchAll(/"(?:banned|closed)":(true)|,(2)/g)].map((match) => {
    const end = match.index + match[0].length;
    return { start: end - (match[1] ?? match[2] ?? '').length, end };
  });
  const extract = (text: string, queries: readonly string[], hidden: readonly { start: number; end: number }[] = []) =>
    extractValues(evaluator, { bytes: bytes(text), hidden }, queries);

  it.each([
    "user.banned && 'banned' || 'in good standing'",
    'user.banned',
    'not_null(user.banned, `false`)',
    'accounts[?!closed].id | [0]',
    'user',
    'user.* | [0]',
    '{a: user.banned, b: user.name}.b',
    'type(user.banned)',
    'n',
    'n[-1]',
    'sum(n)',
    'contains(n, `3`)',
  ])('are refused when they depend on what is hidden: %s', async (query) => {
    expect(HIDDEN).toHaveLength(4);
    await expect(extract(ACCOUNT, [query], HIDDEN)).rejects.toMatchObject({
      code: 'PROOF_GENERATION_FAILED',
      message: `The query ${JSON.stringify(query)} depends on a hidden value. Query what is visible, or make a proof that shows the value.`,
    });
  });

  it.each([
    ['user.name', 'bob'],
    ["contains(keys(user), 'banned')", 'true'],
    ['type(user)', 'object'],
    ['length(n)', '2'],
    ['n[0:1] | [0]', '1'],
    ['contains(n, `1`)', 'true'],
    ['accounts[*].id', '["a","b"]'],
    ['sort_by(accounts, &id)[1].id', 'b'],
    ["user.name || user.banned || 'none'", 'bob'],
  ])('look at nothing that is hidden: %s', async (query, text) => {
    expect((await extract(ACCOUNT, [query], HIDDEN)).values).toMatchObject([{ text }]);
  });

  it.each([
    ['hello', 'a', 'PROOF_GENERATION_FAILED', /cannot be read as JSON: a value is expected/],
    ['{"a":1,"a":2}', 'a', 'PROOF_GENERATION_FAILED', /occurs twice/],
    ['', 'a', 'PROOF_GENERATION_FAILED', /cannot be read as JSON/],
    ['{"a":null}', 'a', 'PROOF_GENERATION_FAILED', /^The query "a" gives null, or nothing that is there\.$/],
    ['{}', 'a.b', 'PROOF_GENERATION_FAILED', /^The query "a\.b" gives null/],
    ['{}', 'a[', 'INVALID_REQUEST', /^The query "a\[" failed: /],
    ['{}', `[@,@]${'|[@,@]'.repeat(25)}|to_string(@)`, 'PROOF_GENERATION_FAILED', / failed: /],
  ])('are not there in %j for %s', async (text, query, code, message) => {
    await expect(extract(text, [query])).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('are refused for whatever is asked of a body that is all hidden', async () => {
    await expect(extract('12345', ['@'], [{ start: 0, end: 5 }])).rejects.toThrow('depends on a hidden value');
  });

  it.each([700, 800])('are the same in a body of %i further values', async (count) => {
    const body = `{"price":100.0,"gas":1e3,"d":0.12345678901234567890,"z":-0,"s":"x","items":[${'1,'.repeat(count)}1]}`;
    const queries = ['price', 'gas', 'd', 'z', 's', 'items[3]', 'price | @'];
    const { values, evaluated } = await extract(body, queries);
    expect(values).toEqual([
      { kind: 'json', text: '100.0' },
      { kind: 'json', text: '1e3' },
      { kind: 'json', text: '0.12345678901234567890' },
      { kind: 'json', text: '-0' },
      { kind: 'string', text: 'x' },
      { kind: 'uint256', text: '1' },
      { kind: 'json', text: '100.0' },
    ]);
    // Beyond the limit nothing is signed with the exchange, so the notary has to attest every value.
    expect(evaluated).toEqual(count > 728 ? queries : ['price | @']);
  });
});
