import { describe, expect, it } from 'vitest';
import {
  failLikersFetch,
  fetchLikersJob,
  fetchLikersNow,
  requestLikers,
} from '../../../core/engagement/challenge-data/fetch-likers.ts';
import { listLikers, readLikersStatus } from '../../../core/engagement/challenge-data/read-stored.ts';
import { DomainError } from '../../../core/errors.ts';
import type { JobPayloads } from '../../../core/ports/job-queue.ts';
import type { PlatformLiker } from '../../../core/ports/platform.ts';
import { platform, sweepInEachTest, world } from './support.ts';

const liker = (id: number): PlatformLiker => ({
  accountId: String(id),
  username: `user${id}`,
  fullName: null,
  isPrivate: false,
  isVerified: true,
  profilePicUrl: null,
});
const likers = (count: number) => Array.from({ length: count }, (_, index) => liker(index + 1));

sweepInEachTest();

const request = (maxCount = 1_000) => requestLikers(world.deps)(world.challenge.id, maxCount);
const fetchNow = () => fetchLikersNow(world.deps)(world.challenge.id);
const status = () => readLikersStatus(world.deps)(world.challenge.id);
const list = (page = 1, limit = 20) => listLikers(world.deps)(world.challenge.id, { page, limit });

/** Runs the queued jobs as the `run`th time. */
async function runJobs(run = 1, signal = new AbortController().signal) {
  for (const { payload } of world.queue.jobs.splice(0)) {
    await fetchLikersJob(world.deps)(payload as JobPayloads['fetch-likers'], { run, signal });
  }
}

describe('fetching likers', () => {
  it('takes no more than asked for, counts doubles once, and warns of what is missing', async () => {
    platform.likers = { likers: [liker(1), ...likers(10)], totalLikes: 500 };
    await request(5);
    await runJobs();
    const only = (count: number) => `Only ${count} of 500 likers were fetched: as many as were asked for.`;
    expect(await status()).toMatchObject({ fetchedCount: 5, warning: only(5) });
    await request(3);
    platform.likers = { likers: likers(3), totalLikes: 500 };
    await runJobs();
    expect(await status()).toMatchObject({ fetchedCount: 3, warning: only(3) });
    platform.likers = { likers: likers(100), totalLikes: 500 };
    await request(5_000);
    await runJobs();
    expect(await status()).toMatchObject({ fetchedCount: 100, warning: expect.stringContaining('shows no more') });
    expect((await list()).fetch?.warning).toContain('100 of 500');
  });

  it('warns where the platform hides how many there are', async () => {
    platform.likers = { likers: likers(2), totalLikes: null };
    await request();
    await runJobs();
    expect(await status()).toMatchObject({
      fetchedCount: 2,
      totalLikes: null,
      warning: 'The platform hides the number of likes: there may be more likers than these.',
    });
  });

  it('joins a fetch under way that asks for as many; a bigger one is its own', async () => {
    const first = await request(100);
    expect((await request(100)).id).toBe(first.id);
    expect((await request(50)).id).toBe(first.id);
    const { id: challengeId } = world.challenge;
    const job = { type: 'fetch-likers', key: `likers:${first.id}`, payload: { challengeId, fetchId: first.id } };
    expect(world.queue.jobs).toEqual([job, job, job]);
    await world.storage.likers.updateFetch({ ...first, status: 'running', startedAt: new Date() });
    expect((await request(100)).id).toBe(first.id);
    expect((await request(101)).id).not.toBe(first.id);
    await runJobs();
    expect((await request(100)).id).not.toBe(first.id);
  });

  it('is not done again once it is over, and nothing is done for one that is gone', async () => {
    const { id: challengeId } = world.challenge;
    const { signal } = new AbortController();
    for (const over of ['succeeded', 'failed'] as const) {
      const fetch = { ...(await request()), status: over };
      await world.storage.likers.updateFetch(fetch);
      await fetchLikersJob(world.deps)({ challengeId, fetchId: fetch.id }, { run: 1, signal });
      expect(await status()).toEqual(fetch);
    }
    await fetchLikersJob(world.deps)({ challengeId, fetchId: 999 }, { run: 1, signal });
    expect(platform.asked).toEqual([]);
  });

  it('of a challenge that was deleted meanwhile has failed at once', async () => {
    const fetch = await request();
    const campaigns = { ...world.storage.campaigns, find: async () => null };
    const storage = { ...world.storage, campaigns };
    const payload = { challengeId: world.challenge.id, fetchId: fetch.id };
    await fetchLikersJob({ ...world.deps, storage })(payload, { run: 1, signal: new AbortController().signal });
    const errorMessage = `NOT_FOUND: There is no challenge ${world.challenge.id}.`;
    expect(await status()).toMatchObject({ status: 'failed', errorMessage });
  });

  it('leaves passing refusals to the queue, and fails after the fifth', async () => {
    await request();
    const [job] = world.queue.jobs;
    platform.refuse(new DomainError('PLATFORM_UNAVAILABLE', 'wall'));
    await expect(runJobs(4)).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    expect(await status()).toMatchObject({ status: 'running', errorMessage: null });
    if (job) world.queue.jobs.push(job);
    await runJobs(5);
    expect(await status()).toMatchObject({ status: 'failed', finishedAt: expect.any(Date) });
  });

  it('cut off by a stop or a crash runs again, over what it had stored', async () => {
    platform.likers = { likers: likers(3), totalLikes: 3 };
    await request();
    const [job] = world.queue.jobs;
    const stopped = AbortSignal.abort(new Error('stopping'));
    platform.refuse(new DomainError('PLATFORM_TIMEOUT', 'aborted'));
    await expect(runJobs(5, stopped)).rejects.toThrow();
    expect(await status()).toMatchObject({ status: 'running' });
    platform.refuseNothing();
    for (let count = 0; count < 2; count += 1) {
      if (job) world.queue.jobs.push(job);
      await runJobs(2);
    }
    expect((await list()).total).toBe(3);
  });

  it('here and now stores the fetch, failed ones too', async () => {
    platform.likers = { likers: likers(2), totalLikes: 2 };
    expect(await fetchNow()).toMatchObject({ status: 'succeeded', fetchedCount: 2 });
    platform.refuse(new DomainError('PLATFORM_UNAVAILABLE', 'wall'));
    await expect(fetchNow()).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    const errorMessage = 'PLATFORM_UNAVAILABLE: wall';
    expect(await status()).toMatchObject({ status: 'failed', errorMessage, startedAt: expect.any(Date) });
  });
});

it('a fetch whose job is given up has failed; one that is over stays as it is', async () => {
  const failure = { error: 'TypeError: of a defect', signal: new AbortController().signal };
  const fetch = await request();
  const payload = { challengeId: world.challenge.id, fetchId: fetch.id };
  await failLikersFetch(world.deps)(payload, failure);
  expect(await status()).toMatchObject({ status: 'failed', errorMessage: 'An unexpected failure; see the log.' });
  platform.likers = { likers: likers(3), totalLikes: 3 };
  world.queue.jobs.splice(0);
  const next = await request();
  await runJobs();
  const over = await status();
  for (const fetchId of [next.id, 999]) await failLikersFetch(world.deps)({ ...payload, fetchId }, failure);
  expect(await status()).toEqual(over);
  expect(over).toMatchObject({ status: 'succeeded', fetchedCount: 3 });
  platform.refuse(new DomainError('POST_NOT_FOUND', 'gone'));
  const last = await request();
  await runJobs();
  await failLikersFetch(world.deps)({ ...payload, fetchId: last.id }, failure);
  expect(await status()).toMatchObject({ id: last.id, errorMessage: 'POST_NOT_FOUND: gone' });
});

describe('the number of likes', () => {
  it.each<[shown: number, listed: number | null, ofPost: number | null, total: number | null]>([
    // A list that is broken may call itself empty.
    [0, 0, 50_000, 50_000],
    [0, 0, null, null],
    [0, null, 12, 12],
    // What is shown in place of a hidden number.
    [100, 3, 50_000, 50_000],
    [100, 3, null, null],
    // A list that ends early and gives a total that fits.
    [100, 100, 50_000, 50_000],
    [100, 100, null, null],
    [100, 100, 99, 100],
  ])('is asked of the post for %i likers of %s: with %s there, it is %s', async (shown, listed, ofPost, total) => {
    platform.likers = { likers: likers(shown), totalLikes: listed };
    platform.shows({ likes: ofPost });
    expect(await fetchNow()).toMatchObject({ fetchedCount: shown, totalLikes: total });
    expect(platform.asked).toEqual(['likers 5000', 'post']);
  });

  it('is what was known, until too few are shown for twelve hours', async () => {
    const at = async (hours: number, count: number) => {
      platform.likers = { likers: likers(count), totalLikes: count };
      const clock = { now: () => new Date(Date.UTC(2026, 2, 1, hours)) };
      return (await fetchLikersNow({ ...world.deps, clock })(world.challenge.id)).totalLikes;
    };
    expect(await at(0, 20)).toBe(20);
    for (const hours of [100, 101, 106, 112]) expect(await at(hours, 3)).toBe(20);
    expect(await at(113, 0)).toBe(20);
    expect(await at(114, 3)).toBe(3);
  });

  it('is what the list says if the post cannot be read, unless the list is empty', async () => {
    expect(await fetchNow()).toMatchObject({ totalLikes: null, status: 'succeeded' });
    platform.likers = { likers: likers(2), totalLikes: 2 };
    expect(await fetchNow()).toMatchObject({ totalLikes: 2, status: 'succeeded' });
  });

  it('is not asked of the post if the list itself lacks likers', async () => {
    platform.likers = { likers: likers(100), totalLikes: 500 };
    await fetchNow();
    expect(platform.asked).toEqual(['likers 5000']);
  });

  it('includes likers that cannot be read', async () => {
    platform.likers = { likers: likers(9), totalLikes: 9, skipped: 1 };
    expect(await fetchNow()).toMatchObject({ fetchedCount: 9, totalLikes: 10 });
  });
});
