import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groth16ProverOptionsSchema } from '../../adapters/groth16-prover/index.ts';
import { httpProverOptionsSchema } from '../../adapters/http-prover/options.ts';
import { LONGEST_TIMER_MS, startTimer } from '../../core/long-timer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a timer', () => {
  it.each([0, 1_000, LONGEST_TIMER_MS, LONGEST_TIMER_MS + 1, 2_592_000_000, 10 * LONGEST_TIMER_MS])(
    'goes off after %i ms',
    (ms) => {
      const callback = vi.fn();
      startTimer(callback, ms);
      if (ms > 0) vi.advanceTimersByTime(ms - 1);
      expect(callback).toHaveBeenCalledTimes(0);
      vi.advanceTimersByTime(1);
      expect(callback).toHaveBeenCalledTimes(1);
    },
  );

  it('never goes off without an end', () => {
    const callback = vi.fn();
    startTimer(callback, Number.POSITIVE_INFINITY);
    vi.advanceTimersByTime(20 * LONGEST_TIMER_MS);
    expect(callback).not.toHaveBeenCalled();
  });

  it.each([1_000, 3 * LONGEST_TIMER_MS])('of %i ms can be stopped at any time', (ms) => {
    const callback = vi.fn();
    const stop = startTimer(callback, ms);
    vi.advanceTimersByTime(ms - 1);
    stop();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(callback).not.toHaveBeenCalled();
  });
});

describe('an option that a timer goes by', () => {
  const prover = httpProverOptionsSchema.omit({ url: true });
  it.each([
    ['timeoutMs', groth16ProverOptionsSchema],
    ['maxWaitMs', groth16ProverOptionsSchema],
    ['timeoutMs', prover],
    ['maxWaitMs', prover],
  ])('%s is refused beyond what timers reach', (name, schema) => {
    expect(schema.partial().safeParse({ [name]: LONGEST_TIMER_MS }).success).toBe(true);
    expect(schema.partial().safeParse({ [name]: LONGEST_TIMER_MS + 1 }).success).toBe(false);
  });
});
