/** Answers that would cost somebody something if they were taken for more than they say. */

import { describe, expect, it } from 'vitest';
import { ROUTES, relayPage } from '../../../hosts/platform-simulator/instagram/pages.ts';
import { refusal } from '../../contract/platform/suite.ts';
import { postRef, unread } from '../../support/platforms.ts';
import type { JsonAnswer } from '../scraping/scripted-transport.ts';
import { instagramAnswering, postPage, profilePage, queryOf } from './answering.ts';

const ref = postRef('instagram', 'DeAZ0uAgNuA');
const PK = '3999310043081137024';
const OWNER = { id: '787132', username: 'natgeo', full_name: 'Nat Geo' };
const OLDER = {
  id: PK,
  shortcode: 'DeAZ0uAgNuA',
  owner: OWNER,
  edge_media_preview_like: { count: 10 },
  edge_media_to_parent_comment: { count: 3 },
  video_play_count: 99,
};
const COUNTS = { like_count: 10, comment_count: 3 };
const MEDIA = { pk: PK, code: 'DeAZ0uAgNuA', user: { pk: '787132', username: 'natgeo' }, ...COUNTS };
const sessionIds = ['11%3Ax'];
/** A session that is answered so, whatever it asks. */
const loggedIn = (answer: JsonAnswer) => instagramAnswering(() => answer, { sessionIds }).platform;
/** The post as its page holds it. */
const held = (more: object = {}) => ({ pk: PK, code: 'DeAZ0uAgNuA', if_not_gated_logged_out: MEDIA, ...more });
/** A list of comments on a page; more follow a cursor. */
const connection = (nodes: readonly object[], end_cursor: string | null = null) => ({
  edges: nodes.map((node) => ({ node })),
  page_info: { end_cursor, has_next_page: end_cursor !== null },
});

const isOlder = (path: string) => path === '/graphql/query';
const THROTTLED: readonly (readonly [string, JsonAnswer])[] = [
  ['a page without data', postPage()],
  ['429', { status: 429 }],
  ['a login wall', { status: 302, headers: { location: '/accounts/login/' } }],
  ['the front page', { status: 302, headers: { location: '/' } }],
  ['"Please wait"', { status: 401, body: { message: 'Please wait', require_login: true } }],
  ['an empty body', {}],
  ['a data object of nulls', { body: { data: { xig_polaris_media: null, xdt_shortcode_media: null }, status: 'ok' } }],
];

describe('a post that the query by shortcode does not have', () => {
  it.each(THROTTLED)('is not missing after %s', async (_name, answer) => {
    const { platform } = instagramAnswering((path) =>
      isOlder(path) ? { body: { data: { xdt_shortcode_media: null }, status: 'ok' } } : answer,
    );
    expect(['PLATFORM_UNAVAILABLE', 'SCRAPING_RATE_LIMITED']).toContain((await refusal(platform.getPost(ref))).code);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['no items', { items: [] }],
    ['an item that is nothing', { items: [null] }],
  ])('is not missing if the newer wrapper holds %s', async (_name, info) => {
    const { platform } = instagramAnswering((path) =>
      isOlder(path) ? { body: { data: { xdt_api__v1__media__shortcode__web_info: info } } } : postPage(),
    );
    const { code, details } = await refusal(platform.getPost(ref));
    const also = JSON.stringify(details?.also);
    expect([code, also]).toEqual(['SCRAPING_RATE_LIMITED', expect.stringContaining('unanswered')]);
  });
});

describe('the query by shortcode in its newer wrapper', () => {
  const answering = (item: object, more: object = {}) =>
    instagramAnswering((path) =>
      isOlder(path)
        ? { body: { data: { xdt_api__v1__media__shortcode__web_info: { items: [item] } }, ...more } }
        : postPage(),
    );

  it.each<[string, object]>([
    ['as it is', {}],
    ['by its code alone', { pk: undefined }],
    ['by its number alone', { code: undefined }],
    ['by a number with the owner’s behind it', { pk: `${PK}_787132`, code: undefined }],
  ])('shows the post %s, beside a warning too', async (_name, change) => {
    for (const more of [{}, { errors: [{ message: 'field_exception', severity: 'WARNING' }] }]) {
      const { platform } = answering({ ...MEDIA, pk: PK, code: 'DeAZ0uAgNuA', ...change }, more);
      const shown = { contentId: 'DeAZ0uAgNuA', source: 'instagram-graphql-older' };
      expect(await platform.getPost(ref)).toMatchObject(shown);
    }
  });

  it.each<[string, object]>([
    ['of another code', { code: 'DdG4RIxIPyf' }],
    ['of another number', { pk: '3983118388705688735' }],
    ['of no name', { pk: undefined, code: undefined }],
    ['without its counts', { like_count: undefined, comment_count: undefined }],
  ])('is not believed about a post %s', async (_name, change) => {
    const { platform } = answering({ ...MEDIA, pk: PK, code: 'DeAZ0uAgNuA', ...change });
    expect((await refusal(platform.getPost(ref))).code).toBe('SCRAPING_RATE_LIMITED');
  });
});

describe('words of a query about missing media', () => {
  const GONE = { message: 'execution error', code: 4_630_001, description: 'Media not found or unavailable' };
  const query: JsonAnswer = { body: { errors: [GONE], data: null, status: 'ok' } };

  it.each<[string, JsonAnswer, string, string]>([
    ['prove nothing while the page cannot be read', postPage(), 'SCRAPING_RATE_LIMITED', 'throttled'],
    ['are confirmed by the page', relayPage(ROUTES.error, []), 'POST_NOT_FOUND', 'not-found'],
  ])('%s', async (_name, page, code, reason) => {
    const { platform } = instagramAnswering((path) => (path.includes('graphql') ? query : page));
    const error = await refusal(platform.getPost(ref));
    expect([error.code, error.details?.reason]).toEqual([code, reason]);
    expect(JSON.stringify(error.details)).not.toContain('stale-doc-id');
  });
});

describe('the query by shortcode in its older wrapper', () => {
  const answering = (media: object) =>
    instagramAnswering((path) => (isOlder(path) ? { body: { data: { xdt_shortcode_media: media } } } : postPage()));

  it.each([
    ['another code', { shortcode: 'DdG4RIxIPyf' }],
    ['another number', { id: '3983118388705688735' }],
    ['neither', { id: undefined, shortcode: undefined }],
  ])('is not believed about %s', async (_name, change) => {
    const { platform } = answering({ ...OLDER, ...change });
    expect((await refusal(platform.getPost(ref))).code).toBe('SCRAPING_RATE_LIMITED');
  });

  it('shows no counts that are hidden, and those of other names that are not', async () => {
    const hidden = answering({ ...OLDER, like_and_view_counts_disabled: true });
    expect((await hidden.platform.getPost(ref)).stats).toMatchObject({ likes: null, views: null, comments: 3 });
    const renamed = answering({
      ...OLDER,
      edge_media_preview_like: null,
      edge_liked_by: { count: 7 },
      edge_media_to_parent_comment: { count: null },
      edge_media_to_comment: { count: 5 },
      video_play_count: null,
      video_view_count: 4,
    });
    expect((await renamed.platform.getPost(ref)).stats).toMatchObject({ likes: 7, views: 4, comments: 5 });
  });
});

describe('counts', () => {
  it('that are null under one name are read under the next', async () => {
    const item = { ...MEDIA, play_count: null, ig_play_count: 77, reshare_count: 2 };
    const { platform } = instagramAnswering(
      (path) => (path.endsWith('/info/') ? { body: { items: [item] } } : postPage()),
      {
        sessionIds,
      },
    );
    expect((await platform.getPost(ref)).stats).toMatchObject({ views: 77, shares: 2 });
  });
});

describe('a profile', () => {
  it('is read under whichever names its facts have', async () => {
    const user = {
      id: '787132',
      username: 'jo',
      edge_followed_by: { count: null },
      follower_count: 5,
      edge_follow: null,
      following_count: 6,
      media_count: 7,
      profile_pic_url_hd: '',
      profile_pic_url: 'https://media.example/jo.jpg',
    };
    const { platform } = instagramAnswering((path) =>
      path.includes('web_profile_info') ? { body: { data: { user }, status: 'ok' } } : postPage(),
    );
    expect(await platform.getProfile('jo')).toMatchObject({
      accountId: '787132',
      followerCount: 5,
      followingCount: 6,
      mediaCount: 7,
      profilePictureUrl: 'https://media.example/jo.jpg',
    });
  });
});

describe('a profile that the API shows as empty', () => {
  const html = (text: string) => `<!DOCTYPE html><html><body>${text}</body></html>`;
  const readAfter = (page: JsonAnswer, options: { readonly sessionIds?: readonly string[] } = {}) => {
    const { platform } = instagramAnswering(
      (path) => (path === '/jo/' ? page : { body: { data: { user: null }, status: 'ok' } }),
      { ...options, sessionIds: [...(options.sessionIds ?? [])] },
    );
    return platform.getProfile('jo');
  };

  it.each<[string, JsonAnswer]>([
    ['a page that asks to wait', { body: html('Please wait a few minutes before you try again.') }],
    ['a page of trouble', { body: html('Something went wrong') }],
    ['an unknown page under 400', { status: 400, body: html('x') }],
    ['an unknown page under 404', { status: 404, body: html('x') }],
    ['an unknown page under 418', { status: 418, body: html('x') }],
    ['a page that asks to agree', relayPage('comet.igweb.PolarisConsentRoute', [])],
    ['JSON without a word', { body: { status: 'ok' } }],
    ['an error of GraphQL', { body: { errors: [{ message: 'execution error' }], data: null } }],
  ])('is not believed after %s, with a session or without', async (_name, page) => {
    expect(await refusal(readAfter(page))).toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    expect(await refusal(readAfter(page, { sessionIds }))).toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
  });

  it('is believed if the page says so too', async () => {
    expect(await readAfter(profilePage({ xig_user_by_username: null }))).toBeNull();
  });
});

describe('a page', () => {
  it('with the post under another name has changed: it is not throttled', async () => {
    const { platform } = instagramAnswering(() => postPage({ xig_media_renamed: held() }));
    expect(await refusal(platform.getPost(ref))).toMatchObject(unread('drifted'));
  });

  it.each(['/natgeo/p/DeAZ0uAgNuA/', '/reel/DeAZ0uAgNuA/', '/natgeo/reel/DeAZ0uAgNuA/'])(
    'that is redirected to %s is read there',
    async (place) => {
      const moved = { status: 302, headers: { location: `${place}?hl=en` } };
      const { platform, requests } = instagramAnswering((path) =>
        path === place ? postPage({ xig_polaris_media: held() }) : moved,
      );
      expect((await platform.getPost(ref)).source).toBe('instagram-page');
      expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(['/p/DeAZ0uAgNuA/', place]);
    },
  );

  it.each([
    [403, ''],
    [403, 'Forbidden'],
    [403, '<html>cut'],
    [401, ''],
  ])('of status %i with the body %j is a refusal: a new visitor asks again', async (status, body) => {
    const { platform, requests } = instagramAnswering(() => ({ status, body }));
    const link = 'https://www.instagram.com/share/p/BAabc123/';
    expect((await refusal(platform.getProfile('natgeo'))).details?.reason).toBe(`http-${status}`);
    expect((await refusal(platform.resolveShortLink(link))).details?.reason).toBe(`http-${status}`);
    const pages = requests.filter(({ url }) => new URL(url).pathname === '/natgeo/');
    expect(new Set(pages.map(({ connectionKey }) => connectionKey)).size).toBe(2);
  });

  it('that a share link leads home from is no proof that the post is gone', async () => {
    const home = { status: 302, headers: { location: 'https://www.instagram.com/' } };
    const { platform } = instagramAnswering(() => home);
    const error = await refusal(platform.resolveShortLink('https://www.instagram.com/share/p/BAabc123/'));
    expect([error.code, error.details?.reason]).toEqual(['PLATFORM_UNAVAILABLE', 'front-page']);
  });
});

describe('a gated post', () => {
  /** What is told about the page's ruling, and about the answer to the question for one. */
  const codeOf = async (ruling: object, asked: object = {}): Promise<string> => {
    const gated = held({ if_not_gated_logged_out: null, gating_ruling: ruling });
    const { platform } = instagramAnswering((path) =>
      path.includes('get_ruling') ? { body: { ...asked, status: 'ok' } } : postPage({ xig_polaris_media: gated }),
    );
    return (await refusal(platform.getPost(ref))).code;
  };

  it.each([
    [{ title: 'You must be 18 or older' }, 'POST_AGE_RESTRICTED'],
    [{ title: 'You must be 18', gating_type: 'REGION' }, 'POST_UNAVAILABLE'],
  ])('with the ruling %j is %s, on the page and where it is asked for', async (ruling, code) => {
    expect(await codeOf({ __typename: 'XIGGatingRuling', gating_type: 1 }, ruling)).toBe(code);
    expect(await codeOf(ruling)).toBe(code);
  });
});

describe('comments', () => {
  const comment = (pk: number, change: object = {}) => ({
    pk: String(pk),
    text: 'hi',
    created_at: 1_780_000_000,
    user: { pk: '5', username: `fan_${pk}` },
    ...change,
  });
  const rest = (comments: unknown, more: object = {}): JsonAnswer => ({
    body: { comments, comment_count: 551, has_more_comments: false, status: 'ok', ...more },
  });
  const read = (answer: JsonAnswer) => loggedIn(answer).getComments(ref, null);

  it.each([
    ['no author', { user: null }],
    ['no author but a number', { user: null, fallback_user_info: { id: '787132' } }],
    ['an author of another shape', { user: {} }],
    ['neither handle nor number', { user: { pk: '0', username: '' } }],
    ['no time', { created_at: 'yesterday' }],
    ['no id', { pk: null }],
    ['a text of another shape', { text: {} }],
  ])('lose only the one with %s, and count it', async (_name, change) => {
    const page = await read(rest([comment(1), comment(2, change), comment(3)]));
    expect([page.comments.map(({ id }) => id), page.skipped, page.expectedTotal]).toEqual([['1', '3'], 1, 551]);
    const unlisted = await read(rest([comment(1, { preview_child_comments: { first: comment(7) } })]));
    expect(unlisted.comments).toMatchObject([{ id: '1', replyCount: null }]);
    const inline = comment(1, { child_comment_count: 2, preview_child_comments: [comment(7, change), comment(8)] });
    const thread = await read(rest([inline]));
    expect([thread.comments.map(({ id }) => id), thread.skipped]).toEqual([['1', '8'], 1]);
  });

  it.each(['3983118388705688735', '3983118388705688735_25025320', 3_983_118])(
    'of another post (%s) are not of this one',
    async (media_id) => {
      const page = await read(rest([comment(1), comment(2, { media_id }), comment(3, { media_id: PK })]));
      expect([page.comments.map(({ id }) => id), page.skipped]).toEqual([['1', '3'], 1]);
      const inline = [comment(7, { media_id }), comment(8)];
      const thread = await read(rest([comment(1, { child_comment_count: 2, preview_child_comments: inline })]));
      expect([thread.comments.map(({ id }) => id), thread.skipped]).toEqual([['1', '8'], 1]);
      const list = rest([comment(1, { media_id }), comment(2, { media_id, user: undefined, fallback_user_info: {} })]);
      const replies = { body: { child_comments: [comment(1, { media_id })], status: 'ok' } };
      const { platform } = instagramAnswering((path) => (path.includes('child') ? replies : list), { sessionIds });
      expect((await refusal(platform.getComments(ref, null))).details?.reason).toBe('drifted');
      expect((await refusal(platform.getReplies(ref, '5', null))).details?.reason).toBe('drifted');
    },
  );

  it.each([PK, `${PK}_25025320`, null, undefined, ''])('that name their post as %s are its own', async (media_id) => {
    expect((await read(rest([comment(1, { media_id })]))).comments).toHaveLength(1);
  });

  it('of a later page are counted if none can be read, and the pages behind them are read', async () => {
    const more = { has_more_headload_comments: true };
    const pages: Readonly<Record<string, JsonAnswer>> = {
      '-': rest([comment(1)], { ...more, next_min_id: 'A' }),
      A: rest([comment(2, { user: null }), comment(3, { user: null }), comment(4, { user: null })], {
        ...more,
        next_min_id: 'B',
      }),
      B: rest([comment(5, { user: undefined, fallback_user_info: {} })]),
    };
    const { platform } = instagramAnswering(
      (_path, { url }) => pages[new URL(url).searchParams.get('min_id') ?? '-'] ?? {},
      { sessionIds },
    );
    const first = await platform.getComments(ref, null);
    const second = await platform.getComments(ref, first.nextCursor);
    expect(second).toMatchObject({ comments: [], skipped: 3 });
    // A comment that names no account is nobody's, on a page of its own too: earlier pages show that authors have names.
    expect(await platform.getComments(ref, second.nextCursor)).toMatchObject({ comments: [], skipped: 0 });
  });

  it('of a later page that visitors are shown are counted too', async () => {
    const first = held({ comments_connection: connection([comment(1)], 'A') });
    const later = { comments_connection: connection([comment(2, { created_at: null })], 'B') };
    const { platform } = instagramAnswering((path) =>
      path === '/api/graphql'
        ? { body: { data: { xig_polaris_media: later } } }
        : postPage({ xig_polaris_media: first }),
    );
    const { nextCursor } = await platform.getComments(ref, null);
    const page = await platform.getComments(ref, nextCursor);
    expect([page.comments, page.skipped, page.nextCursor === null]).toEqual([[], 1, false]);
  });

  describe('that visitors are shown for another post', () => {
    const promise = { edges: [], page_info: { end_cursor: null, has_next_page: true } };
    const readAs = (names: object) => {
      const list = { ...names, comments_connection: connection([comment(1)]) };
      const { platform } = instagramAnswering((path) =>
        path === '/api/graphql'
          ? { body: { data: { xig_polaris_media: list } } }
          : postPage({ xig_polaris_media: held({ comments_connection: promise }) }),
      );
      return platform.getComments(ref, null);
    };

    it.each([{ pk: '1', code: 'other' }, { code: 'DdG4RIxIPyf' }, { pk: '3983118388705688735_5' }, { id: '1', pk: 1 }])(
      'are refused by its names: %j',
      async (names) => {
        expect((await refusal(readAs(names))).details?.reason).toBe('drifted');
      },
    );

    it.each([
      {},
      { pk: null, code: null },
      { pk: PK },
      { pk: `${PK}_787132` },
      { code: 'DeAZ0uAgNuA' },
      { code: `DeAZ0uAgNuA${'k'.repeat(28)}` },
    ])('are read of this post: %j', async (names) => {
      expect((await readAs(names)).comments).toHaveLength(1);
    });
  });

  it('of a session whose answer has changed are not replaced by the fewer ones that visitors are shown', async () => {
    const holder = held({ comments_connection: connection([]) });
    const unclear = rest([comment(1)], { has_more_comments: 'yes' });
    for (const answer of [rest(null), rest({ first: comment(1) }), rest([{}]), unclear]) {
      const { platform, requests } = instagramAnswering(
        (path) => (path.includes('/api/v1/') ? answer : postPage({ xig_polaris_media: holder })),
        { sessionIds },
      );
      expect((await refusal(platform.getComments(ref, null))).details?.reason).toBe('drifted');
      expect(requests).toHaveLength(1);
    }
  });

  it('of likers lose only the one that cannot be read', async () => {
    const odd = { pk: '4', username: 'd', is_private: 'no' };
    const users = [{ pk: '1', username: 'a' }, { pk: '2', username: '' }, null, odd];
    const likersOf = (list: readonly unknown[]) =>
      loggedIn({ body: { users: list, user_count: 9 } }).getLikers(ref, 10);
    const named = [
      { accountId: '1', username: 'a' },
      { accountId: '2', username: '' },
    ];
    expect(await likersOf(users)).toMatchObject({ likers: named, totalLikes: 9, skipped: 2 });
    expect((await refusal(likersOf([null]))).details?.reason).toBe('drifted');
  });

  describe.each([
    ['left out', {}],
    ['null', { username: null }],
    ['empty', { username: '' }],
  ])('whose authors have handles that are %s', (_name, handle) => {
    const LARGE = '61234567890123456789';
    const user = (pk: unknown, more: object = {}) => ({ ...handle, pk, full_name: 'x', ...more });

    it.each([
      ['a text', '5', '5'],
      ['a number', 5, '5'],
      ['a large text', LARGE, LARGE],
    ])('are read by number, which is %s', async (_kind, pk, authorId) => {
      const inline = { preview_child_comments: [comment(7, { user: user(pk) })], child_comment_count: 1 };
      const page = await read(rest([comment(1, { user: user(pk), ...inline }), comment(2, { user: user(pk) })]));
      expect(page.comments.map(({ id, username, authorId: number }) => [id, username, number])).toEqual([
        ['1', '', authorId],
        ['7', '', authorId],
        ['2', '', authorId],
      ]);
      expect(page.skipped).toBe(3);
      const { likers } = await loggedIn({ body: { users: [user(pk)], user_count: 1 } }).getLikers(ref, 10);
      expect(likers).toMatchObject([{ accountId: authorId, username: '' }]);
    });

    it('are read by the number in another place, but not by the one at Facebook', async () => {
      const places = [{ pk_id: '5' }, { id: '6' }, { id: '17841400000000000' }];
      const list = places.map((place, index) => comment(index + 1, { user: user(undefined, place) }));
      const page = await read(rest([...list, comment(9)]));
      expect(page.comments.map(({ authorId }) => authorId).slice(0, 2)).toEqual(['5', '6']);
      expect([page.comments.map(({ id }) => id), page.skipped]).toEqual([['1', '2', '9'], 3]);
    });
  });
});

it('asks for a profile at the address of its query', async () => {
  const { platform, requests } = instagramAnswering(
    (_path, { method }) =>
      method === 'POST'
        ? { body: { data: { user: { pk: '787132', username: 'jo', follower_count: 5 } } } }
        : postPage({ xig_user_by_username: { pk: '787132' } }),
    { sessionIds },
  );
  expect(await platform.getProfile('jo')).toMatchObject({ followerCount: 5 });
  const query = requests.find((request) => queryOf(request) === 'PolarisProfilePageContentQuery');
  expect(new URL(query?.url ?? '').pathname).toBe('/graphql/query');
  const variables = JSON.parse(new URLSearchParams(query?.body).get('variables') ?? '{}') as Record<string, unknown>;
  expect(variables).toMatchObject({ id: '787132', enable_integrity_filters: true });
  const flags = Object.keys(variables).filter((name) => /^__relay_internal__pv__\w+relayprovider$/.test(name));
  expect(flags).toHaveLength(7);
});
