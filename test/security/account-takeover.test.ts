/**
 * Somebody wants another's account linked to their own. They may open connection requests, write comments and names that the
 * platform shows on other people's pages, choose every byte of their own requests. They may have trusted notaries sign what the
 * platform answers. They cannot write the victim's bio, nor make a request as the victim.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { type RawExchange, startCallbackWorld } from '../support/callback-world.ts';
import type { SpecifiedPlatform } from '../support/platforms.ts';
import {
  instagramApiBody,
  instagramPage,
  instagramProfilePage,
  instagramUser,
  relayResult,
  scriptJson,
  tiktokProfilePage,
  tiktokScope,
} from '../support/profile-answers.ts';

let made = 0;

const world = await startCallbackWorld();
afterAll(() => world.close());

const VICTIM = { id: '11', handle: 'victim', bio: 'Baker.' };
const API = '/api/v1/users/web_profile_info/?username=victim';
const html = ['content-type: text/html; charset=utf-8'];

/** Instagram's page of the victim with more documents in it. */
const page = (...documents: readonly unknown[]): RawExchange => ({
  target: '/victim/',
  answerHeaders: html,
  body: instagramProfilePage(VICTIM, ...documents),
});
const pageWith = (markup: string): RawExchange => ({
  ...page(),
  body: page().body?.replace('<body>', `<body>${markup}`) ?? '',
});
const api = (more: object = {}, bio = VICTIM.bio): RawExchange => ({
  target: API,
  body: instagramApiBody({ ...VICTIM, bio }, more),
});
const apiOf = (handle: string, bio: string, target: string, headers: readonly string[] = []): RawExchange => ({
  target,
  headers,
  body: instagramApiBody({ id: '66', handle, bio }),
});
/** An answer with the code in the victim's own bio: what makes an attack of it is the request. */
const shown = (code: string, changes: RawExchange): RawExchange => ({ ...api({}, code), ...changes });
const tiktok = (more: object, changes: RawExchange = {}): RawExchange => ({
  host: 'www.tiktok.com',
  target: '/@victim',
  answerHeaders: html,
  body: tiktokProfilePage(VICTIM, more),
  ...changes,
});
const form = (answer: object) => ({ target: '/api/v1/accounts/current_user/?edit=true', body: JSON.stringify(answer) });
const self = { user: { pk: '11', username: 'victim' } };

type Attack = (code: string) => RawExchange;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const escaped = (text: string) => [...text].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('');
const percent = (text: string) => [...text].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('');

/** The ways by which accounts were taken over. */
const KNOWN: Readonly<Record<string, Attack>> = {
  "the viewer's own bio on an Instagram page": (code) =>
    page({ require: [['PolarisViewer', [], { data: { biography: code, username: 'mallory', id: '66' } }, 5]] }),
  "the logged-in user's own bio on a TikTok page": (code) =>
    tiktok({ 'webapp.app-context': { user: { uniqueId: 'mallory', signature: code, uid: '66' } } }),
  'the name of a related user': (code) =>
    api({ edge_related_profiles: { edges: [{ node: { id: '66', username: 'mallory', full_name: code } }] } }),
  'the name of a tagged user': (code) =>
    page(relayResult({ media: { usertags: { in: [{ user: { pk: '66', full_name: code } }] } } })),
  'a comment shown on the page': (code) =>
    page(relayResult({ comments_connection: { edges: [{ node: { text: code, user: { username: 'mallory' } } }] } })),
  'a query that the page repeats': (code) => ({ ...pageWith(`<p>${code}</p>`), target: `/victim/?q=${code}` }),
  'a query, escaped twice': (code) => ({
    ...pageWith(`<p>${code}</p>`),
    target: `/victim/?q=${percent(percent(code))}`,
  }),
  'a cookie with a JSON escape': (code) => ({
    ...pageWith(`<p>${code}</p>`),
    headers: [`cookie: a="${escaped(code)}"`],
  }),
  'a cookie in Base64': (code) => ({ ...pageWith(`<p>${code}</p>`), headers: [`cookie: a=${base64(code)}`] }),
  'two cookies that the page joins': (code) => ({
    ...pageWith(`<p>${code}</p>`),
    headers: [`cookie: a=${code.slice(0, 9)}; b=${code.slice(9)}`],
  }),
  'the profile named twice in the request': (code) => apiOf('mallory', code, `${API}&username=mallory`),
  'the profile named with an escape': (code) => apiOf('mallory', code, `${API}&usern%61me=mallory`),
  'an answer about another profile': (code) => apiOf('mallory', code, API),
};

const ON_PAGES: Readonly<Record<string, Attack>> = {
  'a second profile in another script': (code) =>
    page(relayResult({ xig_user_by_username: instagramUser({ id: '66', handle: 'mallory', bio: code }) })),
  'the victim with another bio in another script': (code) =>
    page(relayResult({ xig_user_by_username: instagramUser({ ...VICTIM, bio: code }) })),
  'the victim with another account id': (code) =>
    page(relayResult({ xig_user_by_username: instagramUser({ ...VICTIM, id: '66', bio: code }) })),
  'a profile at another place of the page': (code) =>
    page({ xig_user_by_username: instagramUser({ ...VICTIM, bio: code }) }),
  'a page without the profile': (code) => ({
    ...page(),
    body: instagramPage({ viewer: instagramUser({ ...VICTIM, bio: code }) }),
  }),
  'a script inside an attribute': (code) => ({
    ...page(),
    body: `<meta content='<script type="application/json" data-sjs>${scriptJson(relayResult({ xig_user_by_username: instagramUser({ ...VICTIM, bio: code }) }))}</script>'>`,
  }),
  'a script inside a comment': (code) => ({
    ...page(),
    body: `<!-- ${instagramProfilePage({ ...VICTIM, bio: code })} -->`,
  }),
  'a script inside a text area': (code) => ({
    ...page(),
    body: `<textarea>${instagramProfilePage({ ...VICTIM, bio: code })}</textarea>`,
  }),
  'a script inside a title': (code) => ({
    ...page(),
    body: `<title>${instagramProfilePage({ ...VICTIM, bio: code }).replace(/<\/?title[^>]*>/g, '')}</title>`,
  }),
  'a script behind a script that does not end': (code) => ({
    ...page(),
    body: `<script><!-- <script>${instagramProfilePage({ ...VICTIM, bio: code })}`,
  }),
  'a script of another type': (code) => ({
    ...page(),
    body: instagramProfilePage({ ...VICTIM, bio: code }).replaceAll('application/json', 'text/plain'),
  }),
  'the words of the page': (code) => pageWith(`<meta property="og:description" content="victim ${code}">`),
  'a second block of TikTok data': (code) => ({
    ...tiktok({}),
    body: `${tiktokProfilePage(VICTIM)}${tiktokProfilePage({ ...VICTIM, bio: code })}`,
  }),
  'the second block of TikTok data alone': (code) => ({
    ...tiktok({}),
    body: `${tiktokScope({})}${tiktokProfilePage({ ...VICTIM, bio: code })}`,
  }),
  'a block of TikTok data by another id': (code) => ({
    ...tiktok({}),
    body: tiktokProfilePage({ ...VICTIM, bio: code }).replace('__UNIVERSAL_DATA_FOR_REHYDRATION__', 'SIGI_STATE'),
  }),
  'a video on a TikTok profile': (code) => tiktok({ 'webapp.user-post': { itemList: [{ desc: code }] } }),
  'the share text of a TikTok profile': (code) => tiktok({ shareMeta: { desc: code } }),
};

const IN_JSON: Readonly<Record<string, Attack>> = {
  'the bio twice': (code) => ({
    target: API,
    body: `{"data":{"user":{"id":"11","username":"victim","biography":"Baker.","biography":"${code}"}}}`,
  }),
  'the bio twice, once by an escape': (code) => ({
    target: API,
    body: `{"data":{"user":{"id":"11","username":"victim","biograph\\u0079":"${code}","biography":"Baker."}}}`,
  }),
  'the user twice': (code) => ({
    target: API,
    body: `{"data":{"user":{"id":"66","username":"mallory","biography":"${code}"},"user":{"id":"11","username":"victim","biography":"Baker."}}}`,
  }),
  'the bio of another case': (code) => api({ Biography: code, BIOGRAPHY: code }),
  'the full name': (code) => api({ full_name: code }),
  'a link of the bio': (code) => api({ bio_links: [{ title: code, url: `https://x.test/${code}` }] }),
  'the external address': (code) => api({ external_url: `https://x.test/${code}` }),
  'the bio with entities': (code) => api({ biography_with_entities: { raw_text: code } }),
  'a name beside the user': (code) => ({
    target: API,
    body: JSON.stringify({ data: { user: { id: '11', username: 'victim', biography: 'x' } }, biography: code }),
  }),
  'a dotted name': (code) => ({
    target: API,
    body: JSON.stringify({ 'data.user.biography': code, data: { user: self.user } }),
  }),
  'a prototype': (code) => ({
    target: API,
    body: `{"data":{"user":{"id":"11","username":"victim","__proto__":{"biography":"${code}"}}}}`,
  }),
  'a bio that is a list': (code) => api({ biography: [code] }),
  'a bio that is an object': (code) => api({ biography: { text: code } }),
  'two documents': (code) => ({ target: API, body: `${instagramApiBody({ ...VICTIM, bio: code })}\n{"data":{}}` }),
  'a prefix that scripts skip': (code) => ({
    target: API,
    body: `for (;;);${instagramApiBody({ ...VICTIM, bio: code })}`,
  }),
  'a handle of look-alikes': (code) => apiOf('vi\u0441tim', code, API),
  'a handle with a sign that becomes a letter': (code) => apiOf('victim\u200d', code, API),
  'a handle with white space': (code) => apiOf(' victim', code, API),
  'a handle with an at sign': (code) => apiOf('@victim', code, API),
};

const BY_REQUEST: Readonly<Record<string, Attack>> = {
  'another port': (code) => shown(code, { authority: 'www.instagram.com:8443' }),
  'a port with zeros': (code) => shown(code, { authority: 'www.instagram.com:00443' }),
  'a trailing dot': (code) => shown(code, { authority: 'www.instagram.com.' }),
  'another server': (code) => shown(code, { host: 'mallory.test' }),
  'another server by the Host header': (code) => shown(code, { host: 'mallory.test', authority: 'www.instagram.com' }),
  'the other platform': (code) => shown(code, { host: 'www.tiktok.com' }),
  'X-Original-URL': (code) => shown(code, { headers: ['x-original-url: /api/v1/users/web_profile_info/?username=m'] }),
  'X-Rewrite-URL': (code) => shown(code, { headers: ['x-rewrite-url: /mallory/'] }),
  'X-Forwarded-Host': (code) => shown(code, { headers: ['x-forwarded-host: mallory.test'] }),
  'a method that overrides': (code) => shown(code, { headers: ['x-http-method-override: PUT'] }),
  'a range': (code) => shown(code, { headers: ['range: bytes=0-99'] }),
  'a viewer in a header': (code) => shown(code, { headers: ['ig-u-ds-user-id: 66'] }),
  'a session in a cookie': (code) => shown(code, { headers: ['cookie: sessionid=66%3Aabc'] }),
  'a session in a header': (code) => shown(code, { headers: ['authorization: Bearer IGT:2:abc'] }),
  'a header twice': (code) => shown(code, { headers: ['accept: */*', 'accept: text/x'] }),
  'another method': (code) => shown(code, { method: 'POST', headers: ['content-length: 0'] }),
  'a body': (code) => shown(code, { requestBody: 'username=m', headers: ['content-length: 10'] }),
  'an absolute target': (code) => shown(code, { target: `https://www.instagram.com${API}` }),
  'an absolute target of another port': (code) => shown(code, { target: `https://www.instagram.com:8443${API}` }),
  'an escaped path': (code) => shown(code, { target: API.replace('users', '%75sers') }),
  'a path that climbs': (code) => shown(code, { target: `/x/..${API}` }),
  'a doubled slash': (code) => shown(code, { target: `/${API}` }),
  'a fragment': (code) => shown(code, { target: `${API}#x` }),
  'a path parameter': (code) => shown(code, { target: API.replace('/?', ';x=y/?') }),
  'an unknown parameter': (code) => shown(code, { target: `${API}&user_id=66` }),
  'an escaped handle': (code) => shown(code, { target: API.replace('victim', 'v%69ctim') }),
  'a list of handles': (code) => shown(code, { target: `${API},mallory` }),
  'an error page': (code) => shown(code, { status: '404 Not Found' }),
  'a part of an answer': (code) => shown(code, { status: '206 Partial Content' }),
  'a redirect': (code) => shown(code, { status: '302 Found' }),
  'another charset': (code) => shown(code, { answerHeaders: ['content-type: application/json; charset=utf-7'] }),
  'a session of before': (code) => shown(code, { time: Math.floor(Date.now() / 1000) - 60 }),
  'a session of later': (code) => shown(code, { time: Math.floor(Date.now() / 1000) + 600 }),
};

/** What the victim proved for somebody else. */
const OF_ANOTHER_PURPOSE: Readonly<Record<string, Attack>> = {
  'the logged-in account, without the code': () => form(self),
  'the logged-in account, with the code of somebody else': () => ({
    ...form(self),
    headers: ['x-credence-code: credence-aaaaaaaaaa'],
  }),
  'the logged-in account, with the code in its bio': (code) => form({ user: { ...self.user, biography: code } }),
  'the logged-in account, with the code in a referrer': (code) => ({
    ...form(self),
    headers: [`referer: https://x.test/?credence_code=${code}`],
  }),
  'the form of the logged-in account': () => ({
    target: '/api/v1/accounts/edit/web_form_data/',
    body: JSON.stringify({ form_data: { username: 'victim' } }),
  }),
  'the account of TikTok': () => ({
    host: 'www.tiktok.com',
    target: '/passport/web/account/info/',
    body: '{"data":{"user_id":11,"username":"victim"}}',
  }),
};

/** An attack of its own: mallory asks for the victim's account, and posts the proof. */
async function attempt(attack: Attack) {
  const externalId = `mallory-${++made}`;
  const platform = attack('').host === 'www.tiktok.com' ? 'tiktok' : 'instagram';
  const { requestId, code } = await world.openRequest(externalId, 'victim', platform);
  const answer = await world.post({ requestId, presentationJson: await world.proofOf(attack(code)) });
  return { ...answer, externalId };
}

describe.each(Object.entries({ KNOWN, ON_PAGES, IN_JSON, BY_REQUEST, OF_ANOTHER_PURPOSE }))(
  '%s: links nothing by',
  (_group, attacks) => {
    it.each(Object.entries(attacks))('%s', async (_name, attack) => {
      const { status, json, externalId } = await attempt(attack);
      expect([status, json.error?.code], JSON.stringify(json)).toEqual([422, 'VALIDATION_ERROR']);
      expect(String(json.error?.message)).toMatch(/^The web proof does not prove the profile: ./);
      const accounts = await world.instance.api.call('GET', `/social-accounts?externalId=${externalId}`);
      expect(accounts.json.data).toEqual([]);
    });
  },
);

describe('what the victim does for its own account', () => {
  it('names the account that the profile is linked to, and the way to prove it', async () => {
    const { page: text, code } = await world.openRequest('<b>ext</b>', 'victim');
    expect(text).toContain('the account <strong>&lt;b&gt;ext&lt;/b&gt;</strong>');
    expect(text).toContain(`<code>x-credence-code: ${code}</code>`);
    expect(text).toContain(`<code>credence_code=${code}</code>`);
    expect(text).toContain('<code>https://www.instagram.com/api/v1/accounts/current_user/?edit=true</code>');
  });

  const own: Readonly<Record<string, readonly [SpecifiedPlatform, Attack]>> = {
    'the bio, by JSON': ['instagram', (code) => shown(code, {})],
    'the bio, in chunks that split the code': ['instagram', (code) => shown(code, { chunk: 3 })],
    'the bio, by the page': [
      'instagram',
      (code) => ({ ...page(), body: instagramProfilePage({ ...VICTIM, bio: `Hi ${code}` }) }),
    ],
    'the bio, by the page of TikTok': [
      'tiktok',
      (code) => tiktok({}, { body: tiktokProfilePage({ ...VICTIM, bio: `${code} !` }) }),
    ],
    'the logged-in account, with the code in a header': [
      'instagram',
      (code) => ({ ...form(self), headers: [`x-credence-code: ${code}`, 'cookie: sessionid=x'] }),
    ],
    'the logged-in account of TikTok, with the code in a parameter': [
      'tiktok',
      (code) => ({
        host: 'www.tiktok.com',
        target: `/passport/web/account/info/?aid=1459&credence_code=${code}`,
        body: '{"data":{"user_id":11,"username":"victim"}}',
      }),
    ],
  };

  it.each(Object.entries(own))('links by %s', async (name, [platform, exchangeOf]) => {
    const externalId = `owner ${name}`;
    const { requestId, code } = await world.openRequest(externalId, '@Victim', platform);
    const { status, json, text } = await world.post({
      requestId,
      presentationJson: await world.proofOf(exchangeOf(code)),
    });
    expect([status, json.data?.socialAccount?.platformUsername], text).toEqual([200, 'victim']);
    const query = `/social-accounts?externalId=${encodeURIComponent(externalId)}`;
    const accounts = await world.instance.api.call('GET', query);
    expect(accounts.json.data).toMatchObject([{ platform, ownershipProven: true, platformAccountId: '11' }]);
  });
});
