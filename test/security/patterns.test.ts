/**
 * Every regular expression of the core, the adapters and the routes by itself. Whatever text it meets, and wherever it is
 * moved to, its steps grow no faster than the text. `slow-input.test.ts` has the functions around them.
 */
import { checkSync } from 'recheck';
import { describe, expect, it } from 'vitest';
import { readSources } from '../arch/source-graph.ts';

/** A literal where an expression may begin. */
const LITERAL =
  /(?<=(?:[(,=:[!&|?{};]|\breturn|=>)\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/g;
const REPEATS = /[*+]|\{\d+,\}|\{\d+,\d{2,}\}/;

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

/** Counts steps with a fixed seed; the clock plays no part. Large automata are left to recheck's search for slow texts. */
const STEPS = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  randomSeed: 1,
  maxNFASize: 2_000,
  // A slow text of a pattern like ours comes up in the first generation of the search, or in none.
  maxIteration: 1,
} as const;

/** Whether the time of a match can grow faster than its text. */
function isSteep({ source, flags }: RegExp): boolean {
  // Without an upper bound a repeat is at least as steep, and quicker to analyse.
  const unbounded = source.replaceAll(/\{\d+,\d{2,}\}/g, '+');
  // recheck knows neither the indices flag nor sets; neither changes what a match costs.
  return checkSync(unbounded, flags.replaceAll(/[dv]/g, ''), STEPS).status !== 'safe';
}

describe('regular expressions', () => {
  it.each([
    /^(a+)+$/,
    /\/+$/,
    /\ba.*b/,
    // As those of ours that take longest to search, with one bound too few.
    /(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{2}(?:[-: ,]*(?:0x)?[0-9A-Fa-f]+){3,}(?![0-9A-Za-z])/g,
    /^(?=.*x)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/,
    /(?<![0-9A-Za-z.])\d+(?:,? ?\d+){3,}(?![0-9A-Za-z.])/g,
    /&(?:#[xX]0*([0-9A-Fa-f]+);|#0*0*(\d+);|([A-Za-z]{2,6});)(?<!y)/g,
  ])('that backtrack too much are found: %s', (pattern) => {
    expect(isSteep(pattern)).toBe(true);
  });

  it('of the sources match in time proportional to the text', { timeout: 240_000 }, () => {
    const patterns = readSources('core', 'adapters', 'plugins', 'hosts/standalone').flatMap(({ code, path }) =>
      patternsIn(code, path),
    );
    expect(patterns.length).toBeGreaterThan(150);
    const repeating = patterns.filter(({ pattern }) => REPEATS.test(pattern.source));
    const different = new Map(repeating.map((one) => [String(one.pattern), one]));
    expect([...different.values()].filter(({ pattern }) => isSteep(pattern)).map(({ place }) => place)).toEqual([]);
  });
});
