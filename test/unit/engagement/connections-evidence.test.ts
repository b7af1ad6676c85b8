import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { profileEvidence } from '../../../core/engagement/connections/profile-evidence.ts';
import type { PlatformName } from '../../../core/platforms/platform-name.ts';
import type { ProvableExchange } from '../../../core/web-proof/attested-values/extension.ts';
import { createValuesSigner } from '../../../core/web-proof/attested-values/values-signature.ts';
import { serverExtension } from '../../../core/web-proof/host-binding.ts';
import type { VerifiedWebProof } from '../../../core/web-proof/verify.ts';
import { REGISTRY } from '../../support/platforms.ts';
import {
  instagramApiBody,
  instagramPage,
  instagramProfilePage,
  instagramUser,
  PROFILE_WAYS,
  relayResult,
  tiktokProfilePage,
} from '../../support/profile-answers.ts';
import { buildValuesExtension } from '../../support/values-extension.ts';
import { type ExchangeOptions, verifiedProof } from '../../support/verified-proof.ts';

const CODE = 'credence-abc123';

/** The handle and the account id that are shown, or why none is. */
async function judge(proof: VerifiedWebProof, platform: PlatformName = 'instagram', handle: string | null = null) {
  const evidence = await profileEvidence(proof, REGISTRY.describe(platform), { handle, code: CODE });
  return evidence.shown ? `${evidence.handle}#${evidence.accountId}` : `not shown: ${evidence.reason}`;
}
const judged = async (exchange: ExchangeOptions, platform?: PlatformName, handle?: string) =>
  judge(await verifiedProof(exchange), platform, handle);
const because = (reason: string) => expect.stringMatching(new RegExp(`^not shown: .*${reason}`));

const CURRENT_USER = '/api/v1/accounts/current_user/?edit=true';
const WITH_CODE = [`x-credence-code: ${CODE}`];
const user = (username: unknown, pk: unknown = '1') => JSON.stringify({ user: { pk, username } });
const own: ExchangeOptions = { target: CURRENT_USER, headers: WITH_CODE, body: user('ada') };
const UNSOUND = because('what it hides could be another request or answer');
/** The seed of the key that signs the proofs of these tests. */
const TEST_NOTARY = 7;
const key = (seed: number) => new Uint8Array(32).fill(seed);

describe('the answer about the logged-in account', () => {
  const tiktok = (data: string, target = '/passport/web/account/info/') => ({
    host: 'www.tiktok.com',
    target,
    headers: WITH_CODE,
    body: `{"data":${data}}`,
  });

  it.each<[PlatformName, ExchangeOptions, string]>([
    ['instagram', own, 'ada#1'],
    ['instagram', { ...own, host: 'instagram.com' }, 'ada#1'],
    ['instagram', { ...own, host: 'i.instagram.com', authority: 'i.instagram.com:443' }, 'ada#1'],
    ['instagram', { ...own, target: '/api/v1/accounts/current_user', body: user('Ada.L', 42) }, 'ada.l#42'],
    ['instagram', { ...own, body: '{"user":{"pk":7,"pk_id":"7","username":"ada"}}' }, 'ada#7'],
    [
      'instagram',
      { ...own, target: '/api/v1/accounts/edit/web_form_data/', body: '{"form_data":{"username":"ada"}}' },
      'ada#null',
    ],
    ['tiktok', tiktok('{"user_id":6812345678901234567,"username":"ada..l"}'), 'ada..l#6812345678901234567'],
    ['tiktok', { ...tiktok('{"user_id_str":"68","username":"ada"}'), host: 'tiktok.com' }, 'ada#68'],
    ['tiktok', tiktok('{"user_id":1,"username":"ada"}', '/passport/web/account/info/?aid=1459&language=en'), 'ada#1'],
  ])('shows handle and account id on %s: %j', async (platform, exchange, shown) => {
    expect(await judged(exchange, platform)).toBe(shown);
  });

  it('shows the code in a parameter instead of the header, or in both', async () => {
    const target = `${CURRENT_USER}&credence_code=${CODE}`;
    expect(await judged({ ...own, headers: [], target })).toBe('ada#1');
    expect(await judged({ ...own, target })).toBe('ada#1');
  });

  it.each<[string, ExchangeOptions]>([
    ['nowhere', { headers: [] }],
    ['in another header', { headers: [`user-agent: ${CODE}`] }],
    ['in a cookie', { headers: [`cookie: x-credence-code=${CODE}`] }],
    ['in part', { headers: [`x-credence-code: ${CODE.slice(0, -1)}`] }],
    ['with more', { headers: [`x-credence-code: ${CODE}, x`] }],
    ['in capitals', { headers: [`x-credence-code: ${CODE.toUpperCase()}`] }],
    ['of another request', { headers: ['x-credence-code: credence-xyz789'] }],
    ['hidden', { hide: CODE }],
    ['of another request beside it', { target: `${CURRENT_USER}&credence_code=credence-xyz789` }],
  ])('shows nothing if the code stands %s', async (_where, exchange) => {
    expect(await judged({ ...own, ...exchange })).toEqual(because('its request does not show the one-time code'));
  });

  it('may hide the session', async () => {
    const cookie = ['cookie: sessionid=s3cret', ...WITH_CODE];
    expect(await judged({ ...own, headers: cookie, hide: 's3cret' })).toBe('ada#1');
    expect(await judged({ ...own, headers: cookie, hide: 'sessionid=s3cret' })).toBe('ada#1');
    const two = ['authorization: Bearer t0ken', ...cookie];
    expect(await judged({ ...own, headers: two, hide: ['Bearer t0ken', 's3cret'] })).toBe('ada#1');
  });

  it('may hide values of the answer if the notary signed those that are shown', async () => {
    const exchange: ExchangeOptions = {
      ...own,
      body: '{"user":{"pk":"1","username":"ada","email":"a@b.test"}}',
      hide: ['a@b.test', 's3cret'],
      answerHeaders: ['set-cookie: s3cret'],
    };
    const signer = createValuesSigner(key(TEST_NOTARY));
    const extensionsOf = (shown: ProvableExchange) => [buildValuesExtension(signer, key(1), shown)];
    expect(await judged({ ...exchange, extensionsOf })).toBe('ada#1');
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
    for (const other of forged) expect(await judged({ ...exchange, extensionsOf: other })).toEqual(UNSOUND);
  });

  it('may hide Host and Connection if the notary signed the server and the values', async () => {
    const headers = ['connection: closed', 'cookie: s3cret', ...WITH_CODE];
    const hide = ['www.instagram.com', 'closed', 's3cret'];
    const signer = createValuesSigner(key(TEST_NOTARY));
    const values = (shown: ProvableExchange) => buildValuesExtension(signer, key(1), shown);
    const server = (port = 443) => serverExtension({ name: 'www.instagram.com', port });
    const signing = async (extensionsOf: ExchangeOptions['extensionsOf'], hidden = hide) =>
      judge({
        ...(await verifiedProof({ ...own, headers, hide: hidden, ...(extensionsOf && { extensionsOf }) })),
        hostConfirmed: true,
      });
    expect(await signing((shown) => [server(), values(shown)])).toBe('ada#1');
    for (const other of [
      (shown: ProvableExchange) => [server(8443), values(shown)],
      (shown: ProvableExchange) => [values(shown)],
      () => [server()],
    ]) {
      expect(await signing(other)).toEqual(because('its URL or its Host header is hidden'));
    }
    expect(await signing(() => [server()], ['closed'])).toEqual(because('its Connection header is neither'));
  });

  it.each(['save-data: on', 'alt-used: www.instagram.com', 'x-ig-max-touch-points: 0', 'sec-ch-ua-platform: "Linux"'])(
    'may have a header that browsers send: %s',
    async (line) => {
      expect(await judged({ ...own, headers: [...WITH_CODE, line] })).toBe('ada#1');
    },
  );

  it.each<[string, ExchangeOptions]>([
    ['in a value of the answer', { hide: '"1"' }],
    ['in a header of the answer', { hide: 's3cret', answerHeaders: ['set-cookie: s3cret'] }],
    ['in the reason of the answer', { hide: 'Fine', reason: 'Fine' }],
  ])('hides nothing %s', async (_where, exchange) => {
    expect(await judged({ ...own, ...exchange })).toEqual(UNSOUND);
  });

  it.each<[string, ExchangeOptions]>([
    ['the name of a header', { hide: 'cookie', headers: ['cookie: a', ...WITH_CODE] }],
    ['a name into its value', { hide: 'e: a', headers: ['cookie: ab', ...WITH_CODE] }],
    ['a whole header', { hide: 'cookie: a', headers: ['cookie: a', ...WITH_CODE] }],
  ])('does not hide %s, which may be another Host', async (_what, exchange) => {
    expect(await judged({ ...own, ...exchange })).toEqual(because('its URL or its Host header is hidden'));
  });

  it('is not the answer to a request that hides in a cookie', async () => {
    // The server saw two requests and gave two answers; the first answer's end hides in a header of what seems to be one.
    const rest = '\r\n\r\nGET /api/v1/users/2/info/ HTTP/1.1\r\nhost: www.instagram.com\r\ncookie: b';
    const first = `a\r\n\r\n${user('mallory')}HTTP/1.1 200 OK\r\nset-cookie: b`;
    const proof = await verifiedProof({
      ...own,
      headers: [...WITH_CODE, `cookie: ${rest}`],
      answerHeaders: [`set-cookie: ${first}`],
      hide: [rest, first],
      body: user('victim'),
    });
    expect(proof.response.text).toBe(user('victim'));
    expect(await judge(proof, 'instagram', 'victim')).toEqual(UNSOUND);
  });

  it('is not JSON whose quotes are hidden', async () => {
    const body =
      '{"user":{"pk":"1","full_name":"M","username":"mallory","tags":[{"user":{"id":"5","username":"victim","x":"y"}}],"email":"m@x.y"},"ok":1}';
    const hide = ['M","username":"mallory","tags":[{"user":{"id":"5', 'y"}}],"email":"m@x.'];
    expect(await judged({ ...own, body, hide })).toEqual(UNSOUND);
  });

  it.each<[string, ExchangeOptions, string]>([
    ['a handle that is no text', { body: user(42) }, 'no visible text at user.username'],
    ['no handle', { body: '{"user":{"pk":"1"}}' }, 'no visible text at user.username'],
    ['another place in the answer', { body: '{"username":"ada","pk":"1"}' }, 'no visible text at user.username'],
    ['what is no JSON', { body: 'username: ada' }, 'its JSON cannot be read'],
    ['a handle twice', { body: '{"user":{"pk":"1","username":"ada","username":"bob"}}' }, 'occurs twice'],
    ['a handle twice by an escape', { body: '{"user":{"pk":"1","username":"ada","usern\\u0061me":"bob"}}' }, 'twice'],
    ['no account id', { body: '{"user":{"username":"ada"}}' }, 'no account id at user.pk or user.pk_id'],
    ['two account ids', { body: '{"user":{"pk":"1","pk_id":"2","username":"ada"}}' }, 'no account id'],
    ['an account id that is no number', { body: user('ada', 'x') }, 'no account id'],
    ['an account id of zero', { body: user('ada', 0) }, 'no account id'],
  ])('is not %s', async (_what, exchange, reason) => {
    expect(await judged({ ...own, ...exchange })).toEqual(because(reason));
  });

  it('finds the account among many values', async () => {
    const body = JSON.stringify({ x: Array(3000).fill(1), user: { pk: '1', username: 'ada' } });
    expect(await judged({ ...own, body })).toBe('ada#1');
  });

  it('is not a body that cannot be decoded', async () => {
    const proof = await verifiedProof(own);
    const response = { ...proof.response, content: null, text: null };
    expect(await judge({ ...proof, response })).toEqual(because('cannot be decoded'));
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
    await expect(judge({ ...proof, response: { ...proof.response, content } })).rejects.toThrow('a defect');
  });

  it.each(['not a handle', '', '\u212Aelly', 'ada\u0000'])(
    'names a handle that can exist, unlike %j',
    async (username) => {
      expect(await judged({ ...own, body: user(username) })).toBe('not shown: it names no handle');
    },
  );

  it('names a handle by the rules of its platform', async () => {
    expect(await judged({ ...own, body: user('ada..l') })).toBe('not shown: it names no handle');
  });
});

describe('a profile with the one-time code in its bio', () => {
  const bio = `Mathematician. ${CODE}!`;
  const facts = { id: '787132', handle: 'ada', bio };
  const relayed = instagramPage(relayResult({ xig_user_by_username: instagramUser(facts) }));

  it.each<[PlatformName, ExchangeOptions]>([
    ['instagram', PROFILE_WAYS['instagram api'](facts)],
    ['instagram', { ...PROFILE_WAYS['instagram api'](facts), host: 'i.instagram.com' }],
    ['instagram', { target: '/api/v1/users/web_profile_info?username=Ada', body: instagramApiBody(facts) }],
    ['instagram', PROFILE_WAYS['instagram page'](facts)],
    ['instagram', { target: '/Ada?hl=en', body: instagramProfilePage({ ...facts, handle: 'Ada' }) }],
    ['instagram', { target: '/ada/', body: relayed }],
    ['tiktok', PROFILE_WAYS['tiktok page'](facts)],
    ['tiktok', { host: 'www.tiktok.com', target: '/@ada/?lang=en', body: tiktokProfilePage(facts) }],
  ])('shows handle and account id on %s: %j', async (platform, exchange) => {
    expect(await judged(exchange, platform)).toBe('ada#787132');
    const headers = ['user-agent: Mozilla/5.0', 'accept: */*', 'sec-fetch-mode: navigate', 'connection: close'];
    expect(await judged({ ...exchange, headers }, platform)).toBe('ada#787132');
  });

  it.each([
    [['content-type: application/json; charset=utf-8'], true],
    [['content-type: application/json;charset="UTF-8"'], true],
    [['content-type: text/html'], true],
    [[], true],
    [['content-type: application/json; charset=utf-16'], false],
    [['content-type: application/json; charset=utf-8; charset=utf-7'], false],
    [['content-type: application/json; q=1'], false],
    [['content-type: multipart/byteranges; boundary=x'], false],
    [['content-type: multipart/mixed'], false],
    [['content-type: application/json', 'content-type: application/json'], false],
    [['content-range: bytes 0-9/100'], false],
  ])('is one whole text: %j %s', async (answerHeaders, isWhole) => {
    const shown = isWhole ? 'ada#787132' : because('is not one whole text in UTF-8');
    expect(await judged({ ...PROFILE_WAYS['instagram api'](facts), answerHeaders })).toEqual(shown);
    expect(await judged({ ...PROFILE_WAYS['tiktok page'](facts), answerHeaders }, 'tiktok')).toEqual(shown);
  });

  it.each<[PlatformName, string]>([
    ['instagram', '/'],
    ['instagram', '/@ada'],
    ['instagram', '/explore/ada'],
    ['instagram', '/api/v1/users/other/?username=ada'],
    ['instagram', '/API/v1/users/web_profile_info/?username=ada'],
    ['tiktok', '/'],
    ['tiktok', '/ada'],
    ['tiktok', '/@ada/video/1'],
    ['tiktok', '/embed/@ada'],
  ])('is not another page: %s %s', async (platform, target) => {
    const exchange = { host: `www.${platform}.com`, target, body: instagramProfilePage(facts) };
    expect(await judged(exchange, platform)).toEqual(because('is no page or answer that shows one profile'));
  });

  it('has its page on the web hosts only', async () => {
    const exchange = { ...PROFILE_WAYS['instagram page'](facts), host: 'i.instagram.com' };
    expect(await judged(exchange)).toEqual(because('/ada/ of i.instagram.com is no page'));
  });

  it.each<[string, ExchangeOptions, string]>([
    ['no code', { body: instagramApiBody({ ...facts, bio: 'Mathematician.' }) }, 'the code is not in the bio of @ada'],
    ['half of the code', { body: instagramApiBody({ ...facts, bio: CODE.slice(0, -1) }) }, 'not in the bio'],
    ['the code in capitals', { body: instagramApiBody({ ...facts, bio: CODE.toUpperCase() }) }, 'not in the bio'],
    ['no bio', { body: '{"data":{"user":{"id":"7","username":"ada"}}}' }, 'no visible text at data.user.biography'],
    ['an empty body', { body: '' }, 'its JSON cannot be read'],
    ['no UTF-8', { body: Uint8Array.from([0xff, ...Buffer.from(CODE)]) }, 'its JSON cannot be read'],
    ['a hidden code', { hide: CODE }, 'what it hides could be'],
    ['no account id', { body: `{"data":{"user":{"username":"ada","biography":"${CODE}"}}}` }, 'no account id'],
    ['no handle', { body: `{"data":{"user":{"id":"7","biography":"${CODE}"}}}` }, 'no visible text at data.user.user'],
    [
      'a profile of somebody else',
      { body: instagramApiBody({ ...facts, handle: 'mallory' }) },
      'it asks about @ada, and the answer is about @mallory',
    ],
  ])('is not an answer with %s', async (_what, changes, reason) => {
    expect(await judged({ ...PROFILE_WAYS['instagram api'](facts), ...changes })).toEqual(because(reason));
  });

  it.each<[string, ExchangeOptions, string]>([
    ['the code', { headers: [`user-agent: ${CODE}`] }, 'contains the code'],
    ['the code in capitals', { headers: [`user-agent: ${CODE.toUpperCase()}`] }, 'contains the code'],
    ['the header of the other way', { headers: WITH_CODE }, 'the header x-credence-code'],
    ['a cookie', { headers: ['cookie: lang=en'] }, 'the header cookie'],
    ['hidden bytes', { headers: ['user-agent: s3cret'], hide: 's3cret' }, 'its request is hidden in part'],
  ])('is not asked for with %s', async (_what, changes, reason) => {
    expect(await judged({ ...PROFILE_WAYS['instagram page'](facts), ...changes })).toEqual(because(reason));
  });

  it('is complete in its page, which hides nothing', async () => {
    const signer = createValuesSigner(key(TEST_NOTARY));
    const extensionsOf = (shown: ProvableExchange) => [buildValuesExtension(signer, key(1), shown)];
    const exchange = { ...PROFILE_WAYS['instagram page'](facts), hide: 'A Name', extensionsOf };
    expect(await judged(exchange)).toEqual(because('hid'));
  });

  const folder = resolve(import.meta.dirname, '../../../../shared/samples/platforms');
  describe.skipIf(!existsSync(folder))('in real pages', () => {
    it.each<[PlatformName, string, string, string]>([
      ['instagram', '/natgeo/', 'Step into wonder', 'natgeo#787132'],
      ['tiktok', '/@nasa', 'Making the seemingly impossible', 'nasa#7664638705177150477'],
    ])('is found on %s', async (platform, target, words, shown) => {
      const page = readFileSync(join(folder, platform, 'page_profile.html'), 'utf8');
      const exchange = { host: `www.${platform}.com`, target, answerHeaders: ['content-type: text/html'] };
      expect(page).toContain(words);
      expect(await judged({ ...exchange, body: page.replace(words, `${words} ${CODE}`) }, platform)).toBe(shown);
      expect(await judged({ ...exchange, body: page }, platform)).toEqual(because('not in the bio'));
    });
  });
});

describe('whatever it shows, a proof', () => {
  it.each<[string, string, ExchangeOptions, Partial<VerifiedWebProof>]>([
    ['has a trusted notary', 'its notary is not a trusted one', {}, { notaryTrusted: false }],
    ['says which site', 'its URL or its Host header is hidden', { hide: 'www.instagram.com' }, {}],
    ['has a confirmed host', 'its URL or its Host header is hidden', {}, { hostConfirmed: false }],
    ['says which page', 'its URL or its Host header is hidden', { hide: 'edit' }, {}],
    ['is from own hosts', 'it is from about.instagram.com, not from Instagram', { host: 'about.instagram.com' }, {}],
    ['was not redirected', 'it is not a GET request that was answered with 200', { status: 302 }, {}],
  ])('%s', async (_rule, reason, exchange, changes) => {
    const proof = { ...(await verifiedProof({ ...own, ...exchange })), ...changes };
    expect(await judge(proof)).toBe(`not shown: ${reason}`);
  });

  it.each(['www.instagram.com:80', 'WWW.instagram.com'])(
    'is from port 443 of the very name, unlike %s',
    async (authority) => {
      expect(await judged({ ...own, authority })).toEqual(
        because('its Host header is not written as www.instagram.com'),
      );
    },
  );

  it.each([
    '/x/%2e%2e/api/v1/accounts/current_user/',
    '/api/v1/accounts\\current_user/',
    '/api/v1/accounts/current_user/#',
    '/api/v1/accounts/current_user/?edit=true?x',
    '/api/v1/accounts/current_user/?edit=%74rue',
    '/api/v1/accounts/current_user/?edit=true&',
    '/api/v1/accounts/current_user/?edit=true&edit=true',
    '/api/v1/accounts/current_user/?edit=false',
    '/api/v1/accounts/current_user/?Edit=true',
    '/api/v1/accounts/current_user/?__proto__=x',
  ])('has a URL that is understood in one way only, unlike %s', async (target) => {
    expect(await judged({ ...own, target })).toEqual(expect.stringMatching(/^not shown: /));
  });

  it.each([
    'x-original-url: /api/v1/users/2/info/',
    'x-forwarded-host: mallory.test',
    'forwarded: host=mallory.test',
    'ig-intended-user-id: 2',
    'if-range: "x"',
    'accept-charset: utf-7',
    'transfer-encoding: identity2',
    'upgrade: h2c',
    'connection: cookie',
    'x: y',
    'user-agent: a\r\nuser-agent: b',
    `x-credence-code: ${CODE}\r\nx-credence-code: ${CODE}`,
  ])('has no header that may change the answer: %j', async (line) => {
    const options = { ...own, headers: [...WITH_CODE, line] };
    const proof = await verifiedProof(options).catch(() => null);
    if (proof !== null) expect(await judge(proof)).toEqual(because('header|hidden'));
  });

  it('has a URL that is one', async () => {
    expect(await judged({ ...own, authority: 'www.instagram.com:99999' })).toEqual(because('Host header'));
    expect(await judged({ method: 'CONNECT', target: '[' })).toEqual(because('not a GET'));
  });

  it('is about the handle that was asked for', async () => {
    expect(await judged(own, 'instagram', 'ada')).toBe('ada#1');
    expect(await judged(own, 'instagram', 'bob')).toBe('not shown: it is about @ada, not about @bob');
  });
});
