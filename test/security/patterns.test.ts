/**
 * Every regular expression of the core, the adapters and the routes by itself: whatever text it meets, and wherever it is
 * moved to, its time grows no faster than the text. `slow-input.test.ts` has the functions around them.
 */
import { describe, expect, it } from 'vitest';
import { readSources } from '../arch/source-graph.ts';
import { measureGrowth } from './growth.ts';

const STEEPEST = 1.6;
const SIZE = 4_096;
/** Linear patterns take some microseconds for that size, quadratic ones ten milliseconds. */
const SUSPICIOUS_MS = 1.5;
/** What backtracks exponentially takes long for this many characters already, and for ever for more. */
const SMALL = 24;

/** A literal where an expression may begin. */
const LITERAL =
  /(?<=(?:[(,=:[!&|?{};]|\breturn|=>)\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/g;
const REPEATS = /[*+]|\{\d+,\}|\{\d+,\d{2,}\}/;

/** Repeated, these keep one or two neighbouring parts of a pattern busy. */
const PUMPS = [
  ...'aA0f \t-_.:,/="<>%@#&;\\\n\r\u2028é[{(*+!?',
  ...[
    'x1',
    'a.',
    'a-',
    'a ',
    'a,',
    '\r\n',
    '1,',
    'a=',
    'a:',
    '[0]',
    '%4',
    '&a',
    '\\u',
    'a/',
    '\n ',
    'a\\"',
    '<a',
    ', ',
  ],
];

interface Pattern {
  readonly place: string;
  readonly pattern: RegExp;
}

function patternsIn(code: string, place: string): Pattern[] {
  return [...code.matchAll(LITERAL)].flatMap(([, source = '', flags = '']) => {
    try {
      return [{ place: `${place}: ${source}`, pattern: new RegExp(source, flags) }];
    } catch {
      // A division, or a piece of a text.
      return [];
    }
  });
}

/** What stands at the beginning of the pattern and its alternatives, so that the text gets past it. */
function prefixesOf({ source }: RegExp): string[] {
  const alternatives = source.replace(/\(\?(?:<\w+>|[a-z-]*:)/g, '(').split('|');
  const literals = alternatives.map(
    (text) => /^[\^(]*((?:\\[^bBdDsSwWpP]|[^\\[\](){}.*+?^$|])+)/.exec(text)?.[1]?.replace(/\\(.)/g, '$1') ?? '',
  );
  return [...new Set(['', ...literals])];
}

function textsFor(pattern: RegExp): ((size: number) => string)[] {
  return prefixesOf(pattern).flatMap((prefix) =>
    PUMPS.flatMap((pump) =>
      ['', '\u0001'].map((end) => (size: number) => prefix + pump.repeat(Math.ceil(size / pump.length)) + end),
    ),
  );
}

function run(pattern: RegExp, text: string): number {
  pattern.lastIndex = 0;
  const before = performance.now();
  pattern.test(text);
  return performance.now() - before;
}

/** The exponent of the first text that is too much for the pattern; 1 when there is none. */
async function steepness(pattern: RegExp): Promise<number> {
  for (const make of textsFor(pattern)) {
    if (Math.min(run(pattern, make(SMALL)), run(pattern, make(SMALL))) > 10) return Number.POSITIVE_INFINITY;
    const text = make(SIZE);
    if (Math.min(run(pattern, text), run(pattern, text), run(pattern, text)) < SUSPICIOUS_MS) continue;
    const { exponent = 1 } = await measureGrowth(make, (input) => run(pattern, input), SIZE * 4);
    if (exponent > STEEPEST) return exponent;
  }
  return 1;
}

describe('regular expressions', () => {
  it.each([/^(a+)+$/, /\/+$/, /\ba.*b/])('that go back and forth are found out: %s', async (pattern) => {
    expect(await steepness(pattern)).toBeGreaterThan(STEEPEST);
  });

  it('of the sources take time in proportion to the text', async () => {
    const patterns = readSources('core', 'adapters', 'plugins').flatMap(({ code, path }) => patternsIn(code, path));
    expect(patterns.length).toBeGreaterThan(150);
    const steep: string[] = [];
    for (const { place, pattern } of patterns) {
      if (REPEATS.test(pattern.source) && (await steepness(pattern)) > STEEPEST) steep.push(place);
    }
    expect(steep).toEqual([]);
  });
});
