import { describe, expect, it } from 'vitest';
import { profileEvidence } from '../../../core/engagement/connections/profile-evidence.ts';
import type { PlatformName } from '../../../core/lookups/platform-name.ts';
import { buildValuesExtension, type ProvableExchange } from '../../../core/web-proof/attested-values/extension.ts';
import { createValuesSigner } from '../../../core/web-proof/attested-values/values-key.ts';
import type { VerifiedWebProof } from '../../../core/web-proof/verify.ts';
import { type ExchangeOptions, verifiedProof } from '../../support/verified-proof.ts';

const CODE = 'credence-abc123';

/** The handle that is shown, or why none is. */
function judge(proof: VerifiedWebProof, platform: PlatformName = 'instagram', expected: string | null = null) {
  const evidence = profileEvidence(proof, platform, expected, CODE);
  return evidence.shown ? evidence.handle : `not shown: ${evidence.reason}`;
}

const CURRENT_USER = '/api/v1/accounts/current_user/?edit=true';
const user = (username: unknown) => JSON.stringify({ user: { pk: '1', username } });
const own: ExchangeOptions = { target: CURRENT_USER, body: user('ada') };
const UNSOUND = expect.stringMatching(/^not shown: what it hides could be another request or answer/);
/** The seed of the key that signs the proofs of these tests. */
const TEST_NOTARY = 7;
const key = (seed: number) => new Uint8Array(32).fill(seed);
const NOTHING_SHOWN = expect.stringMatching(/^not shown: it neither answers about the account .* nor shows .* code/);

describe('the answer about the account that is logged in', () => {
  it.each<[PlatformName, ExchangeOptions, string]>([
    ['instagram', own, 'ada'],
    ['instagram', { ...own, host: 'instagram.com' }, 'ada'],
    ['instagram', { ...own, host: 'i.instagram.com' }, 'ada'],
    ['instagram', { target: '/api/v1/accounts/current_user', body: user('@Ada.L') }, 'ada.l'],
    [
      'instagram',
      { target: '/api/v1/accounts/edit/web_form_data/', body: JSON.stringify({ form_data: { username: 'ada' } }) },
      'ada',
    ],
    [
      'tiktok',
      {
        host: 'www.tiktok.com',
        target: '/passport/web/account/info/?aid=1459',
        body: JSON.stringify({ data: { username: 'ada..l' } }),
      },
      'ada..l',
    ],
    [
      'tiktok',
      { host: 'tiktok.com', target: '/passport/web/account/info', body: JSON.stringify({ data: { username: 'ada' } }) },
      'ada',
    ],
  ])('shows the handle on %s: %j', async (platform, exchange, handle) => {
    expect(judge(await verifiedProof(exchange), platform)).toBe(handle);
  });

  it('may hide the rest, the session above all', async () => {
    const cookie = ['cookie: sessionid=s3cret'];
    expect(judge(await verifiedProof({ ...own, headers: cookie, hide: 's3cret' }))).toBe('ada');
    expect(judge(await verifiedProof({ ...own, headers: cookie, hide: 'sessionid=s3cret' }))).toBe('ada');
    const two = ['authorization: Bearer t0ken', ...cookie];
    expect(judge(await verifiedProof({ ...own, headers: two, hide: ['Bearer t0ken', 's3cret'] }))).toBe('ada');
  });

  it('may hide values of the answer when the notary signed those that are shown', async () => {
    const exchange: ExchangeOptions = { ...own, hide: ['"1"', 's3cret'], answerHeaders: ['set-cookie: s3cret'] };
    const signer = createValuesSigner(key(TEST_NOTARY));
    const extensionsOf = (shown: ProvableExchange) => [buildValuesExtension(signer, key(1), shown)];
    expect(judge(await verifiedProof({ ...exchange, extensionsOf }))).toBe('ada');
    const forged: ExchangeOptions['extensionsOf'][] = [
      (shown) => [buildValuesExtension(createValuesSigner(key(8)), key(1), shown)],
      (shown) => extensionsOf({ ...shown, method: 'POST' }),
      (shown) => extensionsOf({ ...shown, url: `${shown.url}&x=1` }),
      (shown) => extensionsOf({ ...shown, tlsTimestamp: shown.tlsTimestamp + 1 }),
      (shown) => extensionsOf({ ...shown, body: { bytes: Buffer.from(user('bob')), hidden: [] } }),
      (shown) => extensionsOf({ ...shown, body: null }),
      (shown) => [...extensionsOf(shown), ...extensionsOf(shown)],
      () => [],
    ];
    for (const other of forged) {
      expect(judge(await verifiedProof({ ...exchange, extensionsOf: other }))).toEqual(UNSOUND);
    }
  });

  it.each<[string, ExchangeOptions]>([
    ['in a value of the answer', { hide: '"1"' }],
    ['in a header of the answer', { hide: 's3cret', answerHeaders: ['set-cookie: s3cret'] }],
    ['in the reason of the answer', { hide: 'Fine', reason: 'Fine' }],
    ['in the name of a header', { hide: 'cookie', headers: ['cookie: a'] }],
    ['from the name of a header into its value', { hide: 'e: a', headers: ['cookie: ab'] }],
    ['a whole header', { hide: 'cookie: a', headers: ['cookie: a'] }],
    ['in the body of the request', { hide: 'x=1', headers: ['content-length: 3'], requestBody: 'x=1' }],
  ])('hides nothing %s', async (_where, exchange) => {
    expect(judge(await verifiedProof({ ...own, ...exchange }))).toEqual(UNSOUND);
  });

  it('is not the answer to a request that hides in a cookie', async () => {
    // The server saw two requests and gave two answers; the first answer's end hides in a header of what seems to be one.
    const rest = '\r\n\r\nGET /api/v1/users/2/info/ HTTP/1.1\r\nhost: www.instagram.com\r\ncookie: b';
    const first = `a\r\n\r\n${user('mallory')}HTTP/1.1 200 OK\r\nset-cookie: b`;
    const proof = await verifiedProof({
      ...own,
      headers: [`cookie: ${rest}`],
      answerHeaders: [`set-cookie: ${first}`],
      hide: [rest, first],
      body: user('victim'),
    });
    expect(proof.response.text).toBe(user('victim'));
    expect(judge(proof, 'instagram', 'victim')).toEqual(UNSOUND);
  });

  it('may hide further requests, since an answer that is visible and all there is answers the first one', async () => {
    const rest = 'a\r\nx-b: c\r\n\r\nGET /api/v1/users/2/info/ HTTP/1.1\r\ncookie: b';
    expect(judge(await verifiedProof({ ...own, headers: [`cookie: ${rest}`], hide: rest }))).toBe('ada');
  });

  it('is not JSON whose quotes are hidden', async () => {
    const body =
      '{"user":{"full_name":"M","username":"mallory","tags":[{"user":{"id":"5","username":"victim","x":"y"}}],"email":"m@x.y"},"ok":1}';
    const hide = ['M","username":"mallory","tags":[{"user":{"id":"5', 'y"}}],"email":"m@x.'];
    expect(judge(await verifiedProof({ ...own, body, hide }))).toEqual(UNSOUND);
  });

  it.each<[string, ExchangeOptions]>([
    ['another endpoint', { ...own, target: '/api/v1/users/1/info/' }],
    ['the endpoint of the other platform', { ...own, target: '/passport/web/account/info/' }],
    ['a longer path', { ...own, target: '/x/api/v1/accounts/current_user/' }],
    ['a hidden handle', { ...own, hide: '"ada"' }],
    ['a handle that is no text', { ...own, body: user(42) }],
    ['no handle', { ...own, body: '{"user":{}}' }],
    ['another place in the answer', { ...own, body: JSON.stringify({ username: 'ada' }) }],
    [
      'more values than are looked at',
      { ...own, body: JSON.stringify({ user: { username: 'ada' }, x: Array(800).fill(1) }) },
    ],
    ['what is no JSON', { ...own, body: 'username: ada' }],
    ['a handle twice', { ...own, body: '{"user":{"username":"ada","username":"bob"}}' }],
  ])('is not %s', async (_what, exchange) => {
    expect(judge(await verifiedProof(exchange))).toEqual(NOTHING_SHOWN);
  });

  it('is not a body that cannot be decoded', async () => {
    const proof = await verifiedProof(own);
    expect(judge({ ...proof, response: { ...proof.response, content: null, text: null } })).toEqual(NOTHING_SHOWN);
  });

  it('is not what a defect of ours makes of it', async () => {
    const proof = await verifiedProof(own);
    const hidden = [
      {
        get start(): number {
          throw new Error('a defect');
        },
        end: 1,
      },
    ];
    const content = { bytes: new Uint8Array(), hidden };
    expect(() => judge({ ...proof, response: { ...proof.response, content } })).toThrow('a defect');
  });

  it('has to name a handle that can exist', async () => {
    expect(judge(await verifiedProof({ ...own, body: user('not a handle') }))).toBe('not shown: it names no handle');
    // Fine on TikTok only.
    expect(judge(await verifiedProof({ ...own, body: user('ada..l') }))).toBe('not shown: it names no handle');
  });
});

describe('a profile page with the one-time code', () => {
  const page = `<p>Mathematician. ${CODE}</p>`;

  it.each<[PlatformName, string, string]>([
    ['instagram', '/ada', 'ada'],
    ['instagram', '/Ada.L/?hl=en', 'ada.l'],
    ['instagram', '/api/v1/users/web_profile_info/?username=ada', 'ada'],
    ['instagram', '/api/v1/users/web_profile_info?hl=en&username=%40Ada', 'ada'],
    ['tiktok', '/@ada.moves', 'ada.moves'],
    ['tiktok', '/@ada/', 'ada'],
  ])('shows the handle on %s: %s', async (platform, target, handle) => {
    const proof = await verifiedProof({ host: `www.${platform}.com`, target, body: page });
    expect(judge(proof, platform)).toBe(handle);
  });

  it.each<[PlatformName, string]>([
    ['instagram', '/'],
    ['instagram', '/@ada'],
    ['instagram', '/explore/ada'],
    ['instagram', '/ada/tagged'],
    ['instagram', '/api/v1/users/web_profile_info/'],
    ['instagram', '/api/v1/users/other/?username=ada'],
    ['tiktok', '/'],
    ['tiktok', '/ada'],
    ['tiktok', '/x/@ada'],
    ['tiktok', '/@ada/video/1'],
  ])('is not another page: %s %s', async (platform, target) => {
    const proof = await verifiedProof({ host: `www.${platform}.com`, target, body: page });
    expect(judge(proof, platform)).toEqual(NOTHING_SHOWN);
  });

  it.each<[string, ExchangeOptions]>([
    ['no code', { body: '<p>Mathematician.</p>' }],
    ['half of the code', { body: CODE.slice(0, -1) }],
    ['no body', {}],
    ['no text', { body: Uint8Array.from([0xff, ...Buffer.from(CODE)]) }],
    ['a hidden code', { body: page, hide: CODE }],
  ])('is not a page with %s', async (_what, exchange) => {
    expect(judge(await verifiedProof({ target: '/ada', ...exchange }))).toEqual(NOTHING_SHOWN);
  });

  it.each<[string, ExchangeOptions]>([
    ['in the query', { target: `/ada/?q=${CODE}` }],
    ['in capitals', { target: `/ada/?q=${CODE.toUpperCase()}` }],
    ['in escapes', { target: '/ada/?q=%63redence%2Dabc12%33' }],
    ['in a header', { headers: [`user-agent: ${CODE}`] }],
    ['where it may be hidden', { headers: ['cookie: csrftoken=s3cret'], hide: 's3cret' }],
  ])('does not count when the client may have sent the code itself: %s', async (_where, exchange) => {
    expect(judge(await verifiedProof({ target: '/ada/', body: page, ...exchange }))).toEqual(NOTHING_SHOWN);
  });
});

describe('whatever it shows, a proof', () => {
  it.each<[string, string, ExchangeOptions, Partial<VerifiedWebProof>]>([
    ['has a trusted notary', 'its notary is not a trusted one', {}, { notaryTrusted: false }],
    ['says which site', 'its URL or its Host header is hidden', { hide: 'www.instagram.com' }, {}],
    ['says which page', 'its URL or its Host header is hidden', { hide: 'edit' }, {}],
    ['is from the platform', 'it is from www.tiktok.com, not from instagram', { host: 'www.tiktok.com' }, {}],
    [
      'is from its own hosts',
      'it is from about.instagram.com, not from instagram',
      { host: 'about.instagram.com' },
      {},
    ],
    ['is a GET', 'it is not a successful GET request', { method: 'POST', headers: ['content-length: 0'] }, {}],
    ['was answered', 'it is not a successful GET request', { status: 404 }, {}],
    ['was not redirected', 'it is not a successful GET request', { status: 302 }, {}],
  ])('%s', async (_rule, reason, exchange, changes) => {
    const proof = { ...(await verifiedProof({ ...own, ...exchange })), ...changes };
    expect(judge(proof)).toBe(`not shown: ${reason}`);
  });

  it.each([
    '/x/../api/v1/accounts/current_user/',
    '/x/%2e%2e/api/v1/accounts/current_user/',
    '/api/v1/accounts\\current_user/',
    '/api/v1/accounts/current_user/#/../x',
    '/api/v1/accounts/current_user/#',
  ])('has a URL that is understood in one way only, unlike %s', async (target) => {
    expect(judge(await verifiedProof({ ...own, target }))).toBe(
      'not shown: its URL is not written as browsers write it',
    );
  });

  it('has a URL that is one', async () => {
    const proof = await verifiedProof({ ...own, authority: 'www.instagram.com:99999' });
    expect(judge(proof)).toBe('not shown: its URL is not written as browsers write it');
    expect(judge(await verifiedProof({ method: 'CONNECT', target: '[' }))).toContain('not a successful GET');
  });

  it('is about the handle that was asked for', async () => {
    const proof = await verifiedProof(own);
    expect(judge(proof, 'instagram', 'ada')).toBe('ada');
    expect(judge(proof, 'instagram', 'bob')).toBe('not shown: it is about @ada, not about @bob');
  });
});
