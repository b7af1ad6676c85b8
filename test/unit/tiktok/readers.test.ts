import { describe, expect, it } from 'vitest';
import { readCommentPage } from '../../../adapters/tiktok/comments.ts';
import { readPost } from '../../../adapters/tiktok/post.ts';
import { readEmbeddedProfile, readProfile } from '../../../adapters/tiktok/profile.ts';
import { readStatus } from '../../../adapters/tiktok/status.ts';

const ID = '7686150374289362190';
const ITEM = {
  id: ID,
  desc: 'text',
  createTime: '1789571357',
  author: { id: '67', uniqueId: 'ann', secUid: 'MS4', nickname: 'Ann' },
  stats: { playCount: 157_000, diggCount: 10_400, commentCount: 583, shareCount: 767, collectCount: '546' },
  statsV2: { playCount: '156912', diggCount: '10437', commentCount: '583', shareCount: '767', collectCount: '546' },
  video: { cover: 'https://media.example/c.jpg', playAddr: 'https://media.example/v.mp4' },
};
const pageOf = (item: object, status: object = { statusCode: 0, statusMsg: '' }) => ({
  __DEFAULT_SCOPE__: { 'webapp.video-detail': { itemInfo: { itemStruct: item }, ...status } },
});
const resultOf = (item: object) => {
  const verdict = readPost(pageOf(item), ID);
  return verdict.kind === 'ok' ? verdict.value : verdict;
};

describe('statuses', () => {
  it('reads the message before the code', () => {
    expect(readStatus('post', 0, 'status_self_see')).toMatchObject({ error: { code: 'POST_PRIVATE' } });
    expect(readStatus('post', 10222, 'status_deleted')).toMatchObject({ error: { code: 'POST_NOT_FOUND' } });
    expect(readStatus('post', 10204, 'Item doesn’t exist ')).toMatchObject({ error: { code: 'POST_NOT_FOUND' } });
  });

  it('does not take an unknown use of the overloaded code for "deleted"', () => {
    expect(readStatus('post', 10204, 'try_later')).toEqual({ kind: 'unreadable', reason: 'status-10204' });
    // TikTok says it with words; without them it may be a region, or a post that only friends see.
    for (const message of ['', ' ', undefined, null]) {
      expect(readStatus('post', 10204, message)).toEqual({ kind: 'unreadable', reason: 'status-10204' });
      expect(readStatus('profile', 10204, message)).toEqual({ kind: 'unreadable', reason: 'status-10204' });
    }
  });

  it.each([
    'need login',
    'Please log in',
    'verify to continue',
    'Too many requests',
    'Visit too frequently',
    'try again',
  ])('takes %j for a word about us, beside whatever code', (message) => {
    for (const code of [10202, 10217, 10221, 10216, 10222]) {
      expect(readStatus('post', code, message)).toEqual({ kind: 'unreadable', reason: `status-${code}` });
      expect(readStatus('profile', code, message)).toEqual({ kind: 'unreadable', reason: `status-${code}` });
    }
    expect(readStatus('post', 10101, message)).toEqual({ kind: 'blocked', reason: 'login-required' });
  });

  it('finds nothing wrong with 0, and a status of another type drifted', () => {
    expect(readStatus('post', 0, '')).toBeNull();
    expect(readStatus('post', 0, undefined)).toBeNull();
    for (const code of [undefined, null, '0', 0.5, {}]) {
      expect(readStatus('post', code, '')).toEqual({ kind: 'unreadable', reason: 'drifted' });
    }
  });

  it.each([
    [10202, 'PROFILE_NOT_FOUND', 'not-found'],
    [10217, 'PROFILE_NOT_FOUND', 'not-found'],
    [10216, 'PROFILE_PRIVATE', 'private'],
    [10231, 'PLATFORM_UNAVAILABLE', 'region'],
    ['status_reviewing', 'PLATFORM_UNAVAILABLE', 'review'],
    [' STATUS_FRIEND_SEE ', 'PROFILE_PRIVATE', 'private'],
  ])('tells by %s of a profile that it is %s (%s)', (status, code, reason) => {
    const verdict = typeof status === 'number' ? readStatus('profile', status, '') : readStatus('profile', 1, status);
    expect(verdict).toMatchObject({
      kind: 'permanent',
      error: { code, details: { reason, platform: 'tiktok' } },
    });
  });

  it.each([
    ['copyright_geo_filter', 'POST_UNAVAILABLE', 'region'],
    ['person_geo_fencing', 'POST_UNAVAILABLE', 'region'],
    ['cross_border_violation', 'POST_UNAVAILABLE', 'region'],
    ['status_reviewing', 'POST_UNAVAILABLE', 'review'],
    ['status_audit_not_pass', 'POST_UNAVAILABLE', 'review'],
    ['content_classification', 'POST_AGE_RESTRICTED', 'age-restricted'],
    ['author_secret', 'POST_PRIVATE', 'private'],
    ["item doesn't exist", 'POST_NOT_FOUND', 'not-found'],
  ])('tells by %s of a post that it is %s (%s)', (status, code, reason) => {
    const error = { code, details: { reason, platform: 'tiktok' } };
    expect(readStatus('post', 0, status)).toMatchObject({ kind: 'permanent', error });
  });

  it.each([
    [10101, { kind: 'blocked', reason: 'login-required' }],
    [209002, { kind: 'blocked', reason: 'login-required' }],
    [10000, { kind: 'blocked', reason: 'captcha' }],
    [2146, { kind: 'unreadable', reason: 'app-too-old' }],
  ])('says nothing of a post by %d', (code, verdict) => {
    expect(readStatus('post', code, '')).toEqual(verdict);
  });

  it('reports no profile as age restricted', () => {
    const restricted = { kind: 'unreadable', reason: 'age-restricted' };
    expect(readStatus('profile', 0, 'content_classification')).toEqual(restricted);
  });

  it('is not misled by names that every object has', () => {
    expect(readStatus('post', 1, 'constructor')).toEqual({ kind: 'unreadable', reason: 'status-1' });
    expect(readStatus('post', 1, '__proto__')).toEqual({ kind: 'unreadable', reason: 'status-1' });
  });
});

describe('a post', () => {
  it('takes the exact counters, the rounded where there is none, and null for an overflow', () => {
    const { diggCount: _likes, ...exact } = ITEM.statsV2;
    expect(
      resultOf({
        ...ITEM,
        statsV2: { ...exact, commentCount: '-1614092016' },
        stats: { ...ITEM.stats, commentCount: -5 },
      }),
    ).toMatchObject({
      stats: { views: 156_912, likes: 10_400, comments: null, shares: 767, saves: 546 },
    });
  });

  it.each([
    [undefined, 999, 999],
    [undefined, 1_000, null],
    [undefined, 157_000, null],
    ['-1614092016', 157_000, null],
    ['1049', 1_000, 1_049],
  ])('of %s comments, rounded %i, has %s: a rounded total would be read too early', (exact, rounded, comments) => {
    const statsV2 = { ...ITEM.statsV2, commentCount: exact };
    const stats = { ...ITEM.stats, commentCount: rounded };
    expect(resultOf({ ...ITEM, statsV2, stats })).toMatchObject({ stats: { comments } });
  });

  it('takes the time from the id when the page has none', () => {
    const { createTime: _time, ...item } = ITEM;
    expect(resultOf(item)).toMatchObject({ post: { postedAt: new Date(Number(BigInt(ID) >> 32n) * 1000) } });
  });

  it('finds media in the bitrate list, and takes no address that is not http', () => {
    const bitrateInfo = [{ PlayAddr: { UrlList: ['', 'https://media.example/b.mp4'] } }];
    expect(resultOf({ ...ITEM, video: { cover: 'javascript:alert(1)', playAddr: '', bitrateInfo } })).toMatchObject({
      post: { thumbnailUrl: null, mediaUrls: ['https://media.example/b.mp4'] },
    });
  });

  it('is age restricted when classified and without any media, else readable', () => {
    const { video: _video, ...item } = ITEM;
    expect(resultOf({ ...item, isContentClassified: true })).toMatchObject({ error: { code: 'POST_AGE_RESTRICTED' } });
    expect(resultOf({ ...ITEM, isContentClassified: true })).toMatchObject({ owner: { handle: 'ann' } });
    expect(resultOf(item)).toMatchObject({ post: { thumbnailUrl: null, mediaUrls: [] } });
  });

  it('of a private account is read when it is shown', () => {
    expect(readPost(pageOf(ITEM, { statusCode: 10222, statusMsg: '' }), ID)).toMatchObject({ kind: 'ok' });
    expect(readPost(pageOf(ITEM, { statusCode: 10216, statusMsg: '' }), ID)).toMatchObject({ kind: 'permanent' });
  });

  it('without its item is drifted when its status is good', () => {
    for (const item of [null, 'x', [] as unknown]) {
      expect(readPost(pageOf(item as object), ID)).toEqual({ kind: 'unreadable', reason: 'drifted' });
    }
  });

  it('needs one kind of counters', () => {
    expect(resultOf({ ...ITEM, statsV2: undefined })).toMatchObject({ stats: { views: 157_000 } });
    expect(resultOf({ ...ITEM, stats: undefined })).toMatchObject({ stats: { views: 156_912 } });
  });

  it('of photos shows its own cover, and each photo by its first readable address', () => {
    const photo = (...urlList: unknown[]) => ({ imageURL: { urlList } });
    const at = (name: string) => `https://media.example/${name}.jpg`;
    const { video: _video, ...item } = ITEM;
    const images = [photo(null, 'x', at('1'), at('2')), photo(), photo(at('3'))];
    const imagePost = { title: 'Title', cover: photo(at('cover')), images };
    expect(resultOf({ ...item, desc: '', imagePost })).toMatchObject({
      post: { caption: 'Title', thumbnailUrl: at('cover'), mediaUrls: [at('1'), at('3')] },
    });
    expect(resultOf({ ...item, imagePost: { images } })).toMatchObject({ post: { thumbnailUrl: at('1') } });
    expect(resultOf({ ...item, imagePost: { images: Array(101).fill(photo(at('1'))) } })).toMatchObject({
      post: { mediaUrls: { length: 100 } },
    });
    expect(resultOf({ ...item, imagePost: { images: [photo(...Array(10).fill(null), at('1'))] } })).toMatchObject({
      post: { mediaUrls: [] },
    });
  });

  it('shows the cover of its video, or else the original one', () => {
    const covers = { cover: 'https://media.example/c.jpg', originCover: 'https://media.example/o.jpg' };
    expect(resultOf({ ...ITEM, video: covers })).toMatchObject({ post: { thumbnailUrl: covers.cover } });
    expect(resultOf({ ...ITEM, video: { ...covers, cover: '' } })).toMatchObject({
      post: { thumbnailUrl: covers.originCover },
    });
    const { playAddr } = ITEM.video;
    expect(resultOf({ ...ITEM, video: { playAddr } })).toMatchObject({ post: { mediaUrls: [playAddr] } });
  });

  it('that is another one is not taken for it', () => {
    expect(resultOf({ ...ITEM, id: '7686150374289362191' })).toEqual({ kind: 'unreadable', reason: 'wrong-post' });
  });

  it.each([
    ['an author that is only a name', { author: 'ann' }],
    ['an author without an id', { author: { uniqueId: 'ann' } }],
    ['an author without a handle', { author: { id: '1', uniqueId: '' } }],
    ['no counters', { stats: undefined, statsV2: undefined }],
    ['a counter in words', { statsV2: { playCount: '1.2M' } }],
    ['a caption that is a list', { desc: ['text'] }],
    ['a name that is a number', { author: { ...ITEM.author, nickname: 5 } }],
    ['a counter that is an object', { statsV2: { diggCount: {} } }],
    ['a counter that cannot be written', { statsV2: { diggCount: { toString: null } } }],
    ['a counter with a minus within', { statsV2: { diggCount: '1-2' } }],
    ['a counter with words behind a minus', { statsV2: { diggCount: '-2x' } }],
    ['a broken counter', { statsV2: { diggCount: 0.5 } }],
  ])('with %s is unreadable as a whole', (_name, change) => {
    expect(resultOf({ ...ITEM, ...change })).toEqual({ kind: 'unreadable', reason: 'drifted' });
  });
});

describe('a profile', () => {
  const flags = { verified: false, privateAccount: false };
  const user = { id: '1', uniqueId: 'ann', secUid: '', nickname: '', signature: 'bio', ...flags };
  const stats = { followerCount: 1_800_000, followingCount: 23, videoCount: 46, heartCount: -1_614_092_016 };
  const pageWith = (info: object, statusCode = 0) => ({
    __DEFAULT_SCOPE__: { 'webapp.user-detail': { userInfo: info, statusCode, statusMsg: '' } },
  });

  it('of somebody else is not taken for the one asked for', () => {
    expect(readProfile(pageWith({ user: { ...user, uniqueId: 'bob' }, stats }), 'ann')).toEqual({
      kind: 'unreadable',
      reason: 'wrong-profile',
    });
  });

  it('is compared without regard to case', () => {
    expect(readProfile(pageWith({ user: { ...user, uniqueId: 'Ann' }, stats }), 'ann')).toMatchObject({
      value: { handle: 'Ann', secUid: null, displayName: null, bio: 'bio', followerCount: 1_800_000, createdAt: null },
    });
  });

  it('tells when the account was made', () => {
    const page = pageWith({ user: { ...user, createTime: 1_784_562_949 }, stats });
    expect(readProfile(page, 'ann')).toMatchObject({ value: { createdAt: new Date(1_784_562_949_000) } });
  });

  it('that is private shows who it is, and how many videos only to those it lets in', () => {
    expect(readProfile(pageWith({ user, stats }, 10222), 'ann')).toMatchObject({
      value: { isPrivate: true, mediaCount: 46 },
    });
    expect(readProfile(pageWith({ user, stats: { ...stats, videoCount: 0 } }, 10222), 'ann')).toMatchObject({
      value: { handle: 'ann', bio: 'bio', isPrivate: true, followerCount: 1_800_000, mediaCount: null },
    });
    const closed = { user: { ...user, privateAccount: true }, stats: { ...stats, videoCount: 0 } };
    expect(readProfile(pageWith(closed), 'ann')).toMatchObject({ value: { isPrivate: true, mediaCount: null } });
    expect(readProfile(pageWith({ user, stats: { ...stats, videoCount: 0 } }), 'ann')).toMatchObject({
      value: { isPrivate: false, mediaCount: 0 },
    });
  });

  it.each([{}, { user: {} }, { user: null, stats }])('that is private and shows nobody is private (%j)', (info) => {
    expect(readProfile(pageWith(info, 10222), 'ann')).toMatchObject({ error: { code: 'PROFILE_PRIVATE' } });
  });

  it.each([
    ['somebody else', { user: { ...user, uniqueId: 'bob' }, stats }, 'wrong-profile'],
    ['no id', { user: { ...user, id: null }, stats }, 'drifted'],
    ['no counters', { user }, 'drifted'],
  ])('that is private and shows %s is unreadable', (_name, info, reason) => {
    expect(readProfile(pageWith(info, 10222), 'ann')).toEqual({ kind: 'unreadable', reason });
  });

  it('that is gone stays gone whatever stands beside the status', () => {
    expect(readProfile(pageWith({ user, stats }, 10221), 'ann')).toMatchObject({
      error: { code: 'PROFILE_NOT_FOUND' },
    });
  });

  it.each([
    ['no user', { stats }],
    ['a user without an id', { user: { uniqueId: 'ann' }, stats }],
    ['no counters', { user }],
    ['a bio of another shape', { user: { ...user, signature: { text: 'bio' } }, stats }],
    ['an unclear privacy', { user: { ...user, privateAccount: 'no' }, stats }],
    ['counters in words', { user, stats: { followerCount: 'many' } }],
    ['no count of followers', { user, stats: { followingCount: 5 } }],
  ])('with %s is unreadable', (_name, info) => {
    expect(readProfile(pageWith(info), 'ann')).toEqual({ kind: 'unreadable', reason: 'drifted' });
  });

  it('is judged by the message of its status too', () => {
    const page = (statusMsg: string) => ({
      __DEFAULT_SCOPE__: { 'webapp.user-detail': { userInfo: { user, stats }, statusCode: 0, statusMsg } },
    });
    expect(readProfile(page(''), 'ann')).toMatchObject({ kind: 'ok' });
    expect(readProfile(page('status_deleted'), 'ann')).toMatchObject({ error: { code: 'PROFILE_NOT_FOUND' } });
  });

  it('shows the largest picture that has an address', () => {
    const pictures = {
      avatarLarger: 'https://a.test/l',
      avatarMedium: 'https://a.test/m',
      avatarThumb: 'https://a.test/t',
    };
    const pictureOf = (changes: object) => {
      const verdict = readProfile(pageWith({ user: { ...user, ...pictures, ...changes }, stats }), 'ann');
      return verdict.kind === 'ok' ? verdict.value?.profilePictureUrl : verdict;
    };
    expect(pictureOf({})).toBe(pictures.avatarLarger);
    expect(pictureOf({ avatarLarger: '' })).toBe(pictures.avatarMedium);
    expect(pictureOf({ avatarLarger: '', avatarMedium: null })).toBe(pictures.avatarThumb);
    expect(pictureOf({ avatarLarger: '', avatarMedium: '', avatarThumb: 'x' })).toBeNull();
  });

  it('tells what is not set from what is not shown', () => {
    const factsOf = (changes: object) => {
      const verdict = readProfile(pageWith({ user: { ...user, ...changes }, stats }), 'ann');
      return verdict.kind === 'ok' ? verdict.value : verdict;
    };
    expect(factsOf({ signature: '' })).toMatchObject({ bio: '' });
    for (const gap of [null, undefined]) {
      const changes = { signature: gap, nickname: gap, secUid: gap, verified: gap, privateAccount: gap };
      const none = { bio: null, displayName: null, secUid: null, isVerified: null, isPrivate: null };
      expect(factsOf(changes)).toMatchObject(none);
    }
    expect(factsOf({ verified: true, nickname: 'Ann' })).toMatchObject({ isVerified: true, displayName: 'Ann' });
    expect(factsOf({ uniqueId: null })).toEqual({ kind: 'unreadable', reason: 'drifted' });
  });

  it('shows on its embedded page what it counts, and either picture', () => {
    const read = (changes: object) =>
      readEmbeddedProfile(
        { source: { data: { '/embed/@ann/': { userInfo: { ...user, ...stats, ...changes } } } } },
        'ann',
      );
    const [avatarThumbUrl, avatarThumb] = ['https://a.test/1', 'https://a.test/2'];
    const counts = { followerCount: 1_800_000, followingCount: 23, mediaCount: null };
    expect(read({ avatarThumbUrl, avatarThumb })).toMatchObject({
      value: { ...counts, profilePictureUrl: avatarThumbUrl },
    });
    expect(read({ avatarThumb })).toMatchObject({ value: { profilePictureUrl: avatarThumb } });
  });

  it('is found on its embedded page whatever the case of the path', () => {
    const page = { source: { data: { '/embed/@Ann': { userInfo: { ...user, ...stats, avatarThumbUrl: '' } } } } };
    expect(readEmbeddedProfile(page, 'ann')).toMatchObject({ value: { handle: 'ann', mediaCount: null } });
    expect(readEmbeddedProfile(page, 'bob')).toEqual({ kind: 'unreadable', reason: 'drifted' });
  });
});

describe('a page of comments', () => {
  const comment = {
    cid: '7603301260598838032',
    text: '',
    create_time: 1_770_281_693,
    digg_count: 2,
    reply_comment: null,
    reply_comment_total: 1,
    user: { uid: '1', unique_id: 'zoe' },
  };
  const page = (comments: unknown, more: object = {}, parentId: string | null = null, after: string | null = null) =>
    readCommentPage(
      { status_code: 0, comments, has_more: 0, cursor: 20, total: 999, ...more },
      { parentId, after },
      '7000',
    );

  it('with the numbers of its authors only is read by number, and counted as skipped for handles', () => {
    const unnamed = [undefined, null, ''].map((unique_id, index) => ({
      ...comment,
      cid: String(index + 1),
      user: { uid: '5', unique_id },
    }));
    expect(page(unnamed)).toMatchObject({
      kind: 'ok',
      value: { comments: unnamed.map(({ cid }) => ({ id: cid, username: '', authorId: '5' })), skipped: 3 },
    });
    const mixed = page([
      comment,
      ...unnamed.slice(0, 1),
      { ...comment, cid: '9', user: { uid: '0', unique_id: 'eve' } },
    ]);
    expect(mixed).toMatchObject({
      value: {
        comments: [
          { username: 'zoe', authorId: '1' },
          { username: '', authorId: '5' },
          { username: 'eve', authorId: null },
        ],
        skipped: 1,
      },
    });
    // A handle of another shape is a change of the platform's, whatever the number.
    expect(page([{ ...comment, user: { uid: '5', unique_id: 7 } }])).toEqual({ kind: 'unreadable', reason: 'drifted' });
  });

  it('of another post, or another thread, is not read as this one', () => {
    const own = { ...comment, aweme_id: '7000', reply_id: '0' };
    expect(page([own])).toMatchObject({ value: { comments: [{ id: comment.cid }], skipped: 0 } });
    expect(page([own, { ...own, cid: '2', aweme_id: '7001' }])).toMatchObject({ value: { skipped: 1 } });
    expect(page([{ ...own, aweme_id: '7001' }])).toMatchObject({ kind: 'unreadable', reason: 'drifted' });
    expect(page([{ ...own, reply_id: '5' }], {}, '5')).toMatchObject({ value: { comments: [{ parentId: '5' }] } });
    expect(page([{ ...own, reply_id: '6' }], {}, '5')).toMatchObject({ kind: 'unreadable', reason: 'drifted' });
  });

  it('keeps the cursor of a later page and of a page of replies if no entry can be read', () => {
    const more = { has_more: 1, cursor: 60 };
    const gone = Array.from({ length: 3 }, () => ({ ...comment, user: null }));
    const kept = { kind: 'ok', value: { comments: [], next: '60', skipped: 3 } };
    expect(page(gone, more, null, '40')).toMatchObject(kept);
    expect(page(gone, more, '5')).toMatchObject(kept);
    const elsewhere = [{ ...comment, aweme_id: '7001' }];
    expect(page(elsewhere, more, null, '40')).toMatchObject({ kind: 'unreadable', reason: 'drifted' });
  });

  it('ends where has_more says so, whatever the total', () => {
    expect(page(null)).toMatchObject({ kind: 'ok', value: { comments: [], next: null, expectedTotal: 999 } });
    expect(page([comment], { has_more: 1, total: 1 })).toMatchObject({ value: { next: '20' } });
    expect(page([comment], { has_more: true, cursor: '40' })).toMatchObject({ value: { next: '40' } });
  });

  it.each([
    ['comments of another shape', { first: {} }, {}],
    ['no list at all', undefined, {}],
    ['an unclear end', [comment], { has_more: 'yes' }],
    ['more, but no cursor', [comment], { has_more: 1, cursor: null }],
    ['more, and a negative cursor', [comment], { has_more: 1, cursor: -1 }],
    ['one comment only, of another shape', [{ ...comment, create_time: 'now' }], {}],
    ['far more comments than a page holds', Array.from({ length: 2001 }, () => comment), {}],
  ])('with %s is unreadable as a whole', (_name, comments, more) => {
    expect(page(comments, more)).toEqual({ kind: 'unreadable', reason: 'drifted' });
  });

  it.each([
    ['without an author', { user: null }],
    ['with an author of another shape', { user: {} }],
    ['with an empty handle', { user: { unique_id: '' } }],
    ['without a text', { text: null }],
    ['without an id', { cid: undefined }],
    ['without a time', { create_time: 'now' }],
  ])('skips and counts one comment %s, at the top or inline, and keeps its neighbours', (_name, change) => {
    const bad = { ...comment, cid: '5', ...change };
    expect(page([comment, bad])).toMatchObject({ value: { comments: [{ id: comment.cid }], skipped: 1 } });
    expect(page([bad, 'text', null, comment])).toMatchObject({
      value: { comments: [{ id: comment.cid }], skipped: 3 },
    });
    const good = { ...comment, cid: '6' };
    expect(page([{ ...comment, reply_comment: [bad, good] }])).toMatchObject({
      value: { comments: [{ id: comment.cid }, { id: '6', parentId: comment.cid }], skipped: 1 },
    });
  });

  it('leaves the number of replies open when the inline ones cannot be read', () => {
    expect(page([{ ...comment, reply_comment: { a: 1 } }])).toMatchObject({
      value: { comments: [{ id: comment.cid, replyCount: null }], skipped: 0 },
    });
  });
});

it('a page without a word of the post or the profile is looked at once more, at once', () => {
  const again = { kind: 'unreadable', reason: 'no-rehydration-data', retries: 1, immediately: true };
  for (const page of [{}, { __DEFAULT_SCOPE__: {} }]) {
    expect([readPost(page, ID), readProfile(page, 'ann')]).toEqual([again, again]);
  }
});
