import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createInstagramPlatform } from '../../../adapters/instagram/index.ts';
import type { PlatformComment } from '../../../core/ports/platform.ts';
import { allComments, refusal } from '../../contract/platform/suite.ts';
import { postRef, unread } from '../../support/platforms.ts';
import { SESSION, simulateInstagram } from './simulated.ts';

const instagram = await simulateInstagram();
afterAll(() => instagram.close());
beforeEach(() => instagram.reset());

describe('posts', () => {
  it('come from the page in one request, without what logged-out readers are not shown', async () => {
    const { ref } = instagram.addPost({ counts: { views: 900, likes: 10, comments: 3, shares: 4, saves: 5 } });
    const details = await instagram.platform().getPost(ref);
    expect(details.source).toBe('instagram-page');
    expect(details.stats).toEqual({ views: null, likes: 10, comments: 3, shares: null, saves: null });
    expect(instagram.requests()).toEqual({ 'post-page': 1 });
  });

  it('come from the API with a session when the page is refused, with views and shares', async () => {
    const { ref } = instagram.addPost({ counts: { views: 900, likes: 10, comments: 3, shares: 4, saves: 5 } });
    instagram.fail({ endpoint: 'post-page', shape: 'throttled' });
    const details = await instagram.loggedIn().getPost(ref);
    expect(details.source).toBe('instagram-api');
    expect(details.stats).toEqual({ views: 900, likes: 10, comments: 3, shares: 4, saves: null });
    expect(instagram.requests()).toEqual({ 'post-page': 1, 'media-info': 1 });
  });

  it('come from the logged-out query when the page is refused and there is no session', async () => {
    const { ref } = instagram.addPost({ counts: { likes: 10, comments: 3 } });
    instagram.fail({ endpoint: 'post-page', shape: 'login-wall' });
    const details = await instagram.platform().getPost(ref);
    expect([details.source, details.stats.likes]).toEqual(['instagram-graphql', 10]);
  });

  it('come from the query by shortcode when nothing else works', async () => {
    const { post, ref } = instagram.addPost({
      kind: 'carousel',
      mediaUrls: ['https://media.example/1.jpg'],
      counts: { likes: 10, comments: 3 },
    });
    instagram.fail({ endpoint: 'post-page', shape: 'login-wall' });
    instagram.fail({ endpoint: 'graphql-post', shape: 'stale-doc-id' });
    const details = await instagram.platform().getPost(ref);
    expect(details).toMatchObject({
      source: 'instagram-graphql-older',
      owner: { handle: 'nat.geo', accountId: post.owner.accountId },
      post: { caption: 'A simulated post', mediaUrls: ['https://media.example/1.jpg'] },
      stats: { likes: 10, comments: 3 },
    });
  });

  it('hide their counts when their owner does', async () => {
    const hidden = instagram.addPost({ counts: { likes: null } });
    expect((await instagram.platform().getPost(hidden.ref)).stats).toMatchObject({ views: null, likes: null });
    const { ref } = instagram.addPost({ counts: { views: 5, likes: 10 } });
    instagram.fail({ shape: 'hidden-counts' });
    instagram.fail({ endpoint: 'post-page', shape: 'login-wall' });
    expect((await instagram.loggedIn().getPost(ref)).stats).toMatchObject({ views: null, likes: null });
  });

  it('are the same under a code with a key', async () => {
    const { post } = instagram.addPost({ contentId: `DeAZ0uAgNuA${'k'.repeat(28)}` });
    const details = await instagram.loggedIn().getPost(postRef('instagram', post.contentId));
    expect(details.contentId).toBe(post.contentId);
  });

  it('learn from the ruling why they are gated, and are asked for no more', async () => {
    const { ref } = instagram.addPost();
    instagram.fail({ shape: 'age-restricted' });
    expect((await refusal(instagram.loggedIn().getPost(ref))).code).toBe('POST_AGE_RESTRICTED');
    expect(instagram.requests()).toEqual({ 'post-page': 1, ruling: 1 });
  });
});

describe('posts that are kept from logged-out readers', () => {
  it('are read with a session', async () => {
    const { post, ref } = instagram.addPost({ counts: { likes: 77 } });
    instagram.fail({ endpoint: 'post-page', shape: 'gated' });
    expect(await instagram.loggedIn().getPost(ref)).toMatchObject({
      contentId: post.contentId,
      source: 'instagram-api',
      stats: { likes: 77 },
    });
    expect(instagram.requests()).toEqual({ 'post-page': 1, ruling: 1, 'media-info': 1 });
  });

  it('are read with a session also when the ruling cannot be', async () => {
    const { ref } = instagram.addPost();
    instagram.fail({ endpoint: 'post-page', shape: 'gated' });
    instagram.fail({ endpoint: 'ruling', shape: 'html-instead-of-json' });
    expect((await instagram.loggedIn().getPost(ref)).source).toBe('instagram-api');
  });

  it.each([
    ['not-found', 'POST_UNAVAILABLE', 'gated'],
    ['not-authorized', 'POST_PRIVATE', 'private'],
    ['wait-a-few-minutes', 'SCRAPING_RATE_LIMITED', 'throttled'],
    ['checkpoint', 'PLATFORM_UNAVAILABLE', 'checkpoint-required'],
    ['drifted', 'PLATFORM_UNAVAILABLE', 'drifted'],
  ] as const)('give, when the session says %s, %s (%s)', async (shape, code, reason) => {
    const { ref } = instagram.addPost();
    instagram.fail({ endpoint: 'post-page', shape: 'gated' });
    instagram.fail({ endpoint: 'media-info', shape });
    const error = await refusal(instagram.loggedIn().getPost(ref));
    expect([error.code, error.details?.reason]).toEqual([code, reason]);
    expect(instagram.requests()).not.toHaveProperty('graphql-post');
  });

  it('ask the session once, also when the page could not be read and a query shows the gate', async () => {
    const { ref } = instagram.addPost();
    instagram.fail({ endpoint: 'post-page', shape: 'login-wall' });
    instagram.fail({ endpoint: 'media-info', shape: 'drifted' });
    instagram.fail({ endpoint: 'graphql-post', shape: 'gated' });
    const error = await refusal(instagram.loggedIn().getPost(ref));
    expect([error.code, error.details?.reason]).toEqual(['PLATFORM_UNAVAILABLE', 'drifted']);
    expect(instagram.requests()).toMatchObject({ 'media-info': 1, 'graphql-post': 1 });
  });
});

describe('comments', () => {
  it('come 24 at a time logged out: from the page first, then from the query', async () => {
    const { ref } = instagram.addPost({ kind: 'video', comments: 60 });
    const platform = instagram.platform();
    const sizes: number[] = [];
    await allComments(async (cursor) => {
      const page = await platform.getComments(ref, cursor);
      sizes.push(page.comments.length);
      return page;
    });
    expect(sizes).toEqual([24, 24, 12]);
    expect(instagram.requests()).toEqual({ 'post-page': 1, 'graphql-comments': 2 });
  });

  it.each(['video', 'carousel'] as const)('come with replies and their number with a session (%s)', async (kind) => {
    const { post, ref } = instagram.addPost({ kind, comments: 120, replies: { every: 40, count: 3 } });
    const all: PlatformComment[] = await allComments((cursor) => instagram.loggedIn().getComments(ref, cursor));
    const top = all.filter(({ parentId }) => parentId === null);
    expect(top.map(({ id }) => id)).toEqual(post.thread.page(0, 200).map(({ id }) => id));
    expect(top.filter(({ replyCount }) => replyCount === 3)).toHaveLength(3);
    for (const reply of all.filter(({ parentId }) => parentId !== null)) {
      expect(post.thread.replies(reply.parentId ?? '', 0, 10)?.map(({ id }) => id)).toContain(reply.id);
    }
  });

  it('continue logged out when the session is dead', async () => {
    const { post, ref } = instagram.addPost({ comments: 60 });
    const platform = instagram.platform({ sessionIds: ['9%3Adead'] });
    const all = await allComments((cursor) => platform.getComments(ref, cursor));
    expect(all).toHaveLength(post.thread.size);
    expect(instagram.requests()).toEqual({ 'media-comments': 1, 'post-page': 1, 'graphql-comments': 2 });
  });

  it('keep to the way they began on, across adapters too', async () => {
    const { ref } = instagram.addPost({ comments: 200 });
    const loggedIn = await instagram.loggedIn().getComments(ref, null);
    const refused = await refusal(instagram.platform().getComments(ref, loggedIn.nextCursor));
    expect(refused).toMatchObject(unread('session-required'));
    const loggedOut = await instagram.platform().getComments(ref, null);
    instagram.reset();
    await instagram.loggedIn().getComments(ref, loggedOut.nextCursor);
    expect(instagram.requests()).toEqual({ 'graphql-comments': 1 });
  });

  it('need no fresh page when their tokens are refused once, and say so when they are again', async () => {
    const { ref } = instagram.addPost({ comments: 200 });
    const platform = instagram.platform();
    const { nextCursor } = await platform.getComments(ref, null);
    instagram.reset();
    instagram.fail({ endpoint: 'graphql-comments', shape: 'html-instead-of-json', times: 1 });
    expect((await platform.getComments(ref, nextCursor)).comments).toHaveLength(24);
    // The page for new tokens, and the query once more.
    expect(instagram.requests()).toEqual({ 'graphql-comments': 2, 'post-page': 1 });
    instagram.reset();
    instagram.fail({ endpoint: 'graphql-comments', shape: 'html-instead-of-json' });
    expect(await refusal(platform.getComments(ref, nextCursor))).toMatchObject(unread('html-instead-of-json'));
    expect(instagram.requests()).toEqual({ 'graphql-comments': 2, 'post-page': 1 });
  });

  describe('of a post that is kept from logged-out readers', () => {
    const KEPT = [
      ['gated', 'POST_UNAVAILABLE', 'gated'],
      ['age-restricted', 'POST_AGE_RESTRICTED', 'age-restricted'],
    ] as const;

    it.each(KEPT)('(%s) are refused without a session, as the post is: %s (%s)', async (shape, code, reason) => {
      const { ref } = instagram.addPost({ comments: 5 });
      instagram.fail({ shape });
      const error = await refusal(instagram.platform().getComments(ref, null));
      expect([error.code, error.details?.reason]).toEqual([code, reason]);
      expect(instagram.requests()).toEqual({ 'post-page': 1, ruling: 1 });
    });

    it.each(KEPT)('(%s) are those that the session is shown, and nothing else is asked', async (shape) => {
      const { ref } = instagram.addPost({ comments: 5 });
      instagram.fail({ shape });
      expect((await instagram.loggedIn().getComments(ref, null)).comments).toHaveLength(5);
      expect(instagram.requests()).toEqual({ 'media-comments': 1 });
    });

    it.each(KEPT)(
      '(%s) are refused as the post is when the session may not see it: %s (%s)',
      async (shape, code, reason) => {
        const { ref } = instagram.addPost({ comments: 5 });
        instagram.fail({ endpoint: 'post-page', shape });
        instagram.fail({ endpoint: 'media-comments', shape: 'not-found' });
        const error = await refusal(instagram.loggedIn().getComments(ref, null));
        expect([error.code, error.details?.reason]).toEqual([code, reason]);
        expect(instagram.requests()).toEqual({ 'media-comments': 1, 'post-page': 1, ruling: 1 });
      },
    );

    it('are not known to be kept for good while the session is in trouble', async () => {
      const { ref } = instagram.addPost({ comments: 5 });
      instagram.fail({ shape: 'gated' });
      instagram.fail({ endpoint: 'media-comments', shape: 'checkpoint' });
      const error = await refusal(instagram.loggedIn().getComments(ref, null));
      expect([error.code, error.details?.reason]).toEqual(['PLATFORM_UNAVAILABLE', 'checkpoint-required']);
    });

    it('are in doubt when the ruling cannot be read', async () => {
      const { ref } = instagram.addPost({ comments: 5 });
      instagram.fail({ endpoint: 'post-page', shape: 'gated' });
      instagram.fail({ endpoint: 'ruling', shape: 'html-instead-of-json' });
      const error = await refusal(instagram.platform().getComments(ref, null));
      expect([error.code, error.details?.reason]).toEqual(['PLATFORM_UNAVAILABLE', 'html-instead-of-json']);
    });
  });

  describe('that the session does not find', () => {
    it('are read from the page when it has the post', async () => {
      const { ref } = instagram.addPost({ comments: 30 });
      instagram.fail({ endpoint: 'media-comments', shape: 'not-found' });
      expect((await instagram.loggedIn().getComments(ref, null)).comments).toHaveLength(24);
      expect(instagram.requests()).toEqual({ 'media-comments': 1, 'post-page': 1 });
    });

    // The owner may have blocked the accounts of the sessions, and the way may be broken: only the page’s word is proof.
    it.each([
      ['not-found', 1, 'POST_NOT_FOUND', 'not-found'],
      ['login-wall', 1, 'PLATFORM_UNAVAILABLE', 'unanswered'],
      ['throttled', 1, 'PLATFORM_UNAVAILABLE', 'unanswered'],
      ['throttled', 2, 'PLATFORM_UNAVAILABLE', 'unanswered'],
      ['not-found', 2, 'POST_NOT_FOUND', 'not-found'],
    ] as const)('when the page gives %s too, and to %i sessions, are %s (%s)', async (shape, sessions, code, why) => {
      const { ref } = instagram.addPost({ comments: 30 });
      instagram.world.sessions.set('77%3Aalive', 'live');
      instagram.fail({ endpoint: 'media-comments', shape: 'not-found' });
      instagram.fail({ endpoint: 'post-page', shape });
      const platform = instagram.platform({ sessionIds: [SESSION, '77%3Aalive'].slice(0, sessions) });
      const error = await refusal(platform.getComments(ref, null));
      expect([error.code, error.details?.reason]).toEqual([code, why]);
    });

    it('are private when the page says so', async () => {
      const { ref } = instagram.addPost({ comments: 30 });
      instagram.fail({ endpoint: 'media-comments', shape: 'not-found' });
      instagram.fail({ endpoint: 'post-page', shape: 'not-authorized' });
      expect((await refusal(instagram.loggedIn().getComments(ref, null))).code).toBe('POST_PRIVATE');
    });
  });
});

describe('likers', () => {
  it('are counted by the platform and listed as far as it shows them', async () => {
    const { ref } = instagram.addPost({ likers: 3000, placedLikers: ['Jo'], counts: { likes: 135_428 } });
    const result = await instagram.loggedIn().getLikers(ref, 5000);
    expect([result.likers.length, result.totalLikes, result.likers[0]?.username]).toEqual([1000, 135_428, 'Jo']);
    expect((await instagram.loggedIn().getLikers(ref, 7)).likers).toHaveLength(7);
  });

  it('need a session', async () => {
    const { ref } = instagram.addPost();
    expect(await refusal(instagram.platform().getLikers(ref, 10))).toMatchObject(unread('session-required'));
    expect(instagram.requests()).toEqual({});
  });
});

describe('profiles', () => {
  it('come from the profile API, with the number of posts, when the page is refused', async () => {
    instagram.addProfile({ handle: 'jo', media: 77, followers: 5 });
    instagram.fail({ endpoint: 'profile-page', shape: 'login-wall' });
    const jo = { handle: 'jo', followerCount: 5, mediaCount: 77 };
    expect(await instagram.platform().getProfile('JO')).toMatchObject(jo);
  });

  it('come from the API with a session when logged-out readers get nothing', async () => {
    instagram.addProfile({ handle: 'jo', media: 77 });
    instagram.fail({ endpoint: 'profile-page', shape: 'login-wall' });
    instagram.fail({ endpoint: 'web-profile', shape: 'dead-session', times: 2 });
    expect(await instagram.loggedIn().getProfile('jo')).toMatchObject({ handle: 'jo', mediaCount: 77 });
  });

  it('come from the query by account at the last, with the tokens of a page loaded with the session', async () => {
    const profile = instagram.addProfile({ handle: 'jo.by.query', media: 77 });
    instagram.fail({ endpoint: 'profile-page', shape: 'drifted' });
    instagram.fail({ endpoint: 'web-profile', shape: 'ok-without-user' });
    instagram.fail({ endpoint: 'user-info', shape: 'front-page-redirect' });
    const found = { accountId: profile.accountId, mediaCount: 77 };
    expect(await instagram.loggedIn().getProfile('jo.by.query')).toMatchObject(found);
    expect(instagram.requests()['graphql-profile']).toBe(1);
  });

  it('are empty only when the platform says so in so many words', async () => {
    instagram.addProfile({ handle: 'jo' });
    instagram.fail({ endpoint: 'profile-page', shape: 'login-wall' });
    instagram.fail({ endpoint: 'web-profile', shape: 'ok-without-user' });
    expect(await refusal(instagram.platform().getProfile('jo'))).toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    instagram.reset();
    instagram.fail({ shape: 'empty-profile' });
    expect(await instagram.platform().getProfile('jo')).toBeNull();
    instagram.reset();
    instagram.fail({ shape: 'empty-profile' });
    expect(await instagram.loggedIn().getProfile('jo')).toBeNull();
    // The page, the API as a visitor, and the API with the session.
    expect(instagram.requests()).toEqual({ 'profile-page': 1, 'web-profile': 2 });
  });

  it('are those of the session if a visitor is shown none, by the page and by the API', async () => {
    instagram.addProfile({ handle: 'jo', media: 77 });
    instagram.fail({ endpoint: 'profile-page', shape: 'empty-profile' });
    instagram.fail({ endpoint: 'web-profile', shape: 'empty-profile', times: 1 });
    expect(await instagram.loggedIn().getProfile('jo')).toMatchObject({ handle: 'jo', mediaCount: 77 });
  });

  it('are not empty if the session that was to say so cannot be asked', async () => {
    instagram.addProfile({ handle: 'jo' });
    instagram.fail({ endpoint: 'profile-page', shape: 'empty-profile' });
    instagram.fail({ endpoint: 'web-profile', shape: 'empty-profile', times: 1 });
    const error = await refusal(instagram.platform({ sessionIds: ['9%3Adead'] }).getProfile('jo'));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'empty-profile' } });
  });

  it.each(['throttled', 'rate-limited', 'login-wall', 'server-error', 'truncated', 'renamed-data'] as const)(
    'are not taken for empty after an answer of %s: a session reads them by the number of the account',
    async (shape) => {
      instagram.addProfile({ handle: 'jo' });
      instagram.fail({ endpoint: 'profile-page', shape });
      instagram.fail({ endpoint: 'web-profile', shape: 'empty-profile' });
      const { code } = await refusal(instagram.platform().getProfile('jo'));
      expect(['PLATFORM_UNAVAILABLE', 'SCRAPING_RATE_LIMITED']).toContain(code);
      expect(await instagram.loggedIn().getProfile('jo')).toMatchObject({ handle: 'jo' });
    },
  );

  describe('of a business or creator account, which the profile API fails for', () => {
    const business = (handle: string) => {
      const profile = instagram.addProfile({ handle, bio: 'CODE', media: 7 });
      // Handles that a search finds too.
      for (const other of [`${handle}.fan`, `the.${handle}`]) {
        instagram.addProfile({ handle: other, bio: 'not this one' });
      }
      instagram.fail({ endpoint: 'profile-page', shape: 'throttled' });
      instagram.fail({ endpoint: 'web-profile', shape: 'broken-asset' });
      return profile;
    };

    it('are read by their number, which the feed or a search knows by the exact name', async () => {
      const { accountId } = business('shop');
      const profile = { handle: 'shop', accountId, bio: 'CODE', mediaCount: 7 };
      expect(await instagram.loggedIn().getProfile('shop')).toMatchObject(profile);
      instagram.fail({ endpoint: 'user-feed', shape: 'front-page-redirect' });
      expect(await instagram.loggedIn().getProfile('shop')).toMatchObject(profile);
      expect(instagram.requests()).toMatchObject({ 'user-feed': 2, 'user-search': 1, 'user-info': 2 });
    });

    it('are read though the feed and the endpoint of posts send the session away', async () => {
      business('bakery');
      const { ref } = instagram.addPost({ likers: 1 });
      for (const endpoint of ['user-feed', 'media-info']) instagram.fail({ endpoint, shape: 'front-page-redirect' });
      instagram.fail({ endpoint: 'post-page', shape: 'throttled' });
      for (const endpoint of ['graphql-post', 'graphql-shortcode-post']) {
        instagram.fail({ endpoint, shape: 'stale-doc-id' });
      }
      const platform = instagram.loggedIn();
      await refusal(platform.getPost(ref));
      expect(await platform.getProfile('bakery')).toMatchObject({ bio: 'CODE' });
      expect((await platform.getLikers(ref, 10)).likers).toHaveLength(1);
      expect(platform.sessionStates()[0]?.state).toBe('active');
    });

    it('are not missing because these ways do not find them', async () => {
      business('kiosk');
      for (const endpoint of ['user-feed', 'user-search', 'user-info', 'graphql-profile']) {
        instagram.fail({ endpoint, shape: 'not-found' });
      }
      instagram.world.sessions.set('43%3Aalive', 'live');
      const error = await refusal(instagram.platform({ sessionIds: [SESSION, '43%3Aalive'] }).getProfile('kiosk'));
      expect(error.code).toBe('SCRAPING_RATE_LIMITED');
      instagram.reset();
      instagram.fail({ endpoint: 'profile-page', shape: 'login-redirect' });
      expect((await refusal(instagram.loggedIn().getProfile('nobody.at.all'))).code).toBe('PROFILE_NOT_FOUND');
    });

    it('cannot be read if every way fails, and the error names each endpoint', async () => {
      business('stall');
      instagram.fail({ endpoint: 'user-feed', shape: 'front-page-redirect' });
      instagram.fail({ endpoint: 'user-search', shape: 'drifted' });
      const error = await refusal(instagram.loggedIn().getProfile('stall'));
      const details = { reason: 'throttled', endpoint: 'profile-page' };
      expect(error).toMatchObject({ code: 'SCRAPING_RATE_LIMITED', details });
      expect(error.details?.also).toMatchObject([
        { reason: 'broken-asset', endpoint: 'web-profile' },
        { reason: 'broken-asset', endpoint: 'web-profile' },
        { reason: 'front-page', endpoint: 'user-feed' },
        { reason: 'drifted', endpoint: 'user-search' },
      ]);
      for (const name of ['profile-page', 'web-profile', 'user-feed', 'user-search']) {
        expect(error.message).toContain(name);
      }
    });
  });
});

describe('options', () => {
  it.each([
    { baseUrl: 'ftp://x' },
    { sessionIds: ['a; b=c'] },
    { proxyUrl: 'socks5://x' },
    { docIds: { comments: 'abc' } },
    { userAgent: 'a\nb' },
    { unknown: true },
  ])('%j are refused', (options) => {
    expect(() => createInstagramPlatform(options as never)).toThrow();
  });

  it('do not show a session id when they are refused', () => {
    const secret = 'very-secret;session';
    expect(() => createInstagramPlatform({ sessionIds: [secret] })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('very-secret') }),
    );
  });
});
