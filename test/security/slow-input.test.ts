/**
 * Every parser gets through inputs that are made to be slow. A quadratic one would take minutes for each of them. No time is
 * asserted.
 */
import { describe, expect, it } from 'vitest';
import { hostileCases, SLOW_TEXTS, TRANSCRIPTS } from '../support/hostile-input.ts';

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

describe('hostile input', () => {
  it.each([...hostileCases()])('gets through: %s', { timeout: TIMEOUT_MS }, async (_reader, inputs) => {
    for (const { input, run } of inputs) expect(await settles(run), input).toBe(true);
  });

  it.each(TRANSCRIPTS)('$reader: the probe for the $name gets behind the first check', ({ read, place }) => {
    const { before, after, takes } = place;
    const text = takes === null ? '' : SLOW_TEXTS[takes](512);
    const taken = () => read(new TextEncoder().encode(before + text + after));
    if (takes === null) expect(taken).toThrow();
    else expect(taken).not.toThrow();
  });
});
