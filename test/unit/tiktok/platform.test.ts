import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createTikTokPlatform } from '../../../adapters/tiktok/index.ts';
import type { Platform } from '../../../core/ports/platform.ts';
import { allComments, refusal } from '../../contract/platform/suite.ts';
import { postRef, unread } from '../../support/platforms.ts';
import { simulateTikTok } from './simulated.ts';

const tiktok = await simulateTikTok();
afterAll(() => tiktok.close());
beforeEach(() => tiktok.reset());

describe('posts', () => {
  it('reads a post whose author the link does not name, and names the author', async () => {
    const { post } = tiktok.addPost();
    const details = await tiktok.platform().getPost(postRef('tiktok', post.contentId));
    expect(details.postUrl).toBe(`https://www.tiktok.com/@mia/video/${post.contentId}`);
  });
});

describe('comments', () => {
  it('opens the page once for its cookies, however many pages of comments follow', async () => {
    const { ref } = tiktok.addPost({ comments: 150 });
    const platform = tiktok.platform();
    await allComments((cursor) => platform.getComments(ref, cursor));
    expect(tiktok.requests()).toEqual({ 'post-page': 1, comments: 4 });
  });

  it('that cannot be read, nor the page or its replies, are each named in the error', async () => {
    const { ref } = tiktok.addPost({ comments: 3 });
    tiktok.fail({ shape: 'drifted' });
    const platform = tiktok.platform();
    const endpoints: unknown[] = [];
    for (const read of [
      () => platform.getPost(ref),
      () => platform.getComments(ref, null),
      () => platform.getReplies(ref, '1', null),
      () => platform.getProfile('mia'),
    ]) {
      endpoints.push((await refusal(read())).details?.endpoint);
    }
    expect(endpoints).toEqual(['video-page', 'comments', 'replies', 'profile-page']);
  });

  it('needs no second visit after the post was read', async () => {
    const { ref } = tiktok.addPost({ comments: 5 });
    const platform = tiktok.platform();
    await platform.getPost(ref);
    await platform.getComments(ref, null);
    expect(tiktok.requests()).toEqual({ 'post-page': 1, comments: 1 });
  });

  it('reads comments though the page shows no data', async () => {
    const { ref } = tiktok.addPost({ comments: 5 });
    tiktok.fail({ endpoint: 'post-page', shape: 'drifted' });
    expect((await tiktok.platform().getComments(ref, null)).comments).toHaveLength(5);
  });

  it('says what the page says when there is no post to comment on', async () => {
    const ref = postRef('tiktok', '7000000000000000009');
    await expect(tiktok.platform().getComments(ref, null)).rejects.toMatchObject({ code: 'POST_NOT_FOUND' });
    expect(tiktok.requests()).toEqual({ 'post-page': 1 });
  });
});

describe('profiles', () => {
  it('falls back to the embedded page when the profile page is refused', async () => {
    tiktok.addProfile({ handle: 'ola', bio: 'hello', followers: 1234 });
    tiktok.fail({ endpoint: 'profile-page', shape: 'captcha-page' });
    const ola = { handle: 'ola', bio: 'hello', followerCount: 1230, mediaCount: null };
    expect(await tiktok.platform().getProfile('ola')).toMatchObject(ola);
  });

  it.each(['captcha-page', 'drifted'] as const)(
    'keeps the first reason when the embedded page is %s too',
    async (shape) => {
      tiktok.addProfile({ handle: 'ola' });
      tiktok.fail({ endpoint: 'profile-page', shape: 'login-required' });
      tiktok.fail({ endpoint: 'embed-profile', shape });
      await expect(tiktok.platform().getProfile('ola')).rejects.toMatchObject(unread('login-required'));
    },
  );

  it('gives null for an empty profile if the embedded page shows nobody too', async () => {
    tiktok.addProfile({ handle: 'pia' });
    tiktok.fail({ handle: 'pia', shape: 'empty-profile' });
    expect(await tiktok.platform().getProfile('pia')).toBeNull();
  });

  it('reads the embedded page of a profile that is shown as empty', async () => {
    tiktok.addProfile({ handle: 'pia', bio: 'hello' });
    tiktok.fail({ endpoint: 'profile-page', shape: 'empty-profile' });
    expect(await tiktok.platform().getProfile('pia')).toMatchObject({ bio: 'hello' });
  });

  it.each(['captcha-page', 'rate-limited', 'not-found'] as const)(
    'does not believe an empty profile if the embedded page is %s',
    async (shape) => {
      tiktok.addProfile({ handle: 'pia' });
      tiktok.fail({ endpoint: 'profile-page', shape: 'empty-profile' });
      tiktok.fail({ endpoint: 'embed-profile', shape });
      await expect(tiktok.platform().getProfile('pia')).rejects.toMatchObject(unread('empty-profile'));
    },
  );

  it('takes an embedded page that shows nobody for no proof if the profile page is refused', async () => {
    tiktok.addProfile({ handle: 'pia' });
    tiktok.fail({ endpoint: 'profile-page', shape: 'captcha-page' });
    tiktok.fail({ endpoint: 'embed-profile', shape: 'empty-profile' });
    await expect(tiktok.platform().getProfile('pia')).rejects.toMatchObject({ details: { reason: 'captcha' } });
  });
});

describe('short links', () => {
  it('follows a short link that leads to another', async () => {
    const { post, ref } = tiktok.addPost();
    tiktok.world.addShortLink({ platform: 'tiktok', path: '/ZMfirst1', target: '/t/ZMsecond' });
    tiktok.world.addShortLink({ platform: 'tiktok', path: '/t/ZMsecond', target: `/@/video/${post.contentId}` });
    const url = await tiktok.platform().resolveShortLink('https://vm.tiktok.com/ZMfirst1/');
    expect(url).toBe(ref.canonicalUrl.replace('@mia', '@_'));
  });

  it('stops following links that lead in a circle', async () => {
    tiktok.world.addShortLink({ platform: 'tiktok', path: '/t/ZMcircle', target: '/t/ZMcircle' });
    await expect(tiktok.platform().resolveShortLink('https://www.tiktok.com/t/ZMcircle/')).rejects.toMatchObject(
      unread('too-many-redirects'),
    );
    expect(tiktok.requests()).toEqual({ 'short-link': 5 });
  });

  it('gives a post URL back cleaned up, without asking', async () => {
    const platform = tiktok.platform();
    const url = 'https://www.tiktok.com/@mia/video/7000000000000000001?lang=en';
    expect(await platform.resolveShortLink(url)).toBe('https://www.tiktok.com/@mia/video/7000000000000000001');
    expect(tiktok.requests()).toEqual({});
  });
});

describe('the port', () => {
  it('names the option that is wrong', () => {
    expect(() => createTikTokPlatform({ baseUrl: 'ftp://x' })).toThrow(/baseUrl/);
    expect(() => createTikTokPlatform({ retries: 3 } as object)).toThrow(/retries/);
  });
});

describe('signing', () => {
  const failing: readonly (readonly [string, (url: string) => Promise<string>])[] = [
    ['fails', () => Promise.reject(new Error('signer down'))],
    ['sends us elsewhere', (url) => Promise.resolve(url.replace(/^http:\/\/[^/]+/, 'http://evil.example'))],
    ['changes the path', (url) => Promise.resolve(url.replace('/api/', '/other/'))],
    ['gives no URL', () => Promise.resolve('nonsense')],
  ];

  it('signs API requests and no pages', async () => {
    const { ref } = tiktok.addPost({ comments: 5 });
    const asked: string[] = [];
    const platform: Platform = tiktok.platform({
      sign: async (url) => {
        asked.push(url);
        return `${url}&X-Bogus=abc`;
      },
    });
    await platform.getPost(ref);
    expect((await platform.getComments(ref, null)).comments).toHaveLength(5);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('/api/comment/list/?aid=1988&aweme_id=');
  });

  it.each(failing)('is unavailable with a signer that %s', async (_name, sign) => {
    const { ref } = tiktok.addPost({ comments: 5 });
    await expect(tiktok.platform({ sign }).getComments(ref, null)).rejects.toMatchObject(unread('sign-failed'));
    expect(tiktok.requests().comments).toBeUndefined();
  });
});
