import { afterAll, describe, expect, it } from 'vitest';
import { createJmespathEvaluator } from '../../../adapters/jmespath-worker/index.ts';

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

describe('queries', () => {
  it.each([
    ['a.b[0]', '1'],
    ['items[*].n | sum(@)', '3'],
    ['items[?n==`2`].n | [0]', '2'],
    ['name', '"x"'],
    ['nothing', 'null'],
    ['a', '{"b":[1,2.5,12345678901234567890]}'],
    ['a.b[2]', '12345678901234567890'],
    ['to_string(a.b)', '"[1,2.5,12345678901234567890]"'],
    ['huge', '1e999'],
    ['toString', 'null'],
    ['constructor', 'null'],
    ['__proto__', 'null'],
    ['hasOwnProperty', 'null'],
    ['a.toString', 'null'],
  ])('%s', async (query, expected) => {
    expect(await one(query)).toEqual(json(expected));
  });

  it('find what is named like a member of every object', async () => {
    const document = '{"toString":1,"__proto__":{"constructor":"c"},"hasOwnProperty":2}';
    expect(await evaluator.evaluate(document, ['toString', '"__proto__".constructor'])).toEqual([
      json('1'),
      json('"c"'),
    ]);
  });

  it('never round: a function gets no integer that a double cannot hold', async () => {
    expect(await one('max(a.b)')).toMatchObject({ ok: false, reason: 'evaluation' });
    expect(await one('sum([`1`, a.b[2]])')).toMatchObject({ ok: false, reason: 'evaluation' });
  });

  it.each(['(((', 'a.', 'a[', '"', '{', 'a b', '&', '#'])('%s is no JMESPath', async (query) => {
    expect(await one(query)).toMatchObject({ ok: false, reason: 'syntax', message: expect.any(String) });
  });

  it.each(['unknown(a)', 'length(`1`)', 'abs(a)', 'join(`1`, a)'])('%s fails', async (query) => {
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
    ['a bomb of text', TEXT_BOMB],
    ['a bomb of lists', LIST_BOMB],
    ['a bomb of trees', TREE_BOMB],
  ])('end %s, while others are answered', async (_name, bomb) => {
    const [bombed, other] = await Promise.all([one(bomb), one('name')]);
    expect(bombed).toMatchObject({ ok: false, reason: 'limit' });
    expect(other).toEqual(json('"x"'));
    expect(await one('name')).toEqual(json('"x"'));
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
    expect(await one('text', document)).toMatchObject({
      ok: false,
      reason: 'limit',
      message: expect.stringMatching(/65536/),
    });
  });

  it('hold for waiting', async () => {
    const busy = createJmespathEvaluator({ threads: 1, timeoutMs: 500, maxWaitMs: 50 });
    const [bombed, waiting] = await Promise.all([
      busy.evaluate(DOCUMENT, [TREE_BOMB]),
      busy.evaluate(DOCUMENT, ['name']),
    ]);
    expect(bombed[0]).toMatchObject({ ok: false, reason: 'limit' });
    expect(waiting[0]).toMatchObject({ ok: false, reason: 'limit', message: expect.stringMatching(/waiting/) });
    await busy.close();
  });
});

describe('closing', () => {
  it('ends what runs and refuses what comes', async () => {
    const closing = createJmespathEvaluator({ timeoutMs: 60_000 });
    const running = expect(closing.evaluate(DOCUMENT, [TREE_BOMB])).rejects.toThrow('shut down');
    await closing.close();
    await running;
    await closing.close();
    await expect(closing.evaluate(DOCUMENT, ['name'])).rejects.toThrow('shut down');
  });
});
