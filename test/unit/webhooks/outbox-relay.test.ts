import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newAttempt } from '../../../core/engagement/attempts/new-attempt.ts';
import type { DueEvent } from '../../../core/engagement/webhooks/dispatch-event.ts';
import type { OutboxEntry } from '../../../core/engagement/webhooks/outbox.ts';
import { OutboxRelay, type OutboxRelayDeps } from '../../../core/engagement/webhooks/outbox-relay.ts';
import type { NewJob } from '../../../core/ports/job-queue.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import {
  announced,
  createAttempt,
  linkInput,
  newCampaign,
  newChallenge,
  outboxOf,
} from '../../contract/storage/samples.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { createWebhookWorld, sampleEvent, type WebhookWorld } from './support.ts';

let world: WebhookWorld;
let challengeId: number;
let users: number;
let jobs: NewJob[];
let dispatched: string[];

beforeEach(async () => {
  world = await createWebhookWorld();
  users = 0;
  jobs = [];
  dispatched = [];
  const { challenge } = await world.storage.campaigns.create(newCampaign({ brandId: world.brandId }), newChallenge());
  challengeId = challenge.id;
});
afterEach(async () => {
  vi.useRealTimers();
  await world.storage.close();
});

/** Accepts each job once, and remembers what it was asked to dispatch. */
const queue = {
  enqueue: async (added: readonly NewJob[]) => {
    for (const job of added) if (!jobs.some(({ key }) => key === job.key)) jobs.push(job);
  },
};
const relay = (changes: Partial<OutboxRelayDeps> = {}) =>
  new OutboxRelay({
    attempts: world.storage.attempts,
    creators: world.storage.creators,
    queue,
    dispatch: async (due) => void dispatched.push(...due.map(({ entryId }) => entryId)),
    logger: silentLogger,
    ...changes,
  });

/** Stores an attempt with an event and a job in its outbox. */
async function attemptWithOutbox(): Promise<number> {
  const { storage, brandId } = world;
  users += 1;
  const { creator } = await storage.creators.link({
    externalId: `u${users}`,
    email: 'a@example.com',
    displayName: null,
    platform: 'instagram',
    handle: `u${users}`,
    profileData: {},
    ownershipProven: false,
    now: new Date(),
  });
  const outbox: OutboxEntry[] = [
    { id: `e${users}`, kind: 'event', event: sampleEvent(brandId) },
    { id: `j${users}`, kind: 'job', job: { type: 'issue-reward', attemptId: users } },
  ];
  const attempt = newAttempt({ userId: creator.id, challengeId, username: `u${users}`, now: new Date() });
  const result = await createAttempt(storage.attempts, attempt, outbox);
  if (result.kind !== 'created') throw new Error(result.kind);
  return result.attempt.id;
}

/** What was handed over. */
const keys = () => [...new Set(dispatched), ...jobs.map(({ key }) => key)];

describe('outbox relay', () => {
  it('dispatches the events of a nudged attempt, enqueues its jobs and removes both', async () => {
    const id = await attemptWithOutbox();
    await attemptWithOutbox();
    await relay().nudge(id);
    expect(dispatched).toEqual(['e1']);
    expect(jobs).toEqual([{ type: 'issue-reward', key: 'issue-reward:j1', payload: { attemptId: 1 } }]);
    expect(await outboxOf(world.storage.attempts, id)).toEqual([]);
    await relay().nudge(id);
    expect(keys()).toHaveLength(2);
  });

  it('drains everything, in batches', async () => {
    for (let count = 0; count < 7; count += 1) await attemptWithOutbox();
    let looks = 0;
    const attempts: OutboxRelayDeps['attempts'] = {
      ...world.storage.attempts,
      pendingOutbox: (limit) => {
        looks += 1;
        return world.storage.attempts.pendingOutbox(limit);
      },
    };
    expect(await relay({ attempts, batch: 3 }).drain()).toBe(14);
    expect(looks).toBe(3);
    expect(new Set(keys()).size).toBe(14);
    expect(await world.storage.attempts.pendingOutbox(10)).toEqual([]);
  });

  it('takes many nudges at once', async () => {
    const ids = [];
    for (let count = 0; count < 20; count += 1) ids.push(await attemptWithOutbox());
    const subject = relay();
    await Promise.all(ids.map((id) => subject.nudge(id)));
    expect(new Set(keys()).size).toBe(40);
  });

  it('loses nothing when the queue or the storage fails: entries stay until their jobs are accepted', async () => {
    const id = await attemptWithOutbox();
    const refusing = { enqueue: () => Promise.reject(new Error('queue gone')) };
    await relay({ queue: refusing }).nudge(id);
    await expect(relay({ queue: refusing }).drain()).rejects.toThrow('queue gone');
    expect(await outboxOf(world.storage.attempts, id)).toHaveLength(2);
    const attempts = {
      ...world.storage.attempts,
      acknowledgeOutbox: () => Promise.reject(new Error('storage gone')),
    };
    await relay({ attempts }).nudge(id);
    expect(await outboxOf(world.storage.attempts, id)).toHaveLength(2);
    await relay().drain();
    // Handed over twice, under the same keys.
    expect(keys()).toEqual(['e1', 'issue-reward:j1']);
    expect(await outboxOf(world.storage.attempts, id)).toEqual([]);
  });

  it('dispatches events together', async () => {
    const ids = [await attemptWithOutbox(), await attemptWithOutbox()];
    const together: string[][] = [];
    const dispatch = async (due: readonly DueEvent[]) => void together.push(due.map(({ entryId }) => entryId));
    const subject = relay({ dispatch });
    await Promise.all(ids.map((id) => subject.nudge(id)));
    expect(together).toEqual([['e1', 'e2']]);
    expect(keys()).toEqual(['issue-reward:j1', 'issue-reward:j2']);
    expect(await world.storage.attempts.pendingOutbox(10)).toEqual([]);
  });

  it('keeps the entries of an attempt whose event cannot be dispatched, and hands the others over', async () => {
    const ids = [await attemptWithOutbox(), await attemptWithOutbox(), await attemptWithOutbox()];
    const logger = createRecordingLogger();
    const err = new Error('one of them cannot be dispatched');
    const dispatch = async (due: readonly DueEvent[]) => {
      if (due.some(({ entryId }) => entryId === 'e2')) throw err;
      dispatched.push(...due.map(({ entryId }) => entryId));
    };
    expect(await relay({ dispatch, logger }).drain()).toBe(4);
    expect(keys()).toEqual(['e1', 'e3', 'issue-reward:j1', 'issue-reward:j3']);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { err } }]);
    const left = await Promise.all(ids.map((id) => outboxOf(world.storage.attempts, id)));
    expect(left.map(({ length }) => length)).toEqual([0, 2, 0]);
  });

  it('hands over together what is nudged while earlier nudges are under way', async () => {
    const ids = [];
    for (let count = 0; count < 5; count += 1) ids.push(await attemptWithOutbox());
    const together: number[] = [];
    const dispatch = async (due: readonly DueEvent[]) => void together.push(due.length);
    const subject = relay({ dispatch });
    await Promise.all(ids.map((id) => subject.nudge(id)));
    expect(together.reduce((sum, count) => sum + count)).toBe(5);
    expect(together.length).toBeLessThanOrEqual(2);
    expect(await world.storage.attempts.pendingOutbox(10)).toEqual([]);
  });

  it('hands the event of an account over once, whatever looks for it at the same time', async () => {
    await world.storage.creators.link(linkInput({ ownershipProven: true, announce: announced }));
    const dispatched: string[] = [];
    const dispatch = async (due: readonly DueEvent[]) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      dispatched.push(...due.map(({ entryId }) => entryId));
    };
    const subject = relay({ dispatch });
    await Promise.all([subject.nudgeAccounts(), subject.drain(), subject.nudgeAccounts()]);
    expect(dispatched).toEqual([expect.stringMatching(/^connected_/)]);
    expect(await world.storage.creators.pendingOutbox(10)).toEqual([]);
  });

  it('enqueues the jobs of attempts once while nudges and looks for leftovers meet', async () => {
    const nudged = [];
    for (let count = 0; count < 8; count += 1) nudged.push(await attemptWithOutbox());
    const subject = relay();
    await Promise.all([subject.drain(), ...nudged.map((id) => subject.nudge(id)), subject.drain()]);
    expect(keys()).toHaveLength(16);
  });

  it('finds leftovers of other processes by itself, until stopped', async () => {
    const subject = relay({ intervalMs: 10 });
    subject.start();
    subject.start();
    await attemptWithOutbox();
    await vi.waitFor(() => expect(keys()).toHaveLength(2), 10_000);
    await subject.stop();
    await attemptWithOutbox();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(keys()).toHaveLength(2);
  });

  it('continues after a failed look, and stop waits for what is under way', async () => {
    let failures = 2;
    const enqueued: NewJob[] = [];
    const queue = {
      enqueue: async (jobs: readonly NewJob[]) => {
        failures -= 1;
        if (failures >= 0) throw new Error('queue gone');
        await new Promise((resolve) => setTimeout(resolve, 30));
        enqueued.push(...jobs);
      },
    };
    const subject = relay({ intervalMs: 5, queue });
    await attemptWithOutbox();
    subject.start();
    await vi.waitFor(() => expect(failures).toBeLessThan(0), 10_000);
    await subject.stop();
    expect(enqueued).toHaveLength(1);
    expect(await world.storage.attempts.pendingOutbox(1)).toEqual([]);
  });

  it('hands over what is in hand without reading it, in batches', async () => {
    const stored = [];
    for (let count = 0; count < 3; count += 1) {
      const attemptId = await attemptWithOutbox();
      stored.push({ attemptId, entries: await outboxOf(world.storage.attempts, attemptId) });
    }
    const unread = () => Promise.reject(new Error('read again'));
    const attempts = { ...world.storage.attempts, pendingOutbox: unread };
    await relay({ attempts, batch: 2 }).handOver(stored);
    expect(new Set(keys()).size).toBe(6);
    expect(await world.storage.attempts.pendingOutbox(10)).toEqual([]);
  });

  it('asks nothing of the queue when there is nothing to hand over', async () => {
    const logger = createRecordingLogger();
    const queue = { enqueue: () => Promise.reject(new Error('asked')) };
    await relay({ logger, queue }).nudge(999);
    expect(logger.lines).toEqual([]);
  });

  it('ends a drain that hands nothing over', async () => {
    let looks = 0;
    const attempts: OutboxRelayDeps['attempts'] = {
      ...world.storage.attempts,
      pendingOutbox: async () => {
        looks += 1;
        if (looks > 1) throw new Error('looked at again');
        return [{ attemptId: 1, entries: [] }];
      },
    };
    expect(await relay({ attempts, batch: 1 }).drain()).toBe(0);
  });

  it('logs what a nudge could not hand over', async () => {
    const logger = createRecordingLogger();
    const id = await attemptWithOutbox();
    const err = new Error('queue gone');
    await relay({ logger, queue: { enqueue: () => Promise.reject(err) } }).nudge(id);
    expect(logger.lines).toEqual([{ level: 'warn', message: expect.any(String), fields: { err } }]);
  });

  it('stop waits for the look that is under way, and none follows it', async () => {
    vi.useFakeTimers();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let looks = 0;
    const attempts: OutboxRelayDeps['attempts'] = {
      ...world.storage.attempts,
      pendingOutbox: async () => {
        looks += 1;
        await held;
        return [];
      },
    };
    const subject = relay({ attempts });
    subject.start();
    await vi.advanceTimersByTimeAsync(1_000);
    let stopped = false;
    const stopping = subject.stop().then(() => {
      stopped = true;
    });
    await vi.advanceTimersByTimeAsync(5_000);
    expect([looks, stopped]).toEqual([1, false]);
    release();
    await stopping;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(looks).toBe(1);
  });
});
