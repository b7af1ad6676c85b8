/** The main job, through the public API only: register, claim, verify, reward, announce. */
import { setTimeout as sleep } from 'node:timers/promises';
import { rulesOf } from '../../core/engagement/attempts/states.ts';
import type { ScenarioCreator, ScenarioPost } from '../platform-simulator/scenario.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

interface Running {
  readonly campaignId: number;
  readonly challengeId: number;
}

const POINTS = 50;
const BATCH_CREATORS = 5;
const WORDS = { comment: 'a comment', reply: 'only in a reply', none: 'no comment' } as const;

export async function playCampaign(stage: Stage, story: Story): Promise<void> {
  const { client, scenario, receiver } = stage;
  story.act('A brand opens two campaigns');
  const { id: brandId } = await story.step('create the brand', () =>
    client.brands.create({ name: 'Northtrail', slug: 'northtrail' }),
  );
  await story.step('register its webhook', async () => {
    const events = ['creator.verified', 'reward.issued', 'verification.failed'] as const;
    const { secret } = await client.webhooks.create({ brandId, url: receiver.url, events });
    receiver.secret = secret;
  });
  receiver.failNext = 1;
  const instagram = await openCampaign(stage, story, brandId, scenario.instagramPost);
  const tiktok = await openCampaign(stage, story, brandId, scenario.tiktokPost);

  await claimAll(stage, story, { instagram, tiktok });
  await readEverything(stage, story, instagram);
  await rewardBatch(stage, story, instagram);
  await expectEvents(stage, story, 3 + BATCH_CREATORS);

  story.act('The books');
  const { isActive } = await client.campaigns.end({ id: instagram.campaignId });
  story.expect('the campaign is ended', isActive === false);
}

async function openCampaign(stage: Stage, story: Story, brandId: number, post: ScenarioPost): Promise<Running> {
  const campaign = {
    brandId,
    title: `Trail day on ${post.platform}`,
    pointsReward: POINTS,
    challenge: { targetUrl: post.url, instructionText: 'Tell us where you will run the new shoes.' },
  };
  const created = await story.step(
    `open a campaign on ${post.url}`,
    () => stage.client.campaigns.create(campaign),
    () => `${post.comments} comments, ${post.replies} replies`,
  );
  return { campaignId: created.campaign.id, challengeId: created.challenge.id };
}

async function claimAll(
  { client, scenario }: Stage,
  story: Story,
  running: Readonly<Record<string, Running>>,
): Promise<void> {
  story.act('Creators take part');
  const attempts: { creator: ScenarioCreator; attempt: { challengeId: number; attemptId: number } }[] = [];
  await story.step(`register ${scenario.creators.length} creators, open the post, claim`, async () => {
    for (const creator of scenario.creators) {
      const { platform, handle } = creator;
      const externalId = `user-${handle}`;
      await client.creators.register({ externalId, platform, handle: `@${handle}` });
      const challengeId = running[platform]?.challengeId ?? 0;
      const { id: attemptId } = await client.attempts.create({ challengeId, externalId });
      const attempt = { challengeId, attemptId };
      await client.attempts.progress({ ...attempt, action: 'target_opened' });
      await client.attempts.progress({ ...attempt, action: 'claim_completion' });
      attempts.push({ creator, attempt });
    }
  });
  for (const { creator, attempt } of attempts) {
    let view = await client.attempts.get(attempt);
    for (let waited = 0; rulesOf(view.state).awaits !== null && waited < 30_000; waited += 100) {
      await sleep(100);
      view = await client.attempts.get(attempt);
    }
    const taken = creator.part !== 'none';
    story.expect(
      `@${creator.handle} (${creator.platform}, ${WORDS[creator.part]}) is ${taken ? `rewarded ${POINTS} points` : 'told to try again'}`,
      taken ? view.state === 'rewarded' && view.pointsAwarded === POINTS : view.state === 'failed_retryable',
      JSON.stringify(view),
    );
  }
}

async function readEverything(stage: Stage, story: Story, { challengeId }: Running): Promise<void> {
  story.act('What was read from the platform');
  const { comments, replies } = stage.scenario.instagramPost;
  const { pagination } = await stage.client.challenges.listComments({ challengeId, limit: 1 });
  story.expect(
    `all ${comments} comments and ${replies} replies are stored, each once`,
    pagination.total === comments + replies,
    `${pagination.total} stored`,
  );
  await story.step(
    'sweep the comments again',
    () => stage.client.challenges.refreshComments({ challengeId }),
    ({ totalFetched }) => `${totalFetched} fetched`,
  );
}

async function rewardBatch(
  { client, scenario }: Stage,
  story: Story,
  { campaignId, challengeId }: Running,
): Promise<void> {
  story.act('Batch: creators who commented before they registered');
  await story.step(`register ${BATCH_CREATORS} of the commenters`, async () => {
    const { data } = await client.challenges.listComments({ challengeId, page: 3, limit: 100 });
    const known = new Set(scenario.creators.map(({ handle }) => handle));
    const handles = [...new Set(data.map(({ username }) => username))].filter((handle) => !known.has(handle));
    for (const handle of handles.slice(0, BATCH_CREATORS)) {
      await client.creators.register({ externalId: `late-${handle}`, platform: 'instagram', handle });
    }
  });
  const done = await story.step('verify and reward', () => client.campaigns.verifyAndReward({ id: campaignId }));
  story.expect(`the ${BATCH_CREATORS} are verified`, done.verified === BATCH_CREATORS, JSON.stringify(done));
}

/** The receiver failed once on purpose: that event has to come again, the same message, signed as well. */
async function expectEvents({ receiver }: Stage, story: Story, rewarded: number): Promise<void> {
  story.act('Webhooks');
  const { accepted, refused } = receiver;
  const expected = 2 * rewarded + 1;
  await story.step(`wait for ${expected} events`, async () => {
    for (let waited = 0; accepted.length < expected && waited < 15_000; waited += 50) await sleep(50);
  });
  const count = (event: string) => accepted.filter((received) => received.event === event).length;
  story.expect(
    `${rewarded} creator.verified, ${rewarded} reward.issued, 1 verification.failed`,
    count('creator.verified') === rewarded && count('reward.issued') === rewarded && count('verification.failed') === 1,
    JSON.stringify(accepted.map(({ event }) => event)),
  );
  story.expect('every signature holds', receiver.forged === 0);
  story.expect(
    'the delivery that was refused once came again as the same message',
    refused.length === 1 && accepted.some(({ messageId }) => messageId === refused[0]?.messageId),
  );
}
