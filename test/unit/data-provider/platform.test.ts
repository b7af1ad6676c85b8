import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createDataProviderPlatform, type DataProviderOptions } from '../../../adapters/data-provider/index.ts';
import { shortcodeToPk } from '../../../adapters/instagram/index.ts';
import { refusal } from '../../contract/platform/suite.ts';
import { failuresOf } from '../../support/failure-outcomes.ts';
import { postRef, unread } from '../../support/platforms.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { answering, simulateProvider } from './provider.ts';

const simulated = { instagram: await simulateProvider('instagram'), tiktok: await simulateProvider('tiktok') };
afterAll(() => Promise.all([simulated.instagram.close(), simulated.tiktok.close()]));

it('Instagram’s newer wrapper of a post is read as it was handed on', async () => {
  const media = { pk: shortcodeToPk('DAAAAAAAAAA'), code: 'DAAAAAAAAAA', like_count: 3, comment_count: 5 };
  const items = [{ ...media, user: { pk: '7', username: 'maker' }, caption: null }];
  const body = { data: { xdt_api__v1__media__shortcode__web_info: { items } } };
  const reader = answering('instagram', 200, body);
  expect(await reader.getPost(postRef('instagram', 'DAAAAAAAAAA'))).toMatchObject({
    owner: { handle: 'maker', accountId: '7' },
    stats: { likes: 3, comments: 5 },
  });
  expect((await refusal(reader.getPost(postRef('instagram', 'DBAAAAAAAAA')))).details?.reason).toBe('wrong-post');
});

describe.each(['instagram', 'tiktok'] as const)('%s through the data provider', (platform) => {
  const { addPost, fail, platform: open, requests, reset } = simulated[platform];
  const asked = () => Object.values(requests()).reduce((sum, count) => sum + count, 0);
  beforeEach(reset);

  it('shows hidden counts as null', async () => {
    const counts = { likes: null, views: null };
    expect((await open().getPost(addPost({ counts }).ref)).stats).toMatchObject(counts);
  });

  it.each(failuresOf('provider-post'))('reads %s as %s (%s)', async (shape, code, reason) => {
    const { ref } = addPost();
    fail({ shape, via: 'provider' });
    const error = await refusal(open({ maxBodyBytes: 500_000 }).getPost(ref));
    // TikTok's words come as TikTok's own bodies.
    expect([error.code, error.details?.reason]).toEqual([code, reason]);
  });

  it.each(['provider-key', 'provider-credits', 'provider-forbidden', 'provider-account'] as const)(
    'says PLATFORM_UNAVAILABLE for %s at once, and tells the operator: asking again costs and changes nothing',
    async (shape) => {
      const logger = createRecordingLogger();
      const { ref } = addPost();
      fail({ shape, via: 'provider' });
      const error = await refusal(open({ logger }).getPost(ref));
      expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: shape, platform } });
      expect(asked()).toBe(1);
      const told = logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
      expect(told).toEqual([error.message]);
    },
  );

  it.each([
    [404, { success: false }, 'PLATFORM_UNAVAILABLE'],
    [404, { success: false, error: 'post_not_found', message: 'We looked everywhere' }, 'POST_NOT_FOUND'],
    [404, {}, 'PLATFORM_UNAVAILABLE'],
    [404, '<html>not found</html>', 'PLATFORM_UNAVAILABLE'],
    [400, { success: false, message: 'This account is private' }, 'POST_PRIVATE'],
    [400, { success: false, error: 'Video is age-restricted' }, 'POST_AGE_RESTRICTED'],
    [400, { success: false, message: 'url is required' }, 'PLATFORM_UNAVAILABLE'],
    [200, { success: false, message: 'This post was deleted' }, 'POST_NOT_FOUND'],
    [200, { success: true }, 'PLATFORM_UNAVAILABLE'],
    [200, [], 'PLATFORM_UNAVAILABLE'],
    [200, 'null', 'PLATFORM_UNAVAILABLE'],
    [204, '', 'PLATFORM_UNAVAILABLE'],
    [401, { message: 'Post not found' }, 'PLATFORM_UNAVAILABLE'],
    [404, { success: false, message: 'API account not found' }, 'PLATFORM_UNAVAILABLE'],
    [404, { message: 'No account exists for this API key' }, 'PLATFORM_UNAVAILABLE'],
    [400, { success: false, error: 'Your subscription was not found' }, 'PLATFORM_UNAVAILABLE'],
    [400, { success: false, message: 'You must be 18 years old or over to see this' }, 'POST_AGE_RESTRICTED'],
  ] as const)('reads %i %j as %s', async (status, body, code) => {
    const id = platform === 'tiktok' ? '7123456789012345678' : 'DAAAAAAAAAA';
    const reader = answering(platform, status, body);
    expect((await refusal(reader.getPost(postRef(platform, id)))).code).toBe(code);
  });
});

describe('profiles in the provider’s answers', () => {
  it.each([
    ['instagram', { data: { user: null } }, 'unanswered'],
    ['instagram', { data: {} }, 'ambiguous-profile'],
    ['tiktok', { user: {}, stats: {}, status_code: 10101, status_msg: '' }, 'login-required'],
    ['tiktok', { user: {}, stats: {}, statusCode: 10101, statusMsg: '' }, 'login-required'],
    ['tiktok', { user: null, stats: {} }, 'drifted'],
  ] as const)('says nothing of a profile on %s by %j', async (platform, body, reason) => {
    const reader = answering(platform, 200, body);
    expect(await refusal(reader.getProfile('maker.one'))).toMatchObject(unread(reason));
  });

  it.each([
    ['instagram', { data: { user: {} } }],
    ['tiktok', { user: {}, stats: {} }],
  ] as const)('are empty on %s for %j', async (platform, body) => {
    expect(await answering(platform, 200, body).getProfile('maker.one')).toBeNull();
  });
});

describe('TikTok’s own words in the provider’s answers', () => {
  const post = postRef('tiktok', '7123456789012345678');
  const state = (status: object) => ({ aweme_detail: { aweme_id: post.contentId, status } });
  it.each([
    [{ aweme_detail: null, filter_detail: { filter_reason: 'status_deleted' }, status_code: 0 }, 'POST_NOT_FOUND'],
    [{ aweme_detail: null, status_code: 10204, status_msg: "item doesn't exist" }, 'POST_NOT_FOUND'],
    [{ aweme_detail: null, statusCode: 10204, statusMsg: 'status_deleted' }, 'POST_NOT_FOUND'],
    [{ aweme_detail: null, status_code: 0, statusCode: 10231, statusMsg: '' }, 'POST_UNAVAILABLE'],
    [{ aweme_detail: null, status_code: 10204, status_msg: '' }, 'PLATFORM_UNAVAILABLE'],
    [{ aweme_detail: null, status_code: 0, status_msg: '' }, 'PLATFORM_UNAVAILABLE'],
    [state({ is_delete: true }), 'POST_NOT_FOUND'],
    [state({ private_status: 1 }), 'POST_PRIVATE'],
    [state({ self_see: true }), 'POST_PRIVATE'],
    [state({ in_reviewing: true }), 'POST_UNAVAILABLE'],
    [state({}), 'PLATFORM_UNAVAILABLE'],
    [{ aweme_detail: { aweme_id: '1' }, status_code: 0 }, 'PLATFORM_UNAVAILABLE'],
  ] as const)('%j is %s', async (body, code) => {
    const reader = answering('tiktok', 200, body);
    expect((await refusal(reader.getPost(post))).code).toBe(code);
  });
});

it('reads no comments of an answer that TikTok refused under the web’s name', async () => {
  const refused = { statusCode: 10101, comments: [], has_more: 0, cursor: 0 };
  const { getComments } = answering('tiktok', 200, refused);
  const other = postRef('tiktok', '7123456789012345678');
  expect((await refusal(getComments(other, null))).details?.reason).toBe('login-required');
});

describe('Instagram’s posts and comments in the provider’s answers', () => {
  const post = postRef('instagram', 'DAAAAAAAAAA');
  const user = { username: 'fan' };
  const comment = { id: '1', text: 'hi', created_at: '2026-06-01T12:00:00.000Z', user };

  const media = (more: object) => ({ data: { xdt_shortcode_media: { shortcode: 'DAAAAAAAAAA', ...more } } });
  it.each([
    // Instagram answers so of posts that are there, too.
    [{ data: { xdt_shortcode_media: null } }, 'PLATFORM_UNAVAILABLE'],
    [media({ gating_info: { title: 'x' } }), 'POST_UNAVAILABLE'],
    [media({ gating_info: { title: 'x', gating_type: 'AGE_GATE' } }), 'POST_AGE_RESTRICTED'],
    [media({ gating_info: { node: null } }), 'PLATFORM_UNAVAILABLE'],
    [media({}), 'PLATFORM_UNAVAILABLE'],
    [{ data: {} }, 'PLATFORM_UNAVAILABLE'],
  ] as const)('%j is %s', async (body, code) => {
    expect((await refusal(answering('instagram', 200, body).getPost(post))).code).toBe(code);
  });

  const postPk = shortcodeToPk(post.contentId) ?? '';

  it('reads no comments of another post, and no replies to another comment', async () => {
    const list = (comments: readonly object[]) => answering('instagram', 200, { comments }).getComments;
    const threadOf = (comments: readonly object[]) => answering('instagram', 200, { comments }).getReplies;
    const elsewhere = [{ ...comment, id: '2', media_id: '123' }];
    for (const read of [
      list(elsewhere)(post, null),
      threadOf(elsewhere)(post, '1', null),
      threadOf([{ ...comment, id: '2', parent_comment_id: '77' }])(post, '1', null),
    ]) {
      expect((await refusal(read)).details?.reason).toBe('drifted');
    }
    const reply = { ...comment, id: '3', media_id: postPk };
    const own = { ...comment, media_id: `${postPk}_5`, replies: [...elsewhere, reply] };
    const page = await list([own, ...elsewhere])(post, null);
    expect([page.comments.map(({ id }) => id), page.skipped]).toEqual([['1', '3'], 2]);
    const thread = [
      { ...comment, id: '4', parent_comment_id: '1' },
      { ...comment, id: '5', parent_comment_id: 77 },
    ];
    const replies = await threadOf(thread)(post, '1', null);
    expect([replies.comments.map(({ id }) => id), replies.skipped]).toEqual([['4'], 1]);
  });

  it.each([
    [{ pk: '5', id: '17841400000000005' }, '5'],
    [{ id: '5' }, '5'],
    // The account's id at Facebook, which no profile shows.
    [{ id: '17841400000000005' }, null],
    [{ pk: '0' }, null],
  ])('tells the number of the author %j as %s', async (user, authorId) => {
    const comments = [{ ...comment, user: { ...comment.user, ...user } }];
    const page = await answering('instagram', 200, { comments, cursor: '' }).getComments(post, null);
    expect(page.comments[0]?.authorId).toBe(authorId);
  });

  it('leaves counts that are not told unknown, skips what is nobody’s, and takes inline replies along', async () => {
    const inline = { ...comment, id: '2', parent_comment_id: '1', created_at: 1_780_315_200 };
    const comments = [
      { ...comment, child_comment_count: null, comment_like_count: null, replies: [inline] },
      { ...comment, id: '3', user: null },
    ];
    const page = await answering('instagram', 200, { comments, cursor: '' }).getComments(post, null);
    expect(page).toEqual({
      nextCursor: null,
      expectedTotal: null,
      skipped: 1,
      source: 'data-provider',
      comments: [
        {
          id: '1',
          parentId: null,
          username: 'fan',
          authorId: null,
          text: 'hi',
          createdAt: new Date('2026-06-01T12:00:00Z'),
          likeCount: null,
          replyCount: null,
        },
        expect.objectContaining({ id: '2', parentId: '1', createdAt: new Date(1_780_315_200_000) }),
      ],
    });
  });

  it.each([
    { comments: [comment], cursor: 7 },
    { comments: [comment], cursor: null, has_more: true },
    { comments: [{ ...comment, created_at: 'yesterday' }] },
    { comments: [{ ...comment, id: 'x' }] },
    { comments: [{ ...comment, user: {} }] },
    { comments: { 0: comment } },
    { comments: null },
  ])('hands nothing on of %j', async (body) => {
    const reader = answering('instagram', 200, body);
    expect((await refusal(reader.getComments(post, null))).code).toBe('PLATFORM_UNAVAILABLE');
  });
});

describe('options', () => {
  it.each([
    { platform: 'instagram', key: '' },
    { platform: 'instagram', key: 'with space' },
    { platform: 'instagram', key: 'k\r\nx: y' },
    { platform: 'youtube', key: 'k' },
    { platform: 'instagram', key: 'k', baseUrl: 'ftp://example.com' },
  ])('%j are refused', (options) => {
    expect(() => createDataProviderPlatform(options as DataProviderOptions)).toThrow();
  });
});
