/** What every `JobQueue` has to do. Run it against an adapter: `jobQueueContract({ name, open })`. */
import { describe, expect, vi, it as vitestIt } from 'vitest';
import { DomainError } from '../../../core/errors.ts';
import { type JobContext, type JobHandlers, type JobQueue, RescheduleError } from '../../../core/ports/job-queue.ts';

export interface JobQueueWorld {
  /**
   * A further queue over the same jobs, as another process would have it. Leases take at most a second, failed runs are repeated
   * within 100 ms, and a job is dead after three of them. Four jobs of a type run at a time.
   */
  readonly createQueue: (leaseSeconds?: number) => JobQueue;
  /** Lets go of everything that the world opened. */
  close(): Promise<void>;
}

/** How job queues are made for the suite. */
export interface JobQueueContractOptions {
  /** Of the adapter, for the titles of the tests. */
  readonly name: string;
  /** A world without jobs. */
  readonly open: () => Promise<JobQueueWorld>;
}

const job = (attemptId: number, changes: { key?: string; runAt?: Date } = {}) => ({
  type: 'verify-attempt' as const,
  key: `verify:${attemptId}`,
  payload: { attemptId },
  ...changes,
});

/** A promise that a test settles itself. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Makes queues over the jobs of one test, and ends them after it. */
interface Bench {
  queue(): JobQueue;
  /** A queue that runs jobs. */
  working(handlers: JobHandlers, leaseSeconds?: number): Promise<JobQueue>;
}

/** Registers the tests that every `JobQueue` must pass, with vitest. */
export function jobQueueContract({ name, open }: JobQueueContractOptions): void {
  describe(`job queue: ${name}`, () => {
    /** Each in a world of its own, side by side: most of the time goes into waiting for leases and due times. */
    function it(promise: string, test: (bench: Bench) => Promise<void>): void {
      vitestIt.concurrent(promise, async () => {
        const world = await open();
        const queues: JobQueue[] = [];
        const queue = (leaseSeconds?: number) => {
          const made = world.createQueue(leaseSeconds);
          queues.push(made);
          return made;
        };
        const working = async (handlers: JobHandlers, leaseSeconds?: number) => {
          const made = queue(leaseSeconds);
          await made.start(handlers);
          return made;
        };
        try {
          await test({ queue, working });
        } finally {
          for (const made of queues) await made.stop(0);
          await world.close();
        }
      });
    }

    const settled = async (subject: JobQueue) =>
      vi.waitFor(async () => expect(await subject.stats()).toMatchObject({ queued: 0, running: 0 }), 10_000);

    it('runs a job with its payload, once', async ({ working }) => {
      const runs: unknown[] = [];
      const subject = await working({
        'verify-attempt': async (payload, { run, signal }) => void runs.push([payload, run, signal.aborted]),
      });
      await subject.enqueue([job(1)]);
      await settled(subject);
      expect(runs).toEqual([[{ attemptId: 1 }, 1, false]]);
      expect(await subject.stats()).toEqual({ queued: 0, running: 0, dead: 0 });
    });

    it('runs what was enqueued before it started, and leaves types without a handler alone', async ({
      queue,
      working,
    }) => {
      const before = queue();
      await before.enqueue([job(1), { type: 'issue-reward', key: 'reward:1', payload: { attemptId: 1 } }]);
      const runs: number[] = [];
      await working({ 'verify-attempt': async ({ attemptId }) => void runs.push(attemptId) });
      await vi.waitFor(async () => expect(await before.stats()).toMatchObject({ queued: 1, running: 0 }), 10_000);
      expect(runs).toEqual([1]);
    });

    it('takes jobs from a process that only enqueues', async ({ queue, working }) => {
      const runs: number[] = [];
      await working({ 'verify-attempt': async ({ attemptId }) => void runs.push(attemptId) });
      await queue().enqueue([job(1), job(2)]);
      await vi.waitFor(() => expect(runs.sort()).toEqual([1, 2]), 10_000);
    });

    it('ignores a job whose key is queued or running, and takes it again afterwards', async ({ queue }) => {
      const started = gate();
      const finish = gate();
      let runs = 0;
      const subject = queue();
      await subject.enqueue([job(1)]);
      await subject.enqueue([job(1), job(1)]);
      await subject.start({
        'verify-attempt': async () => {
          runs += 1;
          started.open();
          await finish.opened;
        },
      });
      await started.opened;
      await subject.enqueue([job(1)]);
      finish.open();
      await settled(subject);
      expect(runs).toBe(1);
      await subject.enqueue([job(1)]);
      await vi.waitFor(() => expect(runs).toBe(2), 10_000);
    });

    it('runs nothing before its time', async ({ working }) => {
      const at = new Date(Date.now() + 300);
      let ranAt = 0;
      const subject = await working({
        'verify-attempt': async () => {
          ranAt = Date.now();
        },
      });
      await subject.enqueue([job(1, { runAt: at })]);
      await vi.waitFor(() => expect(ranAt).not.toBe(0), 10_000);
      expect(ranAt).toBeGreaterThanOrEqual(at.getTime());
    });

    it('repeats a run that failed, counting', async ({ working }) => {
      const runs: number[] = [];
      const subject = await working({
        'verify-attempt': async (_payload, { run }) => {
          runs.push(run);
          if (run < 3) throw new Error('not yet');
        },
      });
      await subject.enqueue([job(1)]);
      await settled(subject);
      expect(runs).toEqual([1, 2, 3]);
      expect(await subject.stats()).toMatchObject({ dead: 0 });
    });

    it('dead-letters a job that always fails, and frees its key', async ({ working }) => {
      let runs = 0;
      let fails = true;
      const subject = await working({
        'verify-attempt': async () => {
          runs += 1;
          if (fails) throw new Error('never');
        },
      });
      await subject.enqueue([job(1)]);
      await vi.waitFor(async () => expect(await subject.stats()).toEqual({ queued: 0, running: 0, dead: 1 }), 10_000);
      expect(runs).toBe(3);
      fails = false;
      await subject.enqueue([job(1)]);
      await settled(subject);
      expect(runs).toBe(4);
    });

    it('concludes a job before it is dead-lettered, with what its last run failed with', async ({ queue }) => {
      const told: unknown[] = [];
      const subject = queue();
      await subject.start({
        'verify-attempt': {
          run: async () => {
            throw new Error('never');
          },
          onDeadLetter: async (payload, { error, signal }) => {
            told.push([payload, error, signal.aborted, (await subject.stats()).dead]);
          },
        },
      });
      await subject.enqueue([job(1)]);
      await vi.waitFor(async () => expect(await subject.stats()).toEqual({ queued: 0, running: 0, dead: 1 }), 10_000);
      expect(told).toEqual([[{ attemptId: 1 }, 'Error: never', false, 0]]);
    });

    it('concluding is tried again when it fails, without another run; forever it is not', async ({ working }) => {
      const events: string[] = [];
      const subject = await working({
        'verify-attempt': {
          run: async ({ attemptId }, { run }) => {
            events.push(`run ${attemptId} ${run}`);
            throw new Error('never');
          },
          onDeadLetter: async ({ attemptId }) => {
            events.push(`concluded ${attemptId}`);
            const tries = events.filter((event) => event === `concluded ${attemptId}`).length;
            if (attemptId === 2 || tries < 3) throw new Error('not yet');
          },
        },
      });
      await subject.enqueue([job(1), job(2)]);
      await vi.waitFor(async () => expect(await subject.stats()).toEqual({ queued: 0, running: 0, dead: 2 }), 10_000);
      const like = (start: string) => events.filter((event) => event.startsWith(start));
      expect(like('run 1')).toEqual(['run 1 1', 'run 1 2', 'run 1 3']);
      expect(like('concluded 1')).toHaveLength(3);
      expect(like('concluded 2')).toHaveLength(4);
    });

    it('does not dead-letter a job that is rescheduled or repeated in time', async ({ working }) => {
      let onDeadLetter = 0;
      let runs = 0;
      const subject = await working({
        'verify-attempt': {
          run: async () => {
            runs += 1;
            if (runs === 2) throw new RescheduleError(new Date(Date.now() + 5), 'later');
            if (runs < 4) throw new Error('not yet');
          },
          onDeadLetter: async () => {
            onDeadLetter += 1;
          },
        },
      });
      await subject.enqueue([job(1)]);
      await settled(subject);
      expect([runs, onDeadLetter]).toEqual([4, 0]);
    });

    it('what finds the storage away comes back as often as it takes, without counting', async ({ working }) => {
      const away = () => new DomainError('SERVICE_UNAVAILABLE', 'The storage is away.');
      const runs: number[] = [];
      const conclusions: string[] = [];
      const subject = await working({
        'verify-attempt': async (_payload, { run }) => {
          runs.push(run);
          if (runs.length < 9) throw away();
        },
        'issue-reward': {
          run: async () => {
            conclusions.push('run');
            throw new Error('never');
          },
          onDeadLetter: async () => {
            conclusions.push('concluded');
            if (conclusions.length < 12) throw away();
          },
        },
      });
      await subject.enqueue([job(1), { type: 'issue-reward', key: 'reward:1', payload: { attemptId: 1 } }]);
      await vi.waitFor(async () => expect(await subject.stats()).toEqual({ queued: 0, running: 0, dead: 1 }), 10_000);
      expect(runs).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
      expect(conclusions.filter((each) => each === 'run')).toHaveLength(3);
      expect(conclusions).toHaveLength(12);
    });

    it('RescheduleError puts a job off as often as it likes, without counting', async ({ working }) => {
      const runs: number[] = [];
      const subject = await working({
        'verify-attempt': async (_payload, { run }) => {
          runs.push(run);
          if (runs.length < 6) throw new RescheduleError(new Date(Date.now() + 5), 'later');
        },
      });
      await subject.enqueue([job(1)]);
      await settled(subject);
      expect(runs).toEqual([1, 1, 1, 1, 1, 1]);
      expect(await subject.stats()).toMatchObject({ dead: 0 });
    });

    it('runs each of many jobs once, whichever process takes it', async ({ working }) => {
      const runs: number[] = [];
      const handlers: JobHandlers = { 'verify-attempt': async ({ attemptId }) => void runs.push(attemptId) };
      // A short lease may end on a busy machine, and then a job rightly runs again.
      const all = await Promise.all([1, 2, 3].map(() => working(handlers, 60)));
      const ids = Array.from({ length: 60 }, (_, index) => index + 1);
      const [first] = all;
      await first?.enqueue(ids.map((id) => job(id)));
      if (first) await settled(first);
      expect(runs.sort((a, b) => a - b)).toEqual(ids);
    });

    it('runs no more than its share of a type at a time, and other types beside them', async ({ working }) => {
      const finish = gate();
      let underWay = 0;
      let most = 0;
      let other = 0;
      const subject = await working({
        'verify-attempt': async () => {
          underWay += 1;
          most = Math.max(most, underWay);
          await finish.opened;
          underWay -= 1;
        },
        'issue-reward': async () => {
          other += 1;
        },
      });
      await subject.enqueue([1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => job(id)));
      await vi.waitFor(() => expect(underWay).toBe(4), 10_000);
      await subject.enqueue([{ type: 'issue-reward', key: 'reward:1', payload: { attemptId: 1 } }]);
      await vi.waitFor(() => expect(other).toBe(1), 10_000);
      finish.open();
      await settled(subject);
      expect(most).toBe(4);
    });

    it('keeps the lease of a long run', async ({ working }) => {
      const contexts: JobContext[] = [];
      const handlers: JobHandlers = {
        'verify-attempt': async (_payload, context) => {
          contexts.push(context);
          await new Promise((resolve) => setTimeout(resolve, 1_600));
        },
      };
      const subject = await working(handlers);
      await working(handlers);
      await subject.enqueue([job(1)]);
      await settled(subject);
      expect(contexts.map(({ run, signal }) => [run, signal.aborted])).toEqual([[1, false]]);
    });

    it('stop lets a run finish within the grace', async ({ working }) => {
      const started = gate();
      let finished = false;
      const subject = await working({
        'verify-attempt': async () => {
          started.open();
          await new Promise((resolve) => setTimeout(resolve, 100));
          finished = true;
        },
      });
      await subject.enqueue([job(1)]);
      await started.opened;
      await subject.stop(5_000);
      expect(finished).toBe(true);
      expect(await subject.stats()).toEqual({ queued: 0, running: 0, dead: 0 });
    });

    it('stop aborts what takes longer and gives it back: another process takes it up, the run not counted', async ({
      working,
    }) => {
      const started = gate();
      const subject = await working({
        'verify-attempt': async (_payload, { signal }) => {
          started.open();
          await aborted(signal);
        },
      });
      await subject.enqueue([job(1), job(2, { runAt: new Date(Date.now() + 60_000) })]);
      await started.opened;
      await subject.stop(0);
      expect(await subject.stats()).toEqual({ queued: 2, running: 0, dead: 0 });
      const runs: number[] = [];
      await working({ 'verify-attempt': async (_payload, { run }) => void runs.push(run) });
      await vi.waitFor(() => expect(runs).toEqual([1]), 10_000);
    });

    it('stops twice, and without having started', async ({ queue, working }) => {
      const subject = await working({});
      await subject.stop(0);
      await subject.stop(0);
      await queue().stop(0);
    });

    it('still enqueues when stopped, for others to run', async ({ queue }) => {
      const subject = queue();
      await subject.stop(0);
      await subject.enqueue([job(1)]);
      expect(await subject.stats()).toMatchObject({ queued: 1 });
    });
  });
}
