/** YouTube in an instance: registered when configured, and played from creation to reward against the simulated API. */

import { afterEach, describe, expect, it } from 'vitest';
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { SIMULATED_YOUTUBE_KEY } from '../../hosts/platform-simulator/youtube/site.ts';
import { readEnvironment } from '../../hosts/standalone/environment.ts';
import { hostConfig } from '../../hosts/standalone/host-config.ts';
import { createCredence, silentLogger } from '../../plugins/compose/index.ts';

interface Document {
  readonly components: { schemas: { Challenge: { properties: { platform: { enum: string[] } } } } };
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function hosted(env: Readonly<Record<string, string>>) {
  const environment = readEnvironment({ SERVICES: 'engagement', STORAGE_URL: 'sqlite::memory:', ...env });
  const { config } = await hostConfig(environment);
  const secrets = { key: new Uint8Array(32) };
  const credence = createCredence({ ...config, secrets }, { logger: silentLogger });
  const document = (await (await credence.fetch(new Request('http://localhost/openapi.json'))).json()) as Document;
  const { Challenge } = document.components.schemas;
  return { credence, names: Challenge.properties.platform.enum };
}

describe('YouTube in an instance', () => {
  it('is unknown until a key is configured: the names stay those of the specification', async () => {
    const { credence, names } = await hosted({});
    expect(names).toEqual(['instagram', 'tiktok']);
    const register = credence.creators.register({ externalId: 'e', platform: 'youtube', handle: 'ada' });
    await expect(register).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('verifies a comment on a Short and rewards its author', async () => {
    const simulator = await createPlatformSimulator();
    closing.push(() => simulator.close());
    const { contentId } = simulator.world.addPost({
      platform: 'youtube',
      owner: 'maker.one',
      comments: 150,
      replies: { every: 10, count: 12 },
      placed: [{ handle: 'Ada.L', text: 'Count me in!', index: 140, asReply: true }],
    });
    const { credence, names } = await hosted({
      YOUTUBE_API_KEY: SIMULATED_YOUTUBE_KEY,
      YOUTUBE_BASE_URL: simulator.youtubeBaseUrl,
      SCRAPER_PACING: 'off',
    });
    expect(names).toEqual(['instagram', 'tiktok', 'youtube']);
    const rewarded = new Promise((resolve) => {
      credence.on('reward.issued', async ({ data }) => resolve(data), { name: 'ledger' });
    });
    await credence.start();
    closing.push(() => credence.stop());
    const brand = await credence.brands.create({ name: 'Acme', slug: 'acme' });
    const { user } = await credence.creators.register({ externalId: 'ada', platform: 'youtube', handle: '@Ada.L' });
    const handle = '@Кириллица';
    const { socialAccount } = await credence.creators.register({ externalId: 'ada', platform: 'youtube', handle });
    expect(socialAccount.platformUsername).toBe('кириллица');
    const { challenge } = await credence.campaigns.create({
      brandId: brand.id,
      title: 'Shorts',
      pointsReward: 50,
      challenge: { targetUrl: `https://youtube.com/shorts/${contentId}?feature=share` },
    });
    expect(challenge.canonicalUrl).toBe(`https://www.youtube.com/shorts/${contentId}`);
    const attempt = await credence.attempts.create({ challengeId: challenge.id, userId: user.id });
    const claim = { challengeId: challenge.id, attemptId: attempt.id, action: 'claim_completion' } as const;
    await credence.attempts.progress(claim);
    expect(await rewarded).toMatchObject({ platform: 'youtube', username: 'ada.l', points: 50 });
  });
});
