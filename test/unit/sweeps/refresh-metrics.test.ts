import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type MetricsDeps,
  readMetrics,
  refreshMetrics,
  refreshMetricsJob,
} from '../../../core/engagement/sweeps/refresh-metrics.ts';
import { DomainError } from '../../../core/errors.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import type { PostDetails } from '../../../core/ports/platform.ts';
import { createSweepWorld, ScriptedPlatform, type SweepWorld } from './support.ts';

const post: PostDetails = {
  platform: 'instagram',
  contentType: 'post',
  contentId: 'C1',
  postUrl: 'https://www.instagram.com/p/C1/',
  owner: { handle: 'nasa', accountId: '1', secUid: null, displayName: null },
  post: { caption: null, postedAt: null, thumbnailUrl: 'https://cdn.example.com/1.jpg', mediaUrls: [] },
  stats: { views: null, likes: 10, comments: 2, shares: null, saves: 4 },
  source: 'scripted',
};

let world: SweepWorld;
let platform: ScriptedPlatform;

beforeEach(async () => {
  platform = new ScriptedPlatform();
  platform.post = post;
  world = await createSweepWorld(platform);
});
afterEach(() => world.storage.close());

const deps = (changes: Partial<MetricsDeps> = {}): MetricsDeps => ({
  campaigns: world.storage.campaigns,
  metrics: world.storage.metrics,
  platforms: new Map([['instagram', platform]]),
  queue: world.queue,
  clock: systemClock,
  logger: silentLogger,
  ...changes,
});
const refresh = (changes?: Partial<MetricsDeps>) => refreshMetrics(deps(changes))(world.challenge.id);
const refuse = (error: Error) => {
  platform.before = () => {
    throw error;
  };
};
const context = { signal: new AbortController().signal };

describe('refreshing metrics', () => {
  it('stores what the platform shows, null where it shows nothing', async () => {
    const outcome = await refresh();
    expect(outcome).toMatchObject({
      kind: 'refreshed',
      snapshot: {
        likeCount: 10,
        commentCount: 2,
        shareCount: null,
        viewCount: null,
        thumbnailUrl: 'https://cdn.example.com/1.jpg',
      },
    });
    if (outcome.kind === 'refreshed') expect(await readMetrics(deps())(world.challenge.id)).toEqual(outcome.snapshot);
    expect(world.queue.jobs).toEqual([]);
  });

  it.each(['POST_NOT_FOUND', 'POST_PRIVATE', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT'] as const)(
    'passes %s on and stores nothing',
    async (code) => {
      refuse(new DomainError(code, 'no'));
      await expect(refresh()).rejects.toMatchObject({ code });
      await expect(readMetrics(deps())(world.challenge.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  it('becomes a job when the platform wants to be left alone for a while', async () => {
    refuse(new DomainError('SCRAPING_RATE_LIMITED', 'slow', { retryAfterSeconds: 90 }));
    const before = Date.now();
    expect(await refresh()).toMatchObject({ kind: 'queued', challengeId: world.challenge.id });
    const [job] = world.queue.jobs;
    expect(job).toMatchObject({ type: 'refresh-metrics', payload: { challengeId: world.challenge.id } });
    expect(job?.runAt?.getTime()).toBeGreaterThanOrEqual(before + 90_000);
    platform.before = () => {};
    await refreshMetricsJob(deps())({ challengeId: world.challenge.id }, context);
    expect(await readMetrics(deps())(world.challenge.id)).toMatchObject({ likeCount: 10 });
  });

  it('becomes a job when it takes too long', async () => {
    platform.before = (_request, signal) =>
      new Promise<void>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new DomainError('PLATFORM_TIMEOUT', 'out of time')));
      });
    expect(await refresh({ patienceMs: 30 })).toMatchObject({ kind: 'queued' });
    expect(world.queue.jobs).toHaveLength(1);
  });

  it('the job gives up on definitive refusals and leaves passing ones to the queue', async () => {
    const run = () => refreshMetricsJob(deps())({ challengeId: world.challenge.id }, context);
    refuse(new DomainError('POST_NOT_FOUND', 'gone'));
    await run();
    refuse(new DomainError('PLATFORM_UNAVAILABLE', 'wall'));
    await expect(run()).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    await refreshMetricsJob(deps())({ challengeId: 999 }, context);
  });

  it('of an unknown challenge is refused', async () => {
    await expect(refreshMetrics(deps())(999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(readMetrics(deps())(999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
