import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FailureShape } from '../../../hosts/platform-simulator/failure-shapes.ts';
import { refusal } from '../../contract/platform/suite.ts';
import { SESSION, type SimulatedInstagram, simulateInstagram } from './simulated.ts';

type Row = readonly [shape: FailureShape, code: string, reason: string | undefined];

let instagram: SimulatedInstagram;
beforeAll(async () => {
  instagram = await simulateInstagram();
});
afterAll(() => instagram.close());
beforeEach(() => instagram.reset());

const EVERYWHERE: readonly Row[] = [
  ['not-found', 'POST_NOT_FOUND', 'not-found'],
  ['deleted', 'POST_NOT_FOUND', 'not-found'],
  ['private', 'POST_PRIVATE', 'private'],
  ['not-authorized', 'POST_PRIVATE', 'private'],
  ['age-restricted', 'POST_AGE_RESTRICTED', 'age-restricted'],
  ['gated', 'POST_UNAVAILABLE', 'gated'],
  ['login-wall', 'PLATFORM_UNAVAILABLE', 'login-wall'],
  ['login-redirect', 'PLATFORM_UNAVAILABLE', 'login-wall'],
  ['challenge-redirect', 'PLATFORM_UNAVAILABLE', 'challenge-required'],
  ['throttled', 'SCRAPING_RATE_LIMITED', 'throttled'],
  ['wait-a-few-minutes', 'SCRAPING_RATE_LIMITED', 'throttled'],
  ['dead-session', 'PLATFORM_UNAVAILABLE', 'require-login'],
  ['checkpoint', 'PLATFORM_UNAVAILABLE', 'checkpoint-required'],
  ['rate-limited', 'SCRAPING_RATE_LIMITED', 'throttled'],
  ['server-error', 'PLATFORM_UNAVAILABLE', 'http-500'],
  ['unavailable', 'PLATFORM_UNAVAILABLE', 'http-503'],
  ['empty-body', 'PLATFORM_UNAVAILABLE', 'empty-body'],
  ['html-instead-of-json', 'PLATFORM_UNAVAILABLE', 'unknown-page'],
  ['truncated', 'PLATFORM_UNAVAILABLE', 'truncated'],
  ['drifted', 'PLATFORM_UNAVAILABLE', 'drifted'],
  ['endless-body', 'PLATFORM_UNAVAILABLE', 'body-too-large'],
  ['reset', 'PLATFORM_UNAVAILABLE', 'network'],
];

describe('a post, logged out, when every way fails with', () => {
  it.each(EVERYWHERE)('%s: %s (%s)', async (shape, code, reason) => {
    const { ref } = instagram.addPost();
    instagram.fail({ shape });
    const error = await refusal(instagram.platform({ maxBodyBytes: 500_000 }).getPost(ref));
    expect([error.code, error.details?.reason]).toEqual([code, reason]);
  });
});

const SESSION_ROWS: readonly Row[] = [
  ['not-found', 'POST_NOT_FOUND', 'not-found'],
  ['deleted', 'POST_NOT_FOUND', 'not-found'],
  ['not-authorized', 'POST_PRIVATE', 'private'],
  ['dead-session', 'PLATFORM_UNAVAILABLE', 'require-login'],
  ['login-redirect', 'PLATFORM_UNAVAILABLE', 'login-wall'],
  ['checkpoint', 'PLATFORM_UNAVAILABLE', 'checkpoint-required'],
  ['challenge', 'PLATFORM_UNAVAILABLE', 'challenge-required'],
  ['challenge-redirect', 'PLATFORM_UNAVAILABLE', 'challenge-required'],
  ['feedback-required', 'PLATFORM_UNAVAILABLE', 'feedback-required'],
  ['csrf-missing', 'PLATFORM_UNAVAILABLE', 'login-required'],
  ['forbidden-html', 'PLATFORM_UNAVAILABLE', 'forbidden'],
  ['wait-a-few-minutes', 'SCRAPING_RATE_LIMITED', 'throttled'],
  ['html-instead-of-json', 'PLATFORM_UNAVAILABLE', 'html-instead-of-json'],
  ['truncated', 'PLATFORM_UNAVAILABLE', 'not-json'],
  ['drifted', 'PLATFORM_UNAVAILABLE', 'drifted'],
  ['empty-body', 'PLATFORM_UNAVAILABLE', 'empty-body'],
];

describe('likers, with a session, when the API answers', () => {
  it.each(SESSION_ROWS)('%s: %s (%s)', async (shape, code, reason) => {
    const { ref } = instagram.addPost({ likers: 5 });
    instagram.fail({ shape });
    const error = await refusal(instagram.loggedIn().getLikers(ref, 10));
    expect([error.code, error.details?.reason]).toEqual([code, reason]);
  });

  const STATES: readonly (readonly [FailureShape, string])[] = [
    ['dead-session', 'dead'],
    ['login-redirect', 'dead'],
    ['checkpoint', 'quarantined'],
    ['challenge', 'quarantined'],
    ['feedback-required', 'quarantined'],
    ['challenge-redirect', 'quarantined'],
    ['csrf-missing', 'active'],
    ['drifted', 'active'],
    ['not-found', 'active'],
  ];
  it.each(STATES)('%s: the session is %s afterwards', async (shape, state) => {
    const { ref } = instagram.addPost({ likers: 5 });
    instagram.fail({ shape });
    const platform = instagram.loggedIn();
    await refusal(platform.getLikers(ref, 10));
    expect(platform.sessionStates()).toEqual([{ label: 'session-1', state }]);
  });

  it('goes on with the next session when one is dead or wants a checkpoint', async () => {
    const { post, ref } = instagram.addPost({ likers: 5 });
    instagram.world.sessions.set('77%3Acheckpoint', 'checkpoint');
    const platform = instagram.platform({ sessionIds: ['66%3Adead', '77%3Acheckpoint', SESSION] });
    expect((await platform.getLikers(ref, 10)).likers).toHaveLength(post.likerCount);
    expect(platform.sessionStates().map(({ state }) => state)).toEqual(['dead', 'quarantined', 'active']);
    await platform.getLikers(ref, 10);
    expect(instagram.requests()).toEqual({ likers: 4 });
  });
});

describe('a retired doc_id', () => {
  it('is never taken for a missing post', async () => {
    const { ref } = instagram.addPost({ comments: 100 });
    const platform = instagram.platform({ docIds: { comments: '11111111' } });
    const first = await platform.getComments(ref, null);
    const error = await refusal(platform.getComments(ref, first.nextCursor));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'stale-doc-id' } });
  });

  it('is told of beside the failure of the page', async () => {
    const { ref } = instagram.addPost();
    instagram.fail({ endpoint: 'post-page', shape: 'login-wall' });
    const error = await refusal(
      instagram.platform({ docIds: { post: ['11111111'], olderPost: '22222222' } }).getPost(ref),
    );
    expect(error.details).toMatchObject({
      reason: 'login-wall',
      way: 'instagram-page',
      also: [
        { way: 'instagram-graphql', code: 'PLATFORM_UNAVAILABLE', reason: 'stale-doc-id' },
        { way: 'instagram-graphql-older', code: 'PLATFORM_UNAVAILABLE', reason: 'stale-doc-id' },
      ],
    });
  });

  it('is got over by the next one configured', async () => {
    const { ref } = instagram.addPost();
    instagram.fail({ endpoint: 'post-page', shape: 'login-wall' });
    const details = await instagram.platform({ docIds: { post: ['11111111', '27130156389949648'] } }).getPost(ref);
    expect(details.source).toBe('instagram-graphql');
  });
});

describe('profiles when', () => {
  const ROWS: readonly (readonly [FailureShape, string, string | undefined])[] = [
    ['not-found', 'PROFILE_NOT_FOUND', 'not-found'],
    ['not-authorized', 'PROFILE_PRIVATE', 'private'],
    ['login-wall', 'PLATFORM_UNAVAILABLE', 'login-wall'],
    ['throttled', 'SCRAPING_RATE_LIMITED', 'throttled'],
    ['forbidden-html', 'PLATFORM_UNAVAILABLE', 'http-403'],
    ['drifted', 'PLATFORM_UNAVAILABLE', 'drifted'],
    ['ok-without-user', 'PLATFORM_UNAVAILABLE', 'unknown-page'],
  ];
  it.each(ROWS)('%s: %s (%s)', async (shape, code, reason) => {
    instagram.world.addProfile({ platform: 'instagram', handle: 'jo' });
    instagram.fail({ shape });
    const error = await refusal(instagram.platform().getProfile('jo'));
    expect([error.code, error.details?.reason]).toEqual([code, reason]);
  });
});
