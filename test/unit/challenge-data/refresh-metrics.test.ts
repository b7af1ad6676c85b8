import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type MetricsDeps,
  readMetrics,
  refreshMetrics,
  refreshMetricsJob,
} from '../../../core/engagement/challenge-data/refresh-metrics.ts';
import { DomainError } from '../../../core/errors.ts';
import type { PostDetails } from '../../../core/ports/platform.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { platform, sweepInEachTest, world } from './support.ts';

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

sweepInEachTest();
beforeEach(() => {
  platform.post = post;
});

const deps = (changes: Partial<MetricsDeps> = {}): MetricsDeps => ({ ...world.deps, ...changes });
const refresh = (changes?: Partial<MetricsDeps>) => refreshMetrics(deps(changes))(world.challenge.id);
const context = { signal: new AbortController().signal };

describe('refreshing metrics', () => {
  it('says so if the challenge is deleted meanwhile, for no snapshot is kept', async () => {
    platform.before = async () => void (await world.storage.campaigns.delete(world.challenge.campaignId));
    const message = `There is no challenge ${world.challenge.id}.`;
    await expect(refresh()).rejects.toMatchObject({ code: 'NOT_FOUND', message });
  });

  it.each([
    [90, 90_000],
    [undefined, 60_000],
  ])('becomes a job when the platform wants to be left alone (for %s seconds)', async (retryAfterSeconds, wait) => {
    const now = new Date('2026-11-01T09:00:00Z');
    const { id } = world.challenge;
    platform.refuse(new DomainError('SCRAPING_RATE_LIMITED', 'slow', retryAfterSeconds ? { retryAfterSeconds } : {}));
    const outcome = await refresh({ clock: { now: () => now } });
    expect(outcome).toEqual({ kind: 'queued', challengeId: id, requestedAt: now });
    const runAt = new Date(now.getTime() + wait);
    expect(world.queue.jobs).toEqual([
      { type: 'refresh-metrics', key: `metrics:${id}`, payload: { challengeId: id }, runAt },
    ]);
    platform.refuseNothing();
    await refreshMetricsJob(deps())({ challengeId: id }, context);
    expect(await readMetrics(deps())(id)).toMatchObject({ likeCount: 10 });
  });

  describe('that takes too long', () => {
    const start = new Date('2026-11-01T09:00:00Z');
    let now: Date;
    beforeEach(() => {
      now = start;
    });
    const clock = { now: () => now, monotonicMs: () => now.getTime() };
    const timeout = () => new DomainError('PLATFORM_TIMEOUT', 'out of time');
    /** The platform answers nothing until it is given up. */
    const hang = (error: () => Error = timeout) => {
      platform.before = (_request, signal) =>
        new Promise<void>((_resolve, reject) => {
          if (signal?.aborted) reject(error());
          signal?.addEventListener('abort', () => reject(error()));
        });
    };

    it.each([
      ['given up as a refusal', timeout],
      ['given up as a defect', () => new DOMException('aborted', 'AbortError')],
    ])('becomes a job at once: %s', async (_what, error) => {
      hang(error);
      expect(await refresh({ patienceMs: 20, clock })).toMatchObject({ kind: 'queued' });
      expect(world.queue.jobs).toMatchObject([{ runAt: start }]);
    });

    it('becomes a job when the platform saw the deadline coming', async () => {
      const takes = (milliseconds: number) => {
        now = start;
        platform.before = () => {
          now = new Date(start.getTime() + milliseconds);
          throw timeout();
        };
        return refresh({ clock });
      };
      await expect(takes(24_999)).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT' });
      expect(await takes(25_000)).toMatchObject({ kind: 'queued' });
      expect(world.queue.jobs).toMatchObject([{ runAt: now }]);
    });

    it('becomes no job when nobody waits any more', async () => {
      hang();
      const controller = new AbortController();
      const refreshing = refreshMetrics(deps({ clock }))(world.challenge.id, controller.signal);
      await vi.waitFor(() => expect(platform.asked).toEqual(['post']));
      controller.abort();
      await expect(refreshing).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT' });
      expect(world.queue.jobs).toEqual([]);
    });
  });

  it('that breaks down does not count as waiting', async () => {
    platform.refuse(new TypeError('defect'));
    await expect(refresh()).rejects.toThrow(TypeError);
    expect(world.queue.jobs).toEqual([]);
  });

  it('the job gives up on permanent refusals and leaves transient ones to the queue', async () => {
    const logger = createRecordingLogger();
    const { id: challengeId } = world.challenge;
    const run = () => refreshMetricsJob(deps({ logger }))({ challengeId }, context);
    const err = new DomainError('POST_NOT_FOUND', 'gone');
    platform.refuse(err);
    await run();
    expect(logger.lines).toEqual([{ level: 'warn', message: expect.any(String), fields: { challengeId, err } }]);
    platform.refuse(new DomainError('PLATFORM_UNAVAILABLE', 'wall'));
    await expect(run()).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    await refreshMetricsJob(deps())({ challengeId: 999 }, context);
  });
});
