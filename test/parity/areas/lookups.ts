import { expect } from 'vitest';
import { expectKeys } from '../fixtures.ts';
import type { Stage } from '../stage.ts';
import type { ParityWorld } from '../world.ts';

const DETAIL_KEYS = 'platform contentType postUrl owner post stats source';

/** A post URL beyond what a URL may be, within what a server takes. */
const OVERLONG = `https://www.instagram.com/p/C8xample123/?utm=${'x'.repeat(4_000)}`;

export async function lookups(stage: Stage, { posts }: ParityWorld): Promise<void> {
  const as = 'client';
  const stats = await stage.ok(200, 'readPostStats', { as, query: { url: posts.instagram.url } });
  expectKeys(stats, DETAIL_KEYS);
  expectKeys(stats.owner, 'handle accountId secUid displayName');
  expectKeys(stats.post, 'caption postedAt thumbnailUrl mediaUrls');
  expectKeys(stats.stats, 'views likes comments shares saves');
  await stage.ok(200, 'readPostStats', { as, query: { url: posts.tiktok.url } });
  await stage.ok(200, 'readPostStats', { as, query: { url: 'https://www.tiktok.com/t/ZTparity1/' } });
  await stage.refuse('INVALID_REQUEST', 'readPostStats', { as });
  const refusals = [
    ['VALIDATION_ERROR', 'https://example.com/p/abc/'],
    ['VALIDATION_ERROR', ''],
    ['VALIDATION_ERROR', OVERLONG],
    ['POST_NOT_FOUND', posts.deleted.url],
    ['POST_AGE_RESTRICTED', posts.ageRestricted.url],
    ['POST_PRIVATE', posts.privatePost.url],
    ['PLATFORM_UNAVAILABLE', posts.broken.url],
  ] as const;
  for (const [code, url] of refusals) await stage.refuse(code, 'readPostStats', { as, query: { url } });

  const first = await stage.ok(200, 'readPostComments', { as, query: { url: posts.long.url } });
  expectKeys(first, 'platform postUrl comments nextCursor hasMore');
  expectKeys(first.comments?.['0'], 'id username authorId text createdAt likeCount replyCount');
  const seen = new Set<string>();
  let page = first;
  for (;;) {
    for (const { id } of Object.values(page.comments ?? {})) seen.add(String(id));
    if (page.hasMore?.valueOf() !== true) break;
    const query = { url: posts.long.url, cursor: String(page.nextCursor) };
    page = await stage.ok(200, 'readPostComments', { as, query });
  }
  expect(seen.size).toBe(60);
  expect(page.nextCursor).toBeNull();
  const empty = await stage.ok(200, 'readPostComments', { as, query: { url: posts.coverless.url } });
  expect(empty).toMatchObject({ comments: [], hasMore: false, nextCursor: null });
  const beginning = { url: posts.long.url, cursor: '' };
  expect(await stage.ok(200, 'readPostComments', { as, query: beginning })).toEqual(first);
  const forged = { url: posts.long.url, cursor: 'forged' };
  await stage.send('readPostComments', { as, query: forged });
  await stage.refuse('INVALID_REQUEST', 'readPostComments', { as, query: forged });
  for (const url of ['', OVERLONG]) await stage.refuse('VALIDATION_ERROR', 'readPostComments', { as, query: { url } });
  await stage.refuse('INVALID_REQUEST', 'readPostComments', { as });
  await stage.refuse('POST_NOT_FOUND', 'readPostComments', { as, query: { url: posts.deleted.url } });

  const profile = await stage.ok(200, 'readProfile', { as, query: { platform: 'instagram', handle: '@ADA.runs' } });
  expectKeys(profile, 'platform profile');
  expectKeys(
    profile.profile,
    'handle accountId secUid displayName bio profilePictureUrl isVerified isPrivate followerCount mediaCount',
  );
  await stage.ok(200, 'readProfile', { as, query: { platform: 'tiktok', handle: 'dana.moves' } });
  await stage.refuse('PROFILE_NOT_FOUND', 'readProfile', { as, query: { platform: 'instagram', handle: 'never_was' } });
  for (const query of [
    'handle=x',
    'platform=instagram',
    'platform=myspace&handle=x',
    'platform=instagram&handle=',
    'platform=instagram&handle=https%3A%2F%2Finstagram.com%2Fx',
  ]) {
    await stage.refuse('INVALID_REQUEST', 'readProfile', { as, query });
  }

  const urls = [
    posts.instagram.url,
    OVERLONG,
    posts.deleted.url,
    posts.tiktok.url,
    `${posts.instagram.url}?utm_source=twice`,
    posts.privatePost.url,
    posts.broken.url,
  ];
  const batch = await stage.ok(200, 'readPostStatsBatch', { as, body: { urls } });
  expectKeys(batch, 'results summary');
  expect(batch.summary).toEqual({ total: 7, succeeded: 3, failed: 4 });
  const results = Object.values(batch.results ?? {});
  expect(results.map(({ url }) => url)).toEqual(urls);
  expect(results.map(({ ok, error }) => (ok?.valueOf() === true ? 'ok' : error?.code))).toEqual([
    'ok',
    'VALIDATION_ERROR',
    'POST_NOT_FOUND',
    'ok',
    'ok',
    'POST_PRIVATE',
    'PLATFORM_UNAVAILABLE',
  ]);
  expectKeys(results[0], `url ok ${DETAIL_KEYS}`);
  expectKeys(results[1], 'url ok error');
  for (const body of [
    {},
    { urls: [] },
    { urls: 'x' },
    { urls: [1] },
    { urls: Array.from({ length: 26 }, () => 'x') },
  ]) {
    await stage.refuse('VALIDATION_ERROR', 'readPostStatsBatch', { as, body });
  }

  const usage = (await stage.ok(200, 'readUsage', { as })).data;
  expect(usage?.batch).toEqual({ billableUnits: 3, requests: 1 });
  await stage.ok(200, 'readUsage', { as: 'creator' });
  expect((await stage.ok(200, 'readCaller', { as: 'creator' })).data).toMatchObject({ role: 'creator', brandId: null });

  const cover = await stage.ok(200, 'readPostThumbnail', { query: { url: posts.tiktok.url, extra: 'ignored' } });
  expectKeys(cover.data, 'platform contentType canonicalUrl thumbnailUrl');
  const bare = await stage.ok(200, 'readPostThumbnail', { query: { url: posts.coverless.url } });
  expect(bare.data?.thumbnailUrl).toBeNull();
  await stage.refuse('POST_NOT_FOUND', 'readPostThumbnail', { query: { url: posts.deleted.url } });
  await stage.refuse('POST_AGE_RESTRICTED', 'readPostThumbnail', { query: { url: posts.ageRestricted.url } });
  for (const url of [
    'https://www.instagram.com/nasa/',
    'https://www.tiktok.com/t/ZTparity1/',
    'https://www.tiktok.com/@a/photo/7300000000000000000',
    'https://www.instagram.com.evil.example/p/abc/',
    'nonsense',
    '',
    OVERLONG,
  ]) {
    await stage.refuse('VALIDATION_ERROR', 'readPostThumbnail', { query: { url } });
  }
  await stage.refuse('INVALID_REQUEST', 'readPostThumbnail');
}

/** The limits that are counted per post, per caller and per address. */
export async function limits(stage: Stage, { posts }: ParityWorld): Promise<void> {
  const caller = { token: await newAdminToken(stage) };
  const ask = (url: string, record: boolean) => stage.send('readPostThumbnail', { as: caller, query: { url } }, record);
  for (let count = 0; count < 9; count += 1) expect((await ask(posts.tiktok.url, false)).status).toBe(200);
  // Every spelling of the URL is the same post.
  const eleventh = await ask(`${posts.tiktok.url}?utm=x`, true);
  expect(eleventh.status).toBe(429);
  expect(Number(eleventh.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(eleventh.headers.get('ratelimit')).toContain('"thumbnail-post";r=0');
  expect(eleventh.headers.get('ratelimit-policy')).toContain('"thumbnail-post";q=10;w=300');
  for (let count = 10; count < 100; count += 1) expect((await ask(posts.tiktok.url, false)).status).toBe(429);
  const hundredAndFirst = await ask(posts.coverless.url, true);
  expect(hundredAndFirst.status).toBe(429);
  expect(hundredAndFirst.headers.get('ratelimit')).toContain('"thumbnail-caller";r=0');

  // A batch that needs more units than are left in the minute is refused whole.
  const units = (count: number) => ({
    as: 'client' as const,
    body: { urls: Array.from({ length: count }, () => 'x') },
  });
  const full = await stage.send('readPostStatsBatch', units(25));
  expect(full.headers.get('ratelimit')).toMatch(/^"batch-urls";r=28;/);
  await stage.ok(200, 'readPostStatsBatch', units(25));
  const refused = await stage.refuse('SCRAPING_RATE_LIMITED', 'readPostStatsBatch', units(4));
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('ratelimit')).toMatch(/^"batch-urls";r=3;/);
  // What a client says about its address counts for nothing unless the host trusts a proxy.
  const elsewhere = { ...units(4), headers: { 'x-forwarded-for': '203.0.113.7' } };
  await stage.refuse('SCRAPING_RATE_LIMITED', 'readPostStatsBatch', elsewhere);
  await stage.ok(200, 'readPostStatsBatch', units(3));
}

async function newAdminToken(stage: Stage): Promise<string> {
  const { data } = await stage.ok(201, 'createToken', { body: { name: 'limits', role: 'admin' } });
  return String(data?.token);
}
