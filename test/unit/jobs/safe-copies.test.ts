import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSafeCopies, type SafeCopies } from '../../../adapters/bullmq-jobs/safe-copies.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import type { NewJob } from '../../../core/ports/job-queue.ts';

const T0 = new Date('2026-11-01T09:30:00Z');
const later = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const types = ['verify-attempt'] as const;

let now = T0;
let copies: SafeCopies;
const storage = () => createSqliteStorage({ path: ':memory:' });
let opened: ReturnType<typeof storage>;

beforeEach(async () => {
  now = T0;
  opened = storage();
  await opened.open();
  copies = createSafeCopies({ store: opened.jobs, clock: { now: () => now }, recoverAfterMs: 60_000 });
});
afterEach(() => opened.close());

const keep = (count: number) =>
  copies.keep(
    Array.from({ length: count }, (_, attemptId) => ({
      type: 'verify-attempt',
      key: `verify:${attemptId}`,
      payload: { attemptId },
    })),
  );

it('is compared again when it is overdue: from now, or from when it was postponed to', async () => {
  await keep(2);
  now = later(60);
  const queue = { add: async () => undefined, dueTimes: async () => new Map([['verify:0', later(3_600)]]) };
  await copies.recover(queue, () => true);
  expect((await opened.jobs.claim(types, 9, later(120), later(999_999))).map(({ key }) => key)).toEqual(['verify:1']);
  expect(await opened.jobs.nextDue(types)).toEqual(later(3_660));
});

it('ends after the batch under way when the queue stops; the rest stays due', async () => {
  await keep(250);
  now = later(60);
  const added: NewJob[] = [];
  const add = async (jobs: readonly NewJob[]) => void added.push(...jobs);
  const queue = { add, dueTimes: async () => new Map<string, Date>() };
  await copies.recover(queue, () => added.length === 0);
  expect(added).toHaveLength(100);
  expect(await opened.jobs.nextDue(types)).toEqual(later(60));
  await copies.recover(queue, () => true);
  expect(new Set(added.map(({ key }) => key)).size).toBe(250);
});
