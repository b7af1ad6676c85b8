import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createValuesExtensions } from '../../../../core/web-proof/attested-values/notary-extensions.ts';
import { atOnce, inTurns, type Steps } from '../../../../core/web-proof/attested-values/steps.ts';
import { createValuesSigner } from '../../../../core/web-proof/attested-values/values-signature.ts';
import { revealedExchange } from '../../../support/revealed-exchange.ts';
import { countTurns } from '../../../support/turns.ts';

/** `count` steps, and the number of them as the outcome. */
function* counting(count: number, onStep: (step: number) => void = () => {}): Steps<number> {
  for (let step = 0; step < count; step += 1) {
    onStep(step);
    yield;
  }
  return count;
}

describe('a computation in steps', () => {
  it('has the same outcome at once and in turns', async () => {
    for (const count of [0, 1, 16, 17, 100]) {
      expect(atOnce(counting(count))).toBe(count);
      expect(await inTurns(counting(count))).toBe(count);
    }
  });

  it('gives way to other work as soon as the steps of a turn have taken long enough', async () => {
    const turnOfStep: number[] = [];
    using turns = countTurns();
    const aMillisecond = () => {
      turnOfStep.push(turns.soFar());
      for (const begun = performance.now(); performance.now() - begun < 1; );
    };
    await inTurns(counting(20, aMillisecond), 3);
    expect(new Set(turnOfStep).size).toBeGreaterThan(1);
    for (const each of new Set(turnOfStep)) {
      expect(turnOfStep.filter((other) => other === each).length).toBeLessThanOrEqual(3);
    }
  });

  it('ends with what a step throws', async () => {
    const failing = () =>
      counting(40, (step) => {
        if (step === 30) throw new RangeError('step 30');
      });
    expect(() => atOnce(failing())).toThrow('step 30');
    await expect(inTurns(failing())).rejects.toThrow('step 30');
  });
});

it('a notary that signs 700 values lets other work in many times', async () => {
  const extend = createValuesExtensions(createValuesSigner(new Uint8Array(32).fill(7)));
  // Each look at the clock finds it a millisecond later, on a machine of any speed.
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now++);
  onTestFinished(() => clock.mockRestore());
  const exchangeWith = (values: number) =>
    revealedExchange(Object.fromEntries(Array.from({ length: values }, (_, i) => [`name${i}`, `value ${i}`])));
  // What a process computes once is not counted.
  await extend(exchangeWith(1));
  using turns = countTurns();
  await extend(exchangeWith(700));
  expect(turns.soFar()).toBeGreaterThan(30);
});
