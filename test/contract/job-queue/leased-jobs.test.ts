import { expect, it, vi } from 'vitest';
import { createLeasedJobQueue } from '../../../adapters/leased-jobs/index.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { openTestStorage } from '../../support/storage.ts';
import { jobQueueContract } from './suite.ts';

// What the queue asks of a storage is in the contract of storages: each of them here would show no more.
jobQueueContract({
  name: 'leased records',
  open: async () => {
    const { storage, close } = await openTestStorage('sqlite');
    return {
      createQueue: (leaseSeconds = 0.9) =>
        createLeasedJobQueue({
          store: storage.jobs,
          clock: systemClock,
          logger: silentLogger,
          leaseSeconds,
          pollMs: 50,
          maxRuns: 3,
          backoffMs: 10,
          maxBackoffMs: 80,
          concurrency: { 'verify-attempt': 4, 'issue-reward': 4 },
        }),
      close,
    };
  },
});

it('shows a dead job with its reason, and runs it again once, whatever has queued its work meanwhile', async () => {
  const { storage, close } = await openTestStorage('sqlite');
  const settings = { pollMs: 20, maxRuns: 2, backoffMs: 1, maxBackoffMs: 5 };
  const queue = createLeasedJobQueue({ store: storage.jobs, clock: systemClock, logger: silentLogger, ...settings });
  const runs: number[] = [];
  let isBroken = true;
  await queue.start({
    'verify-attempt': async ({ attemptId }) => {
      if (isBroken) throw new Error('broken');
      runs.push(attemptId);
    },
  });
  const job = (attemptId: number) =>
    ({ type: 'verify-attempt', key: `verify:${attemptId}`, payload: { attemptId } }) as const;
  await queue.enqueue([job(1), job(2), job(3)]);
  await vi.waitFor(async () => expect((await queue.stats()).dead).toBe(3), 10_000);
  const list = async () => (await queue.board?.list({ state: 'dead' }, { page: 1, limit: 9 }))?.items ?? [];
  const [first] = await list();
  expect(first).toMatchObject({ type: 'verify-attempt', runs: 2, error: 'Error: broken' });
  isBroken = false;
  expect(await queue.board?.retry({ id: first?.id })).toBe(1);
  expect(await queue.board?.retry({ id: first?.id })).toBe(0);
  await vi.waitFor(() => expect(runs).toHaveLength(1), 10_000);
  expect(await queue.board?.retry({ type: 'issue-reward' })).toBe(0);
  const retried = await Promise.all([1, 2].map(() => queue.board?.retry({ type: 'verify-attempt' })));
  expect(retried.reduce((sum = 0, count = 0) => sum + count)).toBe(2);
  await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 0 }), 10_000);
  expect(new Set(runs)).toEqual(new Set([1, 2, 3]));
  await queue.stop(0);
  await close();
});
