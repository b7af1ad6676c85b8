import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchPaths, parseJsonPath } from '../../../../core/web-proof/redaction/json-path.ts';
import { findScalars, JsonUnreadable } from '../../../../core/web-proof/redaction/json-values.ts';
import { redactionSchema } from '../../../../core/web-proof/redaction/schema.ts';

const paths = (texts: readonly string[]) =>
  texts.map((text) => {
    const path = parseJsonPath(text);
    if (path === null) throw new Error(`not a path: ${text}`);
    return path;
  });

function mask(json: string, hidden: readonly { range: { start: number; end: number } }[]): string {
  const bytes = Buffer.from(json);
  for (const { range } of hidden) bytes.fill('X', range.start, range.end);
  return bytes.toString('latin1');
}

const deny = (json: string, ...names: string[]) =>
  mask(
    json,
    findScalars(Buffer.from(json), matchPaths(paths(names), 'wide'), ({ covered }) => covered),
  );

const except = (json: string, ...names: string[]) =>
  mask(
    json,
    findScalars(Buffer.from(json), matchPaths(paths(names), 'narrow'), ({ covered }) => !covered),
  );

describe('what a denylist hides', () => {
  it.each([
    ['\ufeff {"a":12345}', ['a'], '\xef\xbb\xbf {"a":XXXXX}'],
    ['{"a":true,"b":null,"c":false}', ['a', 'b', 'c'], '{"a":XXXX,"b":XXXX,"c":XXXXX}'],
    ['{"items":[{"s":"a","t":1},{"s":"b"}]}', ['items.s'], '{"items":[{"s":"X","t":1},{"s":"X"}]}'],
    ['{"items":[{"s":"a"},{"s":"b"}]}', ['items.0.s'], '{"items":[{"s":"X"},{"s":"b"}]}'],
    ['{"items":[{"s":"a"},{"s":"b"}]}', ['items.*.s'], '{"items":[{"s":"X"},{"s":"X"}]}'],
    ['{"m":{"x":{"s":1},"y":{"s":2,"t":3}}}', ['m.*.s'], '{"m":{"x":{"s":X},"y":{"s":X,"t":3}}}'],
    ['{"a.b":"s","a":{"b":"t"}}', ['a\\.b'], '{"a.b":"X","a":{"b":"t"}}'],
    ['{"a.b":"s","a":{"b":"t"}}', ['a.b'], '{"a.b":"X","a":{"b":"X"}}'],
    ['{"x":{"a.b.c":1,"a.b":{"c":2},"a":{"b.c":3}}}', ['x.a.b.c'], '{"x":{"a.b.c":X,"a.b":{"c":X},"a":{"b.c":X}}}'],
    ['{"*":"s","b":"t"}', ['\\*'], '{"*":"X","b":"t"}'],
    ['{"a[x]":"s"}', ['a[x]'], '{"a[x]":"X"}'],
    ['{"a":"1","b":"2","a":"3"}', ['a'], '{"a":"X","b":"2","a":"X"}'],
    ['{"\\u0061":"1","b\\n":"2"}', ['a'], '{"\\u0061":"X","b\\n":"2"}'],
    ['{"a":"with \\"quotes\\" and \\\\"}', ['a'], `{"a":"${'X'.repeat(22)}"}`],
    ['{"a":"","b":[],"c":{}}', ['a', 'b', 'c'], '{"a":"","b":[],"c":{}}'],
    [' \t{ "a" :\r\n [ 1 , 2 ] } ', ['a'], ' \t{ "a" :\r\n [ X , X ] } '],
    ['{"a":{"b":1},"$":{"a":{"b":2}},"c":3}', ['$.a.b'], '{"a":{"b":X},"$":{"a":{"b":X}},"c":3}'],
    ['{"a":1,"b":"x"}', ['$'], '{"a":X,"b":"X"}'],
    ['{"x":{"$":1,"a":2}}', ['x.$.a'], '{"x":{"$":1,"a":2}}'],
    ['{"0":"a"}', ['[0]'], '{"0":"a"}'],
    ['{"i":[{"s":1},{"0":{"s":2}}]}', ['i.0.s'], '{"i":[{"s":X},{"0":{"s":X}}]}'],
    ['{"i":[{"s":1},{"s":2}]}', ['i.01.s'], '{"i":[{"s":1},{"s":2}]}'],
    ['{"i":[{"x":{"s":1},"s":2,"t":3}]}', ['i.*.s'], '{"i":[{"x":{"s":X},"s":X,"t":3}]}'],
    ['{"i":[[1,2],[3,4]]}', ['i[1][0]'], '{"i":[[1,2],[X,4]]}'],
    ['{"a.b":1,"a":[{"b":2}]}', ['a[0].b'], '{"a.b":1,"a":[{"b":X}]}'],
    ['{"a.bc":1,"a.b":2,"ab":3,"a":4}', ['a.b'], '{"a.bc":1,"a.b":X,"ab":3,"a":4}'],
    ['["a\\\\","b\\"]","c"]', ['[1]'], '["a\\\\","XXXX","c"]'],
    ['[[1,2],3]', ['[1]'], '[[1,2],X]'],
    ['{"$":1,"a":2}', ['\\$'], '{"$":X,"a":X}'],
    ['[{"s":1,"t":2},{"s":3,"t":4}]', ['s', '[0].t'], '[{"s":X,"t":X},{"s":X,"t":4}]'],
    ['[1,2,3,4,5,6,7,8,9,10,11,12,13]', ['2', '12'], '[1,2,X,4,5,6,7,8,9,10,11,12,XX]'],
    // Names that read like what a path lacks there.
    ['{"undefined.s":1,"a.undefined":2}', ['[0].s', 'a[0]'], '{"undefined.s":1,"a.undefined":2}'],
  ])('%s without %j', (json, names, expected) => {
    expect(deny(json, ...names)).toBe(expected);
  });
});

describe('what an allowlist shows', () => {
  it.each([
    ['{"a":"s","b":1}', [], '{"a":"X","b":X}'],
    ['"secret"', [], '"XXXXXX"'],
    ['{"items":[{"s":"a"},{"s":"b"}]}', ['items[0].s'], '{"items":[{"s":"a"},{"s":"X"}]}'],
    ['{"items":[{"s":"a","x":{"s":"b"}}]}', ['items.*.s'], '{"items":[{"s":"a","x":{"s":"X"}}]}'],
    ['{"a.b":"s","a":{"b":"t"}}', ['a.b'], '{"a.b":"X","a":{"b":"t"}}'],
    ['{"a":1,"$":{"a":2}}', ['$.a'], '{"a":X,"$":{"a":2}}'],
    ['{"i":[{"s":1},{"0":{"s":2}}]}', ['i.0.s'], '{"i":[{"s":1},{"0":{"s":X}}]}'],
    ['{"m":{"x":{"s":1,"t":2}}}', ['m.*.s'], '{"m":{"x":{"s":1,"t":X}}}'],
    ['{"0":1,"a":2}', ['[0]'], '{"0":X,"a":X}'],
    ['{"i":[1,2]}', ['i[0]', 'i[0]'], '{"i":[1,X]}'],
    ['[{"s":1,"t":2},{"s":3,"t":4}]', ['s', '[0].t'], '[{"s":1,"t":2},{"s":3,"t":X}]'],
    // A byte order mark is a part of a name.
    ['{"pin":"a","\ufeffpin":"b"}', ['pin'], '{"pin":"a","\xef\xbb\xbfpin":"X"}'],
    ['{"pin":1,"\ufeffpin":2}', ['\ufeffpin'], '{"pin":X,"\xef\xbb\xbfpin":2}'],
  ])('%s with %j only', (json, names, expected) => {
    expect(except(json, ...names)).toBe(expected);
  });
});

describe('a hidden value', () => {
  it('has its place, its path and its meaning', () => {
    const json = ' {"a" : ["x\\u0021", {"b\\n": 12 }] }';
    const found = findScalars(Buffer.from(json), matchPaths([], 'narrow'), () => true);
    expect(found).toEqual([
      { range: { start: 10, end: 17 }, text: 'x!', path: 'a[0]' },
      { range: { start: 28, end: 30 }, text: '12', path: 'a[1].b\n' },
    ]);
    expect(findScalars(Buffer.from('7'), matchPaths([], 'narrow'), () => true)).toEqual([
      { range: { start: 0, end: 1 }, text: '7', path: '' },
    ]);
    const marked = findScalars(Buffer.from('{"\ufeffa":"\ufeff7"}'), matchPaths([], 'narrow'), () => true);
    expect(marked).toMatchObject([{ text: '\ufeff7', path: '\ufeffa' }]);
  });
});

describe('bodies that cannot be walked', () => {
  it('walks what the platform’s parser takes, and nothing else', () => {
    const parts = [...'{ } [ ] , : "a" "b\\n" "\\u00e9" 1 -0.5e+3 true null'.split(' '), ' ', '\t'];
    const odd = [...'"\\x" "\\u12" " \\ 01 +1 1. .5 - 1e tru é'.split(' '), '\u2028', '\f', '"\u0001"'];
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.nat({ max: 3 }), fc.constantFrom('', ...parts, ...odd))
      .map(([json, at, length, text]) => {
        const start = at % (json.length + 1);
        return json.slice(0, start) + text + json.slice(start + length);
      });
    const made = fc.array(fc.constantFrom(...parts, ...odd), { maxLength: 8 }).map((all) => all.join(''));
    const takes = (read: () => unknown) => {
      try {
        read();
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.oneof(fc.json(), broken, made), (json) => {
        const bytes = Buffer.from(json);
        const walk = () => findScalars(bytes, matchPaths([], 'wide'), () => true);
        expect(takes(walk)).toBe(takes(() => JSON.parse(bytes.toString())));
      }),
      { numRuns: 3_000, seed: 1 },
    );
  });

  it('not UTF-8', () => {
    const bytes = Buffer.from('{"a":"x"}');
    bytes[6] = 0xff;
    const refused = () => findScalars(bytes, matchPaths([], 'wide'), () => true);
    expect(refused).toThrow(new JsonUnreadable('is not UTF-8'));
    expect(refused).toThrow(expect.objectContaining({ name: 'JsonUnreadable' }));
    expect(() => deny('<html>')).toThrow(new JsonUnreadable('is not JSON'));
    expect(() => deny('['.repeat(129) + ']'.repeat(129))).not.toThrow(/JSON$/);
  });

  it('nested too deeply', () => {
    expect(deny(`${'['.repeat(128)}1${']'.repeat(128)}`, 'a')).toContain('1');
    expect(() => deny(`${'['.repeat(129)}1${']'.repeat(129)}`, 'a')).toThrow(
      new JsonUnreadable('is nested deeper than 128 levels'),
    );
    expect(() => deny('['.repeat(90_000), 'a')).toThrow(JsonUnreadable);
    expect(deny(`${'{"b":'.repeat(128)}1${'}'.repeat(128)}`, 'a')).toContain('1');
    expect(() => deny(`${'{"b":'.repeat(129)}1${'}'.repeat(129)}`, 'a')).toThrow(JsonUnreadable);
  });
});

describe('JSON paths', () => {
  const foreign = ['items[]', 'items[].s', 'items[-1]', 'items[0:2]', 'items[?s]', 'a["b"]', "['a']"];
  it.each(['', '.', 'a.', '.a', 'a..b', 'a\\', 'a[0]b', Array(65).fill('a').join('.'), ...foreign])(
    'refuses %j',
    (text) => {
      expect(parseJsonPath(text)).toBeNull();
    },
  );

  it.each([
    ['[0].a', [0, 'a']],
    ['a.[0]', ['a', 0]],
    ['a[01]', ['a[01]']],
    ['a[1234567890]', ['a[1234567890]']],
    ['a[0', ['a[0']],
    ['a]', ['a]']],
    ['*.a*.\\*', ['*', 'a*', '*']],
    ['[*].a', ['*', 'a']],
    [Array(64).fill('a').join('.'), Array(64).fill('a')],
    ['a\\\\', ['a\\']],
  ])('reads %j', (text, expected) => {
    const segments = parseJsonPath(text)?.map((segment) =>
      segment.kind === 'name' ? segment.name : segment.kind === 'index' ? segment.index : '*',
    );
    expect(segments).toEqual(expected);
  });

  it.each(['*', '0'])('%j over many elements is followed once, not for each of them', (segment) => {
    const wild = Array.from({ length: 20 }, (_, n) => parseJsonPath(`${`${segment}.`.repeat(12)}a${n}`)).filter(
      (path) => path !== null,
    );
    const root = matchPaths(wild, 'wide');
    const others = new Set(Array.from({ length: 1_000 }, (_, index) => root.element(index + 1)));
    expect(others.size).toBe(1);
    expect(root.element(0)).toBe(root.element(0));
    expect(root.element(0) === root.element(1)).toBe(segment === '*');
  });

  it('an index in brackets means its own element only', () => {
    const path = parseJsonPath('[2].a');
    const root = matchPaths(path === null ? [] : [path], 'wide');
    expect([1, 2, 3].map((index) => root.element(index).member('a').covered)).toEqual([false, true, false]);
  });

  it('have at most 256 wildcards and numbers in one list', () => {
    const accepts = (field: string, names: string[]) =>
      redactionSchema.safeParse([{ response: { [field]: names } }]).success;
    for (const field of ['json_body', 'json_body_except']) {
      for (const segment of ['*', '7']) {
        const names = Array.from({ length: 64 }, (_, n) => `${`${segment}.`.repeat(4)}a${n}`);
        expect(accepts(field, names)).toBe(true);
        expect(accepts(field, [...names, `${segment}.b`])).toBe(false);
      }
      expect(
        accepts(
          field,
          Array.from({ length: 200 }, (_, n) => `a[0][1].b${n}`),
        ),
      ).toBe(true);
    }
  });

  it('wildcards over deep arrays stay cheap', () => {
    const wild = parseJsonPath(Array(64).fill('*').join('.'));
    let matcher = matchPaths(wild === null ? [] : [wild], 'wide');
    for (let depth = 0; depth < 100; depth++) matcher = matcher.element(0);
    expect(matcher.covered).toBe(true);
  });
});

it('shows at most 120 characters of a path', () => {
  const json = JSON.stringify({ ['n'.repeat(500)]: [1, { a: 2 }] });
  const paths = findScalars(Buffer.from(json), matchPaths([], 'wide'), () => true).map(({ path }) => path);
  expect(paths).toEqual(['n'.repeat(120), 'n'.repeat(120)]);
});
