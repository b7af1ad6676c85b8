import { expect } from 'vitest';
import { createBrand, expectKeys, expectPages, subscribe } from '../fixtures.ts';
import type { Exchange, Stage } from '../stage.ts';
import type { ParityWorld } from '../world.ts';

/** The ownership flow: started by the API, finished on the server-rendered page. */
export async function accounts(stage: Stage, { world }: ParityWorld): Promise<void> {
  const own: Exchange = { as: 'creator', body: { platform: 'instagram', inputs: { handle: '@Page.Owner' } } };
  const started = await stage.ok(201, 'connectSocialAccount', own);
  expectKeys(started.data, 'redirectUrl requestId expiresAt webProof');
  const requestId = String(started.data?.requestId);
  expect(started.data?.redirectUrl).toBe(`${stage.instance.baseUrl}/connect/${requestId}`);

  const page = await stage.send('showConnectPage', { as: null, params: { requestId } });
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const [, file = ''] = /<script src="scripts\/([^"]+)"><\/script>/.exec(page.text) ?? [];
  const script = await stage.send('connectScript', { as: null, params: { file } });
  expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  const known = { 'if-none-match': script.headers.get('etag') ?? '' };
  expect((await stage.send('connectScript', { as: null, params: { file }, headers: known })).status).toBe(304);
  await stage.refuse('NOT_FOUND', 'connectScript', { as: null, params: { file: 'connect-0123456789abcdef.js' } });
  await stage.refuse('INVALID_REQUEST', 'connectScript', { as: null, params: { file: 'connect.js' } });
  const german = { as: null, params: { requestId }, headers: { 'accept-language': 'xx, de-AT;q=0.9, en;q=0.1' } };
  expect((await stage.send('showConnectPage', german)).text).toContain('<html lang="de">');
  const asked = await stage.send('showConnectPage', { ...german, query: { lang: 'ja' } });
  expect([asked.headers.get('content-language'), asked.headers.get('vary')]).toEqual(['ja', 'accept-language']);
  const code = /<code>([^<]+)<\/code>/.exec(page.text)?.[1] ?? '';
  expect(code).toMatch(/^credence-/);

  const submit = async (status: number, id = requestId, form?: string) => {
    const answer = await stage.send('submitConnectPage', {
      as: null,
      params: { requestId: id },
      ...(form === undefined ? {} : { raw: form, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    });
    expect(answer.status, answer.text).toBe(status);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    return answer.text;
  };
  expect(await submit(200)).toContain('not in the bio');
  const profile = world.findProfile('instagram', 'page.owner');
  if (profile === undefined) throw new Error('The world lacks page.owner.');
  profile.bio = `Hello ${code}!`;
  await subscribe(stage, await createBrand(stage, 'accounts'), ['account.connected']);
  expect(await submit(200)).toContain('@page.owner is linked');
  const [connected] = await stage.events(1);
  expect(connected).toMatchObject({
    event: 'account.connected',
    data: { externalUserId: 'parity-creator', username: 'page.owner', method: 'bio_code', requestId },
  });
  // A finished request shows its outcome and is not carried out again.
  profile.bio = '';
  await submit(200);

  const list = (await stage.ok(200, 'listSocialAccounts', { as: 'creator' })).data;
  expectKeys(
    list?.['0'],
    'id platform platformUsername profileData ownershipProven platformAccountId connectedAt disconnectedAt',
  );
  expect(list?.['0']).toMatchObject({
    platformUsername: 'page.owner',
    ownershipProven: true,
    platformAccountId: profile.accountId,
    disconnectedAt: null,
  });
  const byAdmin = await stage.ok(200, 'listSocialAccounts', { query: { externalId: 'parity-creator' } });
  expect(byAdmin.data).toEqual(list);
  await expectPages(stage, 'listSocialAccounts', { as: 'creator' });
  expect((await stage.ok(200, 'listSocialAccounts', { query: { externalId: 'nobody' } })).data).toEqual([]);
  await stage.refuse('INVALID_REQUEST', 'listSocialAccounts');
  await stage.refuse('FORBIDDEN', 'listSocialAccounts', { as: 'client' });
  await stage.refuse('FORBIDDEN', 'listSocialAccounts', { as: 'creator', query: { externalId: 'someone-else' } });

  await stage.refuse('FORBIDDEN', 'connectSocialAccount', { ...own, as: 'client' });
  await stage.refuse('INVALID_REQUEST', 'connectSocialAccount', { body: { platform: 'instagram' } });
  await stage.refuse('INVALID_REQUEST', 'connectSocialAccount', { as: 'creator', body: {} });
  await stage.refuse('INVALID_REQUEST', 'connectSocialAccount', {
    as: 'creator',
    body: { platform: 'instagram', inputs: { handle: 'not a handle' } },
  });
  await stage.refuse('FORBIDDEN', 'connectSocialAccount', {
    as: 'creator',
    body: { platform: 'instagram', externalId: 'someone-else' },
  });

  const many: Exchange = { body: { platform: 'tiktok', externalId: 'c-many' } };
  for (let open = 0; open < 10; open += 1) await stage.ok(201, 'connectSocialAccount', many);
  const full = await stage.refuse('SCRAPING_RATE_LIMITED', 'connectSocialAccount', many);
  expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);

  // Without a handle the page asks for it; what goes wrong is told on the page.
  const open = await stage.ok(201, 'connectSocialAccount', { body: { platform: 'instagram', externalId: 'c-open' } });
  const openId = String(open.data?.requestId);
  await submit(400, openId, 'handle=%3Cscript%3E');
  expect(await submit(404, openId, 'handle=never_was')).toContain('There is no such profile');
  world.addProfile({ platform: 'instagram', handle: 'shy', bio: '', isPrivate: true });
  world.failures.add({ platform: 'instagram', handle: 'shy', shape: 'login-wall', times: 20 });
  await submit(502, openId, 'handle=shy');
  world.failures.add({ platform: 'instagram', handle: 'ben_outdoors', shape: 'rate-limited', retryAfterSeconds: 30 });
  expect(await submit(429, openId, 'handle=ben_outdoors')).toContain('There are too many checks right now.');
  const unknown = 'f'.repeat(48);
  const missing = await stage.send('showConnectPage', { as: null, params: { requestId: unknown } });
  expect(missing.status).toBe(404);
  await submit(404, unknown);
  const lost = { as: null, params: { requestId: unknown }, query: { lang: 'fr' } };
  expect((await stage.send('submitConnectPage', lost)).text).toContain('Ce lien n’existe pas');
  await stage.refuse('NOT_FOUND', 'showConnectPage', { as: null, params: { requestId: 'short' } });
  await stage.refuse('UNSUPPORTED_MEDIA_TYPE', 'submitConnectPage', {
    as: null,
    params: { requestId: openId },
    raw: 'x',
    headers: { 'content-type': 'text/plain' },
  });

  // Ten looks, then the link is used up.
  const worn = await stage.ok(201, 'connectSocialAccount', {
    body: { platform: 'instagram', externalId: 'c-worn', inputs: { handle: 'cleo_quiet' } },
  });
  const wornId = String(worn.data?.requestId);
  for (let look = 1; look < 10; look += 1) expect(await submit(200, wornId)).toContain('not in the bio');
  expect(await submit(410, wornId)).toContain('Too many checks');
  await submit(410, wornId);
}
