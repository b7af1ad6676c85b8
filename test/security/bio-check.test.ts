/**
 * The connect page reads the profile itself. Whatever else a platform's page shows, the one-time code counts in the bio of
 * the profile that was asked for. The link is of the account that has the profile.
 */
import { createServer } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import { startInstance } from '../support/instance.ts';
import { listen } from '../support/listen.ts';
import { instagramProfilePage, instagramUser, relayResult, tiktokProfilePage } from '../support/profile-answers.ts';

/** What both platforms answer to every request. */
let answer = '';
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(answer);
});

const { url: baseUrl, close } = await listen(server);
const platforms = { pacing: 'off', instagram: { baseUrl }, tiktok: { baseUrl } } as const;
const instance = await startInstance({ config: { platforms } });
afterAll(async () => {
  await instance.close();
  await close();
});

const VICTIM = { id: '11', handle: 'victim', bio: 'Baker.' };
let made = 0;

/** Asks for the victim's profile, and has the page checked while the platform answers so. */
async function check(platform: PlatformName, page: (code: string) => string) {
  const externalId = `ext-${++made}`;
  const body = { platform, externalId, inputs: { handle: '@Victim' } };
  const { json } = await instance.api.call('POST', '/social-accounts/connect', { body });
  answer = page(String(json.data?.webProof?.code));
  const path = `/connect/${json.data?.requestId}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { text } = await instance.api.call('POST', path, { raw: '', token: null, headers });
  const accounts = await instance.api.call('GET', `/social-accounts?externalId=${externalId}`);
  return { text, accounts: accounts.json.data };
}

const pages: Readonly<Record<string, readonly [PlatformName, (code: string) => string]>> = {
  "the viewer's own bio on Instagram": [
    'instagram',
    (code) => instagramProfilePage(VICTIM, { require: [['PolarisViewer', [], { data: { biography: code } }, 5]] }),
  ],
  'the bio of a second profile on Instagram': [
    'instagram',
    (code) =>
      instagramProfilePage(
        VICTIM,
        relayResult({ xig_user_by_username: instagramUser({ id: '66', handle: 'mallory', bio: code }) }),
      ),
  ],
  'the profile of somebody else on Instagram': [
    'instagram',
    (code) => instagramProfilePage({ id: '66', handle: 'mallory', bio: code }),
  ],
  "the logged-in user's own bio on TikTok": [
    'tiktok',
    (code) => tiktokProfilePage(VICTIM, { 'webapp.app-context': { user: { uniqueId: 'victim', signature: code } } }),
  ],
  'the profile of somebody else on TikTok': [
    'tiktok',
    (code) => tiktokProfilePage({ id: '66', handle: 'mallory', bio: code }),
  ],
  'the name on TikTok': ['tiktok', (code) => tiktokProfilePage(VICTIM).replace('A Name', code)],
};

describe('the code in another place links nothing', () => {
  it.each(Object.entries(pages))('%s', async (_where, [platform, page]) => {
    const { text, accounts } = await check(platform, page);
    expect(text).toMatch(/not in the bio|cannot be read right now/);
    expect(accounts).toEqual([]);
  });
});

it.each<[PlatformName, (bio: string) => string]>([
  ['instagram', (bio) => instagramProfilePage({ ...VICTIM, bio })],
  ['tiktok', (bio) => tiktokProfilePage({ ...VICTIM, bio })],
])('the code in the bio links the account of %s', async (platform, pageOf) => {
  const { text, accounts } = await check(platform, (code) => pageOf(`Baker. ${code}`));
  expect(text).toContain('@victim is linked');
  expect(accounts).toMatchObject([{ platformUsername: 'victim', ownershipProven: true, platformAccountId: '11' }]);
});
