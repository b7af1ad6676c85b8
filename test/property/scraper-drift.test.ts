/**
 * Platforms change without notice. Whatever shape an answer takes, a caller gets the whole truth, or an error that says so.
 * No list lacks entries that are not counted as skipped. Nobody gets somebody else's facts, or a zero for what is unknown.
 *
 * The truth is what the same call says of undisturbed answers, by whichever of an adapter's ways. Allowed to be missing is
 * only what the port says may be null: then the caller knows.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { ScrapingTransport } from '../../adapters/scraping/index.ts';
import { youtubeDescriptor } from '../../adapters/youtube/index.ts';
import { isDomainError } from '../../core/errors.ts';
import { postRefOf } from '../../core/platforms/descriptor.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type {
  CommentPage,
  LikersResult,
  Platform,
  PlatformComment,
  PlatformProfile,
  PostDetails,
} from '../../core/ports/platform.ts';
import { createHikerApiSite } from '../../hosts/platform-simulator/data-provider/hikerapi.ts';
import { createDataProviderSite } from '../../hosts/platform-simulator/data-provider/site.ts';
import { createInstagramSite } from '../../hosts/platform-simulator/instagram/site.ts';
import { SIMULATED_PLATFORMS } from '../../hosts/platform-simulator/platforms.ts';
import { createTikTokSite } from '../../hosts/platform-simulator/tiktok/site.ts';
import { createWorld, type WorldPost } from '../../hosts/platform-simulator/world.ts';
import { threadIdOf } from '../../hosts/platform-simulator/youtube/shapes.ts';
import { createYouTubeSite } from '../../hosts/platform-simulator/youtube/site.ts';
import { anyCharacter } from '../support/any-character.ts';
import {
  CHANGE_KINDS,
  type Change,
  drift,
  driftPage,
  ENDINGS,
  type Ending,
  endEarly,
  inScripts,
  ORIGIN,
  type ReaderKind,
  readerOver,
  SESSION,
  siteTransport,
  withJunk,
} from '../support/drift.ts';
import { junk } from '../support/json-places.ts';
import { platformsOf, postRef } from '../support/platforms.ts';
import { runs } from '../support/property-runs.ts';
import { words } from '../support/words.ts';
import { comment, createSweepWorld, ScriptedPlatform } from '../unit/challenge-data/support.ts';
import { scriptedTransport } from '../unit/scraping/scripted-transport.ts';

const world = createWorld('drift');
world.sessions.set(SESSION, 'live');
const image = world.addPost({
  platform: 'instagram',
  owner: 'northtrail',
  kind: 'image',
  comments: 90,
  replies: { every: 2, count: 3 },
  likers: 12,
});
const carousel = world.addPost({ platform: 'instagram', owner: 'northtrail', kind: 'carousel', comments: 90 });
const video = world.addPost({ platform: 'tiktok', owner: 'mia', comments: 60, replies: { every: 3, count: 2 } });
const threads = { every: 3, count: 7 };
const clip = world.addPost({ platform: 'youtube', owner: 'northtrail', comments: 130, replies: threads });
const sites = {
  instagram: createInstagramSite(world),
  tiktok: createTikTokSite(world),
  youtube: createYouTubeSite(world),
  scrapecreators: createDataProviderSite(world),
  hikerapi: createHikerApiSite(world),
};
const refs = {
  image: postRef('instagram', image.contentId),
  carousel: postRef('instagram', carousel.contentId),
  video: postRef('tiktok', video.contentId, 'mia'),
  clip: postRefOf(youtubeDescriptor, clip.contentId),
};

/** An answer with this body. */
const answerWith = (body: unknown) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status: 200, body: new TextEncoder().encode(text) };
};

/** The answer with its JSON changed: all of it, or the scripts of a page. */
const withJson = (body: string, change: (json: string) => string): string => {
  if (body.startsWith('{')) return change(body);
  return body.startsWith('<') ? inScripts(body, change) : body;
};

const firstOf = (post: WorldPost): string => post.thread.page(0, 1)[0]?.id ?? '';

const opened: Platform[] = [];
afterAll(() => Promise.all(opened.map((platform) => platform.close())));

function open(kind: ReaderKind, transport: ScrapingTransport): Platform {
  const platform = readerOver(transport, kind);
  opened.push(platform);
  return platform;
}

type Holds<T> = (value: T, truth: T) => void;

const orNull = (value: unknown, truth: unknown, what: string): void => {
  if (value !== null && value !== '') expect(value, what).toEqual(truth);
};

/**
 * TikTok shows two counts: the exact one, and one rounded for people (1,785,290 is 1.8M). It rounds to three figures, or to a
 * tenth of a thousand, a million or a billion. Either will do (docs/decisions.md#reading-platforms). Other platforms show one count.
 */
function countHolds(count: unknown, exact: unknown, what: string, { platform }: { readonly platform: string }): void {
  const isRounded = platform === 'tiktok' && typeof exact === 'number' && roundings(exact).includes(Number(count));
  if (!isRounded) orNull(count, exact, what);
}

function roundings(exact: number): readonly number[] {
  const unit = [1e9, 1e6, 1e3].find((size) => exact >= size) ?? 1;
  return [Number(exact.toPrecision(3)), (Math.round((exact * 10) / unit) * unit) / 10];
}

/** TikTok tells when a post went up, and its id when it was made, some seconds earlier: the next best (docs/decisions.md#reading-platforms). */
function postedAtHolds({ post, platform, contentId }: PostDetails, truth: PostDetails): void {
  const postedAt = post.postedAt?.getTime() ?? null;
  const isMadeAt = platform === 'tiktok' && postedAt === Number(BigInt(contentId) >> 32n) * 1_000;
  if (!isMadeAt) orNull(postedAt, truth.post.postedAt?.getTime(), 'postedAt');
}

const postHolds: Holds<PostDetails> = (value, truth) => {
  expect(value.contentId).toBe(truth.contentId);
  expect(value.owner.handle).toBe(truth.owner.handle);
  expect(value.owner.accountId).toBe(truth.owner.accountId);
  expect(SIMULATED_PLATFORMS.parsePostUrl(value.postUrl)).toMatchObject({ contentId: truth.contentId });
  orNull(value.owner.displayName, truth.owner.displayName, 'displayName');
  orNull(value.owner.secUid, truth.owner.secUid, 'secUid');
  orNull(value.post.caption, truth.post.caption, 'caption');
  postedAtHolds(value, truth);
  for (const [name, count] of Object.entries(value.stats)) {
    countHolds(count, truth.stats[name as keyof typeof truth.stats], name, truth);
  }
};

const idsOf = (comments: readonly PlatformComment[]) =>
  comments.filter(({ parentId }) => parentId === null).map(({ id }) => id);

/** In order, and none missing but those that are counted as skipped. */
function listHolds<T>(value: readonly T[], truth: readonly T[], skipped = 0): void {
  const names = new Set(value.map((entry) => JSON.stringify(entry)));
  const left = truth.filter((entry) => names.has(JSON.stringify(entry)));
  expect(value).toEqual(left);
  expect(truth.length - left.length, 'entries missing').toBeLessThanOrEqual(skipped);
}

const commentsHold: Holds<CommentPage> = (value, truth) => {
  listHolds(idsOf(value.comments), idsOf(truth.comments), value.skipped);
  const known = new Map(truth.comments.map((comment) => [comment.id, comment]));
  for (const comment of value.comments) {
    const { parentId, username, authorId, text, createdAt } = known.get(comment.id) ?? comment;
    expect(known.has(comment.id), `a comment that is not there: ${comment.id}`).toBe(true);
    expect(comment).toMatchObject({ parentId, createdAt });
    // The number is enough.
    if (comment.username === '') expect(comment.authorId).toBeTruthy();
    else expect(comment.username).toBe(username);
    orNull(comment.authorId ?? null, authorId, 'authorId');
    // A text that is null is one of an image only.
    expect([text, '']).toContain(comment.text);
    orNull(comment.likeCount, known.get(comment.id)?.likeCount, 'likeCount');
    if (comment.parentId === null) inlineRepliesHold(comment, value, truth);
  }
  const unnamed = value.comments.filter(({ username }) => username === '').length;
  expect(unnamed, 'comments without a handle').toBeLessThanOrEqual(value.skipped ?? 0);
  expect(value.nextCursor === null).toBe(truth.nextCursor === null);
};

/** Replies that are missing show in the count beside them, so that a sweep asks for them. */
function inlineRepliesHold(comment: PlatformComment, value: CommentPage, truth: CommentPage): void {
  const count = (page: CommentPage) => page.comments.filter(({ parentId }) => parentId === comment.id).length;
  const before = truth.comments.find(({ id }) => id === comment.id);
  const isAskedFor = (one: PlatformComment | undefined, inline: number) => (one?.replyCount ?? Infinity) > inline;
  if ((value.skipped ?? 0) > 0) return;
  if (isAskedFor(before, count(truth))) expect(isAskedFor(comment, count(value)), 'replies lost').toBe(true);
  if (count(value) < count(truth)) expect(isAskedFor(comment, count(value)), 'inline replies lost').toBe(true);
}

const likersHold: Holds<LikersResult> = (value, truth) => {
  const named = ({ likers }: LikersResult) => likers.map(({ accountId }) => accountId);
  // A list that is shorter than the total beside it shows that it is a part: Instagram never hands out all likers of a post.
  const isPart = (value.totalLikes ?? 0) > value.likers.length;
  listHolds(named(value), named(truth), isPart ? (value.totalLikes ?? 0) - value.likers.length : value.skipped);
  for (const liker of value.likers) {
    const known = truth.likers.find(({ accountId }) => accountId === liker.accountId);
    if (liker.username !== '') expect(liker.username).toBe(known?.username);
    orNull(liker.fullName, known?.fullName, 'fullName');
    orNull(liker.profilePicUrl, known?.profilePicUrl, 'profilePicUrl');
  }
  orNull(value.totalLikes, truth.totalLikes, 'totalLikes');
};

const repliesHold: Holds<CommentPage> = (value, truth) => {
  const named = ({ comments }: CommentPage) => comments.map(({ id }) => id);
  listHolds(named(value), named(truth), value.skipped);
  commentsHold(value, truth);
};

/** TikTok has a picture in several sizes, at addresses that differ behind its name. */
const pictureOf = (url: string | null): string | null => url?.replace(/~tplv-.*/, '') ?? null;

const profileHolds: Holds<PlatformProfile | null> = (value, truth) => {
  // A readable but empty profile is an answer of its own; nothing is read from it.
  if (value === null || truth === null) return expect(value).toBeNull();
  expect(value).toMatchObject({ handle: truth.handle, accountId: truth.accountId });
  const { profilePictureUrl, ...facts } = value;
  for (const [name, fact] of Object.entries(facts)) countHolds(fact, truth[name as keyof PlatformProfile], name, truth);
  orNull(pictureOf(profilePictureUrl), pictureOf(truth.profilePictureUrl), 'profilePictureUrl');
};

interface Case<T = unknown> extends ReaderKind {
  readonly call: (platform: Platform) => Promise<T>;
  readonly holds: Holds<T>;
  /** Keys whose null is a meaning of its own. */
  readonly spared?: readonly string[];
  /** Keys whose absence is. */
  readonly leftOut?: readonly string[];
  /** Replies leave two traces, a count and the first of them; nobody can tell when both are gone at once. */
  readonly oneAtATime?: boolean;
}

/** Keeps the type of the call and its invariant together. */
const example = <T>(one: Case<T>): Case => one as Case;

const onInstagram = { platform: 'instagram' } as const;
const loggedIn = { platform: 'instagram', isLoggedIn: true } as const;
const onYouTube = {
  platform: 'youtube',
  // The last page, a channel without a handle, a number that is hidden.
  leftOut: ['nextPageToken', 'customUrl', 'likeCount', 'commentCount', 'viewCount'],
} as const;
const onTikTok = { platform: 'tiktok' } as const;
/** `comments: null` is how TikTok says that there are none. */
const SPARED_BY_TIKTOK = ['comments', 'reply_comment'] as const;

const atProvider = { provider: 'scrapecreators' } as const;

const onTikTokLists = { ...onTikTok, spared: SPARED_BY_TIKTOK };
const instagramProvider = { ...atProvider, platform: 'instagram' } as const;
const hikerApi = { ...instagramProvider, provider: 'hikerapi' } as const;
const tiktokProvider = { ...atProvider, platform: 'tiktok' } as const;

type Reader = Omit<Case, 'call' | 'holds'>;
const aPost = (at: Reader, ref: PostRef) => example({ ...at, call: (by) => by.getPost(ref), holds: postHolds });
const aProfile = (at: Reader, handle: string) =>
  example({ ...at, call: (by) => by.getProfile(handle), holds: profileHolds });
const likers = (at: Reader, ref: PostRef, most: number) =>
  example({ ...at, call: (by) => by.getLikers(ref, most), holds: likersHold });
const comments = (at: Reader, ref: PostRef) =>
  example({ ...at, call: (by) => by.getComments(ref, null), holds: commentsHold, oneAtATime: true });
const replies = (at: Reader, ref: PostRef, to: string) =>
  example({ ...at, call: (by) => by.getReplies(ref, to, null), holds: repliesHold });

const CASES: Readonly<Record<string, Case>> = {
  'an Instagram post': aPost(onInstagram, refs.image),
  'an Instagram carousel, logged in': aPost(loggedIn, refs.carousel),
  'Instagram comments': comments(onInstagram, refs.carousel),
  'Instagram comments, logged in': comments(loggedIn, refs.image),
  'Instagram replies': { ...replies(loggedIn, refs.image, firstOf(image)), oneAtATime: true },
  'Instagram likers': likers(loggedIn, refs.image, 100),
  'an Instagram profile': aProfile(onInstagram, 'northtrail'),
  'an Instagram profile, logged in': aProfile(loggedIn, 'northtrail'),
  'a TikTok post': aPost(onTikTok, refs.video),
  'TikTok comments': comments(onTikTokLists, refs.video),
  'TikTok replies': { ...replies(onTikTokLists, refs.video, firstOf(video)), oneAtATime: true },
  'a TikTok profile': aProfile(onTikTok, 'mia'),
  'a YouTube video': aPost(onYouTube, refs.clip),
  'YouTube comments': comments(onYouTube, refs.clip),
  'YouTube replies': replies(onYouTube, refs.clip, threadIdOf(firstOf(clip))),
  'a YouTube channel': aProfile(onYouTube, 'northtrail'),
  'an Instagram post of the provider': aPost(instagramProvider, refs.image),
  // The last page has no cursor, and nothing else that says so.
  'Instagram comments of the provider': comments({ ...instagramProvider, leftOut: ['cursor'] }, refs.image),
  'an Instagram profile of the provider': aProfile(instagramProvider, 'northtrail'),
  'an Instagram post of HikerAPI': aPost(hikerApi, refs.image),
  'Instagram comments of HikerAPI': comments(hikerApi, refs.image),
  'Instagram replies of HikerAPI': { ...replies(hikerApi, refs.image, firstOf(image)), oneAtATime: true },
  'Instagram likers of HikerAPI': likers(hikerApi, refs.image, 100),
  'an Instagram profile of HikerAPI': aProfile(hikerApi, 'northtrail'),
  'a TikTok post of the provider': aPost(tiktokProvider, refs.video),
  'TikTok comments of the provider': comments({ ...tiktokProvider, spared: SPARED_BY_TIKTOK }, refs.video),
  'a TikTok profile of the provider': aProfile(tiktokProvider, 'mia'),
};

const openFor = (one: Case, spoil: (body: string, request: number) => string): Platform =>
  open(one, siteTransport(sites[one.provider ?? one.platform], ORIGIN, spoil));

const change: fc.Arbitrary<Change> = fc.record({ kind: fc.constantFrom(...CHANGE_KINDS), place: fc.nat() });
const changesFor = ({ oneAtATime }: Case): fc.Arbitrary<Change[]> =>
  fc.array(change, { minLength: 1, maxLength: oneAtATime === true ? 1 : 3 });

/** Which of a call's answers drift: the first, the second, the third; or all. */
const which: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.integer({ min: 0, max: 2 }).map((one) => [one]),
  fc.constant([0, 1, 2, 3, 4, 5, 6, 7]),
);

function spoilt(body: string, list: readonly Change[], { spared = [], leftOut = [] }: Case): string {
  const keys = { nulls: new Set([...spared, ...leftOut]), absences: new Set(leftOut) };
  if (body.startsWith('{')) return drift(body, list, keys);
  return body.startsWith('<') ? driftPage(body, list, keys) : body;
}

/** What the call says when its first answers fail, so that each of the adapter's ways gets its turn. */
async function truthsOf(one: Case): Promise<readonly unknown[]> {
  const truths: unknown[] = [];
  for (let failing = 0; failing < 8; failing += 1) {
    const platform = openFor(one, (body, request) => (request < failing ? '' : body));
    await one.call(platform).then(
      (truth) => truths.push(truth),
      (error: unknown) => expect(isDomainError(error)).toBe(true),
    );
  }
  const different = [...new Map(truths.map((truth) => [JSON.stringify(truth), truth])).values()];
  for (const truth of different) one.holds(truth, truth);
  expect(different.length).toBeGreaterThan(0);
  return different;
}

const known = new Map<Case, Promise<readonly unknown[]>>();
function knownTruthsOf(one: Case): Promise<readonly unknown[]> {
  const truths = known.get(one) ?? truthsOf(one);
  known.set(one, truths);
  return truths;
}

async function expectWhole(one: Case, platform: Platform, truths: readonly unknown[]): Promise<void> {
  let value: unknown;
  try {
    value = await one.call(platform);
  } catch (error) {
    if (!isDomainError(error)) throw error;
    // Drift is no proof that something does not exist, is private or was never meant: only that we cannot read it.
    expect(['PLATFORM_UNAVAILABLE', 'SCRAPING_RATE_LIMITED', 'PLATFORM_TIMEOUT'], error.message).toContain(error.code);
    return;
  } finally {
    await platform.close();
  }
  let contradiction: unknown;
  for (const truth of truths) {
    try {
      one.holds(value, truth);
      return;
    } catch (error) {
      contradiction ??= error;
    }
  }
  throw contradiction;
}

describe('a drifted answer is read whole or not at all', () => {
  it.each(Object.entries(CASES))('%s', async (_name, one) => {
    const truths = await knownTruthsOf(one);
    await fc.assert(
      fc.asyncProperty(changesFor(one), which, async (list, numbers) => {
        const platform = openFor(one, (body, request) => (numbers.includes(request) ? spoilt(body, list, one) : body));
        await expectWhole(one, platform, truths);
      }),
      runs(6),
    );
  });

  it.each(Object.entries(CASES))('%s, cut off anywhere', async (_name, one) => {
    const truths = await knownTruthsOf(one);
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), which, async (part, numbers) => {
        const platform = openFor(one, (body, request) =>
          numbers.includes(request) ? body.slice(0, Math.floor(body.length * part)) : body,
        );
        await expectWhole(one, platform, truths);
      }),
      runs(5),
    );
  });
});

const HALF = /"(?:(?:id|accountId|handle|contentId)":(?:null|""|\d|\{|\[)|username":(?:null|\d|\{|\[))/;

/** Nothing is thrown but a `DomainError`, and nothing is handed on in part. */
async function expectTyped(one: Case, platform: Platform): Promise<void> {
  const value = await one.call(platform).catch((error: unknown) => {
    if (!isDomainError(error)) throw error;
  });
  expect(JSON.stringify(value) ?? '').not.toMatch(HALF);
  await platform.close();
}

describe('whatever is answered', () => {
  const html = (json: string) => `<html><script type="application/json" data-sjs>${json}</script></html>`;

  it.each(Object.entries(CASES))('%s, with junk in one place, is typed', async (_name, one) => {
    await fc.assert(
      fc.asyncProperty(junk, fc.nat(), which, async (value, place, numbers) => {
        const changed = (body: string) => withJson(body, (json) => withJunk(json, place, value));
        await expectTyped(
          one,
          openFor(one, (body, request) => (numbers.includes(request) ? changed(body) : body)),
        );
      }),
      runs(6),
    );
  });

  const link = example({
    ...onInstagram,
    call: (at) => at.resolveShortLink('https://www.instagram.com/share/p/BAabc/'),
    holds: () => undefined,
  });

  it.each(Object.entries({ ...CASES, 'a share link': link }))(
    '%s, of any text and status, is typed',
    async (_name, one) => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(fc.string({ unit: anyCharacter, maxLength: 300 }), fc.json(), fc.json().map(html)),
          fc.constantFrom(200, 204, 301, 400, 401, 403, 404, 429, 500, 503),
          async (text, status) => {
            const transport = scriptedTransport(() => ({ status, body: new TextEncoder().encode(text) }));
            await expectTyped(one, open(one, transport));
          },
        ),
        runs(4),
      );
    },
  );
});

/** What is missing is counted as skipped, or shows in the total; or the total is not claimed to be known. */
function tracesHold(value: CommentPage, truth: CommentPage): void {
  const ids = value.comments.map(({ id }) => id);
  expect(truth.comments.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  const isShort = ids.length + (value.skipped ?? 0) < truth.comments.length;
  const endsEarly = value.nextCursor === null && truth.nextCursor !== null;
  const { expectedTotal = null } = value;
  if (value.nextCursor !== null || expectedTotal === null || !(isShort || endsEarly)) return;
  expect(expectedTotal).toBeGreaterThan(ids.length);
}

const LISTS = Object.entries(CASES).filter(([, { holds }]) => holds === commentsHold);
const ending: fc.Arbitrary<Ending> = fc.record({ kind: fc.constantFrom(...ENDINGS), place: fc.nat() });

describe('a list that ends early', () => {
  it.each(LISTS)('(%s) shows it by its total, or does not claim to know the total', async (_name, one) => {
    const whole = (await one.call(openFor(one, (body) => body))) as CommentPage;
    await fc.assert(
      fc.asyncProperty(ending, which, async (how, numbers) => {
        const ended = (body: string) => withJson(body, (json) => endEarly(json, how));
        const platform = openFor(one, (body, request) => (numbers.includes(request) ? ended(body) : body));
        const outcome = await one.call(platform).catch((error: unknown) => {
          if (!isDomainError(error, 'PLATFORM_UNAVAILABLE', 'SCRAPING_RATE_LIMITED')) throw error;
          return null;
        });
        await platform.close();
        if (outcome !== null) tracesHold(outcome as CommentPage, whole);
      }),
      runs(6),
    );
  });
});

/** Someone who is named no more and of whom the bare id is left is gone: that is no drift. */
const whoIsGone = ['user'] as const;
const folder = resolve(import.meta.dirname, '../../../shared/samples/platforms');
const INSTAGRAM_POST = postRef('instagram', 'DeAZ0uAgNuA');
/** The post that the recorded comments name. */
const INSTAGRAM_THREAD = postRef('instagram', 'DS4_qA8EhiR');
const TIKTOK_POST = postRef('tiktok', '7686150374289362190', 'therock');
const TIKTOK_THREAD = postRef('tiktok', '6993829555089706245');

const INSTAGRAM_LISTS = { ...loggedIn, leftOut: whoIsGone };

/** Files of recorded answers, and what is read of them. */
const RECORDED: Readonly<Record<string, readonly [file: string, Case]>> = {
  'an Instagram post': ['instagram/page_post_image.html', aPost(onInstagram, INSTAGRAM_POST)],
  'an Instagram profile': ['instagram/page_profile.html', aProfile(onInstagram, 'natgeo')],
  'Instagram comments': ['instagram/web_media_comments.json', comments(INSTAGRAM_LISTS, INSTAGRAM_THREAD)],
  'Instagram replies': [
    'instagram/web_child_comments.json',
    replies(INSTAGRAM_LISTS, INSTAGRAM_THREAD, '18073576745526689'),
  ],
  'Instagram likers': ['instagram/mobile_media_likers.json', likers(loggedIn, INSTAGRAM_POST, 1_000)],
  'a TikTok post': ['tiktok/page_video.html', aPost(onTikTok, TIKTOK_POST)],
  'a TikTok profile': ['tiktok/page_profile.html', aProfile(onTikTok, 'nasa')],
  'TikTok comments': ['tiktok/comment_list.json', comments(onTikTokLists, postRef('tiktok', '7603296357641735445'))],
  'TikTok replies': [
    'tiktok/comment_reply_list_2021_page1.json',
    replies(onTikTokLists, TIKTOK_THREAD, '6993850213266637574'),
  ],
};

describe.skipIf(!existsSync(folder))('a recorded answer that has drifted is read whole or not at all', () => {
  it.each(Object.entries(RECORDED))('%s', async (_name, [file, one]) => {
    const body = readFileSync(join(folder, file), 'utf8');
    const transport = (text: string) => scriptedTransport(() => answerWith(text));
    const answering = (text: string) => open(one, transport(text));
    const truth = await one.call(answering(body));
    await fc.assert(
      fc.asyncProperty(changesFor(one), async (list) => expectWhole(one, answering(spoilt(body, list, one)), [truth])),
      runs(6),
    );
  });
});

describe('what drift once led astray', () => {
  const answering = (body: unknown, platform: 'instagram' | 'tiktok' = 'instagram') => {
    const transport = scriptedTransport(() => answerWith(body));
    return open({ platform, isLoggedIn: true }, transport);
  };
  const user = { pk: '787132', id: '17841400000000000', username: 'natgeo' };
  const comment = { pk: '1', text: 'x', created_at: 1_790_975_127, user };
  const { user: _user, ...rest } = comment;
  const drifted = { code: 'PLATFORM_UNAVAILABLE' };

  it('an owner without `pk`: the `id` beside it is another number', async () => {
    const media = { code: image.contentId, user: { ...user, pk: undefined }, like_count: 1, comment_count: 1 };
    await expect(answering({ items: [media], status: 'ok' }).getPost(refs.image)).rejects.toMatchObject(drifted);
  });

  it('a place to continue at without a word whether there is more: not the end of the list', async () => {
    const page = { comments: [comment], next_min_id: '{"a":1}', status: 'ok' };
    await expect(answering(page).getComments(refs.image, null)).rejects.toMatchObject(drifted);
    const replies = { child_comments: [comment], next_max_child_cursor: 'c', status: 'ok' };
    await expect(answering(replies).getReplies(refs.image, '1', null)).rejects.toMatchObject(drifted);
  });

  it('a count of replies that is none: not zero', async () => {
    const list = (changes: object) => ({ comments: [{ ...comment, ...changes }], status: 'ok' });
    const read = (changes: object) => answering(list(changes)).getComments(refs.image, null);
    expect((await read({ child_comment_count: 'many' })).comments[0]).toMatchObject({ id: '1', replyCount: null });
    const { comments } = await read({ preview_child_comments: [{ ...comment, pk: '2' }] });
    expect(comments[0]).toMatchObject({ id: '1', replyCount: null });
    const more = await read({ has_more_head_child_comments: true });
    expect(more.comments[0]).toMatchObject({ replyCount: null });
  });

  it('authors who are all missing at once: not a page without comments', async () => {
    const nobodys = { ...rest, fallback_user_info: { id: '787132' } };
    const read = (...comments: object[]) => answering({ comments, status: 'ok' }).getComments(refs.image, null);
    await expect(read(nobodys)).rejects.toMatchObject(drifted);
    await expect(read(nobodys, { ...nobodys, pk: '2' })).rejects.toMatchObject(drifted);
    for (const nameless of [
      { ...rest, pk: '2' },
      { ...rest, pk: '2', fallback_user_info: '787132' },
    ]) {
      expect(await read(comment, nameless)).toMatchObject({ comments: [{ id: '1' }], skipped: 1 });
    }
  });

  it('an author of whom nothing but the number is shown: a comment that cannot be read, and may be anybody’s', async () => {
    const read = (...comments: object[]) => answering({ comments, status: 'ok' }).getComments(refs.image, null);
    for (const [names, missing] of [
      [{ fallback_user_info: { id: '787132' } }, 1],
      [{ fallback_user_info: { id: 787_132 } }, 1],
      [{ fallback_user_info: {}, user_id: '787132' }, 1],
      [{ fallback_user_info: {} }, 0],
      [{ fallback_user_info: { id: null }, user_id: '' }, 0],
    ] as const) {
      const unnamed = { ...rest, ...names, pk: '2' };
      const { comments, skipped } = await read(comment, unnamed, { ...comment, pk: '3' });
      expect([comments.map(({ id }) => id), skipped]).toEqual([['1', '3'], missing]);
      const inline = await read({ ...comment, child_comment_count: 1, preview_child_comments: [unnamed] });
      expect(inline).toMatchObject({ comments: [{ id: '1', replyCount: 1 }], skipped: missing });
    }
  });

  it.each([
    [{}, 0],
    [{ id: '787132' }, 1],
  ])('replies to a comment whose author is %j: read, or counted as not read', async (fallback_user_info, own) => {
    const unnamed = { ...rest, pk: '2', fallback_user_info, child_comment_count: 3 };
    const inline = { ...comment, pk: '3', parent_comment_id: '2' };
    const read = (changes: object) =>
      answering({ comments: [comment, { ...unnamed, ...changes }], status: 'ok' }).getComments(refs.image, null);
    expect(await read({})).toMatchObject({ comments: [{ id: '1' }], skipped: 3 + own });
    const both = [{ id: '1' }, { id: '3', parentId: '2' }];
    expect(await read({ preview_child_comments: [inline] })).toMatchObject({ comments: both, skipped: 2 + own });
    const first = { comments: [{ id: '1' }], skipped: 3 + own };
    expect(await read({ preview_child_comments: [{ pk: '3' }] })).toMatchObject(first);
    expect(await read({ child_comment_count: 'many' })).toMatchObject({ skipped: 1 + own });
    const whole = { child_comment_count: 1, preview_child_comments: [inline] };
    expect(await read(whole)).toMatchObject({ comments: both, skipped: own });
  });

  it('replies of another thread: not read as those of this one', async () => {
    const read = (...list: object[]) =>
      answering({ child_comments: list, status: 'ok' }).getReplies(refs.image, '1', null);
    const [own, others] = ['1', '9'].map((parent) => ({ ...comment, pk: `${parent}0`, parent_comment_id: parent }));
    expect(await read(own as object, others as object)).toMatchObject({ comments: [{ id: '10' }], skipped: 1 });
    await expect(read(others as object)).rejects.toMatchObject(drifted);
  });

  it('a thread of replies that are all nobody’s: as named as the comment that it belongs to', async () => {
    const nobodys = { ...rest, pk: '2', fallback_user_info: {} };
    const read = async (parent: unknown, ...list: object[]) => {
      const body = { child_comments: list, parent_comment: parent, status: 'ok' };
      const { comments, skipped } = await answering(body).getReplies(refs.image, '1', null);
      return [comments.map(({ id }) => id), skipped];
    };
    expect(await read(comment, nobodys)).toEqual([[], 0]);
    expect(await read(comment, nobodys, { ...nobodys, pk: '3' })).toEqual([[], 0]);
    expect(await read(comment, nobodys, { ...comment, pk: '3' })).toEqual([['3'], 0]);
    const unnamed = [{}, rest, { ...rest, user: {} }, { ...rest, user: { username: '' } }];
    for (const parent of [undefined, null, 'of natgeo', ...unnamed]) {
      expect(await read(parent, nobodys)).toEqual([[], 1]);
    }
    await expect(read({ ...comment, pk: '9' }, nobodys)).rejects.toMatchObject(drifted);
    expect(await read(comment, { ...rest, pk: '2' })).toEqual([[], 1]);
    const named = { ...nobodys, fallback_user_info: { id: '787132' } };
    expect(await read(comment, named, { ...comment, pk: '3' })).toEqual([['3'], 1]);
  });

  it('the only reply of a thread is nobody’s: a sweep that reads it is complete', async () => {
    const reply = { ...rest, pk: '2', fallback_user_info: {} };
    const top = { ...comment, child_comment_count: 1, preview_child_comments: [reply] };
    const transport = scriptedTransport(({ url }) => {
      const thread = { child_comments: [reply], parent_comment: comment, status: 'ok' };
      return answerWith(url.includes('child_comments') ? thread : { comments: [top], comment_count: 1, status: 'ok' });
    });
    const sweeping = await createSweepWorld();
    const sweeper = sweeping.sweeper({ platforms: platformsOf(open(loggedIn, transport)) });
    const result = { totalFetched: 1, sweepStatus: 'swept', historyComplete: true };
    expect(await sweeper.sweep(sweeping.challenge.id)).toMatchObject(result);
    // Besides, the post is asked for its total.
    const asked = transport.requests.filter(({ url }) => /\/comments\/|child_comments/.test(url));
    expect(asked).toHaveLength(2);
    await sweeper.close();
    await sweeping.storage.close();
  });

  it('a liker of whom it is said in words whether they are verified', async () => {
    const likers = { users: [{ ...user, is_verified: 'yes' }], status: 'ok' };
    await expect(answering(likers).getLikers(refs.image, 5)).rejects.toMatchObject(drifted);
  });

  it('TikTok comments of nobody: one may be, all of them have lost a field', async () => {
    const nobody = { cid: '1', text: 'x', create_time: 1_790_975_127, user: { unique_id: '' } };
    const page = { status_code: 0, comments: [nobody], has_more: 0, cursor: 1 };
    expect(await answering(page, 'tiktok').getComments(refs.video, null)).toMatchObject({ comments: [], skipped: 1 });
    const many = { ...page, comments: Array.from({ length: 5 }, () => nobody) };
    await expect(answering(many, 'tiktok').getComments(refs.video, null)).rejects.toMatchObject(drifted);
  });
});

describe('a list without end', () => {
  it('is left after 500 pages', async () => {
    const scripted = new ScriptedPlatform('instagram');
    scripted.pages = Array.from({ length: 510 }, (_, index) => [comment(`${index}`)]);
    const sweeping = await createSweepWorld(scripted);
    const sweeper = sweeping.sweeper();
    const part = { totalFetched: 500, sweepStatus: 'partial', historyComplete: false };
    expect(await sweeper.sweep(sweeping.challenge.id)).toMatchObject(part);
    expect(scripted.asked).toHaveLength(500);
    await sweeper.close();
    await sweeping.storage.close();
  });
});

describe('cursors', () => {
  const asked = (name: 'instagram' | 'tiktok') => {
    const transport = siteTransport(sites[name], ORIGIN);
    return { transport, platform: open({ platform: name, isLoggedIn: true }, transport) };
  };
  const posts: Readonly<Record<'instagram' | 'tiktok', PostRef>> = { instagram: refs.image, tiktok: refs.video };

  it.each(['instagram', 'tiktok'] as const)(
    'that %s never gave out are refused before anything is asked',
    async (name) => {
      const { transport, platform } = asked(name);
      const hostile = fc.oneof(
        fc.string({ unit: anyCharacter, maxLength: 200 }),
        fc.json().map((text) => Buffer.from(text).toString('base64url')),
        fc.constantFrom(
          ...words('../../etc/passwd 1&count=9 null -1 1e3 0x1 __proto__ %00'),
          "1' OR 1=1",
          'A'.repeat(9_000),
        ),
      );
      await fc.assert(
        fc.asyncProperty(hostile, async (cursor) => {
          if (name === 'tiktok' && /^(?:0|[1-9]\d{0,15})$/.test(cursor)) return;
          await expect(platform.getComments(posts[name], cursor)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
        }),
        runs(30),
      );
      expect(transport.requests).toEqual([]);
    },
  );

  it('of another post, or of the other list, are refused', async () => {
    const { platform } = asked('instagram');
    const { nextCursor } = await platform.getComments(refs.image, null);
    expect(nextCursor).not.toBeNull();
    await expect(platform.getComments(refs.carousel, nextCursor)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(platform.getReplies(refs.image, '1', nextCursor)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('with one character changed lead nowhere but to the same list', async () => {
    const { transport, platform } = asked('instagram');
    const { nextCursor } = await platform.getComments(refs.image, null);
    const path = transport.requests.at(-1)?.pathname;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(63), async (at, letter) => {
        const index = at % (nextCursor?.length ?? 1);
        const changed = `${nextCursor?.slice(0, index)}${alphabet[letter]}${nextCursor?.slice(index + 1)}`;
        const before = transport.requests.length;
        await platform
          .getComments(refs.image, changed)
          .catch((error: unknown) => expect(isDomainError(error)).toBe(true));
        for (const url of transport.requests.slice(before)) expect([url.origin, url.pathname]).toEqual([ORIGIN, path]);
      }),
      runs(10),
    );
  });

  it.each([
    'x&max_id=1',
    '../../../accounts/edit/',
    'a\r\nx-injected: 1',
    '"}{"',
    '\u0000',
    '%26count%3D9',
    '#fragment',
    'https://evil.example/',
    '漢字'.repeat(100),
  ])('that the platform gives out travel as one value: %j', async (position) => {
    const seen: URL[] = [];
    const transport = scriptedTransport(({ url }) => {
      seen.push(new URL(url));
      const more = { has_more_comments: false, has_more_headload_comments: true, next_min_id: position };
      return answerWith({ comments: [], ...more, status: 'ok' });
    });
    const platform = open(loggedIn, transport);
    const { nextCursor } = await platform.getComments(refs.image, null);
    await platform.getComments(refs.image, nextCursor);
    const [first, second] = seen;
    expect([second?.origin, second?.pathname]).toEqual([first?.origin, first?.pathname]);
    expect(second?.searchParams.get('min_id')).toBe(position);
    const names = [...(second?.searchParams.keys() ?? [])].sort();
    expect(names).toEqual(['can_support_threading', 'min_id', 'permalink_enabled']);
  });

  it('beyond all bounds are not kept', async () => {
    const endless = { comments: [], has_more_headload_comments: true, next_min_id: 'x'.repeat(3_000), status: 'ok' };
    const transport = scriptedTransport(() => answerWith(endless));
    const reading = open(loggedIn, transport).getComments(refs.image, null);
    await expect(reading).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
  });
});
