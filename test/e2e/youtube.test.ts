/** YouTube in an instance: registered when configured, and played from creation to reward against the simulated API. */

import { describe, expect, it } from 'vitest';
import { youtube } from '../../adapters/youtube/index.ts';
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { SIMULATED_YOUTUBE_KEY } from '../../hosts/platform-simulator/youtube/site.ts';
import { readEnvironment } from '../../hosts/standalone/environment.ts';
import { hostConfig } from '../../hosts/standalone/host-config.ts';
import { type Credence, createCredence, silentLogger } from '../../plugins/compose/index.ts';
import { closingAfterEach } from '../support/closing.ts';

interface Document {
  readonly components: { schemas: { Challenge: { properties: { platform: { enum: string[] } } } } };
}

const closing = closingAfterEach();

const namesOf = async ({ fetch }: Credence) => {
  const { components } = (await (await fetch(new Request('http://localhost/openapi.json'))).json()) as Document;
  return components.schemas.Challenge.properties.platform.enum;
};

describe('YouTube in an instance', () => {
  it('is unknown until a key is configured: the names stay those of the specification', async () => {
    const credence = createCredence({ storage: 'sqlite::memory:' }, { logger: silentLogger });
    expect(await namesOf(credence)).toEqual(['instagram', 'tiktok']);
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
    const { config } = await hostConfig(
      readEnvironment({ SERVICES: 'engagement', STORAGE_URL: 'sqlite::memory:', YOUTUBE_API_KEY: 'key' }),
    );
    const names = ['instagram', 'tiktok', 'youtube'];
    expect(await namesOf(createCredence(config, { logger: silentLogger }))).toEqual(names);
    const platform = youtube({ apiKey: SIMULATED_YOUTUBE_KEY, baseUrl: simulator.youtubeBaseUrl, pacing: 'off' });
    const credence = createCredence({ ...config, platforms: { extra: [platform] } }, { logger: silentLogger });
    expect(await namesOf(credence)).toEqual(names);
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
