/** YouTube's reader on answers that the simulator makes, and on some that it does not. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { readAnswer, secondsToReset } from '../../../adapters/youtube/answers.ts';
import {
  createYouTubePlatform,
  type YouTubePlatformOptions,
  youtubeDescriptor,
} from '../../../adapters/youtube/index.ts';
import { postRefOf } from '../../../core/platforms/descriptor.ts';
import { normaliseHandle } from '../../../core/platforms/handle.ts';
import { createPlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import { SIMULATED_YOUTUBE_KEY } from '../../../hosts/platform-simulator/youtube/site.ts';
import { refusal } from '../../contract/platform/suite.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { failuresOf } from '../../support/failure-outcomes.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { answeringTransport } from '../scraping/scripted-transport.ts';

const { youtubeBaseUrl: baseUrl, world, close } = await createPlatformSimulator();
afterAll(close);
beforeEach(() => {
  world.failures.clear();
  world.clearRequestCounts();
});

const closing = closingAfterEach();

/** A reader of the simulator, and a video. */
function simulated(options: Partial<YouTubePlatformOptions> = {}) {
  const logger = createRecordingLogger();
  const apiKey = SIMULATED_YOUTUBE_KEY;
  const reader = createYouTubePlatform({ baseUrl, apiKey, pacing: 'off', logger, ...options });
  closing.push(() => reader.close());
  const post = world.addPost({ platform: 'youtube', owner: 'maker.one', comments: 3 });
  return { reader, ref: postRefOf(youtubeDescriptor, post.contentId), logger };
}

const VIDEO_ID = 'dQw4w9WgXcQ';
const REF = postRefOf(youtubeDescriptor, VIDEO_ID);
const CHANNEL = { id: 'UCx', snippet: { title: 'Max', customUrl: '@maker', publishedAt: '2015-01-01T00:00:00Z' } };

/** An API that answers each resource with this body; it records what it was asked. */
function answering(bodies: Readonly<Record<string, unknown>>) {
  const transport = answeringTransport((path) => ({ body: bodies[path.split('/v3/')[1] ?? ''] ?? {} }));
  const reader = createYouTubePlatform({ apiKey: 'the-key', pacing: 'off', transport });
  return { reader, asked: transport.requests };
}

const errorOf = (reason: string) => ({ error: { code: 404, errors: [{ reason }] } });

const COMMENT_ID = 'UgxAAAAAAAAAAAAAAAAAAA';
const commentOf = (snippet: object) => ({
  id: COMMENT_ID,
  snippet: { textOriginal: 'hi', publishedAt: '2026-01-01T00:00:00Z', likeCount: 1, ...snippet },
});
const threadOf = (snippet: object) => ({ snippet: { totalReplyCount: 0, topLevelComment: commentOf(snippet) } });

/** What is read of top-level comments by these authors. */
async function commentsOf(authors: readonly object[]) {
  const { reader } = answering({ commentThreads: { items: authors.map(threadOf) } });
  return await reader.getComments(REF, null);
}

describe('YouTube', () => {
  it.each(failuresOf('youtube-post'))('makes of %s: %s (%s)', async (shape, code, reason) => {
    // Shortly before the quota is given again, whatever the time is.
    const start = Date.parse('2026-01-15T07:59:00Z') - performance.now();
    const { reader, ref } = simulated({ clock: { now: () => new Date(start + performance.now()) } });
    world.failures.add({ platform: 'youtube', shape });
    expect(await refusal(reader.getPost(ref))).toMatchObject({ code, details: { reason, platform: 'youtube' } });
  });

  it('tells that comments are turned off, permanently, and still reads the video', async () => {
    const { reader, ref } = simulated();
    world.failures.add({ platform: 'youtube', shape: 'comments-disabled' });
    expect(await refusal(reader.getComments(ref, null))).toMatchObject({
      code: 'POST_UNAVAILABLE',
      details: { reason: 'comments-disabled' },
    });
    expect((await reader.getPost(ref)).owner.handle).toBe('maker.one');
  });

  it('rests until midnight in California when the quota is spent, with all that it reads', async () => {
    const now = new Date('2026-01-15T12:00:00Z');
    const { reader, ref } = simulated({
      pacing: 'safe',
      clock: { now: () => now, monotonicMs: () => now.getTime() },
    });
    world.failures.add({ platform: 'youtube', shape: 'quota-exceeded', endpoint: 'videos' });
    const error = await refusal(reader.getPost(ref));
    expect(error.code).toBe('SCRAPING_RATE_LIMITED');
    expect(error.retryAfterSeconds).toBe(secondsToReset(now));
    const before = world.requestCounts();
    expect((await refusal(reader.getProfile('maker.one'))).code).toBe('SCRAPING_RATE_LIMITED');
    expect(world.requestCounts()).toEqual(before);
  });

  it.each([
    ['Queries per day', secondsToReset(new Date('2026-01-15T12:00:00Z'))],
    ['Queries per minute per user', undefined],
  ])('knows the rate limit "%s" by its name', (limit, retryAfterSeconds) => {
    const message = `Quota exceeded for quota metric 'Queries' and limit '${limit}' of service 'youtube.googleapis.com'.`;
    const text = JSON.stringify({ error: { code: 429, message, errors: [{ message, reason: 'rateLimitExceeded' }] } });
    const answer = { url: 'https://api.test/', status: 429, text, header: () => null };
    const clock = { now: () => new Date('2026-01-15T12:00:00Z') };
    expect(readAnswer(answer, 'video', clock)).toEqual({ kind: 'throttled', retryAfterSeconds });
  });

  it.each([
    ['in winter', '2026-01-15T12:00:00Z', 20 * 3_600],
    ['in summer', '2026-07-15T12:00:00Z', 19 * 3_600],
    ['on the day of 23 hours', '2026-03-08T09:00:00Z', 22 * 3_600],
    ['on the day of 25 hours', '2026-11-01T08:00:00Z', 24 * 3_600],
    ['a second before', '2026-01-15T07:59:59Z', 1],
    ['at midnight', '2026-01-15T08:00:00Z', 86_400],
  ])('counts the seconds to that midnight %s', (_when, now, seconds) => {
    expect(secondsToReset(new Date(now))).toBe(seconds);
  });

  it('tells the operator about a rejected key, and shows the key to nobody', async () => {
    const { reader, ref, logger } = simulated({ apiKey: 'a-secret-of-ours' });
    const error = await refusal(reader.getPost(ref));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'api-key' } });
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(JSON.stringify([logger.lines, error.message, error.details])).not.toContain('a-secret-of-ours');
  });

  it.each(['API_KEY_ANDROID_APP_BLOCKED', 'API_KEY_IOS_APP_BLOCKED', 'CONSUMER_INVALID'])(
    'takes %s for a rejected key',
    async (reason) => {
      const error = { code: 403, message: 'Blocked.', errors: [{ reason: 'forbidden' }], details: [{ reason }] };
      const { reader } = answering({ videos: { error } });
      expect(await refusal(reader.getPost(REF))).toMatchObject({ details: { reason: 'api-key' } });
    },
  );

  it('sends the key in a header, never in the URL', async () => {
    const { reader, asked } = answering({});
    await refusal(reader.getPost(REF));
    await refusal(reader.getProfile('someone'));
    expect(asked.length).toBeGreaterThan(1);
    for (const { url, headers } of asked) {
      expect(url).toMatch(/\/youtube\/v3\/(videos|channels)\?(?!.*the-key)/);
      expect(headers['x-goog-api-key']).toBe('the-key');
    }
  });

  it('reads counts that are hidden, and comments that are off, as null', async () => {
    const snippet = { title: 'T', channelId: 'UCx', publishedAt: '2026-01-01T00:00:00Z', thumbnails: {} };
    const items = [{ id: VIDEO_ID, snippet, statistics: { viewCount: '12', favoriteCount: '0' } }];
    const { reader } = answering({ videos: { items }, channels: { items: [CHANNEL] } });
    const { stats, owner, post } = await reader.getPost(REF);
    expect(stats).toEqual({ views: 12, likes: null, comments: null, shares: null, saves: null });
    const shown = [owner, post.thumbnailUrl];
    expect(shown).toEqual([{ handle: 'maker', accountId: 'UCx', secUid: null, displayName: 'Max' }, null]);
  });

  it('takes an owner that it cannot look up for no word about the video', async () => {
    const snippet = { title: 'T', channelId: 'UCx', publishedAt: '2026-01-01T00:00:00Z', thumbnails: {} };
    const videos = { items: [{ id: VIDEO_ID, snippet, statistics: {} }] };
    const nobody = { pageInfo: { totalResults: 0 } };
    for (const [channels, reason] of [
      [nobody, 'owner-unknown'],
      [{ ...nobody, items: [] }, 'owner-unknown'],
      [errorOf('channelNotFound'), 'api-error'],
      [errorOf('channelForbidden'), 'api-error'],
    ] as const) {
      const { reader } = answering({ videos, channels });
      expect(await refusal(reader.getPost(REF))).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason } });
    }
  });

  it.each([
    [{ items: [], pageInfo: { totalResults: 0 } }, 'NOT_FOUND'],
    [{ pageInfo: { totalResults: 0 } }, 'NOT_FOUND'],
    [{ items: [], pageInfo: { totalResults: 1 } }, 'PLATFORM_UNAVAILABLE'],
    [{ items: [] }, 'PLATFORM_UNAVAILABLE'],
    [{ items: [null], pageInfo: { totalResults: 0 } }, 'PLATFORM_UNAVAILABLE'],
  ])('reads the empty list %j as %s', async (list, code) => {
    const { reader } = answering({ videos: list, channels: list });
    const own = (name: string) => (code === 'NOT_FOUND' ? `${name}_NOT_FOUND` : code);
    expect((await refusal(reader.getPost(REF))).code).toBe(own('POST'));
    expect((await refusal(reader.getProfile('someone'))).code).toBe(own('PROFILE'));
  });

  it('does not take an empty page that counts comments for the end of a list', async () => {
    const { reader } = answering({ commentThreads: { items: [], pageInfo: { totalResults: 3 } } });
    expect((await refusal(reader.getComments(REF, null))).details?.reason).toBe('drifted');
    const empty = answering({ commentThreads: { items: [] } });
    expect((await empty.reader.getComments(REF, null)).comments).toEqual([]);
  });

  it.each([
    ['videoNotFound', 'POST_NOT_FOUND', 'not-found'],
    ['commentsDisabled', 'POST_UNAVAILABLE', 'comments-disabled'],
    ['channelNotFound', 'PLATFORM_UNAVAILABLE', 'api-error'],
    ['somethingNew', 'PLATFORM_UNAVAILABLE', 'api-error'],
  ])('reads the error %s under the status 200 as %s (%s)', async (error, code, reason) => {
    const { reader } = answering({ videos: errorOf(error), commentThreads: errorOf(error) });
    for (const call of [reader.getPost(REF), reader.getComments(REF, null)]) {
      expect(await refusal(call)).toMatchObject({ code, details: { reason } });
    }
  });

  it('reads a hidden number of subscribers as null, and a missing one as drift', async () => {
    const channel = (statistics: object) => ({
      items: [{ ...CHANNEL, snippet: { ...CHANNEL.snippet, description: 'code: 1' }, statistics }],
    });
    const hidden = answering({ channels: channel({ hiddenSubscriberCount: true, videoCount: '3' }) });
    expect(await hidden.reader.getProfile('maker')).toMatchObject({
      followerCount: null,
      bio: 'code: 1',
      createdAt: new Date('2015-01-01T00:00:00Z'),
    });
    const missing = answering({ channels: channel({ hiddenSubscriberCount: false, videoCount: '3' }) });
    expect((await refusal(missing.reader.getProfile('maker'))).details?.reason).toBe('drifted');
    const another = answering({ channels: channel({ subscriberCount: '1', videoCount: '3' }) });
    expect((await refusal(another.reader.getProfile('somebody'))).details?.reason).toBe('drifted');
  });

  it.each([
    ['@Ada', 'http://www.youtube.com/@ada', 'ada'],
    ['@ada', 'http://www.youtube.com/@ada/', 'ada'],
    [' @ada', 'http://www.youtube.com/@Ada', 'ada'],
    ['@jose\u0301', 'http://www.youtube.com/@jos%C3%A9', 'josé'],
    ['@josé', 'http://www.youtube.com/@jose%CC%81', 'josé'],
    // No handle: a name that only looks like one is anybody's choice.
    ['victim', 'http://www.youtube.com/channel/UC2', 'channel/uc2'],
  ])('knows the author %j at %s as %s', async (authorDisplayName, authorChannelUrl, handle) => {
    const channel = handle.includes('/') ? { authorChannelId: { value: 'UC2' } } : {};
    const { comments, skipped } = await commentsOf([{ authorDisplayName, authorChannelUrl, ...channel }]);
    expect([comments.map(({ username }) => normaliseHandle(username)), skipped]).toEqual([[handle], 0]);
    expect(youtubeDescriptor.isHandle(handle)).toBe(!handle.includes('/'));
  });

  it.each([
    ['@victim', 'http://www.youtube.com/channel/UC1'],
    ['@victim', 'http://www.youtube.com/@somebody'],
    ['@\u212Aate', 'http://www.youtube.com/@kate'],
    ['Ada Runs', 'http://www.youtube.com/@ada'],
    ['', ''],
  ])('knows the author %j at %s by the channel only', async (authorDisplayName, authorChannelUrl) => {
    const known = { authorDisplayName: '@bo', authorChannelUrl: 'http://www.youtube.com/@bo' };
    const unknown = { authorDisplayName, authorChannelUrl, authorChannelId: { value: 'UC1' } };
    const { comments, skipped } = await commentsOf([known, unknown]);
    expect([comments.map(({ username, authorId }) => [username, authorId]), skipped]).toEqual([
      [
        ['bo', null],
        ['', 'UC1'],
      ],
      1,
    ]);
    const nobody = { authorDisplayName, authorChannelUrl };
    expect(await commentsOf([known, nobody])).toMatchObject({ comments: [{ username: 'bo' }], skipped: 1 });
  });

  it('reads no comment of another video, and no reply of another thread', async () => {
    const author = { authorDisplayName: '@ada', authorChannelUrl: 'http://www.youtube.com/@ada' };
    const here = { ...author, videoId: VIDEO_ID };
    const elsewhere = { ...author, videoId: 'zzzzzzzzzzz' };
    expect(await commentsOf([here, elsewhere])).toMatchObject({ comments: { length: 1 }, skipped: 1 });
    const only = answering({ commentThreads: { items: [threadOf(elsewhere)] } });
    expect((await refusal(only.reader.getComments(REF, null))).details?.reason).toBe('drifted');
    const moved = { snippet: { ...threadOf(author).snippet, videoId: 'zzzzzzzzzzz' } };
    const wrapped = answering({ commentThreads: { items: [threadOf(author), moved] } });
    expect(await wrapped.reader.getComments(REF, null)).toMatchObject({ comments: { length: 1 }, skipped: 1 });
    const replies = [here, elsewhere, { ...author, parentId: COMMENT_ID }, { ...author, parentId: 'UgxB' }];
    const thread = answering({ comments: { items: replies.map(commentOf) } });
    const page = await thread.reader.getReplies(REF, COMMENT_ID, null);
    expect(page).toMatchObject({ comments: { length: 2 }, skipped: 2 });
  });

  it('hands on the replies that come with a comment', async () => {
    const { reader } = simulated();
    const replies = { every: 1, count: 7 };
    const post = world.addPost({ platform: 'youtube', owner: 'maker.one', comments: 1, replies });
    const { comments } = await reader.getComments(postRefOf(youtubeDescriptor, post.contentId), null);
    expect(comments.map(({ parentId }) => parentId === null)).toEqual([true, ...Array(5).fill(false)]);
    expect(comments[0]?.replyCount).toBe(7);
  });
});
