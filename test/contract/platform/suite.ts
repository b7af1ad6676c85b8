/**
 * What every `Platform` has to do, tried on a stage: a fake of the platform that the caller brings. Needs Vitest.
 *
 *     platformContract({ name: 'Toy', descriptor: toyDescriptor, open: openToyStage, …});
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type DomainError, type ErrorCode, isDomainError } from '../../../core/errors.ts';
import { type PlatformDescriptor, postRefOf } from '../../../core/platforms/descriptor.ts';
import type { CommentPage, Platform, PlatformComment } from '../../../core/ports/platform.ts';
import type { PlatformStage, PostToStage, StagedFailure, StagedPost } from './stage.ts';

/** How a platform is staged for the suite, and what its reader does not do. */
export interface PlatformContractOptions {
  /** Of the reader, for the titles of the tests. */
  readonly name: string;
  /** Of the platform that the reader reads. */
  readonly descriptor: PlatformDescriptor;
  /** Makes an empty stage; every test has one of its own. */
  readonly open: () => PlatformStage | Promise<PlatformStage>;
  /** The id of a post that does not exist. */
  readonly unknownContentId: string;
  /** URLs that are no short links of this platform. */
  readonly foreignLinks: readonly string[];
  /** Kinds of post; `mediaUrls` of one with several pictures are read. One kind, `video`, by default. */
  readonly kinds?: { readonly all: readonly [string, ...string[]]; readonly album?: string };
  /** What the reader makes of failures that say something about the post; `POST_NOT_FOUND` and the like by default. */
  readonly permanent?: Readonly<Partial<Record<StagedFailure, ErrorCode>>>;
  /** False for a reader that does not follow short links, and says `NOT_SUPPORTED`. Without a meaning if the stage has none. */
  readonly followsShortLinks?: boolean;
  /** False for a reader that is not told how many comments there are. */
  readonly tellsTotals?: boolean;
  /** False for a reader that is not told how many replies there are, nor shown them: `PLATFORM_UNAVAILABLE`. */
  readonly tellsReplyCounts?: boolean;
  /** False for a platform that has no private profiles. */
  readonly hasPrivateProfiles?: boolean;
  /** How many requests a post takes at most when it is not there; 2 by default. */
  readonly requestsPerPost?: number;
}

interface Bench {
  readonly stage: PlatformStage;
  readonly platform: Platform;
  addPost(input?: PostToStage): Promise<StagedPost>;
}

const PERMANENT: Readonly<Partial<Record<StagedFailure, ErrorCode>>> = {
  'not-found': 'POST_NOT_FOUND',
  private: 'POST_PRIVATE',
  'age-restricted': 'POST_AGE_RESTRICTED',
};
const UNREADABLE = [
  'reset',
  'server-error',
  'unavailable',
  'empty-body',
  'html-instead-of-json',
  'truncated',
  'drifted',
  'endless-body',
  'login-redirect',
] as const satisfies readonly StagedFailure[];

/** Stands for a cursor too long to show in a title. */
const LONG = '(very long)';

/** Registers the tests that every `Platform` must pass, with vitest. */
export function platformContract(options: PlatformContractOptions): void {
  const { descriptor, kinds = { all: ['video'] }, tellsTotals = true, tellsReplyCounts = true } = options;
  const permanent = Object.entries(options.permanent ?? PERMANENT) as [StagedFailure, ErrorCode][];

  describe(`platform: ${options.name}`, () => {
    const closing: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const close of closing.splice(0)) await close();
    });

    async function bench(): Promise<Bench> {
      const stage = await options.open();
      closing.push(() => stage.close());
      return { stage, platform: stage.reader, addPost: async (input = {}) => stage.addPost(input) };
    }

    describe('posts', () => {
      it('reads who made it, what it shows and how it did', async () => {
        const { stage, platform, addPost } = await bench();
        await stage.addProfile({ handle: 'maker.one', displayName: 'Maker <One> 😍' });
        const { ref, expected } = await addPost({
          caption: 'A "quoted" </script> caption',
          likes: 1_234_567,
          comments: 3,
        });
        const { name, platform: _platform, ...details } = { name: descriptor.name, ...(await platform.getPost(ref)) };
        expect(details).toMatchObject({
          contentType: 'post',
          contentId: ref.contentId,
          postUrl: ref.canonicalUrl,
          owner: { ...expected.owner, displayName: 'Maker <One> 😍' },
          post: { ...expected.post, caption: 'A "quoted" </script> caption' },
          stats: { likes: 1_234_567, comments: expected.stats.comments },
        });
        expect([name, _platform]).toEqual([descriptor.name, descriptor.name]);
      });

      if (kinds.album !== undefined) {
        const { album: kind } = kinds;
        it('reads a post with several images', async () => {
          const { platform, addPost } = await bench();
          const mediaUrls = ['https://media.example/1.jpg', 'https://media.example/2.jpg'];
          const details = await platform.getPost((await addPost({ kind, mediaUrls })).ref);
          expect(details.post.mediaUrls).toEqual(mediaUrls);
        });
      }

      it('takes a post without caption for what it is', async () => {
        const { platform, addPost } = await bench();
        const details = await platform.getPost((await addPost({ caption: null })).ref);
        expect(details.post.caption ?? '').toBe('');
      });

      it.each(permanent)('answers %s with %s, and does not ask again', async (shape, code) => {
        const { stage, platform, addPost } = await bench();
        const { ref } = await addPost();
        await stage.fail(shape);
        expect((await refusal(platform.getPost(ref))).code).toBe(code);
        expect(stage.requests()).toBeLessThanOrEqual(options.requestsPerPost ?? 2);
      });

      it('answers a post that never was with POST_NOT_FOUND', async () => {
        const { platform } = await bench();
        const ref = postRefOf(descriptor, options.unknownContentId);
        expect((await refusal(platform.getPost(ref))).code).toBe('POST_NOT_FOUND');
      });

      it('refuses the post of another platform without asking', async () => {
        const { stage, platform, addPost } = await bench();
        const { ref } = await addPost();
        const before = stage.requests();
        for (const call of [platform.getPost, (post: typeof ref) => platform.getComments(post, null)]) {
          expect((await refusal(call({ ...ref, platform: 'another' }))).code).toBe('INVALID_REQUEST');
        }
        expect(stage.requests()).toBe(before);
      });
    });

    describe('trouble', () => {
      it.each(['server-error', 'unavailable', 'reset'] as const)('gets over two answers of %s', async (shape) => {
        const { stage, platform, addPost } = await bench();
        const post = await addPost();
        await stage.fail(shape, { times: 2 });
        expect((await platform.getPost(post.ref)).owner.accountId).toBe(post.expected.owner.accountId);
      });

      it.each(UNREADABLE)('says PLATFORM_UNAVAILABLE and why for %s, and hands on nothing in part', async (shape) => {
        const { stage, platform, addPost } = await bench();
        const { ref } = await addPost({ comments: 50 });
        await stage.fail(shape);
        const error = await refusal(platform.getPost(ref));
        expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: expect.any(String) } });
        expect((await refusal(platform.getComments(ref, null))).code).toBe('PLATFORM_UNAVAILABLE');
        expect((await refusal(platform.getProfile('maker.one'))).code).toBe('PLATFORM_UNAVAILABLE');
        expect(stage.requests()).toBeLessThan(60);
      });

      it('says when to come back after being throttled', async () => {
        const { stage, platform, addPost } = await bench();
        const { ref } = await addPost();
        await stage.fail('rate-limited', { retryAfterSeconds: 30 });
        const error = await refusal(platform.getPost(ref));
        expect(error.code).toBe('SCRAPING_RATE_LIMITED');
        expect(error.retryAfterSeconds).toBeGreaterThan(0);
        expect(error.retryAfterSeconds).toBeLessThanOrEqual(30);
      });

      it('waits as told and continues when the throttling ends', async () => {
        const { stage, platform, addPost } = await bench();
        const post = await addPost();
        await stage.fail('rate-limited', { retryAfterSeconds: 20, times: 1 });
        expect((await platform.getPost(post.ref)).owner.accountId).toBe(post.expected.owner.accountId);
      });

      it('gives up at the deadline', async () => {
        const { stage, platform, addPost } = await bench();
        const { ref } = await addPost();
        await stage.fail('hang');
        const deadline = new Date(Date.now() + 150);
        expect((await refusal(platform.getPost(ref, { deadline }))).code).toBe('PLATFORM_TIMEOUT');
      });

      it('gives up when the caller does', async () => {
        const { stage, platform, addPost } = await bench();
        const { ref } = await addPost();
        await stage.fail('hang');
        const caller = new AbortController();
        const pending = refusal(platform.getComments(ref, null, { signal: caller.signal }));
        while (stage.requests() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        caller.abort();
        expect((await pending).code).toBe('PLATFORM_TIMEOUT');
      });

      it('asks nothing when there is no time at all', async () => {
        const { stage, platform, addPost } = await bench();
        const { ref } = await addPost();
        const gone = AbortSignal.abort();
        expect((await refusal(platform.getPost(ref, { signal: gone }))).code).toBe('PLATFORM_TIMEOUT');
        expect((await refusal(platform.getPost(ref, { deadline: new Date(0) }))).code).toBe('PLATFORM_TIMEOUT');
        expect(stage.requests()).toBe(0);
      });

      it('names no cookie, token, key or address in its errors', async () => {
        const { stage, platform, addPost } = await bench();
        const { ref } = await addPost();
        await stage.fail('login-redirect');
        const error = await refusal(platform.getPost(ref));
        const shown = JSON.stringify({ message: error.message, details: error.details });
        expect(shown).not.toMatch(/127\.0\.0\.1|localhost|session(id)?=|csrf|42%3A|[a-z]-key\b/i);
      });
    });

    describe('comments', () => {
      it('pages through all of them, each once, ids to the last digit', async () => {
        const { platform, addPost } = await bench();
        const post = await addPost({
          comments: 130,
          placed: { handle: 'Fan.Nr_1', text: 'multi\nline 😍', index: 7 },
        });
        const comments = await allComments((cursor) => platform.getComments(post.ref, cursor));
        const expected = post.comments;
        expect(comments.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        expect(comments[7]).toMatchObject({
          username: 'Fan.Nr_1',
          text: 'multi\nline 😍',
          parentId: null,
          createdAt: expected[7]?.createdAt,
          likeCount: expected[7]?.likeCount,
        });
      });

      it('tells the number of an author’s account as the profile does, or none', async () => {
        const { stage, platform, addPost } = await bench();
        const { expected } = await stage.addProfile({ handle: 'fan.one' });
        const { ref } = await addPost({ comments: 3, placed: { handle: 'fan.one', text: 'hi', index: 1 } });
        const { comments } = await platform.getComments(ref, null);
        const authorId = comments.find(({ username }) => username === 'fan.one')?.authorId ?? null;
        if (authorId !== null) expect(authorId).toBe(expected.accountId);
        // A reader that tells no number of one author tells none at all.
        expect(comments.every((comment) => (comment.authorId == null) === (authorId === null))).toBe(true);
      });

      it('reads the first page of a post of every kind', async () => {
        const { platform, addPost } = await bench();
        for (const kind of kinds.all) {
          const post = await addPost({ kind, comments: 70 });
          const comments = await allComments((cursor) => platform.getComments(post.ref, cursor));
          expect(comments.map(({ id }) => id)).toEqual(post.comments.map(({ id }) => id));
        }
      });

      it('answers a post without comments with an empty last page', async () => {
        const { platform, addPost } = await bench();
        const page = await platform.getComments((await addPost({ comments: 0 })).ref, null);
        expect(page).toMatchObject({ comments: [], nextCursor: null });
        expect([page.expectedTotal ?? 0, page.skipped ?? 0]).toEqual([0, 0]);
      });

      it('tells how many comments the platform counts, replies included, or that it does not know', async () => {
        const { platform, addPost } = await bench();
        const post = await addPost({ comments: 6, replies: { every: 3, count: 4 } });
        const { expectedTotal } = await platform.getComments(post.ref, null);
        expect(expectedTotal ?? null).toBe(tellsTotals ? post.total : null);
      });

      it.each(['', ' ', '-1', 'null', '{}', 'AAAA', '1e9', '../..', '0x10', 'ÿ', LONG, '\u0000'])(
        'refuses the cursor %j without asking',
        async (name) => {
          const cursor = name === LONG ? 'a'.repeat(100_000) : name;
          const { stage, platform, addPost } = await bench();
          const { ref } = await addPost({ comments: 100 });
          expect((await refusal(platform.getComments(ref, cursor))).code).toBe('INVALID_REQUEST');
          expect((await refusal(platform.getReplies(ref, '17999', cursor))).code).toBe('INVALID_REQUEST');
          expect(stage.requests()).toBe(0);
        },
      );

      it.each(['repeated-cursor', 'repeated-page', 'empty-page-with-more'] as const)(
        'hands the platform’s word on when it answers with %s: more to come, never an end',
        async (shape) => {
          const { stage, platform, addPost } = await bench();
          const { ref } = await addPost({ comments: 200 });
          await stage.fail(shape);
          const first = await platform.getComments(ref, null);
          expect(first.nextCursor).not.toBeNull();
          const second = await platform.getComments(ref, first.nextCursor);
          expect(second.nextCursor).not.toBeNull();
          if (shape === 'repeated-cursor') expect(second.nextCursor).toBe(first.nextCursor);
        },
      );

      it('skips and counts a comment that has lost its author, and keeps its neighbours', async () => {
        const { stage, platform, addPost } = await bench();
        const post = await addPost({ comments: 8 });
        await stage.fail('nameless-comment');
        const page = await platform.getComments(post.ref, null);
        expect(page.comments.map(({ id }) => id)).toEqual(post.comments.slice(1).map(({ id }) => id));
        expect(page.skipped).toBe(1);
      });

      it.each(['ends-early', 'empty-list'] as const)('passes the total on beside a list that is %s', async (shape) => {
        const { stage, platform, addPost } = await bench();
        const post = await addPost({ comments: 200 });
        await stage.fail(shape);
        const page = await platform.getComments(post.ref, null);
        expect([page.nextCursor, page.comments.length < 200]).toEqual([null, true]);
        expect(page.expectedTotal ?? null).toBe(tellsTotals ? post.total : null);
      });

      it('reads a post that has gone since the last page as gone', async () => {
        const { stage, platform, addPost } = await bench();
        const { ref } = await addPost({ comments: 200 });
        const first = await platform.getComments(ref, null);
        await stage.fail('not-found');
        const error = await refusal(platform.getComments(ref, first.nextCursor));
        expect(['POST_NOT_FOUND', 'PLATFORM_UNAVAILABLE']).toContain(error.code);
      });
    });

    describe('replies', () => {
      it('pages through the replies of one comment, or says that it cannot', async () => {
        const { platform, addPost } = await bench();
        const post = await addPost({ comments: 20, replies: { every: 5, count: 53 } });
        const parent = post.comments[5];
        if (parent === undefined) throw new Error('The stage has no comment 5.');
        if (!tellsReplyCounts) {
          expect(await refusal(platform.getReplies(post.ref, parent.id, null))).toMatchObject({
            code: 'PLATFORM_UNAVAILABLE',
            details: { reason: 'session-required' },
          });
          return;
        }
        const replies = await allComments((cursor) => platform.getReplies(post.ref, parent.id, cursor));
        expect(replies.map(({ id }) => id)).toEqual(post.replies(parent.id).map(({ id }) => id));
        expect(new Set(replies.map(({ parentId }) => parentId))).toEqual(new Set([parent.id]));
      });

      it('tells how many replies a comment has, or that it does not know', async () => {
        const { platform, addPost } = await bench();
        const { ref } = await addPost({ comments: 6, replies: { every: 3, count: 4 } });
        const { comments } = await platform.getComments(ref, null);
        const counts = comments.filter(({ parentId }) => parentId === null).map(({ replyCount }) => replyCount);
        expect(counts).toEqual(tellsReplyCounts ? [4, 0, 0, 4, 0, 0] : [null, null, null, null, null, null]);
      });

      it('refuses a comment id that is none', async () => {
        const { stage, platform, addPost } = await bench();
        const { ref } = await addPost();
        for (const id of ['', '../1', '1?x=1', 'abc']) {
          expect((await refusal(platform.getReplies(ref, id, null))).code).toBe('INVALID_REQUEST');
        }
        expect(stage.requests()).toBe(0);
      });
    });

    describe('profiles', () => {
      it('reads an account', async () => {
        const { stage, platform } = await bench();
        const { expected } = await stage.addProfile({
          handle: 'jo.doe_1',
          bio: 'code: 4711',
          displayName: 'Jo',
          isVerified: true,
          followers: 268_457_110,
        });
        const { profilePictureUrl: _picture, mediaCount: _media, secUid: _secUid, ...shown } = expected;
        const profile = await platform.getProfile('jo.doe_1');
        expect(profile).toMatchObject({ ...shown, handle: 'jo.doe_1', bio: 'code: 4711' });
      });

      if (options.hasPrivateProfiles !== false) {
        it('reads who a private account is', async () => {
          const { stage, platform } = await bench();
          const shy = { handle: 'shy.one', bio: 'code: 4711', isPrivate: true, followers: 12 };
          const { expected } = await stage.addProfile(shy);
          const { handle, accountId, bio, followerCount } = expected;
          const profile = await platform.getProfile('shy.one');
          expect(profile).toMatchObject({ handle, accountId, bio, followerCount, isPrivate: true });
        });
      }

      it('shows the bio as it is now', async () => {
        const { stage, platform } = await bench();
        const profile = await stage.addProfile({ handle: 'jo.doe', bio: 'before' });
        expect((await platform.getProfile('jo.doe'))?.bio).toBe('before');
        await profile.changeBio('after');
        expect((await platform.getProfile('jo.doe'))?.bio).toBe('after');
      });

      it('answers an account that never was with PROFILE_NOT_FOUND', async () => {
        const { platform } = await bench();
        expect((await refusal(platform.getProfile('nobody.here'))).code).toBe('PROFILE_NOT_FOUND');
      });

      it('answers what cannot be a handle with INVALID_REQUEST, without asking', async () => {
        const { stage, platform } = await bench();
        for (const handle of ['', 'a/b', '../p', 'a?b', 'a b', 'x'.repeat(200)]) {
          expect((await refusal(platform.getProfile(handle))).code).toBe('INVALID_REQUEST');
        }
        expect(stage.requests()).toBe(0);
      });
    });

    describe('short links', () => {
      const follows = options.followsShortLinks !== false;

      it('lead to their post, if the platform has any', async () => {
        const { stage, platform, addPost } = await bench();
        const { ref } = await addPost();
        const url = await stage.addShortLink?.(ref);
        if (url === undefined) {
          expect(await platform.resolveShortLink(ref.canonicalUrl)).toBe(ref.canonicalUrl);
          return;
        }
        if (!follows) {
          expect((await refusal(platform.resolveShortLink(url))).code).toBe('NOT_SUPPORTED');
          return;
        }
        const found = await platform.resolveShortLink(url);
        expect(found).toContain(ref.contentId);
      });

      it('are POST_NOT_FOUND when they are gone', async () => {
        const { stage, platform } = await bench();
        const url = await stage.addShortLink?.(null);
        if (url === undefined) return;
        const code = follows ? 'POST_NOT_FOUND' : 'NOT_SUPPORTED';
        expect((await refusal(platform.resolveShortLink(url))).code).toBe(code);
      });

      it('asks for no other URL', async () => {
        const { stage, platform } = await bench();
        for (const url of options.foreignLinks) {
          const { code } = await refusal(platform.resolveShortLink(url));
          expect(['VALIDATION_ERROR', 'INVALID_REQUEST'], url).toContain(code);
        }
        expect(stage.requests()).toBe(0);
      });
    });

    it('closes twice', async () => {
      const { platform } = await bench();
      await platform.close();
      await platform.close();
    });
  });
}

/** The error a call ends with, which has to be a `DomainError`. */
export async function refusal(call: Promise<unknown>): Promise<DomainError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in outcome) throw new Error(`It answered ${JSON.stringify(outcome.value).slice(0, 500)}`);
  if (!isDomainError(outcome.error)) throw outcome.error;
  return outcome.error;
}

/** Every top-level comment (or reply) of a list, page by page. */
export async function allComments(read: (cursor: string | null) => Promise<CommentPage>): Promise<PlatformComment[]> {
  const all: PlatformComment[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < 100; page += 1) {
    const answer: CommentPage = await read(cursor);
    all.push(...answer.comments);
    cursor = answer.nextCursor;
    if (cursor === null) return all;
  }
  throw new Error('The list has no end.');
}
