import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseThumbnailUrl } from '../../../core/lookups/read-post.ts';
import { resolvePost } from '../../../core/lookups/resolve-post.ts';
import { isShortLink } from '../../../core/platforms/post-url.ts';
import { parsePostUrl, platformsOf, postRef, REGISTRY } from '../../support/platforms.ts';

const ID = '7123456789012345678';
const CODE = 'DeAZ0uAgNuA';
/** URLs of one host with these paths, which are between blanks. */
const on = (host: string, paths: string) => paths.split(' ').map((path) => `https://${host}${path}`);

describe('Instagram post URLs', () => {
  const POSTS = [
    ...on('instagram.com', `/p/${CODE}/?igsh=abc&utm_source=x#comments`),
    ...on('m.instagram.com', `/p/${CODE}/`),
    ...on('instagr.am', `/p/${CODE}/`),
    ...on('www.instagram.com', `/p/${CODE}/ /tv/${CODE}/ /nat.geo_1/p/${CODE}/ /natgeo/tv/${CODE}/ /p/${CODE}/embed/`),
    ...on('www.instagram.com', `/p/${CODE}/media/?size=l /p/${CODE}/liked_by/ /p/${CODE}/comments/`),
    ...on('www.instagram.com', `/p/${CODE}/c/17900000000000001/r/17900000000000002/`),
  ];
  const REELS = [
    ...on('www.instagram.com', `/reel/${CODE}/ /reels/${CODE}/ /natgeo/reels/${CODE}/`),
    ...on('www.instagram.com', `/reel/${CODE}/embed/captioned/?cr=1`),
  ];

  it.each([...POSTS.map((url) => [url, 'p']), ...REELS.map((url) => [url, 'reel'])])('%s', (url, form) => {
    expect(parsePostUrl(url)).toEqual({
      platform: 'instagram',
      contentType: 'post',
      contentId: CODE,
      canonicalUrl: `https://www.instagram.com/${form}/${CODE}/`,
    });
  });

  it('keeps the key of a private post', () => {
    const long = `${CODE}${'abcdefghijklmnopqrstuvwxyz-_'}`;
    expect(parsePostUrl(`https://www.instagram.com/p/${long}/`)).toMatchObject({ contentId: long });
  });

  it.each([
    ['https://www.instagram.com/share/BAabc_-1/?x=1', 'https://www.instagram.com/share/BAabc_-1/'],
    ['https://www.instagram.com/share/p/BAabc', 'https://www.instagram.com/share/p/BAabc/'],
    ['https://instagram.com/share/reel/BAabc/', 'https://www.instagram.com/share/reel/BAabc/'],
    ['instagr.am//share//BAabc', 'https://www.instagram.com/share/BAabc/'],
  ])('%s is a share link', (url, clean) => {
    expect(parsePostUrl(url)).toEqual({ platform: 'instagram', contentType: 'short-link', url: clean });
  });
});

describe('TikTok post URLs', () => {
  it.each([
    [`https://www.tiktok.com/@some.one_1/video/${ID}`, 'some.one_1'],
    [`https://www.tiktok.com/@Some.One/photo/${ID}?is_from_webapp=1`, 'some.one'],
    ...[
      ...on('m.tiktok.com', `/v/${ID}.html`),
      ...on('www.tiktokv.com', `/share/video/${ID}/`),
      ...on(
        'www.tiktok.com',
        `/share/video/${ID} /embed/${ID} /embed/v2/${ID} /@/video/${ID}/ /player/v1/${ID}?autoplay=1`,
      ),
    ].map((url) => [url, '_']),
    [`https://lite.tiktok.com/@some.one/video/${ID}`, 'some.one'],
    [`https://www.tiktok.com/%40some.one/video/${ID}`, 'some.one'],
  ])('%s', (url, user) => {
    expect(parsePostUrl(url)).toEqual({
      platform: 'tiktok',
      contentType: 'post',
      contentId: ID,
      canonicalUrl: `https://www.tiktok.com/@${user}/video/${ID}`,
    });
  });

  it('have ids of 64 bits', () => {
    const largest = '18446744073709551615';
    expect(parsePostUrl(`https://www.tiktok.com/@user/video/${largest}`)).toMatchObject({ contentId: largest });
  });

  it.each([
    ['https://vm.tiktok.com/ZMabc123/', 'https://vm.tiktok.com/ZMabc123/'],
    ['http://vt.tiktok.com/ZSabc', 'https://vt.tiktok.com/ZSabc/'],
    ['https://www.tiktok.com/t/ZTabc/?k=1', 'https://www.tiktok.com/t/ZTabc/'],
    ['https://lite.tiktok.com/t/ZTabc/', 'https://lite.tiktok.com/t/ZTabc/'],
    ['VM.tiktok.com/ZMabc123', 'https://vm.tiktok.com/ZMabc123/'],
  ])('%s is a short link', (url, clean) => {
    const parsed = parsePostUrl(url);
    expect(parsed).toEqual({ platform: 'tiktok', contentType: 'short-link', url: clean });
    expect(parsed !== null && isShortLink(parsed)).toBe(true);
  });
});

describe('links as people paste them', () => {
  it.each([
    `www.instagram.com/p/${CODE}/`,
    `//www.instagram.com/p/${CODE}/`,
    `HTTPS://Www.Instagram.Com/p/${CODE}/`,
    `https://www.instagram.com//p/${CODE}//`,
    `<https://www.instagram.com/p/${CODE}/>`,
    `(https://www.instagram.com/p/${CODE}/).`,
    `"https://www.instagram.com/p/${CODE}"`,
    `https://www.instagram.com/p/${CODE}/?igsh=x==;`,
    `\u200bhttps://www.instagram.com/p/${CODE}/\u2060`,
    `\t<www.instagram.com/p/${CODE}/?a=1&amp;b=2>\r\n`,
    `https%3A%2F%2Fwww.instagram.com%2Fp%2F${CODE}%2F%3Figsh%3Dx`,
    `https://www.instagram.com/%70/${CODE}/`,
  ])('%j names the post', (text) => {
    expect(parsePostUrl(text)).toMatchObject({ platform: 'instagram', contentId: CODE });
  });
});

describe('refused without a request', () => {
  it.each([
    '',
    'not a url',
    `ftp://www.instagram.com/p/${CODE}/`,
    `https:www.instagram.com/p/${CODE}/`,
    `https:\\\\www.instagram.com\\p\\${CODE}`,
    // Cut off, so that it names another post or none.
    `https://www.instagram.com/p/${CODE.slice(0, 6)}...`,
    `see https://www.instagram.com/p/${CODE}/`,
    `https%3A%2F%2Fwww.instagram.com%2Fp%2F${CODE}%`,
    `https:///www.instagram.com/p/${CODE}/`,
    // Hosts that only look like it.
    `instagram.com.evil.example/p/${CODE}/`,
    `//instagram.com@evil.example/p/${CODE}/`,
    `instagram.com:443/p/${CODE}/`,
    `https%3A%2F%2Finstagram.com%40evil.example%2Fp%2F${CODE}`,
    `https://evil.example/?u=https://www.instagram.com/p/${CODE}/`,
    'https://lite.tiktok.com/ZTabc/',
    'https://vm.tiktok.com/t/ZTabc/',
    `https://wwwinstagram.com/p/${CODE}/`,
    `https://www.instagram.com./p/${CODE}/`,
    `https://www.instаgram.com/p/${CODE}/`,
    `https://www.insta%67ram.com/p/${CODE}/`,
    `https://www.insta\ngram.com/p/${CODE}/`,
    `https://user:pass@www.instagram.com/p/${CODE}/`,
    `https://www.instagram.com:8443/p/${CODE}/`,
    `https://help.instagram.com/p/${CODE}/`,
    // Pages that are no posts.
    ...on('www.instagram.com', `/ /natgeo/ /p// /P/${CODE}/ /p/${CODE}/x/y/ /p/a%2Fb/ /explore/p/${CODE}/`),
    ...on('www.instagram.com', `/api/reel/${CODE}/ /p/${CODE}/embed/x/ /p/${CODE}/c/x/ /reels/audio/ /share/p/`),
    ...on('www.instagram.com', '/share/story/BAabc/'),
    ...on('www.tiktok.com', `/@user/video/${ID}/comments /user/video/${ID} /@user/video/abc /@user/video/0 /t/ZTabc/x`),
    ...on(
      'www.tiktok.com',
      `/v/${ID}.htm /v/${ID}.html/x /x/${ID}.html /@user/live/${ID} /embed/v3/${ID} /embed/${ID}/x`,
    ),
    ...on('www.tiktok.com', '/@user/video/18446744073709551616'),
    'https://www.tiktok.com/@us er/video/1',
    'https://vm.tiktok.com/a/b',
    `https://www.instagram.com/p/${CODE}/?${'x'.repeat(3000)}`,
  ])('%s', (url) => {
    expect(parsePostUrl(url)).toBeNull();
  });
});

const reported = new URL('../../../../shared/samples/platforms/reports/13-urls.json', import.meta.url);

it.skipIf(!existsSync(reported))('understands the links of public reports', () => {
  const { urls }: { urls: { url: string; expected: string }[] } = JSON.parse(readFileSync(reported, 'utf8'));
  expect(urls.map(({ url }) => parsePostUrl(url))).toMatchObject(
    urls.map(({ expected: contentId }) => ({ contentId })),
  );
});

it('a refusal lists every form that is accepted', async () => {
  const resolve = resolvePost({ platforms: platformsOf() });
  const listed = (await resolve('https://www.instagram.com/natgeo/').catch((error: Error) => error.message)) as string;
  const id = { instagram: CODE, tiktok: ID };
  for (const { hosts, name, postUrlForms } of [REGISTRY.describe('instagram'), REGISTRY.describe('tiktok')]) {
    for (const { shown } of postUrlForms) {
      expect(listed).toContain(shown);
      const path = shown.replace('…', id[name as keyof typeof id]);
      expect(parsePostUrl(path.startsWith('/') ? `${hosts[0]}${path}` : path), shown).toMatchObject({ platform: name });
    }
  }
});

describe('the check of a post before a campaign', () => {
  it.each([
    `https://www.instagram.com/p/${CODE}/`,
    `https://www.instagram.com/reel/${CODE}`,
    `https://www.tiktok.com/@some.one/video/${ID}?x=1`,
    `<https://www.tiktok.com/@some.one/video/${ID}>`,
  ])('reads %s', (url) => {
    expect(parseThumbnailUrl(REGISTRY, url)).toEqual(parsePostUrl(url));
  });

  it.each([
    `https://www.instagram.com/reels/${CODE}/`,
    `https://www.instagram.com/natgeo/p/${CODE}/`,
    `https://www.instagram.com//p/${CODE}/`,
    `https://www.instagram.com/%70/${CODE}/`,
    `https://www.tiktok.com/@/video/${ID}`,
    `https://www.tiktok.com/@some.one/photo/${ID}`,
    `https://www.tiktok.com/player/v1/${ID}`,
    'https://vm.tiktok.com/ZMabc/',
    'https://www.instagram.com/share/BAabc/',
  ])('refuses %s, which names a post elsewhere, and lists its own forms', (url) => {
    expect(parsePostUrl(url)).not.toBeNull();
    expect(() => parseThumbnailUrl(REGISTRY, url)).toThrow('send /p/…, /reel/… or /@user/video/….');
  });
});

it('shows the owner where the URL named nobody, and what it named otherwise', () => {
  expect(REGISTRY.shownPostUrl(postRef('tiktok', ID), '$&mia')).toBe(`https://www.tiktok.com/@$&mia/video/${ID}`);
  expect(REGISTRY.shownPostUrl(postRef('tiktok', ID, 'other'), 'mia')).toBe(
    `https://www.tiktok.com/@other/video/${ID}`,
  );
  expect(REGISTRY.shownPostUrl(postRef('instagram', CODE), 'mia')).toBe(`https://www.instagram.com/p/${CODE}/`);
});
