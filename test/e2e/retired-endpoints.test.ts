/** Instagram retires endpoints, or fails them for some accounts: claims and connections go the ways that are left. */
import { describe, expect, it, vi } from 'vitest';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { actingOn } from '../support/campaign.ts';
import { INSTAGRAM_SESSION, startInstance, type TestInstance } from '../support/instance.ts';
import { hasReports, type ReportedPlatform, serveReport } from '../support/reported-platform.ts';

const PATIENCE = { timeout: 15_000, interval: 50 };
const SESSIONS = [INSTAGRAM_SESSION, '43%3Aalive'];

/** An instance that reads a report in place of the simulated Instagram. */
async function startReported(
  name: string,
  edit?: (text: string) => string,
): Promise<{ instance: TestInstance; reported: ReportedPlatform }> {
  const reported = await serveReport(name, edit);
  const platforms = { pacing: 'off', instagram: { baseUrl: reported.baseUrl, sessionIds: SESSIONS } } as const;
  return { instance: await startInstance({ config: { platforms } }), reported };
}

/** A creator likes a post, its metrics are refreshed, and the creator claims. Returns the state that the claim ends in. */
async function claimOfLike(instance: TestInstance, code: string): Promise<unknown> {
  const { register, campaign } = actingOn(instance.api);
  const { challenge: path, attempt } = await campaign({ contentId: code, action: 'like' });
  await register('u1', 'instagram', 'ada');
  const attemptPath = await attempt('u1');
  expect((await instance.api.call('POST', `${path}/metrics/refresh`)).status).toBe(202);
  const checks = async () => (await instance.api.call('GET', '/readyz')).json.checks;
  const sessions = { 'instagram-sessions': expect.stringMatching(/^media-info sends (\d) of \1 away$/) };
  await vi.waitFor(async () => expect(await checks()).toMatchObject(sessions), PATIENCE);
  await instance.api.call('PATCH', attemptPath, { body: { action: 'claim_completion' } });
  const read = async () => (await instance.api.call('GET', attemptPath)).json.data as Record<string, unknown>;
  await vi.waitFor(async () => expect((await read()).state).toMatch(/^(rewarded|failed_)/), PATIENCE);
  return (await read()).state;
}

/** A creator connects a profile by the code in its bio, which `publish` puts there. */
async function connect(instance: TestInstance, publish: (code: string) => void): Promise<void> {
  const body = { externalId: 'u1', platform: 'instagram', inputs: { handle: 'ada' } };
  const started = await actingOn(instance.api).make('/social-accounts/connect', body);
  publish(String(started.webProof?.code));
  const page = await fetch(`${instance.baseUrl}/connect/${started.requestId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: '',
  });
  expect(page.status, await page.text()).toBe(200);
  const accounts = (await instance.api.call('GET', '/social-accounts?externalId=u1')).json.data;
  expect(accounts).toMatchObject([{ platformUsername: 'ada', ownershipProven: true }]);
}

describe('a claim of a like, when the endpoint of the post sends every session away', () => {
  it('is rewarded, since likers are still read', async () => {
    const world = createWorld('retired');
    const instance = await startInstance({ world });
    try {
      const post = world.addPost({ platform: 'instagram', owner: 'northtrail', placedLikers: ['ada'] });
      for (const [endpoint, shape] of [
        ['post-page', 'throttled'],
        ['media-info', 'front-page-redirect'],
        ['graphql-post', 'stale-doc-id'],
        ['graphql-shortcode-post', 'stale-doc-id'],
      ] as const) {
        world.failures.add({ platform: 'instagram', endpoint, shape });
      }
      expect(await claimOfLike(instance, post.contentId)).toBe('rewarded');
    } finally {
      await instance.close();
    }
  });

  it.skipIf(!hasReports)('is rewarded with the answers of a public report', async () => {
    const { instance, reported } = await startReported('01-ig-info-endpoint-sent-to-front-page');
    try {
      expect(await claimOfLike(instance, 'C_BM2yAN4Rm')).toBe('rewarded');
    } finally {
      await instance.close();
      await reported.close();
    }
  });
});

describe('a business account, which the profile API fails for', () => {
  it('is connected by the code in its bio', async () => {
    const instance = await startInstance();
    try {
      const profile = instance.world.addProfile({ platform: 'instagram', handle: 'ada' });
      for (const [endpoint, shape] of [
        ['profile-page', 'login-redirect'],
        ['web-profile', 'broken-asset'],
      ] as const) {
        instance.world.failures.add({ platform: 'instagram', endpoint, shape });
      }
      await connect(instance, (code) => {
        profile.bio = `runner, ${code}`;
      });
    } finally {
      await instance.close();
    }
  });

  it.skipIf(!hasReports)('is connected with the answers of a public report', async () => {
    let bio = 'CODE';
    const edit = (text: string) => text.replace('CODE', bio);
    const { instance, reported } = await startReported('04-ig-web-profile-info-400-business', edit);
    try {
      await connect(instance, (code) => {
        bio = code;
      });
    } finally {
      await instance.close();
      await reported.close();
    }
  });
});
