/** Queries made by chance mean what they mean to the library whose parser is used, where that keeps to the specification. */
import fc from 'fast-check';
import jmespath from 'jmespath';
import { expect, it } from 'vitest';
import { parseDocument } from '../../adapters/jmespath-worker/document.ts';
import { compileQuery } from '../../adapters/jmespath-worker/query.ts';
import { runs } from '../support/property-runs.ts';

const DOCUMENTS = [
  '{"a":{"b":[1,2,3],"c":"x","d":null},"items":[{"n":1,"s":"b","t":["u"]},{"n":10,"s":"a"}],"name":"abc","z":0,"o":{}}',
  '[[1,2],[3],4,null,{"a":1}]',
  '{"a":[{"a":[{"a":1},{"a":2}]}],"items":"no","name":null,"n":{"s":1,"n":2}}',
];

const { query } = fc.letrec<{ query: string; leaf: string }>((tie) => {
  const part = (template: (first: string, second: string) => string) =>
    fc.tuple(tie('query'), tie('query')).map(([first, second]) => template(first, second));
  const name = fc.constantFrom('a', 'b', 'n', 's', 'items', 'name', 'z', 'o');
  const bound = fc.constantFrom('', '0', '1', '-1', '9', '-9');
  const step = fc.constantFrom('', ':1', ':-1', ':2', ':-2');
  const one = fc.constantFrom('length', 'type', 'keys', 'values', 'to_array', 'to_string', 'not_null', 'reverse');
  const numeric = fc.constantFrom('sum', 'max', 'min', 'abs', 'ceil', 'floor');
  return {
    leaf: fc.oneof(name, fc.constantFrom('@', '`1`', '`"x"`', "'a'", '`[1,{"n":2}]`', '`null`', 'items[*].n')),
    query: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'query' },
      tie('leaf'),
      fc.tuple(tie('query'), fc.oneof(name, fc.constant('*'))).map(([base, member]) => `${base}.${member}`),
      fc.tuple(tie('query'), fc.integer({ min: -2, max: 2 })).map(([base, index]) => `${base}[${index}]`),
      fc.tuple(tie('query'), bound, bound, step).map(([base, from, to, by]) => `${base}[${from}:${to}${by}]`),
      fc.tuple(fc.oneof(one, numeric), tie('query')).map(([called, argument]) => `${called}(${argument})`),
      fc.tuple(tie('query'), fc.constantFrom('n', 's')).map(([base, key]) => `sort_by(${base}, &${key})[0]`),
      part((first, second) => `${first}[?${second}]`),
      part((first) => `${first}[*].n`),
      part((first) => `${first}[]`),
      part((first) => `!${first}`),
      part((first) => `(${first})`),
      part((first, second) => `${first} | ${second}`),
      part((first, second) => `${first} || ${second}`),
      part((first, second) => `${first} && ${second}`),
      part((first, second) => `${first} == ${second}`),
      part((first, second) => `${first} != ${second}`),
      part((first, second) => `[${first}, ${second}]`),
      part((first, second) => `{x: ${first}, y: ${second}}`),
      part((first, second) => `map(&${first}, ${second})`),
    ),
  };
});

const FAILS = 'fails';
function outcome(evaluate: () => unknown): string {
  try {
    return JSON.stringify(evaluate()) ?? 'null';
  } catch {
    return FAILS;
  }
}

it('queries give what the library gives', () => {
  let answered = 0;
  fc.assert(
    fc.property(query, fc.constantFrom(...DOCUMENTS), (text, document) => {
      // Its parser loses what follows an `@` that begins an argument or a parenthesis.
      const expected = outcome(() => jmespath.search(JSON.parse(document), text.replaceAll('@', '(@)')));
      expect(outcome(() => compileQuery(text)(parseDocument(document)[0]))).toBe(expected);
      if (expected !== FAILS && expected !== 'null') answered += 1;
    }),
    runs(500),
  );
  expect(answered).toBeGreaterThan(0);
});

it('a query that reads nothing hidden gives the same, whatever is hidden', () => {
  const scalar = fc.constantFrom('"x"', '1', 'true', 'null', '"y"');
  fc.assert(
    fc.property(query, scalar, scalar, (text, first, second) => {
      const document = (value: string) =>
        `{"a":{"b":${value},"c":1},"items":[{"n":${value},"s":"b"},{"n":2,"s":"a"},${value}],"name":${value},"n":[1]}`;
      const hidden = outcome(() => compileQuery(text)(parseDocument(document('hidden'))[0]));
      if (hidden === FAILS) return;
      for (const value of [first, second]) {
        expect(outcome(() => compileQuery(text)(parseDocument(document(value))[0]))).toBe(hidden);
      }
    }),
    runs(500),
  );
});
