import { afterAll, beforeEach, expect, it } from 'vitest';
import { shortcodeToPk } from '../../../adapters/instagram/index.ts';
import { refusal } from '../../contract/platform/suite.ts';
import { failuresOf } from '../../support/failure-outcomes.ts';
import { postRef } from '../../support/platforms.ts';
import { answering as answeringAs, simulateProvider } from './provider.ts';

const simulated = await simulateProvider('instagram', 'hikerapi');
afterAll(() => simulated.close());
beforeEach(() => simulated.reset());

const answering = (status: number, body: unknown) => answeringAs('instagram', status, body, 'hikerapi');

const post = postRef('instagram', 'DAAAAAAAAAA');
const pk = shortcodeToPk(post.contentId) ?? '';
const comment = { pk: '7', text: 'hi', created_at: 1_767_142_843, user: { pk: 9, username: 'fan' } };

it('says who liked a post, which the other provider does not', async () => {
  const reader = simulated.platform();
  const { ref } = simulated.addPost({ likers: 30 });
  expect(reader.supports.likers).toBe(true);
  const { likers, totalLikes } = await reader.getLikers(ref, 20);
  expect([likers.length, new Set(likers.map(({ accountId }) => accountId)).size]).toEqual([20, 20]);
  expect(totalLikes).toBeGreaterThanOrEqual(30);
});

it.each(failuresOf('provider-post').filter(([shape]) => !['provider-forbidden', 'provider-account'].includes(shape)))(
  'reads %s as %s (%s)',
  async (shape, code, reason) => {
    const { ref } = simulated.addPost();
    simulated.fail({ shape, via: 'provider' });
    const error = await refusal(simulated.platform({ maxBodyBytes: 500_000 }).getPost(ref));
    expect([error.code, error.details?.reason]).toEqual([code, reason]);
  },
);

it.each([
  [402, { detail: 'Top up your account', exc_type: 'InsufficientFunds' }, 'provider-credits'],
  [403, { detail: 'Media not found' }, 'provider-key'],
  [401, {}, 'provider-key'],
  [404, { detail: 'Entries not found' }, 'http-404'],
  [404, { detail: 'Not Found' }, 'http-404'],
  [422, { detail: [{ type: 'missing', loc: ['query', 'id'], msg: 'Field required' }] }, 'http-422'],
  [200, { status: 'fail', detail: 'Something went wrong' }, 'provider-error'],
  [200, { media_or_ad: null }, 'unanswered'],
  [200, { media_or_ad: { pk: '1', code: 'DBAAAAAAAAA' } }, 'wrong-post'],
  [200, { media_or_ad: [] }, 'drifted'],
] as const)('says of %i %j that the provider is to blame: %s', async (status, body, reason) => {
  const error = await refusal(answering(status, body).getPost(post));
  expect([error.code, error.details?.reason]).toEqual(['PLATFORM_UNAVAILABLE', reason]);
});

it.each([
  [{ exc_type: 'MediaNotFound' }, 'POST_NOT_FOUND'],
  [{ detail: 'Media not found or unavailable', exc_type: 'MediaNotFound' }, 'POST_NOT_FOUND'],
  [{ detail: 'Unknown error', exc_type: 'PrivateAccount' }, 'POST_PRIVATE'],
  // The word about another subject says nothing about the post.
  [{ exc_type: 'UserNotFound' }, 'PLATFORM_UNAVAILABLE'],
  [{ exc_type: 'x'.repeat(1_000) }, 'PLATFORM_UNAVAILABLE'],
  [{ exc_type: { MediaNotFound: true } }, 'PLATFORM_UNAVAILABLE'],
] as const)('reads the name of an error: %j is %s', async (body, code) => {
  expect((await refusal(answering(404, body).getPost(post))).code).toBe(code);
});

it('compares the long numbers of posts to the last digit', async () => {
  // As the provider writes it: a number that a double cannot hold.
  const listOf = (id: string) =>
    `{"response":{"comments":[${JSON.stringify(comment).replace('{', `{"media_id":${id},`)}]},"next_page_id":null}`;
  expect((await answering(200, listOf(pk)).getComments(post, null)).comments).toMatchObject([{ authorId: '9' }]);
  const neighbour = String(BigInt(pk) + 1n);
  expect((await refusal(answering(200, listOf(neighbour)).getComments(post, null))).details?.reason).toBe('drifted');
});

it.each([
  [{ response: { comments: [comment], has_more_comments: true }, next_page_id: null }, 'missing-cursor'],
  [{ response: { comments: [comment], has_more_headload_comments: 'yes' }, next_page_id: 'a' }, 'drifted'],
  [{ response: { comments: { 0: comment } } }, 'drifted'],
  [{ response: { comments: Array.from({ length: 3_000 }, () => comment) } }, 'drifted'],
  [{ response: [] }, 'drifted'],
])('takes no end of a list from %j', async (body, reason) => {
  expect((await refusal(answering(200, body).getComments(post, null))).details?.reason).toBe(reason);
});

it('refuses likers of an unknown shape', async () => {
  for (const body of [{}, { users: {} }, { users: [{ username: 5 }] }]) {
    expect((await refusal(answering(200, body).getLikers(post, 5))).details?.reason).toBe('drifted');
  }
});

it('reads Instagram alone', () => {
  expect(() => answeringAs('tiktok', 200, {}, 'hikerapi')).toThrow('does not read tiktok');
});
