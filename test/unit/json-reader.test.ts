import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../core/json-reader.ts';
import { anyCharacter } from '../support/any-character.ts';
import { runs } from '../support/property-runs.ts';

/** Each has a backslash, and every escape that JSON has is a text of its own. */
const MALFORMED = [
  '"\\x"',
  '"\\u12g4"',
  '"\\u123',
  '"\\',
  '"\\"',
  '"\\\n"',
  '["\\n",]',
  '["\\n" 1]',
  '{"\\n"}',
  '{"\\n":}',
  '{"\\n":1,}',
  '{"\\n":1]',
  '{\\n:1}',
  '["\\n"',
  '{"\\n":1',
  '{"\\n"',
  '"\\n" 1',
  '["\\n",01]',
  '["\\n",+1]',
  '["\\n",1.]',
  '["\\n",.5]',
  '["\\n",NaN]',
  '["\\n",truE]',
  '["\\n",hidden]',
  '["\\n",\u00a01]',
  '["\\n\u0001"]',
  '\ufeff"\\n"',
];

describe('JSON from outside', () => {
  it('is read as it is, whatever the thread has read before', () => {
    const pairs = [
      ['{"id":1,"\\\\":0}', '{"id":1,"\\u20ac":700}', 'id,€'],
      ['{"k":1,"\\\\":0}', '{"k":1,"\\n":2}', 'k,\n'],
      ['{"a":1,"b\\\\":0}', '{"a":1,"b\\u0063":2}', 'a,bc'],
      ['{"\\\\":0}', '{"\\u0061":0}', 'a'],
    ] as const;
    for (const [first, second, names] of pairs) {
      JSON.parse(first);
      parseJson(first);
      expect(Object.keys(parseJson(second) as object).join()).toBe(names);
      const [nested] = parseJson(`[{"in":${first}},{"in":${second}}]`.replace(/^\[[^}]+\}\},/, '[')) as [
        { in: object },
      ];
      expect(Object.keys(nested.in).join()).toBe(names);
    }
  });

  it('has the value that was written, in any spelling of its names', () => {
    const spelled = (name: string) =>
      [...Array(name.length).keys()].map((at) => `\\u${name.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
    const members = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(members, fc.nat(3), (written, space) => {
        const entries = Object.entries(written);
        const texts = entries.map(([name, value]) => `"${spelled(name)}" : ${JSON.stringify(value, undefined, space)}`);
        expect(JSON.stringify(Object.entries(parseJson(`{${texts}}`) as object))).toBe(JSON.stringify(entries));
      }),
      runs(300),
    );
  });

  it('keeps the last of two members with one name, and takes no member for a prototype', () => {
    expect(parseJson('{"a":1,"b":2,"\\u0061":3}')).toEqual({ a: 3, b: 2 });
    const value = parseJson('{"__proto__":{"isAdmin":true},"\\n":0}') as { isAdmin?: boolean };
    expect(value.isAdmin).toBeUndefined();
    expect(Object.keys(value)).toEqual(['__proto__', '\n']);
  });

  it('keeps halves of surrogate pairs, zeros with a sign, and every escape', () => {
    const text = String.raw`["\ud800","\ud83d\ude00","\"\\\/\b\f\n\r\t",-0,1e3,true,false,null,{},[],""]`;
    expect(parseJson(text)).toEqual(['\ud800', '😀', '"\\/\b\f\n\r\t', -0, 1000, true, false, null, {}, [], '']);
  });

  it('may be nested as deep as it is long', () => {
    let value = parseJson(`${'{"\\n":['.repeat(100_000)}1${']}'.repeat(100_000)}`) as
      | Record<string, unknown[]>
      | number;
    let depth = 0;
    for (; typeof value === 'object'; depth += 1) value = value['\n']?.[0] as typeof value;
    expect([value, depth]).toEqual([1, 100_000]);
  });

  it.each(MALFORMED)('is refused if it is malformed: %j', (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('is refused where JSON.parse refuses it', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', '"a"', '"\\n"', ':', ',', '1', '-', 'null', ' ', '\\', '"', '\t');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const outcome = (parse: (text: string) => unknown) => {
          try {
            return { value: parse(text) };
          } catch (error) {
            return error instanceof SyntaxError ? 'refused' : error;
          }
        };
        expect(outcome(parseJson)).toEqual(outcome(JSON.parse));
      }),
      runs(2_000),
    );
  });
});
