/** The same library inside a process of yours: no HTTP, no token. */
import { setTimeout as sleep } from 'node:timers/promises';
import { rulesOf } from '../../core/engagement/attempts/states.ts';
import { createCredence, silentLogger } from '../../plugins/compose/index.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

const POINTS = 10;
const MOST_POLLS = 200;

/** Plays one claim through the in-process API, on a database in memory. */
export async function playEmbedded({ scenario, env }: Stage, story: Story): Promise<void> {
  story.act('The same in your own process: credence.attempts.create(…)');
  const creator = scenario.creators.find(({ platform, part }) => platform === 'tiktok' && part === 'comment');
  if (creator === undefined) throw new Error('The scenario has no TikTok creator who commented.');
  const credence = createCredence(
    {
      storage: { url: 'sqlite::memory:' },
      secrets: { key: new Uint8Array(32) },
      services: ['engagement'],
      platforms: { pacing: 'off', tiktok: { baseUrl: env.TIKTOK_BASE_URL } },
    },
    { logger: silentLogger },
  );
  try {
    await story.step('start an instance in this process', () => credence.start());
    const attempt = await story.step('brand, campaign, creator, claim', async () => {
      const brand = await credence.brands.create({ name: 'Northtrail', slug: 'northtrail' });
      const { challenge } = await credence.campaigns.create({
        brandId: brand.id,
        title: 'Trail day',
        pointsReward: POINTS,
        challenge: { targetUrl: scenario.tiktokPost.url },
      });
      await credence.creators.register({ externalId: 'user-1', platform: 'tiktok', handle: creator.handle });
      const { id } = await credence.attempts.create({ challengeId: challenge.id, externalId: 'user-1' });
      const path = { challengeId: challenge.id, attemptId: id };
      await credence.attempts.progress({ ...path, action: 'claim_completion' });
      return path;
    });
    const rewarded = await story.step(
      'wait for the reward',
      async () => {
        for (let polls = 0; polls < MOST_POLLS; polls++) {
          const { state } = await credence.attempts.get(attempt);
          if (rulesOf(state).awaits === null) break;
          await sleep(50);
        }
        return credence.attempts.get(attempt);
      },
      ({ state, pointsAwarded }) => `${state}, ${pointsAwarded} points`,
    );
    const { state, pointsAwarded, createdAt } = rewarded;
    story.expect('the claim is rewarded in process, too', state === 'rewarded' && pointsAwarded === POINTS, state);
    story.expect('results are typed values, dates as Date', createdAt instanceof Date);
  } finally {
    await credence.stop();
  }
}
