import { describe, expect, it } from 'vitest';
import { isTikTok, publicUrl, readHop, TIKTOK_ORIGIN } from '../../../adapters/tiktok/short-link.ts';
import { answer } from '../scraping/answer.ts';

const BASE = 'http://127.0.0.1:9000/tiktok';
const hop = (status: number, location?: string, baseUrl = BASE) =>
  readHop(
    answer({ status, url: `${baseUrl}/ZM1`, ...(location === undefined ? {} : { headers: { location } }) }),
    baseUrl,
  );
const gone = expect.objectContaining({
  kind: 'permanent',
  error: expect.objectContaining({
    code: 'POST_NOT_FOUND',
    details: { reason: 'not-found', platform: 'tiktok' },
  }),
});
const post = (user: string) => ({
  kind: 'ok',
  value: expect.objectContaining({ canonicalUrl: `https://www.tiktok.com/@${user}/video/123` }),
});

describe('a hop of a short link', () => {
  it.each([
    ['TikTok’s own address', 'https://www.tiktok.com/@ann/video/123?x=1', 'ann'],
    ['an address without its author', 'https://www.tiktok.com/@/video/123', '_'],
    ['our address of TikTok', `${BASE}/@ann/video/123`, 'ann'],
    ['a path', '/tiktok/@ann/video/123', 'ann'],
  ])('leads to a post by %s', (_name, location, user) => {
    for (const status of [301, 302, 307, 399]) expect(hop(status, location)).toEqual(post(user));
    expect(hop(300, location)).toEqual(post(user));
  });

  it('leads to another short link', () => {
    expect(hop(302, 'https://vm.tiktok.com/ZM2/?a=1')).toEqual({
      kind: 'ok',
      value: { platform: 'tiktok', contentType: 'short-link', url: 'https://vm.tiktok.com/ZM2/' },
    });
  });

  it.each([
    ['404', 404, undefined],
    ['410', 410, undefined],
    ['the front page', 302, 'https://www.tiktok.com/'],
    ['a profile', 302, 'https://tiktok.com/@ann'],
    ['a stream', 302, 'https://www.tiktok.com/@ann/live'],
    ['our front page of TikTok', 302, `${BASE}/`],
    ['the front page with a query', 302, 'https://www.tiktok.com/?_r=1'],
  ])('says by %s that there is no post', (_name, status, location) => {
    expect(hop(status, location)).toEqual(gone);
  });

  it.each([
    ['a page', 200, undefined, { kind: 'unreadable', reason: 'no-redirect' }],
    ['a page that names a place', 299, '/tiktok/@ann/video/123', { kind: 'unreadable', reason: 'no-redirect' }],
    ['another site', 302, 'https://example.com/@ann', { kind: 'unreadable', reason: 'foreign-redirect' }],
    ['a site with a similar name', 302, 'https://nottiktok.com/', { kind: 'unreadable', reason: 'foreign-redirect' }],
    ['no place', 302, undefined, { kind: 'unreadable', reason: 'bad-redirect' }],
    ['a place that is no address', 302, 'http://', { kind: 'unreadable', reason: 'bad-redirect' }],
    ['a login', 302, 'https://www.tiktok.com/login', { kind: 'blocked', reason: 'login-wall' }],
    ['400', 400, undefined, { kind: 'unreadable', reason: 'http-400' }],
    ['403', 403, undefined, { kind: 'blocked', reason: 'http-403' }],
    ['429', 429, undefined, { kind: 'throttled', retryAfterSeconds: undefined }],
    ['500', 500, undefined, { kind: 'unreadable', reason: 'http-500', retries: 2 }],
  ])('says nothing of the post by %s', (_name, status, location, verdict) => {
    expect(hop(status, location)).toEqual(verdict);
  });

  it.each(['/captcha', '/verify?x=1', '/captcha/slide'])('is blocked by %s', (place) => {
    expect(hop(302, TIKTOK_ORIGIN + place)).toEqual({ kind: 'blocked', reason: 'captcha' });
  });

  it.each(['/hk/notfound', '/in/about', '/about', '/foryou', '/@/', '/video/1', '/@ann/playlist/x'])(
    'says nothing of the post by TikTok’s page %s',
    (place) => {
      expect(hop(302, TIKTOK_ORIGIN + place)).toEqual({ kind: 'unreadable', reason: 'unknown-redirect' });
    },
  );
});

describe('the public address', () => {
  const of = (url: string, baseUrl = BASE) => publicUrl(new URL(url), baseUrl);

  it('is TikTok’s for what is below our address of it, and stays for everything else', () => {
    expect(of(`${BASE}/@ann?x=1`)).toBe('https://www.tiktok.com/@ann');
    expect(of(`${BASE}/@ann`, `${BASE}/`)).toBe('https://www.tiktok.com/@ann');
    expect(of('http://127.0.0.1:9000/tiktoker/@ann')).toBe('http://127.0.0.1:9000/tiktoker/@ann');
    expect(of('http://127.0.0.1:9001/tiktok/@ann')).toBe('http://127.0.0.1:9001/tiktok/@ann');
    expect(of('https://www.tiktok.com/a/b', 'https://www.tiktok.com')).toBe('https://www.tiktok.com/a/b');
  });
});

it('knows TikTok by its host', () => {
  const hosts = ['tiktok.com', 'www.tiktok.com', 'nottiktok.com', 'tiktok.com.example'];
  expect(hosts.map((host) => isTikTok(new URL(`https://${host}/`)))).toEqual([true, true, false, false]);
});
