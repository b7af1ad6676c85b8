import { afterAll, describe, expect, it } from 'vitest';
import { createDataProviderPlatform } from '../../../adapters/data-provider/index.ts';
import { createInstagramPlatform } from '../../../adapters/instagram/index.ts';
import { createTikTokPlatform } from '../../../adapters/tiktok/index.ts';
import { readComments } from '../../../core/lookups/read-comments.ts';
import { resolvePost } from '../../../core/lookups/resolve-post.ts';
import type { CommentPage, Platform } from '../../../core/ports/platform.ts';
import { SIMULATED_PROVIDER_KEY } from '../../../hosts/platform-simulator/data-provider/site.ts';
import { createPlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import { platformsOf, postRef, type SpecifiedPlatform } from '../../support/platforms.ts';

const SESSION = '42%3Aalive';
const simulator = await createPlatformSimulator();
simulator.world.sessions.set(SESSION, 'live');
afterAll(() => simulator.close());

const { dataProviderBaseUrl: baseUrl } = simulator;
const provider = (platform: SpecifiedPlatform): Platform =>
  createDataProviderPlatform({ platform, key: SIMULATED_PROVIDER_KEY, baseUrl, pacing: 'off' });
const instagram = (sessionIds: string[]): Platform =>
  createInstagramPlatform({ baseUrl: simulator.instagramBaseUrl, pacing: 'off', sessionIds });

describe('a page of comments', () => {
  it.each<readonly [name: string, hasPreviews: boolean, open: () => Platform]>([
    ['Instagram with a session', true, () => instagram([SESSION])],
    ['Instagram logged out', false, () => instagram([])],
    ['TikTok', false, () => createTikTokPlatform({ baseUrl: simulator.tiktokBaseUrl, pacing: 'off' })],
    ['the data provider for Instagram', false, () => provider('instagram')],
    ['the data provider for TikTok', false, () => provider('tiktok')],
  ])('of %s holds the top-level comments, and no reply', async (_name, hasPreviews, open) => {
    const platform = open();
    const { name } = platform;
    const replies = { every: 2, count: 2 };
    const { contentId, thread } = simulator.world.addPost({ platform: name, owner: 'maker', comments: 12, replies });
    const ref = postRef(name, contentId, 'maker');
    const whole = await platform.getComments(ref, null);
    expect(whole.comments.some(({ parentId }) => parentId !== null)).toBe(hasPreviews);

    const platforms = platformsOf(platform);
    const lookup = await readComments({ platforms, resolvePost: resolvePost({ platforms }) })(ref.canonicalUrl, null);
    expect(lookup.comments.map(({ id }) => id)).toEqual(thread.page(0, 20).map(({ id }) => id));
    await platform.close();
  });

  it.each<readonly [string, string | null, Partial<CommentPage>, boolean]>([
    ['with a total', null, { expectedTotal: 551 }, true],
    ['with comments that cannot be read', null, { expectedTotal: 0, skipped: 1 }, true],
    ['of a post without comments', null, { expectedTotal: 0 }, false],
    ['without a total', null, { expectedTotal: null }, false],
    ['that is not the last one', null, { expectedTotal: 551, nextCursor: 'more' }, false],
    ['that is not the first one', 'more', { expectedTotal: 551 }, false],
  ])('refuses an empty page only if it denies comments: one %s', async (_what, at, page, isRefused) => {
    const ref = postRef('tiktok', '7000000000000000001', 'maker');
    const platform: Platform = {
      ...createTikTokPlatform({ baseUrl: simulator.tiktokBaseUrl, pacing: 'off' }),
      getComments: async (_post, cursor) => {
        const isAsked = cursor === at;
        return { comments: [], nextCursor: isAsked ? null : 'more', ...(isAsked ? page : {}) };
      },
    };
    const platforms = platformsOf(platform);
    const read = readComments({ platforms, resolvePost: resolvePost({ platforms }) });
    const cursor = at === null ? null : (await read(ref.canonicalUrl, null)).nextCursor;
    const answer = read(ref.canonicalUrl, cursor);
    if (isRefused) await expect(answer).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    else expect(await answer).toMatchObject({ comments: [] });
    await platform.close();
  });

  it('ends a list whose cursor leads to itself', async () => {
    const platform = createTikTokPlatform({ baseUrl: simulator.tiktokBaseUrl, pacing: 'off' });
    const ref = postRef('tiktok', '7000000000000000001', 'maker');
    const stuck: Platform = {
      ...platform,
      getComments: async () => ({ comments: [], nextCursor: 'again', totalCount: null, skipped: 0 }) as never,
    };
    const platforms = platformsOf(stuck);
    const read = readComments({ platforms, resolvePost: resolvePost({ platforms }) });
    const first = await read(ref.canonicalUrl, null);
    expect(first.nextCursor).not.toBeNull();
    expect((await read(ref.canonicalUrl, first.nextCursor)).nextCursor).toBeNull();
    await platform.close();
  });
});
