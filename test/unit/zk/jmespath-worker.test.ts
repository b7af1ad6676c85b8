import { afterAll, describe, expect, it } from 'vitest';
import { parseDocument } from '../../../adapters/jmespath-worker/document.ts';
import { createJmespathEvaluator } from '../../../adapters/jmespath-worker/index.ts';
import { compileQuery } from '../../../adapters/jmespath-worker/query.ts';

const evaluator = createJmespathEvaluator();
afterAll(() => evaluator.close());

const DOCUMENT = '{"a":{"b":[1,2.50,12345678901234567890]},"items":[{"n":1},{"n":2}],"name":"x","huge":1e999}';
const one = async (query: string, document = DOCUMENT) => (await evaluator.evaluate(document, [query]))[0];
const json = (text: string) => ({ ok: true, json: text });

/** Doubles a list 26 times and turns it into text: 170 characters for hundreds of megabytes. */
const TEXT_BOMB = `[@,@]${'|[@,@]'.repeat(25)}|to_string(@)`;
/** Writes that list out, every element a list of its own. */
const TREE_BOMB = `[@,@]${'|[@,@]'.repeat(25)}|${'[*]'.repeat(26)}`;
const LIST_BOMB = `[@,@]${'|[@,@][]'.repeat(40)}|length(@)`;
const DEEP_LIST = `[@,@]${'|[@,@]'.repeat(60)}`;
/** Compares two deep lists: it takes years, and no memory. */
const TIME_BOMB = `[${DEEP_LIST}, ${DEEP_LIST}]|[0] == [1]`;

describe('queries', () => {
  it.each([
    ['a.b[0]', '1'],
    ['items[?n==`2`].n | [0]', '2'],
    ['name', '"x"'],
    ['a', '{"b":[1,2.50,12345678901234567890]}'],
    ['a.b[2]', '12345678901234567890'],
    ['to_string(a.b)', '"[1,2.50,12345678901234567890]"'],
    ['huge', '1e999'],
    ['toString', 'null'],
    ['constructor', 'null'],
    ['__proto__', 'null'],
    ['hasOwnProperty', 'null'],
  ])('%s', async (query, expected) => {
    expect(await one(query)).toEqual(json(expected));
  });

  it('find what is named like a member of every object', async () => {
    const document = '{"toString":1,"__proto__":{"constructor":"c"},"hasOwnProperty":2}';
    const queries = ['toString', '"__proto__".constructor'];
    expect(await evaluator.evaluate(document, queries)).toEqual([json('1'), json('"c"')]);
  });

  it('reads each name of a document as it is, whatever documents its thread has read before', async () => {
    const names = createJmespathEvaluator({ threads: 1 });
    const answers = [];
    for (const document of [
      '{"id":1,"\\\\":0}',
      '{"id":1,"\\u20ac":700}',
      '{"id":2,"a\\\\":0}',
      '{"id":2,"a\\u0062":5}',
    ]) {
      answers.push(...(await names.evaluate(document, ['keys(@)', 'sum(values(@))'])));
    }
    await names.close();
    expect(answers).toEqual(
      ['["id","\\\\"]', '1', '["id","€"]', '701', '["id","a\\\\"]', '2', '["id","ab"]', '7'].map(json),
    );
  });

  const NUMBERS =
    '{"big":12345678901234567890,"next":12345678901234567891,"same":1234567890123456789e1,"price":100.0,"cents":1.10,"neg":-1.50,"zero":-0,"fine":0.12345678901234567890,"far":1e999,"farther":1e1000,"beyond":1e9999999999999999,"tiny":1e-1001,"small":1e-05,"less":1.0E-8,"minus":-1e-5,"id":"12345678901234567891"}';
  it.each([
    ['big == `12345678901234567890`', 'true'],
    ['big != `12345678901234567890`', 'false'],
    ['big == next', 'false'],
    ['big == same', 'true'],
    ['big < next', 'true'],
    ['big > `1`', 'true'],
    ['next <= big', 'false'],
    ['big >= same', 'true'],
    ['far < farther', 'true'],
    ['neg < zero', 'true'],
    ['tiny > `0`', 'true'],
    ['`9007199254740993` == `9007199254740992`', 'false'],
    ['fine == `0.1234567890123456789`', 'true'],
    ['price == `100`', 'true'],
    ['[price] == `[100]`', 'true'],
    ['{a: price} == `{"a":1e2}`', 'true'],
    ['contains([big], `12345678901234567890`)', 'true'],
    ['contains([big], next)', 'false'],
    ['type(big)', '"number"'],
    ['big.digits', 'null'],
    ['!zero', 'false'],
    ['max([big, next])', '12345678901234567891'],
    ['min([cents, price, `3`])', '1.10'],
    ['sort([price, cents, big, neg])', '[-1.50,1.10,100.0,12345678901234567890]'],
    ['sort_by([{k: next}, {k: big}], &k)[0].k', '12345678901234567890'],
    ['max_by([{k: big}, {k: next}], &k).k', '12345678901234567891'],
    ['sum([big, next])', '24691357802469135781'],
    ['sum([cents, cents, cents])', '3.3'],
    ['sum([neg, cents])', '-0.4'],
    ['sum([zero])', '0'],
    ['sum(`[]`)', '0'],
    ['avg([big, next])', '12345678901234567890.5'],
    ['avg([`1`, `1`, `2`])', '1.3333333333333333'],
    ['avg(`[]`)', 'null'],
    ['abs(neg)', '1.50'],
    ['abs(small)', '1e-05'],
    ['abs(less)', '1.0E-8'],
    ['abs(`-0`)', '0'],
    ['abs(big)', '12345678901234567890'],
    ['ceil(neg)', '-1'],
    ['floor(neg)', '-2'],
    ['ceil(`-0.5`)', '0'],
    ['ceil(tiny)', '1'],
    ['floor(`7`)', '7'],
    ['to_number(id)', '12345678901234567891'],
    ["to_number('0x10')", 'null'],
    ["to_number('')", 'null'],
    ["to_number('1.50')", '1.50'],
    ['`1.0`', '1.0'],
  ])('are exact about numbers: %s', async (query, expected) => {
    expect(await one(query, NUMBERS)).toEqual(json(expected));
  });

  it.each([
    ['beyond > far', 'a number has too many digits to calculate with it; query the number itself'],
    ['sum([far, beyond])', 'a number has too many digits to calculate with it; query the number itself'],
    ['avg([big, big, next])', 'the average cannot be given exactly'],
    ['length(big)', 'argument 1 of length() has to be string or array or object, not number'],
  ])('say so where they cannot be: %s', async (query, message) => {
    expect(await one(query, NUMBERS)).toEqual({ ok: false, reason: 'evaluation', message });
  });

  it.each([
    ["starts_with('abca', 'a')", 'true'],
    ["ends_with('abc', 'abcd')", 'false'],
    ['length(`"😀"`)', '1'],
    ['reverse(`"a😀"`)', '"😀a"'],
    ['sort(`[10, 9, 2]`)', '[2,9,10]'],
    ["sort(['😀', 'ｅ', 'ab', 'a'])", '["a","ab","ｅ","😀"]'],
    ["max_by([{k: '😀'}, {k: 'ｅ'}], &k).k", '"😀"'],
    ["'😀' > 'ｅ'", 'true'],
    ["max(['a', 'B', 'b'])", '"b"'],
    ["max_by([{k: 'a'}, {k: 'b'}], &k).k", '"b"'],
    ['contains(`[{"a":1}]`, `{"a":1}`)', 'true'],
    ['contains(`"null"`, `null`)', 'false'],
    ["'2024-02-01' > '2024-01-31'", 'true'],
    ["'a' <= 'a'", 'true'],
    ['nothing < `5`', 'null'],
    ["'10' > `9`", 'null'],
    ["'it\\'s'", '"it\'s"'],
    ['`a\\`b`', '"a`b"'],
    ['`{"a":"`"`', undefined],
    ['"name"', '"x"'],
    ['merge(items[0], `{"m":2}`)', '{"n":1,"m":2}'],
    ["join(',', keys(items[0]))", '"n"'],
    ['type(&a)', '"expref"'],
    ['(@.items[1]).n', '2'],
    ['items | (@[?n==`2`])', '[{"n":2}]'],
    ['items | not_null(@[1].n)', '2'],
    ['items | max_by(@[*], &n).n', '2'],
    ['type(@ == @)', '"boolean"'],
    ["not_null(nothing, '@')", '"@"'],
  ])('mean what the specification of JMESPath says: %s', async (query, expected) => {
    const result = await one(query);
    if (expected === undefined) expect(result).toMatchObject({ ok: false, reason: 'syntax' });
    else expect(result).toEqual(json(expected));
  });

  it.each([
    ...['(((', 'a.', 'a[', '"', '{', 'a b', '&', '#', '', '()', 'a = b', 'a || ', '[-]', 'a[::0]'],
    ...["'", "'a", '`1', '`[1`', '`"`', 'a.@', '{a: }'],
    ...['(a b)', '[a b]', '{x: a y: a}', 'not_null(a @)', 'not_null(a,)', 'keys @', '@(a)', '(a)(a)', 'a.(a)', '(@ a)'],
    ...['items[0-1]', 'items[:::]', 'items[0:1 2]', 'not_null(a &a)', '[a[0] a]', 'not_null(* a)'],
  ])('%s is no JMESPath', async (query) => {
    expect(await one(query)).toMatchObject({ ok: false, reason: 'syntax', message: expect.any(String) });
  });

  it.each([
    ['a..b', 'a name or a value is missing in it, maybe behind a dot'],
    ['$.a', 'the character $ has no meaning in it'],
    ['a[', 'it is not a complete query'],
    ['a.b)', 'it is not JMESPath'],
    ['.a', '. is not expected where it stands'],
    ['a = b', 'a single = compares nothing; write =='],
    ["'it''s'", 'there is neither a comma nor an operator between two values'],
  ])('say what is wrong with %s', async (query, message) => {
    expect(await one(query)).toEqual({ ok: false, reason: 'syntax', message });
  });

  it.each([
    ...['unknown(a)', 'constructor(a)', 'length(`1`)', 'abs(a)', 'join(`1`, a)', 'abs(`1`, `2`)', 'merge()', '&a'],
    ...['sort_by(items, &@)', 'max_by(`[{"k":1},{"k":"a"}]`, &k)', 'sum(`["a"]`)', 'sort(`[1,"a"]`)', '[&a]'],
  ])('%s fails', async (query) => {
    expect(await one(query)).toMatchObject({ ok: false, reason: 'evaluation', message: expect.any(String) });
  });

  it('are answered one for one', async () => {
    const results = await evaluator.evaluate(DOCUMENT, ['name', '(((', 'a.b[0]']);
    expect(results.map((result) => result.ok)).toEqual([true, false, true]);
    expect(await evaluator.evaluate(DOCUMENT, [])).toEqual([]);
  });
});

describe('limits', () => {
  it.each([
    // Patient: on a slow machine, this bomb would meet the limit of time first.
    ['a bomb of text', TEXT_BOMB, 'values', 60_000],
    ['a bomb of time', TIME_BOMB, 'ms', 1_000],
  ])('end %s, while others are answered', async (_name, bomb, limit, timeoutMs) => {
    const limited = createJmespathEvaluator({ timeoutMs });
    const ask = async (query: string) => (await limited.evaluate(DOCUMENT, [query]))[0];
    const [bombed, other] = await Promise.all([ask(bomb), ask('name')]);
    expect(bombed).toMatchObject({ ok: false, reason: 'limit', message: expect.stringContaining(limit) });
    expect(other).toEqual(json('"x"'));
    expect(await ask('name')).toEqual(json('"x"'));
    await limited.close();
  });

  // In this thread, whose heap has no limit of its own: as if flags of the process had lifted those of the query thread.
  it.each([
    TREE_BOMB,
    LIST_BOMB,
    TEXT_BOMB,
    `join('', ${TREE_BOMB})`,
    `${DEEP_LIST}|[[],[]]|map(&${DEEP_LIST}[][][][][][][][][][][][][][][][][][][][], @)`,
    `items${'|[@,@]|[0][] | [@,@][]'.repeat(30)}|sort_by(@, &n)`,
    `name${'|join(@, [@,@,@,@])'.repeat(30)}|length(@)`,
    `name${'|join(@, [@,@,@,@])'.repeat(30)}|reverse(@)`,
    `{a: @}${'|{a: @, b: @, c: to_string(@)}'.repeat(12)}`,
  ])('hold for what a query makes, whatever the heap may hold: %s', (query) => {
    const evaluate = compileQuery(query);
    expect(() => evaluate(parseDocument(DOCUMENT)[0])).toThrow('makes more than');
  });

  it('hold for memory too', async () => {
    const patient = createJmespathEvaluator({ timeoutMs: 20_000, memoryMb: 16, threads: 1 });
    const [result] = await patient.evaluate(DOCUMENT, [TREE_BOMB]);
    expect(result).toMatchObject({ ok: false, reason: 'limit', message: expect.stringMatching(/MB/) });
    expect(await patient.evaluate(DOCUMENT, ['name'])).toEqual([json('"x"')]);
    await patient.close();
  });

  it('hold for nesting', async () => {
    const nested = `${'('.repeat(240)}name${')'.repeat(240)}`;
    expect(await one(nested)).toEqual(json('"x"'));
    const deep = `${'['.repeat(100_000)}name`;
    expect(await one(deep)).toMatchObject({ ok: false, reason: 'limit' });
  });

  it('hold for results', async () => {
    const document = JSON.stringify({ text: 'x'.repeat(70_000) });
    const message = expect.stringMatching(/65536/);
    expect(await one('text', document)).toMatchObject({ ok: false, reason: 'limit', message });
  });

  it('hold for waiting', async () => {
    const busy = createJmespathEvaluator({ threads: 1, timeoutMs: 500, maxWaitMs: 50 });
    const bombed = busy.evaluate(DOCUMENT, [TIME_BOMB]);
    await expect(busy.evaluate(DOCUMENT, ['name'])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: expect.any(Number),
    });
    expect((await bombed)[0]).toMatchObject({ ok: false, reason: 'limit' });
    await busy.close();
  });
});

describe('closing', () => {
  it('ends what runs and refuses what comes', async () => {
    const closing = createJmespathEvaluator({ timeoutMs: 60_000 });
    const running = expect(closing.evaluate(DOCUMENT, [TIME_BOMB])).rejects.toThrow('shut down');
    await closing.close();
    await running;
    await closing.close();
    await expect(closing.evaluate(DOCUMENT, ['name'])).rejects.toThrow('shut down');
  });
});
