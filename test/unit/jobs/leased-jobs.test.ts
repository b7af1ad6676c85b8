import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLeasedJobQueue, type LeasedJobQueueOptions } from '../../../adapters/leased-jobs/index.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { type JobQueue, RescheduleError } from '../../../core/ports/job-queue.ts';
import type { JobStore } from '../../../core/ports/job-store.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import type { Storage } from '../../../core/ports/storage.ts';

const job = { type: 'verify-attempt' as const, key: 'verify:1', payload: { attemptId: 1 } };
const never = new Promise<never>(() => undefined);
const inFuture = (milliseconds: number) => new Date(Date.now() + milliseconds);

let storage: Storage;
let queues: JobQueue[];

beforeEach(async () => {
  storage = createSqliteStorage({ path: ':memory:' });
  await storage.open();
  queues = [];
});
afterEach(async () => {
  for (const queue of queues) await queue.stop(0);
  await storage.close();
});

function queueOver(store: JobStore, changes: Partial<LeasedJobQueueOptions> = {}): JobQueue {
  const base = { store, clock: systemClock, logger: silentLogger, leaseSeconds: 0.3, pollMs: 20, backoffMs: 10 };
  const queue = createLeasedJobQueue({ ...base, ...changes });
  queues.push(queue);
  return queue;
}

describe('leased jobs', () => {
  it('takes up the job of a process that died, within its lease, and counts that run', async () => {
    await storage.jobs.enqueue([job], new Date());
    // Claimed by somebody who is never heard of again.
    expect(await storage.jobs.claim(['verify-attempt'], 1, new Date(), inFuture(250))).toHaveLength(1);
    const runs: number[] = [];
    await queueOver(storage.jobs).start({ 'verify-attempt': async (_payload, { run }) => void runs.push(run) });
    await vi.waitFor(() => expect(runs).toEqual([2]), 10_000);
  });

  it('sets a job aside that takes every process down', async () => {
    await storage.jobs.enqueue([job], new Date());
    for (let run = 1; run <= 2; run += 1) {
      const now = inFuture(run * 1_000);
      await storage.jobs.claim(['verify-attempt'], 1, now, new Date(now.getTime() + 1));
    }
    const ran = vi.fn(async () => undefined);
    const queue = queueOver(storage.jobs, { maxRuns: 2, clock: { now: () => inFuture(60_000) } });
    await queue.start({ 'verify-attempt': ran });
    await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 1 }), 10_000);
    expect(ran).not.toHaveBeenCalled();
  });

  it('sets no job aside that only waited for its slot whenever the process died, but the one that takes it down', async () => {
    const jobs = [1, 2].map((deliveryId) => {
      return { type: 'deliver-webhook' as const, key: `deliver:${deliveryId}`, payload: { deliveryId } };
    });
    await storage.jobs.enqueue(jobs, new Date());
    const [runs, given]: [number[], number[]] = [[], []];
    // One slot: each process claims both, and dies while it runs the first.
    for (let life = 1; life <= 4; life += 1) {
      let isDead = false;
      const store = new Proxy(storage.jobs, {
        get: (target, name) =>
          isDead ? () => Promise.reject(new Error('dead')) : Reflect.get(target, name, target).bind(target),
      });
      const clock = { now: () => inFuture(life * 100_000) };
      const queue = queueOver(store, { leaseSeconds: 60, maxRuns: 3, clock, concurrency: { 'deliver-webhook': 1 } });
      await queue.start({
        'deliver-webhook': {
          run: ({ deliveryId }, { signal }) => {
            runs.push(deliveryId);
            if (deliveryId === 2) return Promise.resolve();
            return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          },
          onDeadLetter: async ({ deliveryId }) => void given.push(deliveryId),
        },
      });
      await vi.waitFor(() => expect(runs).toHaveLength(life), 10_000);
      if (life < 4) isDead = true;
      else
        await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 1 }), 10_000);
    }
    expect(runs).toEqual([1, 1, 1, 2]);
    expect(given).toEqual([1]);
  });

  it('reads no backlog of a group that is busy: another group is served after a bounded number of claims', async () => {
    const backlog = Array.from({ length: 3_000 }, (_, index) => ({
      type: 'deliver-webhook' as const,
      key: `slow:${index}`,
      payload: { deliveryId: index },
      group: 'slow',
    }));
    await storage.jobs.enqueue(backlog, inFuture(-60_000));
    const claimed: (string | null)[] = [];
    const store: JobStore = {
      ...storage.jobs,
      claim: async (...args) => {
        const jobs = await storage.jobs.claim(...args);
        claimed.push(...jobs.map(({ group }) => group));
        return jobs;
      },
    };
    const served: number[] = [];
    const queue = queueOver(store, { leaseSeconds: 60 });
    await queue.start({
      'deliver-webhook': async ({ deliveryId }) => {
        if (deliveryId < 3_000) throw new RescheduleError(inFuture(30_000), 'busy', inFuture(20_000));
        served.push(deliveryId);
      },
    });
    await vi.waitFor(() => expect(claimed).toContain('slow'), 10_000);
    for (let deliveryId = 3_000; deliveryId < 3_010; deliveryId += 1) {
      await queue.enqueue([
        { type: 'deliver-webhook', key: `quick:${deliveryId}`, payload: { deliveryId }, group: 'quick' },
      ]);
      await vi.waitFor(() => expect(served).toContain(deliveryId), 10_000);
    }
    // What one claim takes, and not 3,000 of them.
    expect(claimed.filter((group) => group === 'slow').length).toBeLessThanOrEqual(128);
    expect(await queue.stats()).toMatchObject({ queued: 3_000, dead: 0 });
  });

  it('leaves the backlog of a slow group in the storage, beyond a bounded number', async () => {
    const backlog = Array.from({ length: 3_000 }, (_, index) => ({
      type: 'deliver-webhook' as const,
      key: `slow:${index}`,
      payload: { deliveryId: index },
      group: 'slow',
    }));
    await storage.jobs.enqueue(backlog, inFuture(-60_000));
    let [claims, held] = [0, 0];
    const { promise: isGivenBack, resolve: giveBack } = Promise.withResolvers<void>();
    const store: JobStore = {
      ...storage.jobs,
      claim: async (...args) => {
        const jobs = await storage.jobs.claim(...args);
        claims += jobs.length;
        return jobs;
      },
      pause: (...args) => {
        held ||= claims;
        giveBack();
        return storage.jobs.pause(...args);
      },
    };
    await queueOver(store, { leaseSeconds: 60 }).start({
      'deliver-webhook': async () => {
        throw new RescheduleError(inFuture(30_000), 'busy', inFuture(900));
      },
    });
    await isGivenBack;
    // Those that may be claimed ahead, those that run, and one claim.
    expect(held).toBeLessThanOrEqual(1_024 + 64 + 64);
  });

  describe('a job that this process has a slot for', () => {
    const deliverJob = (deliveryId: number, group: string) => ({
      type: 'deliver-webhook' as const,
      key: `deliver:${deliveryId}`,
      payload: { deliveryId },
      group,
      inHand: `delivery ${deliveryId}`,
    });

    it('runs without a claim of its own, with what its caller had in hand', async () => {
      const runs: unknown[] = [];
      const claim = vi.fn(storage.jobs.claim);
      const queue = queueOver({ ...storage.jobs, claim }, { leaseSeconds: 60, pollMs: 60_000 });
      await queue.start({
        'deliver-webhook': async (payload, { run, inHand }) => void runs.push([payload, run, inHand]),
      });
      await vi.waitFor(() => expect(claim).toHaveBeenCalledOnce(), 10_000);
      await queue.enqueue([deliverJob(1, 'a'), deliverJob(2, 'b')]);
      await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 0 }), 10_000);
      expect(runs).toEqual([
        [{ deliveryId: 1 }, 1, 'delivery 1'],
        [{ deliveryId: 2 }, 1, 'delivery 2'],
      ]);
      expect(claim).toHaveBeenCalledOnce();
    });

    it('has nothing in hand when it runs again', async () => {
      const hands: unknown[] = [];
      const queue = queueOver(storage.jobs, { leaseSeconds: 60 });
      await queue.start({
        'deliver-webhook': async (_payload, { inHand }) => {
          hands.push(inHand);
          if (hands.length === 1) throw new RescheduleError(new Date(), 'once more');
        },
      });
      await queue.enqueue([deliverJob(1, 'a')]);
      await vi.waitFor(() => expect(hands).toEqual(['delivery 1', undefined]), 10_000);
    });

    it('waits here for a group that has no room for a moment, and leaves its slot to another group', async () => {
      const pause = vi.fn(storage.jobs.pause);
      const runs: unknown[] = [];
      const queue = queueOver({ ...storage.jobs, pause }, { leaseSeconds: 60, concurrency: { 'deliver-webhook': 2 } });
      let isFull = true;
      await queue.start({
        'deliver-webhook': async ({ deliveryId }, { run, inHand }) => {
          if (deliveryId > 3) isFull = false;
          else if (isFull) throw new RescheduleError(inFuture(30_000), 'busy', inFuture(500));
          runs.push([deliveryId, run, inHand]);
        },
      });
      await queue.enqueue([...[1, 2, 3].map((id) => deliverJob(id, 'busy')), deliverJob(4, 'other')]);
      await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 0 }), 10_000);
      expect(runs).toEqual([4, 1, 2, 3].map((id) => [id, 1, `delivery ${id}`]));
      expect(pause).not.toHaveBeenCalled();
    });

    it('goes back to the storage if its group has no room for long, or the queue stops', async () => {
      const queue = queueOver(storage.jobs, { leaseSeconds: 60, concurrency: { 'deliver-webhook': 1 } });
      const seen: number[] = [];
      await queue.start({
        'deliver-webhook': async ({ deliveryId }) => {
          seen.push(deliveryId);
          throw new RescheduleError(inFuture(60_000), 'busy', inFuture(deliveryId === 1 ? 30_000 : 900));
        },
      });
      await queue.enqueue([deliverJob(1, 'long'), deliverJob(2, 'short')]);
      await vi.waitFor(() => expect(seen).toContain(2), 10_000);
      expect(await queue.stats()).toMatchObject({ queued: 1, running: 1 });
      await queue.stop(10_000);
      expect(await queue.stats()).toMatchObject({ queued: 2, running: 0 });
      const left = await storage.jobs.claim(['deliver-webhook'], 9, inFuture(31_000), inFuture(60_000));
      expect(left.map(({ key, run }) => [key, run]).sort()).toEqual([1, 2].map((id) => [`deliver:${id}`, 1]));
    });

    it('leaves its slots to groups in turn, and what has not begun to others when the queue stops', async () => {
      const runs: number[] = [];
      const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
      const queue = queueOver(storage.jobs, { leaseSeconds: 60, concurrency: { 'deliver-webhook': 1 } });
      await queue.start({
        'deliver-webhook': async ({ deliveryId }) => {
          runs.push(deliveryId);
          if (deliveryId === 4) await mayEnd;
        },
      });
      await queue.enqueue(
        [1, 2, 3].map((id) => deliverJob(id, 'long')).concat([4, 5].map((id) => deliverJob(id, 'other'))),
      );
      await vi.waitFor(() => expect(runs).toEqual([1, 4]), 10_000);
      const stopping = queue.stop(10_000);
      end();
      await stopping;
      const left = await storage.jobs.claim(['deliver-webhook'], 9, new Date(), inFuture(60_000));
      expect(left.map(({ key, run }) => [key, run]).sort()).toEqual([2, 3, 5].map((id) => [`deliver:${id}`, 1]));
      expect(runs).toEqual([1, 4]);
    });
  });

  it('gives back what a claim under way brings while it stops, and begins nothing afterwards', async () => {
    const jobs = [1, 2, 3, 4, 5, 6].map((deliveryId) => {
      return { type: 'deliver-webhook' as const, key: `deliver:${deliveryId}`, payload: { deliveryId } };
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
    const queue = queueOver(store, { leaseSeconds: 60, concurrency: { 'deliver-webhook': 2 } });
    await queue.start({
      'deliver-webhook': async () => {
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
    const left = await storage.jobs.claim(['deliver-webhook'], 9, new Date(), inFuture(60_000));
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
    try {
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
    } finally {
      vi.useRealTimers();
    }
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
      expect(claims.flat()).toMatchObject([{ key: job.key, run: 2 }]);
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

  it('continues when the storage fails for a while', async () => {
    let failures = 3;
    const store: JobStore = {
      ...storage.jobs,
      claim: (...args) => {
        failures -= 1;
        return failures >= 0 ? Promise.reject(new Error('storage gone')) : storage.jobs.claim(...args);
      },
    };
    const ran = vi.fn(async () => undefined);
    const queue = queueOver(store);
    await queue.enqueue([job]);
    await queue.start({ 'verify-attempt': ran });
    await vi.waitFor(() => expect(ran).toHaveBeenCalledOnce(), 10_000);
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

  it('runs the next jobs while the ends of earlier ones are written, up to eight for each slot', async () => {
    const { promise: allowed, resolve: writeEnds } = Promise.withResolvers<void>();
    const store: JobStore = {
      ...storage.jobs,
      complete: (claimed) => allowed.then(() => storage.jobs.complete(claimed)),
    };
    const runs: number[] = [];
    const queue = queueOver(store, { concurrency: { 'verify-attempt': 2 }, leaseSeconds: 60 });
    await queue.start({ 'verify-attempt': async ({ attemptId }) => void runs.push(attemptId) });
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
    await queue.enqueue(numbers.map((n) => ({ ...job, key: `verify:${n}`, payload: { attemptId: n } })));
    await vi.waitFor(() => expect(runs).toEqual(numbers.slice(0, 18)), 10_000);
    expect(await storage.jobs.claim(['verify-attempt'], 9, new Date(), inFuture(60_000))).toHaveLength(2);
    writeEnds();
    await vi.waitFor(async () => expect(await queue.stats()).toMatchObject({ queued: 0, running: 2 }), 10_000);
  });

  it('runs the next job while an earlier one writes its outcome', async () => {
    const { promise: written, resolve: write } = Promise.withResolvers<void>();
    const runs: number[] = [];
    const queue = queueOver(storage.jobs, { concurrency: { 'verify-attempt': 1 }, leaseSeconds: 60 });
    await queue.start({
      'verify-attempt': async ({ attemptId }, { leaveSlot }) => {
        runs.push(attemptId);
        if (attemptId > 1) return written;
        for (let call = 0; call < 3; call += 1) leaveSlot?.();
        await written;
      },
    });
    await queue.enqueue([1, 2, 3].map((n) => ({ ...job, key: `verify:${n}`, payload: { attemptId: n } })));
    await vi.waitFor(() => expect(runs).toEqual([1, 2]), 10_000);
    write();
    await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 0 }), 10_000);
    expect(runs).toEqual([1, 2, 3]);
  });

  it('has room for more deliveries until many are ahead, and again once they have run', async () => {
    const { promise: sent, resolve: send } = Promise.withResolvers<void>();
    const queue = queueOver(storage.jobs, { leaseSeconds: 60 });
    await queue.start({ 'deliver-webhook': () => sent });
    const deliveries = Array.from({ length: 600 }, (_, deliveryId) => ({
      type: 'deliver-webhook' as const,
      key: `deliver:${deliveryId}`,
      payload: { deliveryId },
      group: 'webhook:1',
    }));
    await queue.untilRoom?.('deliver-webhook');
    await queue.enqueue(deliveries);
    let hasRoom = false;
    const room = queue.untilRoom?.('deliver-webhook').then(() => {
      hasRoom = true;
    });
    await storage.jobs.stats(new Date());
    expect(hasRoom).toBe(false);
    send();
    await room;
    expect(await queue.stats()).toMatchObject({ queued: 0, dead: 0 });
  });

  it('asks the storage no further once it has nothing, however many wait here for a slot', async () => {
    const gaveNothing: number[] = [];
    const store: JobStore = {
      ...storage.jobs,
      claim: async (...args) => {
        const jobs = await storage.jobs.claim(...args);
        if (jobs.length === 0) gaveNothing.push(served);
        return jobs;
      },
    };
    let served = 0;
    const queue = queueOver(store, { leaseSeconds: 60, pollMs: 60_000 });
    await queue.start({
      'deliver-webhook': async (_payload, { leaveSlot }) => {
        await sleep(1);
        leaveSlot?.();
        served += 1;
      },
    });
    // The last ones go to the storage, and come here while there is room.
    const deliveries = Array.from({ length: 1_200 }, (_, deliveryId) => deliveryId);
    await queue.enqueue(
      deliveries.map((deliveryId) => ({ type: 'deliver-webhook', key: `${deliveryId}`, payload: { deliveryId } })),
    );
    await vi.waitFor(() => expect(served).toBe(1_200), 20_000);
    // At the start, when the storage was empty, and once more when it was empty again.
    expect(gaveNothing.length).toBeLessThanOrEqual(3);
  });

  it('claims two deliveries for each free slot, and runs them in the order of the claim', async () => {
    const numbers = Array.from({ length: 150 }, (_, index) => index + 1);
    await queueOver(storage.jobs).enqueue(
      numbers.map((deliveryId) => ({ type: 'deliver-webhook', key: `deliver:${deliveryId}`, payload: { deliveryId } })),
    );
    const sizes: number[] = [];
    const store: JobStore = {
      ...storage.jobs,
      claim: async (...args) => {
        const claimed = await storage.jobs.claim(...args);
        sizes.push(claimed.length);
        return claimed;
      },
    };
    const runs: number[] = [];
    const queue = queueOver(store, { concurrency: { 'deliver-webhook': 20 }, leaseSeconds: 60 });
    await queue.start({ 'deliver-webhook': async ({ deliveryId }) => void runs.push(deliveryId) });
    await vi.waitFor(() => expect(runs).toEqual(numbers), 10_000);
    expect(sizes[0]).toBe(40);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(150);
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
