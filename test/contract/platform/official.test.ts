/** What official APIs do with failures, and what they promise besides. Failures of a data provider: unit/data-provider/platform.test.ts. */
import { describe, expect, it } from 'vitest';
import { postRefOf } from '../../../core/platforms/descriptor.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import type { FailureShape } from '../../../hosts/platform-simulator/failure-shapes.ts';
import { SIMULATED_PLATFORMS } from '../../../hosts/platform-simulator/platforms.ts';
import { createPlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import type { PostInput } from '../../../hosts/platform-simulator/world-inputs.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { memoryAccounts, OFFICIAL_PLATFORMS, officialApi } from '../../support/official.ts';
import type { SpecifiedPlatform } from '../../support/platforms.ts';
import { allComments, refusal } from './suite.ts';

const BRAND = 7;
const closing = closingAfterEach();

async function openSimulator() {
  const simulator = await createPlatformSimulator();
  closing.push(() => simulator.close());
  return simulator;
}

async function openOfficial(platform: SpecifiedPlatform, options: object = {}) {
  const simulator = await openSimulator();
  const { world } = simulator;
  const accounts = memoryAccounts();
  const connect = (handle: string, brandId = BRAND) => {
    const account = { connectionId: 1, brandId, handle, ...world.official.connect(platform, handle) };
    accounts.connected.set(brandId, [...(accounts.connected.get(brandId) ?? []), account]);
    return account;
  };
  const api = officialApi(platform, simulator, options);
  const lent = { clock: systemClock, random: systemRandom, logger: silentLogger };
  const reader = api.createReader(lent, accounts);
  closing.push(() => reader.close());
  closing.push(() => api.close());
  const addPost = (input: Partial<PostInput> = {}) => {
    const post = world.addPost({ platform, owner: 'maker.one', ...input });
    return { post, ref: postRefOf(SIMULATED_PLATFORMS.describe(platform), post.contentId) };
  };
  const fail = (shape: FailureShape, more: object = {}) =>
    world.failures.add({ platform, via: 'official', shape, ...more });
  return { simulator, world, accounts, connect, api, reader, addPost, fail, call: { brandId: BRAND } };
}

interface Row {
  readonly what: string;
  readonly shape: FailureShape;
  readonly code: string;
  readonly reason?: string;
  /** What the account is marked with. */
  readonly marked?: 'expired' | 'revoked' | 'scope';
}

const FAILURES: readonly Row[] = [
  {
    what: 'an access that has expired',
    shape: 'token-expired',
    code: 'PLATFORM_UNAVAILABLE',
    reason: 'token-expired',
    marked: 'expired',
  },
  {
    what: 'an access that was withdrawn',
    shape: 'token-revoked',
    code: 'PLATFORM_UNAVAILABLE',
    reason: 'token-revoked',
    marked: 'revoked',
  },
  {
    what: 'a permission that is missing',
    shape: 'scope-missing',
    code: 'PLATFORM_UNAVAILABLE',
    reason: 'token-scope',
    marked: 'scope',
  },
  { what: 'an allowance that is spent', shape: 'usage-spent', code: 'SCRAPING_RATE_LIMITED' },
  { what: 'too many requests', shape: 'rate-limited', code: 'SCRAPING_RATE_LIMITED' },
  { what: 'a post that is gone', shape: 'not-found', code: 'POST_NOT_FOUND' },
  { what: 'fields that are not what they were', shape: 'drifted', code: 'PLATFORM_UNAVAILABLE' },
  { what: 'a body cut in the middle', shape: 'truncated', code: 'PLATFORM_UNAVAILABLE' },
  { what: 'a login page', shape: 'login-redirect', code: 'PLATFORM_UNAVAILABLE' },
];
const soon = () => new Date(Date.now() + 400);

describe.each(OFFICIAL_PLATFORMS)('the official API of %s', (platform) => {
  it.each(FAILURES)('answers $what with $code, and says so of the account', async ({ shape, code, reason, marked }) => {
    const { accounts, connect, reader, addPost, fail, call } = await openOfficial(platform);
    const { accountId } = connect('maker.one');
    const { ref } = addPost({ comments: 3 });
    await reader.getComments(ref, null, call);
    fail(shape);
    const error = await refusal(reader.getComments(ref, null, { ...call, deadline: soon() }));
    expect(error.code).toBe(code);
    if (reason !== undefined) expect(error.details?.reason).toBe(reason);
    if (code === 'SCRAPING_RATE_LIMITED') expect(error.retryAfterSeconds).toBeGreaterThan(0);
    expect(accounts.refusals).toEqual(marked === undefined ? [] : [{ accountId, why: marked }]);
    expect((await refusal(reader.getPost(ref, { ...call, deadline: soon() }))).code).toBe(code);
  });

  it('waits as long as the API says when the allowance is spent', async () => {
    const { connect, reader, addPost, fail, call } = await openOfficial(platform);
    connect('maker.one');
    const { ref } = addPost();
    fail('usage-spent');
    const error = await refusal(reader.getComments(ref, null, { ...call, deadline: soon() }));
    const seconds = platform === 'instagram' ? 720 : 300;
    expect(error.retryAfterSeconds).toBeGreaterThan(seconds - 10);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(seconds);
  });

  it('refuses a cursor that the API does not take any more', async () => {
    const { connect, reader, addPost, fail, call } = await openOfficial(platform);
    connect('maker.one');
    const { ref } = addPost({ comments: 120 });
    const { nextCursor } = await reader.getComments(ref, null, call);
    fail('cursor-refused');
    expect((await refusal(reader.getComments(ref, nextCursor, call))).code).toBe('INVALID_REQUEST');
    const other = addPost({ comments: 120 });
    expect((await refusal(reader.getComments(other.ref, nextCursor, call))).code).toBe('INVALID_REQUEST');
  });

  it('hands a page on that comes again', async () => {
    const { connect, reader, addPost, fail, call } = await openOfficial(platform);
    connect('maker.one');
    const { ref } = addPost({ comments: 120 });
    fail('repeated-page', {
      endpoint: platform === 'instagram' ? 'official-comments' : 'official-business-comment-list',
    });
    const first = await reader.getComments(ref, null, call);
    const second = await reader.getComments(ref, first.nextCursor, call);
    expect(second.comments).toEqual(first.comments);
    expect(second.nextCursor).not.toBe(first.nextCursor);
  });

  it('lists every comment and reply of the post, none twice in a page, hidden ones marked, without those that are deleted', async () => {
    const { connect, reader, addPost, call, world } = await openOfficial(platform);
    connect('maker.one');
    const { post, ref } = addPost({
      comments: 620,
      replies: { every: 200, count: 60 },
      placed: [{ handle: 'Fan.Nr_1', text: 'multi\nline 😍', index: 7 }],
    });
    const everything = post.thread.page(0, post.thread.size);
    const [hidden, removed] = [everything[3]?.id as string, everything[11]?.id as string];
    post.thread.hide(hidden, true);
    post.thread.remove(removed);
    const listed = await allComments(async (cursor) => {
      const page = await reader.getComments(ref, cursor, call);
      expect(new Set(page.comments.map(({ id }) => id)).size).toBe(page.comments.length);
      return page;
    });
    const top = new Map(listed.filter(({ parentId }) => parentId === null).map((each) => [each.id, each]));
    expect(new Set(top.keys())).toEqual(new Set(everything.map(({ id }) => id).filter((id) => id !== removed)));
    expect([...top.values()].filter(({ isHidden }) => isHidden).map(({ id }) => id)).toEqual([hidden]);
    const fan = top.get(everything[7]?.id as string);
    expect(fan).toMatchObject({ username: 'Fan.Nr_1', text: 'multi\nline 😍', parentId: null });
    expect(fan?.scopedAuthorId).toMatch(/^1234567890\/\S+$/);
    expect(fan?.authorId).toBeUndefined();
    const threads = [...top.values()].filter(({ replyCount }) => replyCount !== 0).map(({ id }) => id);
    expect(threads).toHaveLength(4);
    const replies = await allComments((cursor) => reader.getReplies(ref, threads[0] as string, cursor, call));
    expect(new Set(replies.map(({ id }) => id)).size).toBe(60);
    expect(JSON.stringify(world.requestCounts())).not.toContain('page');
  });

  it('promises a whole list and no total, and leaves profiles and likers to others', async () => {
    const { connect, reader, addPost, call } = await openOfficial(platform);
    connect('maker.one');
    const { ref } = addPost({ comments: 2 });
    const page = await reader.getComments(ref, null, call);
    expect(page).toMatchObject({ isWhole: true, expectedTotal: null, nextCursor: null });
    const others = [
      reader.getLikers(ref, 10, call),
      reader.getProfile('fan', call),
      reader.resolveShortLink('x', call),
    ];
    for (const other of others) expect((await refusal(other)).code).toBe('NOT_SUPPORTED');
  });

  it('tells the numbers of the post', async () => {
    const { connect, reader, addPost, call } = await openOfficial(
      platform,
      platform === 'instagram' ? { insights: true } : {},
    );
    const { accountId } = connect('maker.one');
    const { post, ref } = addPost({ counts: { views: 1_200, likes: 34 }, comments: 5, caption: 'Ours' });
    const details = await reader.getPost(ref, call);
    expect(details).toMatchObject({ owner: { handle: 'maker.one', accountId }, post: { caption: 'Ours' } });
    expect(details.stats).toMatchObject({ views: 1_200, likes: 34, comments: 5 });
    expect(details.post.postedAt).toEqual(new Date(post.createdAt * 1_000));
  });

  it('asks the account that owns the post, and no other brand', async () => {
    const { accounts, connect, reader, addPost, call, world } = await openOfficial(platform);
    connect('maker.two');
    const owner = connect('maker.one');
    connect('another.one', 8);
    const { ref } = addPost({ comments: 2 });
    expect((await reader.getComments(ref, null, call)).comments).toHaveLength(2);
    expect(accounts.posts).toMatchObject([{ contentId: ref.contentId, accountId: owner.accountId }]);
    expect(await reader.serves?.(call)).toBe(true);
    expect(await reader.serves?.({ brandId: 9 })).toBe(false);
    expect(await reader.serves?.(undefined)).toBe(false);
    const foreign = addPost({ owner: 'somebody.else' });
    for (const [post, brandId] of [
      [foreign.ref, BRAND],
      [ref, 8],
      [ref, 9],
    ] as const) {
      expect((await refusal(reader.getComments(post, null, { brandId }))).code).toBe('NOT_SUPPORTED');
    }
    const before = JSON.stringify(world.requestCounts());
    expect((await refusal(reader.getComments(foreign.ref, null, call))).code).toBe('NOT_SUPPORTED');
    expect(JSON.stringify(world.requestCounts())).toBe(before);
  });

  it('names the post of a push as its URL does', async () => {
    const { api, accounts, connect, reader, addPost, call } = await openOfficial(platform);
    const account = connect('maker.one');
    const { ref } = addPost({ comments: 1 });
    await reader.getComments(ref, null, call);
    const { apiId = '' } = accounts.posts[0] ?? {};
    expect(await api.contentIdOf(account, apiId)).toBe(ref.contentId);
    if (platform === 'instagram') expect(await api.contentIdOf(account, '18000000000000')).toBeNull();
  });

  it('finds no reply to a comment that was deleted meanwhile', async () => {
    const { connect, reader, addPost, call } = await openOfficial(platform);
    connect('maker.one');
    const { post, ref } = addPost({ comments: 4, replies: { every: 2, count: 5 } });
    const [first] = post.thread.page(0, 1);
    await reader.getComments(ref, null, call);
    post.thread.remove(first?.id as string);
    expect(await reader.getReplies(ref, first?.id as string, null, call)).toMatchObject({
      comments: [],
      nextCursor: null,
    });
  });

  it('shows no token, secret or address in what it throws', async () => {
    const { connect, reader, addPost, fail, call } = await openOfficial(platform);
    const { accessToken } = connect('maker.one');
    const { ref } = addPost();
    for (const shape of ['token-revoked', 'drifted', 'login-redirect', 'reset'] as const) {
      fail(shape);
      const error = await refusal(reader.getPost(ref, call));
      const shown = JSON.stringify({ ...error, message: error.message, stack: error.stack, cause: error.cause });
      expect(shown).not.toContain(accessToken);
      expect(shown).not.toMatch(/simulated-app-secret|127\.0\.0\.1/);
    }
  });

  it('connects an account by its login, renews and gives back what it got', async () => {
    const { world, api, reader, accounts, addPost, call } = await openOfficial(platform);
    const { ref } = addPost({ comments: 1 });
    const redirectUri = 'https://brand.example/landing';
    const request = { redirectUri, state: 'state-1' };
    const page = await fetch(api.authorisationUrl(request), { redirect: 'manual' });
    const landing = new URL(page.headers.get('location') ?? '');
    expect([landing.origin, landing.searchParams.get('state')]).toEqual(['https://brand.example', 'state-1']);
    const code = landing.searchParams.get('code') as string;
    const { tokens, ...who } = await api.authorise(code, request.redirectUri);
    expect(who).toMatchObject({ handle: 'maker.one', scopes: expect.arrayContaining([expect.any(String)]) });
    expect(tokens.expiresAt?.getTime()).toBeGreaterThan(Date.now());
    expect((await refusal(api.authorise(code, request.redirectUri))).code).toBe('INVALID_REQUEST');
    const renewed = await api.renew(tokens);
    expect(renewed.accessToken).not.toBe(tokens.accessToken);
    const account = { connectionId: 1, brandId: BRAND, ...who, accessToken: renewed.accessToken };
    accounts.connected.set(BRAND, [account]);
    expect((await reader.getComments(ref, null, call)).comments).toHaveLength(1);
    await api.push.subscribe(account, 'https://brand.example/push');
    await api.revoke(renewed);
    world.official.setTokens(platform, 'maker.one', 'expired');
    expect((await refusal(api.renew(renewed))).details?.reason).toBe('token-expired');
  });
});

it('leaves an account of Instagram alone before its allowance is spent', async () => {
  const { connect, reader, addPost, fail, call } = await openOfficial('instagram');
  connect('maker.one');
  const { ref } = addPost({ comments: 2 });
  fail('usage-nearly-spent', { endpoint: 'official-comments', times: 1 });
  expect((await reader.getComments(ref, null, call)).comments).toHaveLength(2);
  const error = await refusal(reader.getPost(ref, { ...call, deadline: new Date(Date.now() + 100) }));
  expect(error.code).toBe('SCRAPING_RATE_LIMITED');
  expect(error.retryAfterSeconds).toBeGreaterThan(200);
});

it('connects an account of Instagram by the Page it belongs to', async () => {
  const { api, addPost, reader, accounts, call } = await openOfficial('instagram', { login: 'facebook' });
  const { ref } = addPost({ comments: 1 });
  const request = { redirectUri: 'https://brand.example/landing', state: 's' };
  const page = await fetch(api.authorisationUrl(request), { redirect: 'manual' });
  const code = new URL(page.headers.get('location') ?? '').searchParams.get('code') as string;
  const { tokens, ...who } = await api.authorise(code, request.redirectUri);
  expect([who.handle, tokens.expiresAt]).toEqual(['maker.one', null]);
  expect(await api.renew(tokens)).toEqual(tokens);
  accounts.connected.set(BRAND, [{ connectionId: 1, brandId: BRAND, ...who, accessToken: tokens.accessToken }]);
  expect((await reader.getComments(ref, null, call)).comments).toHaveLength(1);
});
