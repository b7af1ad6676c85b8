/** Answers of YouTube's API that have drifted are read whole, or not at all, or with their missing entries counted. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createYouTubePlatform, youtubeDescriptor } from '../../adapters/youtube/index.ts';
import { isDomainError } from '../../core/errors.ts';
import { postRefOf } from '../../core/platforms/descriptor.ts';
import type { CommentPage, Platform, PlatformProfile, PostDetails } from '../../core/ports/platform.ts';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { threadIdOf } from '../../hosts/platform-simulator/youtube/shapes.ts';
import { createYouTubeSite, SIMULATED_YOUTUBE_KEY } from '../../hosts/platform-simulator/youtube/site.ts';
import { CHANGE_KINDS, type Change, drift, siteTransport } from '../support/drift.ts';
import { runs } from '../support/property-runs.ts';

const ORIGIN = 'http://127.0.0.1:1';
const world = createWorld('drift');
const video = world.addPost({
  platform: 'youtube',
  owner: 'northtrail',
  comments: 130,
  replies: { every: 3, count: 7 },
});
world.addProfile({ platform: 'youtube', handle: 'mia.moves', bio: 'code: 4711', displayName: 'Mia' });
const site = createYouTubeSite(world);
const ref = postRefOf(youtubeDescriptor, video.contentId);
const parentId = threadIdOf(video.thread.page(3, 1)[0]?.id ?? '');

/** Their absence says something: the last page, a channel without a handle, a number that is hidden. */
const ABSENCES = new Set(['nextPageToken', 'customUrl', 'likeCount', 'commentCount', 'viewCount']);

function open(spoil: (body: string, request: number) => string = (body) => body): Platform {
  const transport = siteTransport(site, ORIGIN, spoil);
  return createYouTubePlatform({ baseUrl: ORIGIN, apiKey: SIMULATED_YOUTUBE_KEY, pacing: 'off', transport });
}

const orNull = (value: unknown, truth: unknown, what: string): void => {
  if (value !== null && value !== '') expect(value, what).toEqual(truth);
};

function postHolds({ owner, post, stats, ...rest }: PostDetails, truth: PostDetails): void {
  expect([rest.contentId, owner.handle, owner.accountId]).toEqual([
    truth.contentId,
    truth.owner.handle,
    truth.owner.accountId,
  ]);
  orNull(post.caption, truth.post.caption, 'caption');
  orNull(post.postedAt, truth.post.postedAt, 'postedAt');
  for (const [name, count] of Object.entries(stats)) orNull(count, truth.stats[name as keyof typeof stats], name);
}

function profileHolds({ profilePictureUrl: _picture, ...facts }: PlatformProfile, truth: PlatformProfile): void {
  expect([facts.handle, facts.accountId]).toEqual([truth.handle, truth.accountId]);
  for (const [name, fact] of Object.entries(facts)) orNull(fact, truth[name as keyof PlatformProfile], name);
}

/** In order, from their true authors, and none missing but those that are counted or whose thread is asked for. */
function pageHolds(value: CommentPage, truth: CommentPage): void {
  const known = new Map(truth.comments.map((comment) => [comment.id, comment]));
  for (const { id, parentId, username, text, createdAt, replyCount } of value.comments) {
    const comment = known.get(id);
    expect(comment, `a comment that is not there: ${id}`).toBeDefined();
    expect([parentId, username, createdAt]).toEqual([comment?.parentId, comment?.username, comment?.createdAt]);
    expect([comment?.text, '']).toContain(text);
    orNull(replyCount, comment?.replyCount, 'replyCount');
  }
  const topLevel = (page: CommentPage) =>
    page.comments.filter((comment) => comment.parentId === truth.comments[0]?.parentId);
  const missing = topLevel(truth).length - topLevel(value).length;
  expect(missing, 'entries missing').toBeLessThanOrEqual(value.skipped ?? 0);
  expect(value.nextCursor === null).toBe(truth.nextCursor === null);
}

const change: fc.Arbitrary<Change> = fc.record({ kind: fc.constantFrom(...CHANGE_KINDS), place: fc.nat() });
const changes = fc.array(change, { minLength: 1, maxLength: 2 });
/** The first answer, the second, or all of them. */
const which = fc.constantFrom([0], [1], [0, 1, 2, 3]);

type Spoil = (body: string, request: number) => string;

function wholeOrRefused<T>(call: (platform: Platform) => Promise<T>, holds: (value: T, truth: T) => void) {
  let truth: T | undefined;
  return async (spoil: Spoil): Promise<void> => {
    truth ??= await call(open());
    const platform = open(spoil);
    try {
      holds(await call(platform), truth);
    } catch (error) {
      // Drift is no proof that something does not exist: only that it cannot be read.
      if (!isDomainError(error)) throw error;
      const codes = ['PLATFORM_UNAVAILABLE', 'SCRAPING_RATE_LIMITED', 'PLATFORM_TIMEOUT'];
      expect(codes, error.message).toContain(error.code);
    } finally {
      await platform.close();
    }
  };
}

describe('a drifted answer of YouTube is read whole or not at all', () => {
  const profile = (platform: Platform) => platform.getProfile('mia.moves') as Promise<PlatformProfile>;
  const spoiling = (list: readonly Change[], numbers: readonly number[]) => (body: string, request: number) =>
    numbers.includes(request) ? drift(body, list, { nulls: ABSENCES, absences: ABSENCES }) : body;
  const cutting = (part: number, numbers: readonly number[]) => (body: string, request: number) =>
    numbers.includes(request) ? body.slice(0, Math.floor(body.length * part)) : body;

  it.each<[string, (spoil: Spoil) => Promise<void>]>([
    ['a video', wholeOrRefused((platform) => platform.getPost(ref), postHolds)],
    ['a channel', wholeOrRefused(profile, profileHolds)],
    ['comments', wholeOrRefused((platform) => platform.getComments(ref, null), pageHolds)],
    ['replies', wholeOrRefused((platform) => platform.getReplies(ref, parentId, null), pageHolds)],
  ])('%s', async (_name, judge) => {
    await fc.assert(
      fc.asyncProperty(changes, which, (list, numbers) => judge(spoiling(list, numbers))),
      runs(6),
    );
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), which, (part, numbers) =>
        judge(cutting(part, numbers)),
      ),
      runs(6),
    );
  });
});
