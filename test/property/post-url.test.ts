import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pkToShortcode, shortcodeToPk } from '../../adapters/instagram/shortcode.ts';
import { parseWebUrl } from '../../core/platforms/post-url.ts';
import { anyCharacter } from '../support/any-character.ts';
import { parseHandle, parsePostUrl } from '../support/platforms.ts';
import { runs } from '../support/property-runs.ts';

const OWN_HOST = /^https:\/\/(www\.instagram\.com|(www|vm|vt)\.tiktok\.com)\//;

const shortcode = fc.stringMatching(/^[A-Za-z0-9_-]{1,11}$/);
const videoId = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String);
/** Text of a path or a query. `fc.webUrl()` maps every character of Unicode for it first. */
const inUrl = fc
  .string({
    unit: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(..."abzAZ019-._~!$&'()*+,;=:@/?") }, anyCharacter),
    maxLength: 30,
  })
  .map((text) => encodeURI(text.toWellFormed()));
const noise = fc.oneof(
  fc.constant(''),
  inUrl.map((query) => `?${query}`),
  fc.constant('#x'),
);
const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc
    .tuple(fc.webAuthority(), fc.array(inUrl, { maxLength: 4 }), noise)
    .map(([host, segments, tail]) => `https://${host}/${segments.join('/')}${tail}`),
  fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'https:/', '//', ''),
      fc.constantFrom('www.instagram.com', 'instagram.com', 'www.tiktok.com', 'vm.tiktok.com', 'evil.com'),
      fc.constantFrom('', '.', ':443', ':1', '@evil.com', '.evil.com', '\\@evil.com', '%2eevil.com'),
      fc.array(
        fc.oneof(fc.constantFrom('p', 'reel', 'share', '@u', 'video', 't', '..', ''), fc.string({ maxLength: 12 })),
        { maxLength: 6 },
      ),
    )
    .map(([scheme, host, tail, segments]) => `${scheme}${host}${tail}/${segments.join('/')}`),
);

describe('any text', () => {
  it('is understood as a link to the platforms themselves, or refused', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const parsed = parsePostUrl(text);
        if (parsed === null) return;
        const clean = parsed.contentType === 'post' ? parsed.canonicalUrl : parsed.url;
        expect(clean).toMatch(OWN_HOST);
        expect(new URL(clean).href).toBe(clean);
        expect(clean).not.toMatch(/[?#%\s\\]/);
        // The host of the given text was the platform's own, too.
        const given = parseWebUrl(text) as URL;
        expect(given.hostname).toMatch(/^((www|m)\.)?(instagram|tiktok)\.com$|^v[mt]\.tiktok\.com$/);
        expect(text.toLowerCase()).toContain(given.hostname);
        expect(given.username + given.password + given.port).toBe('');
      }),
      runs(2000),
    );
  });

  it('is a handle or none, and stays one', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (text) => {
        const handle = parseHandle('instagram', text);
        if (handle === null) return;
        expect(handle).toMatch(/^[a-z0-9._]{1,30}$/);
        expect(parseHandle('instagram', `@${handle}`)).toBe(handle);
      }),
      runs(1000),
    );
  });
});

describe('accepted forms', () => {
  it('name the post whatever the query says, and their clean form names it again', () => {
    const forms = fc.oneof(
      fc
        .tuple(fc.constantFrom('p', 'reel', 'reels', 'tv'), shortcode)
        .map(([form, code]) => ({ id: code, url: `https://www.instagram.com/${form}/${code}/` })),
      videoId.map((id) => ({ id, url: `https://www.tiktok.com/@someone/video/${id}` })),
    );
    fc.assert(
      fc.property(forms, noise, ({ id, url }, tail) => {
        fc.pre(url.length + tail.length <= 2048 && !url.includes('/reels/audio/') && !/[\s\\]/.test(tail));
        const parsed = parsePostUrl(url + tail);
        if (parsed?.contentType !== 'post') throw new Error('refused');
        expect(parsed.contentId).toBe(id);
        expect(parsePostUrl(parsed.canonicalUrl)).toEqual(parsed);
      }),
    );
  });

  it('number and shortcode lead back to each other', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 66n - 1n }), (pk) => {
        const code = pkToShortcode(String(pk));
        expect(code).not.toBeNull();
        expect(shortcodeToPk(code ?? '')).toBe(String(pk));
      }),
    );
  });
});
