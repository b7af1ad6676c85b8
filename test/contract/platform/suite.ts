/**
 * What every `Platform` has to do, tried on an adapter pointed at the simulator. Run it with
 * `platformContract({ name, open })`; endpoints are the simulator's names for what the adapter asks.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { type DomainError, isDomainError } from '../../../core/errors.ts';
import type { PlatformName } from '../../../core/platforms/platform-name.ts';
import type { PostRef } from '../../../core/platforms/post-url.ts';
import type { CommentPage, Platform, PlatformComment } from '../../../core/ports/platform.ts';
import { FAILURE_SHAPES, FAILURES, type FailureShape } from '../../../hosts/platform-simulator/failure-shapes.ts';
import { createPlatformSimulator, type PlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import type { World, WorldPost } from '../../../hosts/platform-simulator/world.ts';
import type { PostInput } from '../../../hosts/platform-simulator/world-inputs.ts';
import { postRef } from '../../support/platforms.ts';

export interface PlatformContractOptions {
  readonly name: string;
  readonly platform: PlatformName;
  /** An adapter without pacing pointed at the simulator; may prepare the world (sessions). */
  readonly open: (simulator: PlatformSimulator) => Platform;
  readonly links: {
    /** A short link of the platform and the path under which the simulator knows it. */
    readonly url: string;
    readonly path: string;
    /** Links that are none of this platform's. */
    readonly foreign: readonly string[];
    /** False for a reader that does not follow short links, and says so. */
    readonly areFollowed?: boolean;
  };
  /** False for a reader that is not told how many comments there are. */
  readonly tellsTotals?: boolean;
  /** Who reads comments: a logged-out reader is not told how many replies there are. */
  readonly tellsReplyCounts: boolean;
}

interface Bench {
  readonly world: World;
  readonly platform: Platform;
  addPost(input?: Partial<PostInput>): { readonly post: WorldPost; readonly ref: PostRef };
  fail(shape: FailureShape, more?: { times?: number; retryAfterSeconds?: number; latencyMs?: number }): void;
  requests(): number;
}

/** What every reader of a post makes of a shape: one code for all of them, whoever reads. */
const SHARED = FAILURE_SHAPES.flatMap((shape) => {
  const { gives = {} } = FAILURES[shape];
  const codes = (['instagram-post', 'tiktok-post', 'provider-post'] as const).map((reader) => gives[reader]?.[0]);
  const [code] = codes;
  return code !== undefined && codes.every((each) => each === code) ? [[shape, code] as const] : [];
});
const PERMANENT = SHARED.filter(([, code]) => code.startsWith('POST_'));
const UNREADABLE = SHARED.flatMap(([shape, code]) => (code === 'PLATFORM_UNAVAILABLE' ? [shape] : []));

/** Stands for a cursor too long to show in a title. */
const LONG = '(very long)';

export function platformContract(options: PlatformContractOptions): void {
  describe(`platform: ${options.name}`, () => {
    const closing: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const close of closing.splice(0)) await close();
    });

    async function bench(): Promise<Bench> {
      const simulator = await createPlatformSimulator();
      const platform = options.open(simulator);
      closing.push(
        () => platform.close(),
        () => simulator.close(),
      );
      const { world } = simulator;
      return {
        world,
        platform,
        addPost(input = {}) {
          const post = world.addPost({ platform: options.platform, owner: 'maker.one', ...input });
          return { post, ref: postRef(options.platform, post.contentId, post.owner.handle) };
        },
        fail: (shape, more = {}) => void world.failures.add({ platform: options.platform, shape, ...more }),
        requests: () => Object.values(world.requestCounts()).reduce((sum, count) => sum + count, 0),
      };
    }

    describe('posts', () => {
      it('reads who made it, what it shows and how it did', async () => {
        const { world, platform, addPost } = await bench();
        world.addProfile({ platform: options.platform, handle: 'maker.one', displayName: 'Maker <One> 😍' });
        const { post, ref } = addPost({
          caption: 'A "quoted" </script> caption',
          counts: { likes: 1_234_567 },
          comments: 3,
        });
        const details = await platform.getPost(ref);
        expect(details).toMatchObject({
          platform: options.platform,
          contentType: 'post',
          contentId: post.contentId,
          postUrl: ref.canonicalUrl,
          owner: { handle: 'maker.one', accountId: post.owner.accountId, displayName: 'Maker <One> 😍' },
          post: { caption: 'A "quoted" </script> caption', postedAt: new Date(post.createdAt * 1000) },
          stats: { likes: 1_234_567, comments: 3 },
        });
        expect(details.post.thumbnailUrl).toBe(post.thumbnailUrl);
        expect(details.post.mediaUrls).toEqual(post.mediaUrls);
      });

      it('reads a post with several images', async () => {
        const { platform, addPost } = await bench();
        const mediaUrls = ['https://media.example/1.jpg', 'https://media.example/2.jpg'];
        const kind = options.platform === 'tiktok' ? 'photo' : 'carousel';
        const details = await platform.getPost(addPost({ kind, mediaUrls }).ref);
        expect(details.post.mediaUrls).toEqual(mediaUrls);
      });

      it('takes a post without caption for what it is', async () => {
        const { platform, addPost } = await bench();
        const details = await platform.getPost(addPost({ caption: null }).ref);
        expect(details.post.caption ?? '').toBe('');
      });

      it.each(PERMANENT)('answers %s with %s, and does not ask again', async (shape, code) => {
        const { platform, addPost, fail, requests } = await bench();
        const { ref } = addPost();
        fail(shape);
        expect((await refusal(platform.getPost(ref))).code).toBe(code);
        // The ruling on a gated post is a request of its own.
        expect(requests()).toBeLessThanOrEqual(2);
      });

      it('answers a post that never was with POST_NOT_FOUND', async () => {
        const { platform } = await bench();
        const id = options.platform === 'tiktok' ? '7123456789012345678' : 'DAAAAAAAAAA';
        expect((await refusal(platform.getPost(postRef(options.platform, id)))).code).toBe('POST_NOT_FOUND');
      });

      it('refuses the post of another platform without asking', async () => {
        const { platform, requests } = await bench();
        const other = options.platform === 'tiktok' ? postRef('instagram', 'DAAAAAAAAAA') : postRef('tiktok', '7123');
        expect((await refusal(platform.getPost(other))).code).toBe('INVALID_REQUEST');
        expect(requests()).toBe(0);
      });
    });

    describe('trouble', () => {
      it.each(['server-error', 'unavailable', 'reset'] as const)('gets over two answers of %s', async (shape) => {
        const { platform, addPost, fail } = await bench();
        const { post, ref } = addPost();
        fail(shape, { times: 2 });
        expect((await platform.getPost(ref)).owner.accountId).toBe(post.owner.accountId);
      });

      it.each(UNREADABLE)('says PLATFORM_UNAVAILABLE and why for %s, and hands on nothing in part', async (shape) => {
        const { platform, addPost, fail, requests } = await bench();
        const { ref } = addPost({ comments: 50 });
        fail(shape);
        const error = await refusal(platform.getPost(ref));
        expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: expect.any(String) } });
        expect((await refusal(platform.getComments(ref, null))).code).toBe('PLATFORM_UNAVAILABLE');
        expect((await refusal(platform.getProfile('maker.one'))).code).toBe('PLATFORM_UNAVAILABLE');
        expect(requests()).toBeLessThan(60);
      });

      it('says when to come back after being throttled', async () => {
        const { platform, addPost, fail } = await bench();
        const { ref } = addPost();
        fail('rate-limited', { retryAfterSeconds: 30 });
        const error = await refusal(platform.getPost(ref));
        expect(error.code).toBe('SCRAPING_RATE_LIMITED');
        expect(error.retryAfterSeconds).toBeGreaterThan(0);
        expect(error.retryAfterSeconds).toBeLessThanOrEqual(30);
      });

      it('waits as told and goes on when the throttling ends', async () => {
        const { platform, addPost, fail } = await bench();
        const { post, ref } = addPost();
        fail('rate-limited', { retryAfterSeconds: 20, times: 1 });
        expect((await platform.getPost(ref)).owner.accountId).toBe(post.owner.accountId);
      });

      it('gives up at the deadline', async () => {
        const { platform, addPost, fail } = await bench();
        const { ref } = addPost();
        fail('hang');
        const deadline = new Date(Date.now() + 150);
        expect((await refusal(platform.getPost(ref, { deadline }))).code).toBe('PLATFORM_TIMEOUT');
      });

      it('gives up when the caller does', async () => {
        const { platform, addPost, fail, requests } = await bench();
        const { ref } = addPost();
        fail('hang');
        const caller = new AbortController();
        const pending = refusal(platform.getComments(ref, null, { signal: caller.signal }));
        while (requests() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        caller.abort();
        expect((await pending).code).toBe('PLATFORM_TIMEOUT');
      });

      it('asks nothing when there is no time at all', async () => {
        const { platform, addPost, requests } = await bench();
        const { ref } = addPost();
        const gone = AbortSignal.abort();
        expect((await refusal(platform.getPost(ref, { signal: gone }))).code).toBe('PLATFORM_TIMEOUT');
        expect((await refusal(platform.getPost(ref, { deadline: new Date(0) }))).code).toBe('PLATFORM_TIMEOUT');
        expect(requests()).toBe(0);
      });

      it('names no cookie, token or address in its errors', async () => {
        const { platform, addPost, fail } = await bench();
        const { ref } = addPost();
        fail('login-redirect');
        const error = await refusal(platform.getPost(ref));
        const shown = JSON.stringify({ message: error.message, details: error.details });
        expect(shown).not.toMatch(/127\.0\.0\.1|session(id)?=|csrf|42%3A|provider-key/i);
      });
    });

    describe('comments', () => {
      it('pages through all of them, each once, ids to the last digit', async () => {
        const { platform, addPost } = await bench();
        const { post, ref } = addPost({
          comments: 130,
          placed: [{ handle: 'Fan.Nr_1', text: 'multi\nline 😍', index: 7 }],
        });
        const comments = await allComments((cursor) => platform.getComments(ref, cursor));
        const expected = post.thread.page(0, 1000);
        expect(comments.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        expect(comments[7]).toMatchObject({
          username: 'Fan.Nr_1',
          text: 'multi\nline 😍',
          parentId: null,
          createdAt: new Date((expected[7]?.createdAt ?? 0) * 1000),
          likeCount: expected[7]?.likes,
        });
      });

      it('reads the first page of a post of every kind', async () => {
        const { platform, addPost } = await bench();
        const kinds =
          options.platform === 'tiktok' ? (['video', 'photo'] as const) : (['video', 'image', 'carousel'] as const);
        for (const kind of kinds) {
          const { post, ref } = addPost({ kind, comments: 70 });
          const comments = await allComments((cursor) => platform.getComments(ref, cursor));
          expect(comments.map(({ id }) => id)).toEqual(post.thread.page(0, 1000).map(({ id }) => id));
        }
      });

      it('answers a post without comments with an empty last page', async () => {
        const { platform, addPost } = await bench();
        const page = await platform.getComments(addPost({ comments: 0 }).ref, null);
        expect(page).toMatchObject({ comments: [], nextCursor: null });
        expect([page.expectedTotal ?? 0, page.skipped ?? 0]).toEqual([0, 0]);
      });

      it('tells how many comments the platform counts, replies included, or that it does not know', async () => {
        const { platform, addPost } = await bench();
        const { post, ref } = addPost({ comments: 6, replies: { every: 3, count: 4 } });
        const { expectedTotal } = await platform.getComments(ref, null);
        expect(expectedTotal ?? null).toBe(options.tellsTotals === false ? null : post.thread.total);
      });

      it.each(['', ' ', '-1', 'null', '{}', 'AAAA', '1e9', '../..', '0x10', 'ÿ', LONG, '\u0000'])(
        'refuses the cursor %j without asking',
        async (name) => {
          const cursor = name === LONG ? 'a'.repeat(100_000) : name;
          const { platform, addPost, requests } = await bench();
          const { ref } = addPost({ comments: 100 });
          expect((await refusal(platform.getComments(ref, cursor))).code).toBe('INVALID_REQUEST');
          expect((await refusal(platform.getReplies(ref, '17999', cursor))).code).toBe('INVALID_REQUEST');
          expect(requests()).toBe(0);
        },
      );

      it.each(['repeated-cursor', 'repeated-page', 'empty-page-with-more'] as const)(
        'hands the platform’s word on when it answers with %s: more to come, never an end',
        async (shape) => {
          const { platform, addPost, fail } = await bench();
          const { ref } = addPost({ comments: 200 });
          fail(shape);
          const first = await platform.getComments(ref, null);
          expect(first.nextCursor).not.toBeNull();
          const second = await platform.getComments(ref, first.nextCursor);
          expect(second.nextCursor).not.toBeNull();
          if (shape === 'repeated-cursor') expect(second.nextCursor).toBe(first.nextCursor);
        },
      );

      it('skips and counts a comment that has lost its author, and keeps its neighbours', async () => {
        const { platform, addPost, fail } = await bench();
        const { post, ref } = addPost({ kind: 'video', comments: 8 });
        fail('nameless-comment');
        const page = await platform.getComments(ref, null);
        expect(page.comments.map(({ id }) => id)).toEqual(post.thread.page(1, 7).map(({ id }) => id));
        expect(page.skipped).toBe(1);
      });

      it.each(['ends-early', 'empty-list'] as const)('passes the total on beside a list that is %s', async (shape) => {
        const { platform, addPost, fail } = await bench();
        const { post, ref } = addPost({ kind: 'video', comments: 200 });
        fail(shape);
        const page = await platform.getComments(ref, null);
        expect([page.nextCursor, page.comments.length < 200]).toEqual([null, true]);
        expect(page.expectedTotal ?? null).toBe(options.tellsTotals === false ? null : post.thread.total);
      });

      it('reads a post that has gone since the last page as gone', async () => {
        const { platform, addPost, fail } = await bench();
        const { ref } = addPost({ comments: 200 });
        const first = await platform.getComments(ref, null);
        fail('not-found');
        const error = await refusal(platform.getComments(ref, first.nextCursor));
        expect(['POST_NOT_FOUND', 'PLATFORM_UNAVAILABLE']).toContain(error.code);
      });
    });

    describe('replies', () => {
      it('pages through the replies of one comment, or says that it cannot', async () => {
        const { platform, addPost } = await bench();
        const { post, ref } = addPost({ comments: 20, replies: { every: 5, count: 53 } });
        const [parent] = post.thread.page(5, 1);
        if (parent === undefined) throw new Error('no comment');
        if (!options.tellsReplyCounts) {
          expect(await refusal(platform.getReplies(ref, parent.id, null))).toMatchObject({
            code: 'PLATFORM_UNAVAILABLE',
            details: { reason: 'session-required' },
          });
          return;
        }
        const replies = await allComments((cursor) => platform.getReplies(ref, parent.id, cursor));
        expect(replies.map(({ id }) => id)).toEqual((post.thread.replies(parent.id, 0, 100) ?? []).map(({ id }) => id));
        expect(new Set(replies.map(({ parentId }) => parentId))).toEqual(new Set([parent.id]));
      });

      it('tells how many replies a comment has, or that it does not know', async () => {
        const { platform, addPost } = await bench();
        const { ref } = addPost({ comments: 6, replies: { every: 3, count: 4 } });
        const { comments } = await platform.getComments(ref, null);
        const counts = comments.filter(({ parentId }) => parentId === null).map(({ replyCount }) => replyCount);
        expect(counts).toEqual(options.tellsReplyCounts ? [4, 0, 0, 4, 0, 0] : [null, null, null, null, null, null]);
      });

      it('refuses a comment id that is none', async () => {
        const { platform, addPost, requests } = await bench();
        const { ref } = addPost();
        for (const id of ['', '../1', '1?x=1', 'abc']) {
          expect((await refusal(platform.getReplies(ref, id, null))).code).toBe('INVALID_REQUEST');
        }
        expect(requests()).toBe(0);
      });
    });

    describe('profiles', () => {
      it('reads an account', async () => {
        const { world, platform } = await bench();
        const profile = world.addProfile({
          platform: options.platform,
          handle: 'jo.doe_1',
          bio: 'code: 4711',
          displayName: 'Jo',
          isVerified: true,
          followers: 268_457_110,
        });
        expect(await platform.getProfile('jo.doe_1')).toMatchObject({
          platform: options.platform,
          handle: 'jo.doe_1',
          accountId: profile.accountId,
          displayName: 'Jo',
          bio: 'code: 4711',
          isVerified: true,
          isPrivate: false,
          followerCount: 268_457_110,
          followingCount: profile.following,
        });
      });

      it('reads who a private account is', async () => {
        const { world, platform } = await bench();
        const profile = world.addProfile({
          platform: options.platform,
          handle: 'shy',
          bio: 'code: 4711',
          isPrivate: true,
          followers: 12,
        });
        expect(await platform.getProfile('shy')).toMatchObject({
          handle: 'shy',
          accountId: profile.accountId,
          bio: 'code: 4711',
          isPrivate: true,
          followerCount: 12,
        });
      });

      it('shows the bio as it is now', async () => {
        const { world, platform } = await bench();
        const profile = world.addProfile({ platform: options.platform, handle: 'jo', bio: 'before' });
        expect((await platform.getProfile('jo'))?.bio).toBe('before');
        profile.bio = 'after';
        expect((await platform.getProfile('jo'))?.bio).toBe('after');
      });

      it('answers an account that never was with PROFILE_NOT_FOUND', async () => {
        const { platform } = await bench();
        expect((await refusal(platform.getProfile('nobody.here'))).code).toBe('PROFILE_NOT_FOUND');
      });

      it('answers what cannot be a handle with INVALID_REQUEST, without asking', async () => {
        const { platform, requests } = await bench();
        for (const handle of ['', 'a/b', '../p', 'a?b', 'a b', 'x'.repeat(200)]) {
          expect((await refusal(platform.getProfile(handle))).code).toBe('INVALID_REQUEST');
        }
        expect(requests()).toBe(0);
      });
    });

    describe('short links', () => {
      it('finds the post', async () => {
        const { world, platform, addPost } = await bench();
        const { post, ref } = addPost();
        world.addShortLink({
          platform: options.platform,
          path: options.links.path,
          target: new URL(ref.canonicalUrl).pathname,
        });
        if (options.links.areFollowed === false) {
          expect((await refusal(platform.resolveShortLink(options.links.url))).code).toBe('NOT_SUPPORTED');
          return;
        }
        const found = await platform.resolveShortLink(options.links.url);
        expect(found).toContain(post.contentId);
        expect(new URL(found).search).toBe('');
      });

      it('answers one that is gone with POST_NOT_FOUND', async () => {
        const { world, platform } = await bench();
        world.addShortLink({ platform: options.platform, path: options.links.path, target: null });
        const code = options.links.areFollowed === false ? 'NOT_SUPPORTED' : 'POST_NOT_FOUND';
        expect((await refusal(platform.resolveShortLink(options.links.url))).code).toBe(code);
      });

      it('asks for no other URL', async () => {
        const { platform, requests } = await bench();
        for (const url of options.links.foreign) {
          expect(['VALIDATION_ERROR', 'INVALID_REQUEST']).toContain(
            (await refusal(platform.resolveShortLink(url))).code,
          );
        }
        expect(requests()).toBe(0);
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
