/**
 * Every parser gets through inputs that are made to be slow. A quadratic one would take minutes for each of them. No time is
 * asserted.
 */
import { describe, expect, it } from 'vitest';
import { hostileCases, SLOW_TEXTS, TRANSCRIPTS } from '../support/hostile-input.ts';

/** Squared, more steps than these tests have time for. */
const ENOUGH = 2 ** 17;
const TIMEOUT_MS = 15_000;

/** A refusal is as good as an answer. */
async function settles(work: () => unknown): Promise<boolean> {
  try {
    await work();
  } catch {
    // What counts is that it ends.
  }
  return true;
}

/** `test/unit/web-proof/redaction/hidden-value-search.test.ts` shows that the search for echoes gives up at its bound. */
const cases = [...hostileCases()].filter(([reader]) => reader !== 'echoes');

describe('hostile input', () => {
  it.each(cases)('gets through: %s', { timeout: TIMEOUT_MS }, async (_reader, inputs) => {
    for (const { input, largest, run } of inputs)
      expect(await settles(() => run(Math.min(largest, ENOUGH))), input).toBe(true);
  });

  it.each(TRANSCRIPTS)('$reader: the probe for the $name gets behind the first check', ({ read, place }) => {
    const { before, after, takes } = place;
    const text = takes === null ? '' : SLOW_TEXTS[takes](512);
    const taken = () => read(new TextEncoder().encode(before + text + after));
    if (takes === null) expect(taken).toThrow();
    else expect(taken).not.toThrow();
  });
});
