import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newAttempt } from '../../../core/engagement/attempts/new-attempt.ts';
import type { DueEvent } from '../../../core/engagement/webhooks/dispatch-event.ts';
import type { OutboxEntry } from '../../../core/engagement/webhooks/outbox.ts';
import { OutboxRelay, type OutboxRelayDeps } from '../../../core/engagement/webhooks/outbox-relay.ts';
import type { NewJob } from '../../../core/ports/job-queue.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import type { PendingOutbox } from '../../../core/ports/outbox-store.ts';
import { createAttempt, newCampaign, newChallenge } from '../../contract/storage/samples.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { sampleEvent, webhookWorldOfEachTest } from './support.ts';

const world = webhookWorldOfEachTest();
let challengeId: number;
let users: number;
let jobs: NewJob[];
let dispatched: string[];

beforeEach(async () => {
  users = 0;
  jobs = [];
  dispatched = [];
  const { challenge } = await world.storage.campaigns.create(newCampaign({ brandId: world.brandId }), newChallenge());
  challengeId = challenge.id;
});
afterEach(() => void vi.useRealTimers());

/** Accepts each job once, and remembers what it was asked to dispatch. */
const queue = {
  enqueue: async (added: readonly NewJob[]) => {
    for (const job of added) if (!jobs.some(({ key }) => key === job.key)) jobs.push(job);
  },
};
const relay = (changes: Partial<OutboxRelayDeps> = {}) =>
  new OutboxRelay({
    outbox: world.storage.outbox,
    queue,
    dispatch: async (due) => void dispatched.push(...due.map(({ entryId }) => entryId)),
    logger: silentLogger,
    ...changes,
  });

/** Stores an attempt with an event and a job in its outbox. */
async function attemptWithOutbox(): Promise<PendingOutbox> {
  const { storage, brandId } = world;
  users += 1;
  const entries: OutboxEntry[] = [
    { id: `e${users}`, kind: 'event', event: sampleEvent(brandId) },
    { id: `j${users}`, kind: 'job', job: { type: 'issue-reward', attemptId: users } },
  ];
  const attempt = newAttempt({ userId: users, challengeId, username: `u${users}`, now: new Date() });
  const result = await createAttempt(storage.attempts, attempt, entries);
  if (result.kind !== 'created') throw new Error(result.kind);
  return { owner: `attempts:${result.attempt.id}`, entries };
}
async function attemptsWithOutbox(count: number): Promise<readonly PendingOutbox[]> {
  const stored: PendingOutbox[] = [];
  while (stored.length < count) stored.push(await attemptWithOutbox());
  return stored;
}

/** What was handed over. */
const keys = () => [...new Set(dispatched), ...jobs.map(({ key }) => key)];
const left = async () =>
  (await world.storage.outbox.pending(100)).flatMap(({ entries }) => entries.map(({ id }) => id));

describe('outbox relay', () => {
  it('dispatches events, enqueues jobs and removes both; what is in hand is not read', async () => {
    const [first, ...others] = await attemptsWithOutbox(4);
    const pending = () => Promise.reject(new Error('read again'));
    const subject = relay({ outbox: { ...world.storage.outbox, pending }, batch: 2 });
    await subject.handOver(first === undefined ? [] : [first]);
    expect(dispatched).toEqual(['e1']);
    expect(jobs).toEqual([{ type: 'issue-reward', key: 'issue-reward:j1', payload: { attemptId: 1 } }]);
    expect(await left()).toHaveLength(6);
    await subject.handOver(others);
    await subject.handOver([{ owner: 'attempts:9', entries: [] }]);
    expect(keys()).toHaveLength(8);
    expect(await left()).toEqual([]);
  });

  it('loses nothing when the queue or the storage fails: entries stay until their jobs are accepted', async () => {
    const stored = [await attemptWithOutbox()];
    const err = new Error('queue gone');
    const logger = createRecordingLogger();
    const refusing = { logger, queue: { enqueue: () => Promise.reject(err) } };
    await relay(refusing).handOver(stored);
    expect(logger.lines).toEqual([{ level: 'warn', message: expect.any(String), fields: { err } }]);
    await expect(relay(refusing).drain()).rejects.toThrow('queue gone');
    const acknowledge = () => Promise.reject(new Error('storage gone'));
    await relay({ outbox: { ...world.storage.outbox, acknowledge } }).handOver(stored);
    expect(await left()).toHaveLength(2);
    await relay().drain();
    // Handed over twice, under the same keys.
    expect(keys()).toEqual(['e1', 'issue-reward:j1']);
    expect(await left()).toEqual([]);
  });

  it('keeps the entries of an attempt whose event cannot be dispatched, and hands the others over', async () => {
    await attemptsWithOutbox(3);
    const logger = createRecordingLogger();
    const err = new Error('one of them cannot be dispatched');
    const dispatch = async (due: readonly DueEvent[]) => {
      if (due.some(({ entryId }) => entryId === 'e2')) throw err;
      dispatched.push(...due.map(({ entryId }) => entryId));
    };
    expect(await relay({ dispatch, logger }).drain()).toBe(4);
    expect(keys()).toEqual(['e1', 'e3', 'issue-reward:j1', 'issue-reward:j3']);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { err } }]);
    expect(await left()).toEqual(['e2', 'j2']);
  });

  it('finds leftovers of other processes by itself, also after a failed look, until stopped', async () => {
    let failures = 2;
    const failing = {
      enqueue: async (added: readonly NewJob[]) => {
        failures -= 1;
        if (failures >= 0) throw new Error('queue gone');
        await queue.enqueue(added);
      },
    };
    const subject = relay({ intervalMs: 5, queue: failing });
    subject.start();
    subject.start();
    await attemptWithOutbox();
    await vi.waitFor(async () => expect(await left()).toEqual([]), 10_000);
    expect(jobs).toHaveLength(1);
    await subject.stop();
    await attemptWithOutbox();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(jobs).toHaveLength(1);
  });

  it('stop waits for the look that is under way, and none follows it', async () => {
    vi.useFakeTimers();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const pending = vi.fn(async () => {
      await held;
      return [];
    });
    const subject = relay({ outbox: { ...world.storage.outbox, pending } });
    subject.start();
    await vi.advanceTimersByTimeAsync(1_000);
    let stopped = false;
    const stopping = subject.stop().then(() => {
      stopped = true;
    });
    await vi.advanceTimersByTimeAsync(5_000);
    expect([pending.mock.calls.length, stopped]).toEqual([1, false]);
    release();
    await stopping;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(pending).toHaveBeenCalledTimes(1);
  });
});
