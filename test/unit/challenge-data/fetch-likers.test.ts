import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  failLikersFetch,
  fetchLikersJob,
  fetchLikersNow,
  type LikersDeps,
  requestLikers,
} from '../../../core/engagement/challenge-data/fetch-likers.ts';
import { listLikers, readLikersStatus } from '../../../core/engagement/challenge-data/read-stored.ts';
import { DomainError } from '../../../core/errors.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import type { JobPayloads } from '../../../core/ports/job-queue.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import type { PlatformCallOptions, PlatformLiker } from '../../../core/ports/platform.ts';
import { platformsOf } from '../../support/platforms.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { createSweepWorld, ScriptedPlatform, type SweepWorld } from './support.ts';

const liker = (id: number): PlatformLiker => ({
  accountId: String(id),
  username: `user${id}`,
  fullName: null,
  isPrivate: false,
  isVerified: true,
  profilePicUrl: null,
});
const likers = (count: number) => Array.from({ length: count }, (_, index) => liker(index + 1));

let world: SweepWorld;
let platform: ScriptedPlatform;

async function begin(name: 'instagram' | 'tiktok' = 'instagram', shown = true) {
  await world?.storage.close();
  platform = new ScriptedPlatform(name, shown);
  world = await createSweepWorld(platform);
}
beforeEach(() => begin());
afterEach(() => world.storage.close());

const deps = (): LikersDeps => ({
  storage: world.storage,
  platforms: platformsOf(platform),
  queue: world.queue,
  clock: systemClock,
  logger: silentLogger,
});
const request = (maxCount = 1_000) => requestLikers(deps())(world.challenge.id, maxCount);
const status = () => readLikersStatus(deps())(world.challenge.id);
const list = (page = 1, limit = 20) => listLikers(deps())(world.challenge.id, { page, limit });

/** Runs the queued jobs as the `run`th time. */
async function runJobs(run = 1, signal = new AbortController().signal) {
  for (const { payload } of world.queue.jobs.splice(0)) {
    await fetchLikersJob(deps())(payload as JobPayloads['fetch-likers'], { run, signal });
  }
}

describe('fetching likers', () => {
  it('is queued, runs as a job, and is listed page by page', async () => {
    platform.likers = { likers: likers(30), totalLikes: 30 };
    expect(await status()).toBeNull();
    expect(await request()).toMatchObject({ status: 'queued', maxCount: 1_000, fetchedCount: 0, totalLikes: null });
    expect(await list()).toMatchObject({ fetch: null, items: [], total: 0 });
    await runJobs();
    expect(await status()).toMatchObject({ status: 'succeeded', fetchedCount: 30, totalLikes: 30, warning: null });
    expect(platform.asked).toEqual(['likers 1000', 'post']);
    const page = await list(2);
    expect(page.total).toBe(30);
    expect(page.items.map(({ igUserId }) => igUserId)).toEqual(
      likers(30)
        .slice(20)
        .map(({ accountId }) => accountId),
    );
  });

  it('takes no more than asked for, counts doubles once, and warns of what is missing', async () => {
    platform.likers = { likers: [liker(1), ...likers(10)], totalLikes: 500 };
    await request(5);
    await runJobs();
    expect(await status()).toMatchObject({
      fetchedCount: 5,
      warning: 'Only 5 of 500 likers were fetched: as many as were asked for.',
    });
    await request(3);
    platform.likers = { likers: likers(3), totalLikes: 500 };
    await runJobs();
    expect(await status()).toMatchObject({
      fetchedCount: 3,
      warning: 'Only 3 of 500 likers were fetched: as many as were asked for.',
    });
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

  it('stores likers in bounded batches', async () => {
    const store = world.storage.likers;
    const batches: number[] = [];
    const insertNew: typeof store.insertNew = (id, added) => {
      batches.push(added.length);
      return store.insertNew(id, added);
    };
    const fetchNow = fetchLikersNow({ ...deps(), storage: { ...world.storage, likers: { ...store, insertNew } } });
    for (const count of [0, 1_000, 1_001]) {
      platform.likers = { likers: likers(count), totalLikes: count };
      await fetchNow(world.challenge.id);
    }
    expect(batches).toEqual([500, 500, 500, 500, 1]);
    expect((await list()).total).toBe(1_001);
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
      await fetchLikersJob(deps())({ challengeId, fetchId: fetch.id }, { run: 1, signal });
      expect(await status()).toEqual(fetch);
    }
    await fetchLikersJob(deps())({ challengeId, fetchId: 999 }, { run: 1, signal });
    expect(platform.asked).toEqual([]);
  });

  it('by a process that stood still undoes nothing of what another has done meanwhile', async () => {
    const { id: challengeId } = world.challenge;
    const { id: fetchId } = await request();
    const { signal } = new AbortController();
    const store = world.storage.likers;
    // It stands still before its first write, then before its second one.
    for (const still of [1, 2]) {
      let writes = 0;
      platform.likers = { likers: likers(3), totalLikes: 3 };
      const updateFetch: typeof store.updateFetch = async (fetch) => {
        writes += 1;
        if (writes === still) {
          platform.likers = { likers: likers(2), totalLikes: 2 };
          await runJobs();
        }
        return store.updateFetch(fetch);
      };
      const stalled = { ...deps(), storage: { ...world.storage, likers: { ...store, updateFetch } } };
      const { length } = platform.asked;
      if (still === 1) {
        await fetchLikersJob(stalled)({ challengeId, fetchId }, { run: 1, signal });
        expect(await status()).toMatchObject({ id: fetchId, status: 'succeeded', fetchedCount: 2 });
      } else {
        platform.before = async () => {
          if (world.queue.jobs.length === 0) await request(10);
        };
        const fetch = await fetchLikersNow(stalled)(challengeId);
        expect(fetch).toEqual(await status());
        expect(fetch).toMatchObject({ status: 'succeeded', fetchedCount: 2 });
      }
      // What is over already is not even read.
      expect(platform.asked.slice(length).filter((request) => request !== 'post')).toHaveLength(still);
    }
  });

  it('of a challenge that was deleted meanwhile has failed at once', async () => {
    const fetch = await request();
    const campaigns = { ...world.storage.campaigns, find: async () => null };
    const storage = { ...world.storage, campaigns };
    const payload = { challengeId: world.challenge.id, fetchId: fetch.id };
    await fetchLikersJob({ ...deps(), storage })(payload, { run: 1, signal: new AbortController().signal });
    const errorMessage = `NOT_FOUND: There is no challenge ${world.challenge.id}.`;
    expect(await status()).toMatchObject({ status: 'failed', errorMessage });
  });

  it('tells when it began, once, and can be given up', async () => {
    await request();
    const [job] = world.queue.jobs;
    const signals: (AbortSignal | undefined)[] = [];
    platform.before = (_request, signal) => {
      signals.push(signal);
      throw new DomainError('PLATFORM_UNAVAILABLE', 'wall');
    };
    const { signal } = new AbortController();
    await expect(runJobs(1, signal)).rejects.toThrow('wall');
    const startedAt = (await status())?.startedAt;
    expect(startedAt).toEqual(expect.any(Date));
    if (job) world.queue.jobs.push(job);
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(startedAt?.getTime() ?? Infinity));
    await runJobs(5, signal);
    expect(signals).toEqual([signal, signal]);
    expect(await status()).toMatchObject({ status: 'failed', startedAt });
  });

  it('shows the latest that succeeded while another runs or fails', async () => {
    platform.likers = { likers: likers(3), totalLikes: 3 };
    await request();
    await runJobs();
    await request();
    expect((await list()).total).toBe(3);
    platform.before = () => {
      throw new DomainError('POST_NOT_FOUND', 'gone');
    };
    await runJobs();
    expect(await status()).toMatchObject({ status: 'failed', errorMessage: expect.stringContaining('POST_NOT_FOUND') });
    expect((await list()).total).toBe(3);
  });

  it('leaves passing refusals to the queue, and fails after the fifth', async () => {
    await request();
    const [job] = world.queue.jobs;
    platform.before = () => {
      throw new DomainError('PLATFORM_UNAVAILABLE', 'wall');
    };
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
    platform.before = () => {
      throw new DomainError('PLATFORM_TIMEOUT', 'aborted');
    };
    await expect(runJobs(5, stopped)).rejects.toThrow();
    expect(await status()).toMatchObject({ status: 'running' });
    platform.before = () => {};
    for (let count = 0; count < 2; count += 1) {
      if (job) world.queue.jobs.push(job);
      await runJobs(2);
    }
    expect((await list()).total).toBe(3);
  });

  it('here and now stores the fetch, failed ones too', async () => {
    platform.likers = { likers: likers(2), totalLikes: 2 };
    const fetchNow = () => fetchLikersNow(deps())(world.challenge.id);
    expect(await fetchNow()).toMatchObject({ status: 'succeeded', fetchedCount: 2 });
    platform.before = () => {
      throw new DomainError('PLATFORM_UNAVAILABLE', 'wall');
    };
    await expect(fetchNow()).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    expect(await status()).toMatchObject({
      status: 'failed',
      errorMessage: 'PLATFORM_UNAVAILABLE: wall',
      startedAt: expect.any(Date),
    });
  });

  it('that failed here and now stays as a job has completed it meanwhile', async () => {
    platform.likers = { likers: likers(3), totalLikes: 3 };
    let isFirst = true;
    platform.before = async () => {
      if (!isFirst) return;
      isFirst = false;
      expect(await request(10)).toMatchObject({ status: 'running', maxCount: 5_000 });
      await runJobs();
      throw new DomainError('PLATFORM_UNAVAILABLE', 'wall');
    };
    await expect(fetchLikersNow(deps())(world.challenge.id)).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    expect(await status()).toMatchObject({ status: 'succeeded', fetchedCount: 3, errorMessage: null });
    expect((await list()).total).toBe(3);
  });

  it('that fails is logged', async () => {
    const logger = createRecordingLogger();
    const err = new DomainError('PLATFORM_UNAVAILABLE', 'wall');
    platform.before = () => {
      throw err;
    };
    const { id: challengeId } = world.challenge;
    await expect(fetchLikersNow({ ...deps(), logger })(challengeId)).rejects.toBe(err);
    const fields = { challengeId, fetchId: (await status())?.id, err };
    expect(logger.lines).toEqual([{ level: 'warn', message: expect.any(String), fields }]);
  });

  it('is refused clearly where a platform shows no likers, and for unknown challenges', async () => {
    const refusal = { code: 'NOT_FOUND', message: 'There is no challenge 999.' };
    await expect(requestLikers(deps())(999, 10)).rejects.toMatchObject(refusal);
    await expect(fetchLikersNow(deps())(999)).rejects.toMatchObject(refusal);
    await expect(listLikers(deps())(999, { page: 1, limit: 20 })).rejects.toMatchObject(refusal);
    await expect(readLikersStatus(deps())(999)).rejects.toMatchObject(refusal);
    for (const [name, shown] of [
      ['instagram', 'Instagram'],
      ['tiktok', 'TikTok'],
    ] as const) {
      await begin(name, false);
      const unsupported = {
        code: 'NOT_SUPPORTED',
        message: `${shown} does not show who liked a post; use a comment challenge.`,
        details: { platform: name },
      };
      await expect(request()).rejects.toMatchObject(unsupported);
      await expect(fetchLikersNow(deps())(world.challenge.id)).rejects.toMatchObject(unsupported);
      expect(await status()).toBeNull();
    }
    expect(world.queue.jobs).toEqual([]);
  });
});

it('a fetch whose job is given up has failed; one that is over stays as it is', async () => {
  const failure = { error: 'TypeError: of a defect', signal: new AbortController().signal };
  const fetch = await request();
  const payload = { challengeId: world.challenge.id, fetchId: fetch.id };
  await failLikersFetch(deps())(payload, failure);
  expect(await status()).toMatchObject({ status: 'failed', errorMessage: 'An unexpected failure; see the log.' });
  platform.likers = { likers: likers(3), totalLikes: 3 };
  world.queue.jobs.splice(0);
  const next = await request();
  await runJobs();
  const over = await status();
  for (const fetchId of [next.id, 999]) await failLikersFetch(deps())({ ...payload, fetchId }, failure);
  expect(await status()).toEqual(over);
  expect(over).toMatchObject({ status: 'succeeded', fetchedCount: 3 });
  platform.before = () => {
    throw new DomainError('POST_NOT_FOUND', 'gone');
  };
  const last = await request();
  await runJobs();
  await failLikersFetch(deps())({ ...payload, fetchId: last.id }, failure);
  expect(await status()).toMatchObject({ id: last.id, errorMessage: 'POST_NOT_FOUND: gone' });
});

describe('the number of likes', () => {
  const postWith = (count: number | null) => {
    platform.getPost = async () => {
      platform.asked.push('post');
      const stats = { views: null, likes: count, comments: null, shares: null, saves: null };
      return { stats } as Awaited<ReturnType<typeof platform.getPost>>;
    };
  };

  it.each<[shown: number, listed: number | null, ofPost: number | null, total: number | null]>([
    // A list that is broken may call itself empty.
    [0, 0, 50_000, 50_000],
    [0, 0, 0, 0],
    [0, 0, null, null],
    [0, null, 12, 12],
    // What is shown in place of a hidden number.
    [100, 3, 50_000, 50_000],
    [100, 3, null, null],
    // A list that ends early and gives a total that fits.
    [100, 100, 50_000, 50_000],
    [100, 100, null, null],
    [100, 100, 99, 100],
    [2, 0, null, null],
    [2, null, null, null],
  ])('is asked of the post for %i likers of %s: with %s there, it is %s', async (shown, listed, ofPost, total) => {
    platform.likers = { likers: likers(shown), totalLikes: listed };
    postWith(ofPost);
    expect(await fetchLikersNow(deps())(world.challenge.id)).toMatchObject({ fetchedCount: shown, totalLikes: total });
    expect(platform.asked).toEqual(['likers 5000', 'post']);
  });

  it('is asked for in the name of the brand, as the likers are', async () => {
    platform.likers = { likers: [], totalLikes: null };
    const callers: unknown[] = [];
    const { getLikers } = platform;
    platform.getLikers = (post, count, options?: PlatformCallOptions) => {
      callers.push(options?.caller);
      return getLikers.call(platform, post, count, options);
    };
    platform.getPost = async (_post, options?: PlatformCallOptions) => {
      callers.push(options?.caller);
      return { stats: { likes: 3 } } as Awaited<ReturnType<typeof platform.getPost>>;
    };
    await fetchLikersNow(deps())(world.challenge.id);
    expect(callers).toEqual([expect.any(String), callers[0]]);
  });

  it('is what the list says if the post cannot be read, unless the list is empty', async () => {
    expect(await fetchLikersNow(deps())(world.challenge.id)).toMatchObject({ totalLikes: null, status: 'succeeded' });
    platform.likers = { likers: likers(2), totalLikes: 2 };
    expect(await fetchLikersNow(deps())(world.challenge.id)).toMatchObject({ totalLikes: 2, status: 'succeeded' });
  });

  it('is not asked of the post if the list itself lacks likers', async () => {
    platform.likers = { likers: likers(100), totalLikes: 500 };
    await fetchLikersNow(deps())(world.challenge.id);
    expect(platform.asked).toEqual(['likers 5000']);
  });

  it('includes likers that cannot be read', async () => {
    platform.likers = { likers: likers(9), totalLikes: 9, skipped: 1 };
    expect(await fetchLikersNow(deps())(world.challenge.id)).toMatchObject({ fetchedCount: 9, totalLikes: 10 });
  });
});
