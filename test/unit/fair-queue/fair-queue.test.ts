import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FairQueue, type FairQueueOptions } from '../../../adapters/fair-queue/index.ts';
import { runs } from '../../support/property-runs.ts';

const LIMITS = { concurrency: 4, maxQueued: 100, maxQueuedPerCaller: 100, maxWaitMs: 10_000 };
const queueWith = (options: Partial<FairQueueOptions> = {}) => new FairQueue({ name: 'prover', ...LIMITS, ...options });

/** Tasks that run until they are told to end, and what became of each. */
function player(queue: FairQueue) {
  const running: { name: string; end: () => void }[] = [];
  const began: string[] = [];
  return {
    running,
    began,
    ask(name: string, caller = name.charAt(0), signal?: AbortSignal) {
      const outcome = queue.run(
        () =>
          new Promise<string>((resolve) => {
            began.push(name);
            running.push({ name, end: () => resolve(name) });
          }),
        caller,
        signal,
      );
      outcome.catch(() => undefined);
      return outcome;
    },
    async endFirst() {
      running.shift()?.end();
      await settled();
    },
  };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a fair queue', () => {
  it('forgets a task whose signal fires before it begins', async () => {
    const queue = queueWith({ concurrency: 1 });
    const { ask, began, endFirst } = player(queue);
    const leaving = new AbortController();
    ask('a0');
    const left = ask('a1', 'a', leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(ask('a2', 'a', leaving.signal)).rejects.toThrow('gone');
    expect(queue.waiting).toBe(0);
    await endFirst();
    await expect(queue.onIdle()).resolves.toBeUndefined();
    expect(began).toEqual(['a0']);
  });

  it('refuses what waits when it is told to, and is idle when what runs has ended', async () => {
    const queue = queueWith({ concurrency: 1 });
    const { ask, endFirst } = player(queue);
    const runs = ask('a0');
    const waits = [ask('a1'), ask('b0')];
    queue.refuseWaiting(new Error('closed'));
    for (const each of waits) await expect(each).rejects.toThrow('closed');
    let idle = false;
    void queue.onIdle().then(() => {
      idle = true;
    });
    await settled();
    expect(idle).toBe(false);
    await endFirst();
    expect(idle).toBe(true);
    await expect(runs).resolves.toBe('a0');
  });

  it('never runs more than it may, starves nobody and answers everything, whatever happens', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('ask' as const), caller: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('end' as const), at: fc.nat() }),
      fc.record({ kind: fc.constant('leave' as const), at: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(step, { maxLength: 60 }),
        async (concurrency, steps) => {
          const queue = queueWith({ concurrency, maxQueuedPerCaller: 3, maxQueued: 7 });
          const { ask, running } = player(queue);
          const leavings: AbortController[] = [];
          const open = new Map<string, number>();
          const change = (caller: string, by: number) => open.set(caller, (open.get(caller) ?? 0) + by);
          const check = () => {
            expect(running.length).toBeLessThanOrEqual(concurrency);
            expect(queue.waiting).toBeLessThanOrEqual(7);
            for (const [caller, ofCaller] of open) {
              const runs = running.filter(({ name }) => name.startsWith(caller)).length;
              // A caller that runs fewer than there are free places does not wait.
              if (ofCaller > runs) expect(runs).toBeGreaterThanOrEqual(concurrency - running.length);
            }
          };
          for (const each of steps) {
            if (each.kind === 'ask') {
              const leaving = new AbortController();
              leavings.push(leaving);
              change(each.caller, 1);
              const done = () => change(each.caller, -1);
              ask(`${each.caller}x`, each.caller, leaving.signal).then(done, done);
            } else if (each.kind === 'end') {
              running.splice(each.at % Math.max(1, running.length), 1)[0]?.end();
            } else {
              leavings[each.at % Math.max(1, leavings.length)]?.abort(new Error('gone'));
            }
            await settled();
            check();
          }
          for (let i = 0; i < 100 && running.length > 0; i++) {
            running.shift()?.end();
            await settled();
          }
          expect([...open.values()].every((left) => left === 0)).toBe(true);
          await queue.onIdle();
        },
      ),
      runs(100),
    );
  });
});
