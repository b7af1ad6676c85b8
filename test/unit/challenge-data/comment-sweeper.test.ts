import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { SweepProgress } from '../../../core/engagement/challenge-data/comment.ts';
import { startOf } from '../../../core/engagement/challenge-data/sweep-progress.ts';
import { DomainError } from '../../../core/errors.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { comment, platform, progress, type SweepWorld, sweepInEachTest, world } from './support.ts';

const START = new Date('2026-11-01T09:00:00Z');

let challengeId: number;
let now: Date;

sweepInEachTest();
beforeEach(() => {
  challengeId = world.challenge.id;
  now = START;
  platform.pages = [[comment('a')], [comment('b')], [comment('c')]];
});

const clock = { now: () => now };
const later = (milliseconds: number) => new Date(START.getTime() + milliseconds);
const sweeper = (changes?: Parameters<SweepWorld['sweeper']>[0]) => world.sweeper({ clock, ...changes });

/** Holds the platform at a request; returns what lets it continue. */
function holdAt(held: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  platform.before = (request) => (request === held ? promise : undefined);
  return resolve;
}
const asked = (request: string) => vi.waitFor(() => expect(platform.asked).toContain(request));

describe('waiting for a sweep', () => {
  it('under way is enough when it began at the time from which it has to be fresh', async () => {
    const { sweep } = sweeper();
    const release = holdAt('comments c1');
    const first = sweep(challengeId);
    await asked('comments c1');
    const second = sweep(challengeId, { freshSince: now });
    release();
    expect(await second).toBe(await first);
    expect(platform.asked).toHaveLength(3);
  });
});

describe('two processes', () => {
  /** Two that share the storage, and the first of them holds at a page. */
  async function twoSweepers(changes?: Parameters<SweepWorld['sweeper']>[0]) {
    const release = holdAt('comments c1');
    const first = sweeper(changes).sweep(challengeId);
    await asked('comments c1');
    return { first, release, other: sweeper(changes) };
  }

  it('share one sweep, unless the second needs one that began later', async () => {
    const { first, release, other } = await twoSweepers();
    const served = other.sweep(challengeId, { freshSince: START });
    // The second has looked, and follows the first.
    await new Promise((resolve) => setTimeout(resolve, 20));
    release();
    expect(await served).toEqual(await first);
    expect(platform.asked.splice(0)).toHaveLength(3);
    const again = await twoSweepers();
    now = later(1);
    const fresh = again.other.sweep(challengeId, { freshSince: now });
    again.release();
    await Promise.all([again.first, fresh]);
    expect(platform.asked).toHaveLength(6);
  });

  it('also if the sweep of the first has ended and another one of it is under way', async () => {
    const { first, release, other } = await twoSweepers();
    const served = other.sweep(challengeId);
    await vi.waitFor(async () => expect(await progress()).toMatchObject({ totalFetched: 1 }));
    // The second has looked, and looks again only after a while.
    await new Promise((resolve) => setTimeout(resolve, 20));
    release();
    await first;
    const releaseNext = holdAt('comments c2');
    const next = sweeper().sweep(challengeId);
    await asked('comments c2');
    expect(await served).toMatchObject({ sweepStatus: 'swept', totalFetched: 3 });
    releaseNext();
    await next;
  });

  it('the second tries itself if the first fails', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    platform.before = async () => {
      await promise;
      throw new DomainError('POST_NOT_FOUND', 'gone');
    };
    const first = expect(sweeper().sweep(challengeId)).rejects.toMatchObject({ code: 'POST_NOT_FOUND' });
    await asked('comments -');
    const second = expect(sweeper().sweep(challengeId)).rejects.toMatchObject({ code: 'POST_NOT_FOUND' });
    await new Promise((done) => setTimeout(done, 20));
    resolve();
    await Promise.all([first, second]);
    expect(platform.asked).toHaveLength(2);
  });

  it('the second continues the sweep of one that died, and the first stores no progress if it was only held up', async () => {
    const logger = createRecordingLogger();
    const { first, release, other } = await twoSweepers({ takeOverAfterMs: 60_000, logger });
    await vi.waitFor(async () => expect(await progress()).toMatchObject({ cursor: 'c1' }));
    now = later(60_000);
    platform.refuseNothing();
    expect(await other.sweep(challengeId)).toMatchObject({ totalFetched: 3, sweepStatus: 'swept' });
    const stored = await progress();
    expect(stored).toMatchObject({ lease: 2, leasedAt: now });
    platform.asked.length = 0;
    release();
    expect(await first).toMatchObject({ totalFetched: 3, sweepStatus: 'swept' });
    expect(logger.lines.map(({ message }) => message)).toContain('another process has taken this sweep over');
    expect((await world.storedIds()).length).toBe(3);
    expect(await progress()).toMatchObject({ status: 'swept', lease: 3, lastSwept: { lease: 2 } });
  });
});

describe('a sweep that fails', () => {
  it('since its challenge is deleted says so, for nothing of it is kept', async () => {
    const release = holdAt('comments c2');
    const sweeping = expect(sweeper().sweep(challengeId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `There is no challenge ${challengeId}.`,
    });
    await asked('comments c2');
    await world.storage.campaigns.delete(world.challenge.campaignId);
    release();
    await sweeping;
  });

  it('with a defect in the middle is partial from there on', async () => {
    platform.refuse(new DomainError('INTERNAL_ERROR', 'broken'), /comments c1/);
    await expect(sweeper().sweep(challengeId)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(await progress()).toMatchObject({ status: 'partial', cursor: 'c1', totalFetched: 1, updatedAt: now });
  });

  it('gives a slow storage one sign of life at a time', async () => {
    const [slow, isWritten] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let writes = 0;
    const saveSweep = async (last: SweepProgress) => {
      writes += 1;
      isWritten.resolve();
      await slow.promise;
      await world.storage.comments.saveSweep(last);
    };
    const release = holdAt('comments c1');
    const comments = { ...world.storage.comments, saveSweep };
    const sweeping = sweeper({ comments, takeOverAfterMs: 30 }).sweep(challengeId);
    await isWritten.promise;
    await sleep(200);
    slow.resolve();
    release();
    expect(await sweeping).toMatchObject({ sweepStatus: 'swept' });
    expect(writes).toBeLessThan(5);
  });

  it('of which the storage keeps nothing is failed', async () => {
    const saved: SweepProgress[] = [];
    const saveSweep = async (last: SweepProgress) => void saved.push(last);
    const comments = { ...world.storage.comments, sweep: async () => null, saveSweep };
    platform.refuse(new DomainError('POST_NOT_FOUND', 'gone'));
    await expect(sweeper({ comments }).sweep(challengeId)).rejects.toMatchObject({ code: 'POST_NOT_FOUND' });
    expect(saved.at(-1)).toEqual({ ...startOf(challengeId, null, now), status: 'failed' });
  });
});

describe('taking over', () => {
  const running = async (updatedAt: Date) =>
    world.storage.comments.saveSweep({ ...startOf(challengeId, null, START), updatedAt });
  const takeOver = () => sweeper({ takeOverAfterMs: 60_000 }).takeOver({ challengeId });

  it('happens when there was no sign of life for a minute', async () => {
    await running(START);
    now = later(59_999);
    await expect(takeOver()).rejects.toMatchObject({ name: 'RescheduleError', at: later(60_999) });
    expect(platform.asked).toEqual([]);
    now = later(60_000);
    const logger = createRecordingLogger();
    await sweeper({ takeOverAfterMs: 60_000, logger }).takeOver({ challengeId });
    expect(logger.lines).toEqual([{ level: 'info', message: expect.any(String), fields: { challengeId } }]);
    expect(await progress()).toMatchObject({ status: 'swept', totalFetched: 3 });
  });

  it('happens when the sign of life is from before the clock was set back', async () => {
    await running(later(3_600_000));
    now = START;
    await takeOver();
    expect(await progress()).toMatchObject({ status: 'swept', totalFetched: 3 });
  });

  it('of a living sweep is postponed to when it would be dead', async () => {
    await running(START);
    now = later(10_000);
    await expect(takeOver()).rejects.toMatchObject({ name: 'RescheduleError', at: later(60_000) });
  });

  it('of a sweep of this process is postponed, however long it shows no sign of life', async () => {
    const release = holdAt('comments c1');
    const subject = sweeper({ takeOverAfterMs: 60_000 });
    const sweeping = subject.sweep(challengeId);
    await asked('comments c1');
    now = later(3_600_000);
    const again = { name: 'RescheduleError', at: later(3_601_000) };
    await expect(subject.takeOver({ challengeId })).rejects.toMatchObject(again);
    const failure = { error: 'lease lost', signal: new AbortController().signal };
    await subject.abandon({ challengeId }, failure);
    expect(await progress()).toMatchObject({ status: 'running' });
    release();
    expect(await sweeping).toMatchObject({ sweepStatus: 'swept' });
  });
});
