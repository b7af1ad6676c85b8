import { expect } from 'vitest';
import { createCampaign, expectKeys } from '../fixtures.ts';
import type { Stage } from '../stage.ts';
import type { ParityWorld } from '../world.ts';

export async function challengeData(stage: Stage, { world, posts }: ParityWorld): Promise<void> {
  const { challengeId } = await createCampaign(stage, 'data', posts.instagram.url);
  const params = { challengeId };
  const nowhere = { challengeId: 999_999 };

  expect((await stage.ok(200, 'listComments', { params })).data).toEqual([]);
  const swept = await stage.ok(200, 'refreshComments', { params });
  const total = world.findPost('instagram', posts.instagram.contentId)?.thread.total;
  expect(swept.data).toEqual({
    totalFetched: total,
    sweepStatus: 'swept',
    historyComplete: true,
    expectedTotal: total,
    warning: null,
  });
  expect(await stage.ok(200, 'refreshComments', { params })).toEqual(swept);
  const page = await stage.ok(200, 'listComments', { params, query: { page: 2, limit: 20 } });
  expectKeys(page.data?.['0'], 'id platformCommentId username authorId commentText commentedAt createdAt');
  expect(page.pagination).toEqual({ page: 2, limit: 20, total });
  const all = await stage.ok(200, 'listComments', { params, query: { limit: 100 } });
  const walked: unknown[] = [];
  for (let cursor = ''; cursor !== 'null'; ) {
    const part = await stage.ok(200, 'listComments', { params, query: { limit: 7, cursor } });
    walked.push(...Object.values(part.data ?? {}));
    expectKeys(part.pagination, 'page limit total nextCursor');
    cursor = String(part.pagination?.nextCursor);
  }
  expect(walked.slice(0, 100)).toEqual(all.data);
  await stage.refuse('INVALID_REQUEST', 'listComments', { params, query: { cursor: 'nonsense' } });
  await stage.refuse('INVALID_REQUEST', 'listComments', { params, query: { limit: 101 } });
  await stage.refuse('NOT_FOUND', 'listComments', { params: nowhere });
  await stage.refuse('NOT_FOUND', 'refreshComments', { params: nowhere });

  await stage.refuse('NOT_FOUND', 'getMetrics', { params });
  const metrics = await stage.ok(200, 'refreshMetrics', { params });
  expectKeys(metrics.data, 'likeCount commentCount shareCount viewCount fetchedAt thumbnailUrl');
  // Instagram shows neither to visitors.
  expect(metrics.data).toMatchObject({ shareCount: 0, viewCount: null });
  const latest = await stage.ok(200, 'getMetrics', { params });
  expectKeys(latest.data, 'likeCount commentCount shareCount viewCount fetchedAt');
  await stage.refuse('NOT_FOUND', 'getMetrics', { params: nowhere });
  await stage.refuse('NOT_FOUND', 'refreshMetrics', { params: nowhere });

  expect(await stage.ok(200, 'getLikersStatus', { params })).toEqual({ data: null });
  const none = await stage.ok(200, 'listLikers', { params });
  expect(none).toMatchObject({ data: [], pagination: { total: 0 } });
  expectKeys(none, 'data pagination');
  const queued = await stage.ok(202, 'refreshLikers', { params, query: { maxCount: 5 } });
  expectKeys(
    queued.data,
    'challengeId status fetchedCount totalLikes errorMessage warning startedAt finishedAt requestedAt',
  );
  const status = await stage.until('getLikersStatus', { params }, ({ data }) => String(data?.status) === 'succeeded');
  expect(status.data).toMatchObject({ fetchedCount: 5, totalLikes: 21, errorMessage: null });
  const likers = await stage.ok(200, 'listLikers', { params, query: { limit: 2 } });
  expectKeys(likers, 'data pagination warning');
  expectKeys(
    likers.data?.['0'],
    'id username fullName igUserId isPrivate isVerified profilePicUrl likedPost postUrl totalLikes',
  );
  expect(String(likers.warning)).toContain('5 of 21');
  for (const maxCount of ['0', '5001', 'x', '']) {
    await stage.refuse('INVALID_REQUEST', 'refreshLikers', { params, query: { maxCount } });
  }
  for (const id of ['refreshLikers', 'getLikersStatus', 'listLikers']) {
    await stage.refuse('NOT_FOUND', id, { params: nowhere });
  }

  // Refusals of the platform come through with their reason.
  const gone = await createCampaign(stage, 'data-gone', posts.deleted.url);
  for (const id of ['refreshComments', 'refreshMetrics']) {
    await stage.refuse('POST_NOT_FOUND', id, { params: { challengeId: gone.challengeId } });
  }
  await stage.refuse('NOT_SUPPORTED', 'refreshLikers', { params: { challengeId: gone.challengeId } });
  const restricted = await createCampaign(stage, 'data-age', posts.ageRestricted.url);
  await stage.refuse('POST_AGE_RESTRICTED', 'refreshMetrics', { params: { challengeId: restricted.challengeId } });

  const slow = await createCampaign(stage, 'data-slow', posts.long.url);
  const { contentId } = posts.long;
  const limited = { platform: 'tiktok', contentId, shape: 'rate-limited', retryAfterSeconds: 30 } as const;
  const rule = world.failures.add(limited);
  const waiting = await stage.ok(202, 'refreshMetrics', { params: { challengeId: slow.challengeId } });
  expectKeys(waiting.data, 'challengeId status requestedAt');
  expect(waiting.data).toMatchObject({ challengeId: slow.challengeId, status: 'queued' });
  world.failures.remove(rule);
}
