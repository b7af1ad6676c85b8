import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../contract/platform/suite.ts';
import { FAILURES, failuresOf } from '../../support/failure-outcomes.ts';
import { SESSION, simulateInstagram } from './simulated.ts';

const instagram = await simulateInstagram();
afterAll(() => instagram.close());
beforeEach(() => instagram.reset());

describe('a post, logged out, when every way fails with', () => {
  it.each(failuresOf('instagram-post'))('%s: %s (%s)', async (shape, code, reason) => {
    const { ref } = instagram.addPost();
    instagram.fail({ shape });
    const error = await refusal(instagram.platform({ maxBodyBytes: 500_000 }).getPost(ref));
    expect([error.code, error.details?.reason]).toEqual([code, reason]);
  });
});

describe('likers, with a session, when the API answers', () => {
  it.each(failuresOf('instagram-session'))('%s: %s (%s)', async (shape, code, reason) => {
    const { ref } = instagram.addPost({ likers: 5 });
    instagram.fail({ shape });
    const platform = instagram.loggedIn({ maxBodyBytes: 500_000 });
    const error = await refusal(platform.getLikers(ref, 10));
    expect([error.code, error.details?.reason]).toEqual([code, reason]);
    const [session] = platform.sessionStates();
    const isThrottled = code === 'SCRAPING_RATE_LIMITED';
    expect(session?.state).toBe(FAILURES[shape]?.session ?? (isThrottled ? 'resting' : 'active'));
  });

  it('continues with the next session when one is dead or wants a checkpoint', async () => {
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
    const docIds = { post: ['11111111'], olderPost: '22222222' };
    const error = await refusal(instagram.platform({ docIds }).getPost(ref));
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
  it.each(failuresOf('instagram-profile'))('%s: %s (%s)', async (shape, code, reason) => {
    instagram.addProfile({ handle: 'jo' });
    instagram.fail({ shape });
    const error = await refusal(instagram.platform({ maxBodyBytes: 500_000 }).getProfile('jo'));
    expect([error.code, error.details?.reason]).toEqual([code, reason]);
  });
});
