import { describe, expect, it } from 'vitest';
import type { InstagramPlatform } from '../../../adapters/instagram/index.ts';
import { ROUTES, relayPage } from '../../../hosts/platform-simulator/instagram/pages.ts';
import { refusal } from '../../contract/platform/suite.ts';
import { postRef } from '../../support/platforms.ts';
import type { JsonAnswer } from '../scraping/scripted-transport.ts';
import { instagramAnswering, postPage, profilePage } from './answering.ts';

const ref = postRef('instagram', 'DeAZ0uAgNuA');
const USER = { pk: '787132', username: 'fan', full_name: 'Fan', is_private: false, is_verified: false };
const LIKERS: JsonAnswer = { body: { users: [USER], user_count: 1, status: 'ok' } };
const isFirst = (cookie = '') => cookie.includes('sessionid=11%3Asecret');
const sessionIds = ['11%3Asecret', '22%3Asecret'];
/** The second session gets likers. */
const firstAnswered = (answer: JsonAnswer) =>
  instagramAnswering((_path, { headers }) => (isFirst(headers.cookie) ? answer : LIKERS), { sessionIds });

describe('a session that is answered with', () => {
  it('the login page under 403 is retired, and the next one is used', async () => {
    const { platform, requests } = firstAnswered({ status: 403, body: relayPage(ROUTES.login, []).body });
    for (let call = 0; call < 2; call += 1) expect((await platform.getLikers(ref, 10)).likers).toHaveLength(1);
    expect(platform.sessionStates().map(({ state }) => state)).toEqual(['dead', 'active']);
    expect(requests.filter(({ headers }) => isFirst(headers.cookie))).toHaveLength(1);
  });

  it('a login page instead of its tokens is retired before the query is sent', async () => {
    const { platform, requests } = instagramAnswering(
      (path, { method }) => {
        if (method === 'POST') return { body: { data: { user: null } } };
        return path === '/' ? { status: 302, headers: { location: '/accounts/login/' } } : { body: { status: 'ok' } };
      },
      { sessionIds: ['11%3Asecret'] },
    );
    await refusal(platform.getProfile('jo'));
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(0);
  });

  it('a login page in place of a profile’s stays in use: its tokens come from its own front page', async () => {
    const user = { ...USER, username: 'jo', follower_count: 1 };
    const { platform } = instagramAnswering(
      (path, { method }) => {
        if (method === 'POST') return { body: { data: { user } } };
        if (path === '/') return { body: relayPage(ROUTES.home, []).body };
        if (path === '/jo/') return { status: 302, headers: { location: '/accounts/login/' } };
        return path.includes('/feed/') ? { body: { user, status: 'ok' } } : { status: 500 };
      },
      { sessionIds: ['11%3Asecret'] },
    );
    expect((await platform.getProfile('jo'))?.accountId).toBe(USER.pk);
    expect(platform.sessionStates()).toEqual([{ label: 'session-1', state: 'active' }]);
  });
});

/** The session's own trouble, or the post's: it cannot be told. */
const ODD: [string, JsonAnswer][] = [
  ['a redirect to another site', { status: 302, headers: { location: 'https://portal.example/' } }],
  ['a failure of unknown words', { body: { message: 'Entschuldigung', status: 'fail' } }],
  ['a status without words', { status: 418 }],
];

describe('a session whose trouble is not clear, since it is answered with', () => {
  it.each(ODD)('%s stays in use, and the next one is asked', async (_name, answer) => {
    const { platform, requests } = firstAnswered(answer);
    expect((await platform.getLikers(ref, 10)).likers).toHaveLength(1);
    expect(platform.sessionStates().map(({ state }) => state)).toEqual(['active', 'active']);
    expect(requests).toHaveLength(2);
  });

  it('such an answer is believed after three of them, whatever other sessions there are', async () => {
    const many = ['1', '2', '3', '4', '5'].map((id) => `${id}%3Asecret`);
    const odd = instagramAnswering(() => ({ status: 418 }), { sessionIds: many });
    expect((await refusal(odd.platform.getLikers(ref, 10))).details?.reason).toBe('http-418');
    expect(odd.requests).toHaveLength(3);
  });

  it('such an answer is the one that is thrown if no other session is left', async () => {
    const login = { status: 302, headers: { location: '/accounts/login/' } };
    const { platform } = instagramAnswering(
      (_path, { headers }) => (isFirst(headers.cookie) ? { body: { status: 'fail' } } : login),
      { sessionIds },
    );
    for (let call = 0; call < 2; call += 1) {
      expect((await refusal(platform.getLikers(ref, 10))).details?.reason).toBe('api-refused');
    }
    expect(platform.sessionStates().map(({ state }) => state)).toEqual(['active', 'dead']);
  });
});

describe('a session stays in use if it is answered with', () => {
  it.each<[string, JsonAnswer]>([
    ...ODD,
    ['a redirect to the login of another site', { status: 302, headers: { location: '//portal.example/login/' } }],
    ['a page', { body: '<html><body>Sorry, something went wrong.</body></html>' }],
    ['a post that is gone', { status: 404, body: { message: 'Media not found or unavailable', status: 'fail' } }],
    ['a server error', { status: 500 }],
    ['another shape', { body: { users: { a: 1 }, status: 'ok' } }],
  ])('%s', async (_name, answer) => {
    const { platform } = instagramAnswering(() => answer, { sessionIds });
    await refusal(platform.getLikers(ref, 10));
    await refusal(platform.getComments(ref, null));
    expect(platform.sessionStates().map(({ state }) => state)).toEqual(['active', 'active']);
  });
});

it('a share link that leads to another site says nothing about a post', async () => {
  for (const location of ['https://portal.example/', 'https://portal.example/p/DeAZ0uAgNuA/']) {
    const { platform } = instagramAnswering(() => ({ status: 302, headers: { location } }));
    const { code, details } = await refusal(platform.resolveShortLink('https://www.instagram.com/share/p/BAabc123/'));
    expect([code, details?.reason]).toEqual(['PLATFORM_UNAVAILABLE', 'foreign-redirect']);
  }
});

describe('a session whose account the owner of the post has blocked', () => {
  const GONE: JsonAnswer = { status: 400, body: { message: 'Media not found or unavailable', status: 'fail' } };
  const PK = '3999310043081137024';
  const media = { pk: PK, code: 'DeAZ0uAgNuA', user: { pk: '7', username: 'natgeo' }, like_count: 1, comment_count: 1 };
  const reply = { pk: '9', text: 'hi', created_at: 1_780_000_000, user: { pk: '5', username: 'fan' } };
  const shown = (path: string): JsonAnswer => {
    if (path.endsWith('/likers/')) return LIKERS;
    if (path.endsWith('/info/')) return { body: { items: [media], status: 'ok' } };
    return { body: { [path.includes('child') ? 'child_comments' : 'comments']: [reply], status: 'ok' } };
  };
  const READS: [string, (platform: InstagramPlatform) => Promise<unknown>][] = [
    ['the post', (platform) => platform.getPost(ref)],
    ['its comments', (platform) => platform.getComments(ref, null)],
    ['replies', (platform) => platform.getReplies(ref, '8', null)],
    ['likers', (platform) => platform.getLikers(ref, 10)],
  ];

  it.each(READS)('leaves %s to the next session', async (_name, read) => {
    const { platform } = instagramAnswering(
      (path, { headers }) => (!path.startsWith('/api/v1') ? postPage() : isFirst(headers.cookie) ? GONE : shown(path)),
      { sessionIds },
    );
    for (let call = 0; call < 3; call += 1) await read(platform);
  });

  it.each(READS)('does not prove that %s is gone, nor do all sessions: the page does', async (_name, read) => {
    const answers: [sessions: number, page: JsonAnswer, code: string][] = [
      [1, postPage(), 'unproven'],
      [2, postPage(), 'unproven'],
      [1, relayPage(ROUTES.error, []), 'POST_NOT_FOUND'],
      [2, relayPage(ROUTES.error, []), 'POST_NOT_FOUND'],
    ];
    for (const [sessions, page, expected] of answers) {
      const { platform } = instagramAnswering((path) => (path.startsWith('/api/v1') ? GONE : page), {
        sessionIds: sessionIds.slice(0, sessions),
      });
      const { code } = await refusal(read(platform));
      expect(code === 'POST_NOT_FOUND' ? code : 'unproven', `${sessions}`).toBe(expected);
      expect(['POST_NOT_FOUND', 'PLATFORM_UNAVAILABLE', 'SCRAPING_RATE_LIMITED']).toContain(code);
    }
  });

  it('is not blocked if it sees the post: then it is the comment that is gone', async () => {
    const { platform } = instagramAnswering((path) => (path.includes('child') ? GONE : shown(path)), {
      sessionIds: sessionIds.slice(0, 1),
    });
    expect((await refusal(platform.getReplies(ref, '8', null))).code).toBe('POST_NOT_FOUND');
  });
});

it('the cookies that Instagram renews are sent once, in place of ours', async () => {
  const renewed = ['sessionid', 'csrftoken'].map((name) => `${name}=new; Domain=.instagram.com; Path=/; Secure`);
  const { platform, requests } = instagramAnswering(() => ({ ...LIKERS, headers: { 'set-cookie': renewed } }), {
    sessionIds: ['11%3Asecret'],
  });
  for (let call = 0; call < 2; call += 1) await platform.getLikers(ref, 10);
  const { cookie = '', 'x-csrftoken': token } = requests[1]?.headers ?? {};
  expect(cookie.split('; ').toSorted()).toEqual(['csrftoken=new', 'ds_user_id=11', 'sessionid=new']);
  expect(token).toBe('new');
});

it.each([
  ['/privacy/checks/?x', 'PLATFORM_UNAVAILABLE'],
  ['/unsupported', 'PLATFORM_UNAVAILABLE'],
  ['/natgeo/', 'POST_NOT_FOUND'],
])('a share link that leads to %s is %s', async (location, code) => {
  const { platform } = instagramAnswering(() => ({ status: 302, headers: { location } }));
  expect((await refusal(platform.resolveShortLink('https://www.instagram.com/share/p/BAabc123/'))).code).toBe(code);
});

describe('the claim', () => {
  it('of a page goes with the next request of the same visitor', async () => {
    const { platform, requests } = instagramAnswering((path) =>
      path === '/jo/' ? { ...profilePage(), headers: { 'x-ig-set-www-claim': 'hmac.page' } } : { body: {} },
    );
    await refusal(platform.getProfile('jo'));
    const api = requests.find(({ url }) => url.includes('web_profile_info'));
    expect(api?.headers['x-ig-www-claim']).toBe('hmac.page');
  });

  it('is 0 at first, and then what the last answer handed to this session', async () => {
    let answers = 0;
    const { platform, requests } = instagramAnswering(
      (_path, { headers }) => {
        answers += 1;
        const claim = `hmac.${isFirst(headers.cookie) ? 'one' : 'two'}.${answers}`;
        return { ...LIKERS, headers: { 'x-ig-set-www-claim': claim } };
      },
      { sessionIds },
    );
    for (let call = 0; call < 4; call += 1) await platform.getLikers(ref, 10);
    expect(requests.map(({ headers }) => headers['x-ig-www-claim'])).toEqual(['0', '0', 'hmac.one.1', 'hmac.two.2']);
  });

  it('that no header could carry is not kept', async () => {
    const { platform, requests } = instagramAnswering(
      () => ({ ...LIKERS, headers: { 'x-ig-set-www-claim': 'a b\r\nx: y' } }),
      { sessionIds: ['11%3Asecret'] },
    );
    for (let call = 0; call < 2; call += 1) await platform.getLikers(ref, 10);
    expect(requests.map(({ headers }) => headers['x-ig-www-claim'])).toEqual(['0', '0']);
  });
});

describe('requests', () => {
  const hints = {
    'sec-ch-ua': '"Google Chrome";v="131", "Chromium";v="131", "Not_A Brand";v="24"',
    'sec-ch-ua-mobile': '?0',
    'sec-ch-ua-platform': '"macOS"',
  };
  const userAgent =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';

  it('carry the client hints of the configured user agent', async () => {
    const { platform, requests } = instagramAnswering(() => LIKERS, { sessionIds, userAgent });
    await platform.getLikers(ref, 10);
    await refusal(platform.getProfile('jo'));
    expect(requests.length).toBeGreaterThan(1);
    for (const { headers } of requests) expect(headers).toMatchObject({ ...hints, 'user-agent': userAgent });
  });

  it('send the checksum of the token along with the token', async () => {
    const { platform, requests } = instagramAnswering(
      (_path, { method }) =>
        method === 'POST'
          ? { body: { data: { user: { ...USER, username: 'jo', follower_count: 1 } } } }
          : { body: relayPage(ROUTES.profile, [{ xig_user_by_username: { pk: '787132' } }]).body },
      { sessionIds },
    );
    await platform.getProfile('jo');
    const form = new URLSearchParams(requests.find(({ method }) => method === 'POST')?.body);
    const sum = [...(form.get('fb_dtsg') ?? '')].reduce((total, letter) => total + letter.charCodeAt(0), 0);
    expect(form.get('jazoest')).toBe(`2${sum}`);
  });
});
