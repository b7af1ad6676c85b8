/** What the provider says in words about a post or a profile, under each status that brings words. */
import { expect, it } from 'vitest';
import { readAnswer } from '../../../adapters/data-provider/answers.ts';
import { answer } from '../scraping/answer.ts';

function codesOf(subject: 'post' | 'profile', message: string): readonly string[] {
  const reading = { platform: 'instagram', subject, accountStatuses: {} };
  const codes = [
    [404, { message }],
    [400, { success: false, error: message }],
    [200, { success: false, message }],
  ].map(([status, body]) => {
    const verdict = readAnswer(answer({ status: Number(status), text: JSON.stringify(body) }), reading);
    return verdict.kind === 'permanent' ? verdict.error.code : verdict.kind;
  });
  return [...new Set(codes)];
}

it.each([
  'Not Found',
  'not_found',
  'Page not found',
  'The requested URL /v1/video was not found on this server.',
  'Route GET:/v1/instagram/post not found',
  'Session not found',
  'Post lookup failed: session not found',
  'No comments found',
  'Post not found in the cache',
  'User agent not found',
  'Media server not found',
  'Could not find video worker',
  'We could not load this video because the worker was deleted',
  'The proxy for this post was not found',
  'private proxy failed for this post',
  'Not authorized to view this endpoint',
  'User not found. Please login again',
  'Post not found because proxy failed',
])('takes %j for trouble of the provider’s own', (message) => {
  expect([codesOf('post', message), codesOf('profile', message)]).toEqual([['unreadable'], ['unreadable']]);
});

it.each(['Customer not found', 'Your user was not found', 'No API user found', 'No account found with this key'])(
  'reads of no profile, but of our own account: %j',
  (message) => {
    for (const subject of ['post', 'profile'] as const) {
      for (const code of codesOf(subject, message)) expect(['unreadable', 'PLATFORM_UNAVAILABLE']).toContain(code);
    }
  },
);

it.each([
  ['post', 'Post not found'],
  ['post', 'post_not_found'],
  ['post', 'Error: the requested post could not be found.'],
  ['post', 'Media not found or unavailable'],
  ['post', 'Sorry, this post has been deleted'],
  ['post', 'Video doesn’t exist'],
  ['post', 'Video 7123 does not exist'],
  ['post', 'Post with shortcode DAAAAAAAAAA does not exist'],
  ['post', 'Shortcode not found'],
  ['post', 'Could not find that post'],
  ['post', 'No video found for this url'],
  ['post', 'There is no such reel.'],
  ['profile', 'User not found'],
  ['profile', 'Instagram user "maker.one" not found'],
  ['profile', 'User @maker.one does not exist'],
  ['profile', 'No such user'],
] as const)('reads of a missing %s: %j', (subject, message) => {
  expect(codesOf(subject, message)).toEqual([subject === 'post' ? 'POST_NOT_FOUND' : 'PROFILE_NOT_FOUND']);
});

it.each([
  ['post', 'This is a private video.'],
  ['post', 'The owner’s account is private'],
  ['post', 'Post is private or was deleted'],
  ['post', 'Not authorized to view user'],
  ['profile', 'This account is private'],
  ['profile', 'Cannot read private profiles'],
] as const)('reads of a private %s: %j', (subject, message) => {
  expect(codesOf(subject, message)).toEqual([subject === 'post' ? 'POST_PRIVATE' : 'PROFILE_PRIVATE']);
});
