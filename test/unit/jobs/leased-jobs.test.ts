import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLeasedJobQueue, type LeasedJobQueueOptions } from '../../../adapters/leased-jobs/index.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import type { JobQueue } from '../../../core/ports/job-queue.ts';
import type { JobStore } from '../../../core/ports/job-store.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { storageOfEachTest } from '../../support/storage-of-test.ts';

const job = { type: 'verify-attempt' as const, key: 'verify:1', payload: { attemptId: 1 } };
const never = new Promise<never>(() => undefined);
const inFuture = (milliseconds: number) => new Date(Date.now() + milliseconds);

const storage = storageOfEachTest();
const queues: JobQueue[] = [];
afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.stop(0);
});

function queueOver(store: JobStore, changes: Partial<LeasedJobQueueOptions> = {}): JobQueue {
  const base = { store, clock: systemClock, logger: silentLogger, leaseSeconds: 0.3, pollMs: 20, backoffMs: 10 };
  const queue = createLeasedJobQueue({ ...base, ...changes });
  queues.push(queue);
  return queue;
}

describe('leased jobs', () => {
  it('gives back what a claim under way brings while it stops, and begins nothing afterwards', async () => {
    const jobs = [1, 2, 3, 4, 5, 6].map((attemptId) => {
      return { type: 'issue-reward' as const, key: `reward:${attemptId}`, payload: { attemptId } };
    });
    await storage.jobs.enqueue(jobs, new Date());
    const { promise: isClaimed, resolve: tell } = Promise.withResolvers<void>();
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
    const store: JobStore = {
      ...storage.jobs,
      claim: async (...args) => {
        const claimed = await storage.jobs.claim(...args);
        tell();
        await mayGoOn;
        return claimed;
      },
    };
    let [begun, ended] = [0, 0];
    const queue = queueOver(store, { leaseSeconds: 60, concurrency: { 'issue-reward': 2 } });
    await queue.start({
      'issue-reward': async () => {
        begun += 1;
        await sleep(20);
        ended += 1;
      },
    });
    await isClaimed;
    const stopping = queue.stop(10_000);
    goOn();
    await stopping;
    expect([begun, ended]).toEqual([0, 0]);
    const left = await storage.jobs.claim(['issue-reward'], 9, new Date(), inFuture(60_000));
    expect(left.map(({ run }) => run)).toEqual(jobs.map(() => 1));
  });

  it('aborts a run whose lease was taken, and writes nothing for it', async () => {
    let signal: AbortSignal | undefined;
    const queue = queueOver(storage.jobs);
    await queue.start({
      'verify-attempt': async (_payload, context) => {
        signal ??= context.signal;
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      },
    });
    await queue.enqueue([job]);
    await vi.waitFor(() => expect(signal).toBeDefined(), 10_000);
    const [taken] = await storage.jobs.claim(['verify-attempt'], 1, inFuture(10_000), inFuture(600_000));
    expect(taken?.run).toBe(2);
    await vi.waitFor(() => expect(signal?.aborted).toBe(true), 10_000);
    // The other process still holds it: its fence is the current one.
    expect(taken && (await storage.jobs.complete(taken))).toBe(true);
  });

  it('brings forward what waits when the clock is set back, and what a process left that died before', async () => {
    let ahead = 7_200_000;
    const clock = { now: () => inFuture(ahead) };
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const ran: number[] = [];
    const handlers = { 'verify-attempt': async ({ attemptId }: { attemptId: number }) => void ran.push(attemptId) };
    await storage.jobs.enqueue([job], clock.now());
    const other = { ...job, key: 'verify:2', payload: { attemptId: 2 } };
    await storage.jobs.enqueue([{ ...other, runAt: inFuture(ahead + 5_000) }], inFuture(0));
    ahead = 0;
    const queue = queueOver(storage.jobs, { clock, leaseSeconds: 60 });
    await queue.start(handlers);
    await vi.waitFor(() => expect(ran).toEqual([1]), 10_000);
    ahead = -7_210_000;
    vi.advanceTimersByTime(1_000);
    ahead = 0;
    await vi.waitFor(() => expect(ran).toEqual([1, 2]), 10_000);
  });

  it('runs no job twice whose lease the clock has passed, set forward while it runs', async () => {
    let ahead = 0;
    const clock = { now: () => inFuture(ahead) };
    const claim = vi.spyOn(storage.jobs, 'claim');
    const [runs, end] = [[] as boolean[], Promise.withResolvers<void>()];
    const queue = queueOver(storage.jobs, { clock, leaseSeconds: 60 });
    await queue.start({
      'verify-attempt': async (_payload, { signal }) => {
        const run = runs.push(signal.aborted) - 1;
        await end.promise;
        runs[run] = signal.aborted;
      },
    });
    await queue.enqueue([job]);
    await vi.waitFor(() => expect(runs).toHaveLength(1), 10_000);
    ahead = 7_200_000;
    // It was claimed again.
    await vi.waitFor(async () => {
      const claims = await Promise.all(claim.mock.results.map(({ value }) => value));
      expect(claims.flat().at(-1)).toMatchObject({ key: job.key, run: 2 });
    }, 10_000);
    end.resolve();
    await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 0 }), 10_000);
    expect(runs).toEqual([false]);
  });

  it('aborts a run when the storage has been silent for as long as the lease', async () => {
    let silent = false;
    const store: JobStore = {
      ...storage.jobs,
      extend: (...given) => (silent ? Promise.reject(new Error('storage gone')) : storage.jobs.extend(...given)),
      // Else this process would take the job again, and its run would continue under the new lease.
      claim: (...given) => (silent ? Promise.reject(new Error('storage gone')) : storage.jobs.claim(...given)),
    };
    let signal: AbortSignal | undefined;
    const queue = queueOver(store);
    await queue.start({
      'verify-attempt': async (_payload, context) => {
        signal ??= context.signal;
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      },
    });
    await queue.enqueue([job]);
    await vi.waitFor(() => expect(signal).toBeDefined(), 10_000);
    silent = true;
    await vi.waitFor(() => expect(signal?.aborted).toBe(true), 10_000);
  });

  it('leaves a job to its lease when its end cannot be written, and runs it again', async () => {
    let failures = 1;
    const store: JobStore = {
      ...storage.jobs,
      complete: (claimed) => {
        failures -= 1;
        return failures >= 0 ? Promise.reject(new Error('storage gone')) : storage.jobs.complete(claimed);
      },
    };
    const runs: number[] = [];
    const queue = queueOver(store);
    await queue.start({ 'verify-attempt': async (_payload, { run }) => void runs.push(run) });
    await queue.enqueue([job]);
    await vi.waitFor(() => expect(runs).toEqual([1, 2]), 10_000);
    await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 0 }), 10_000);
  });

  it('does not take a lease for lost while the end of its job is being written', async () => {
    let beats = 0;
    const store: JobStore = {
      ...storage.jobs,
      extend: async (...args) => {
        const kept = await storage.jobs.extend(...args);
        beats += 1;
        return kept;
      },
      complete: async (claimed) => {
        const held = await storage.jobs.complete(claimed);
        const seen = beats;
        await vi.waitFor(() => expect(beats).toBeGreaterThan(seen + 1), 10_000);
        return held;
      },
    };
    const warn = vi.fn();
    let signal: AbortSignal | undefined;
    const queue = queueOver(store, { logger: { ...silentLogger, warn } });
    await queue.start({
      'verify-attempt': async (_payload, context) => {
        signal = context.signal;
      },
    });
    await queue.enqueue([job]);
    await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 0 }), 10_000);
    await queue.stop(10_000);
    expect(signal?.aborted).toBe(false);
    expect(warn).not.toHaveBeenCalled();
  });

  it('gives a job back although its run ignores the abort', async () => {
    const queue = queueOver(storage.jobs);
    const started = vi.fn();
    await queue.start({
      'verify-attempt': () => {
        started();
        return never;
      },
    });
    await queue.enqueue([job]);
    await vi.waitFor(() => expect(started).toHaveBeenCalled(), 10_000);
    await queue.stop(0);
    expect(await queue.stats()).toEqual({ queued: 1, running: 0, dead: 0 });
  });

  it('starts once, and refuses options that make no sense', async () => {
    const queue = queueOver(storage.jobs);
    await queue.start({});
    await expect(queue.start({})).rejects.toThrow('started once');
    expect(() => queueOver(storage.jobs, { leaseSeconds: 0 })).toThrow();
    expect(() => queueOver(storage.jobs, { concurrency: { 'issue-reward': 0 } })).toThrow();
  });
});
