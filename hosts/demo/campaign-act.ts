/** The main job, through the public API only: register, claim, verify, reward, announce. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AttemptState, rulesOf } from '../../core/engagement/attempts/states.ts';
import type { ScenarioCreator, ScenarioPost } from '../platform-simulator/scenario.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

interface Data<T> {
  readonly data: T;
}

interface AttemptView {
  readonly id: number;
  readonly state: AttemptState;
  readonly pointsAwarded: number;
  readonly matchedComment: { readonly commentText: string } | null;
}

interface CommentView {
  readonly username: string;
}

interface Running {
  readonly campaignId: number;
  readonly challengeId: number;
}

const POINTS = 50;
const BATCH_CREATORS = 5;

export async function playCampaign(stage: Stage, story: Story): Promise<void> {
  const { call, scenario, receiver } = stage;
  story.act('A brand opens two campaigns');
  const brand = await story.step(
    'create the brand',
    async () =>
      (await call<Data<{ id: number }>>('POST', '/admin/brands', { name: 'Northtrail', slug: 'northtrail' })).data,
  );
  await story.step('register its webhook', async () => {
    const { data } = await call<Data<{ secret: string }>>('POST', `/admin/brands/${brand.id}/webhooks`, {
      url: receiver.url,
      events: ['creator.verified', 'reward.issued', 'verification.failed'],
    });
    receiver.secret = data.secret;
  });
  receiver.failNext = 1;
  const instagram = await openCampaign(stage, story, brand.id, scenario.instagramPost);
  const tiktok = await openCampaign(stage, story, brand.id, scenario.tiktokPost);

  story.act('Creators take part');
  const attempts = new Map<ScenarioCreator, { challengeId: number; attemptId: number }>();
  await story.step(`register ${scenario.creators.length} creators, open the post, claim`, async () => {
    for (const creator of scenario.creators) {
      const { challengeId } = creator.platform === 'instagram' ? instagram : tiktok;
      const externalId = `user-${creator.handle}`;
      await call('POST', '/social-accounts', { externalId, platform: creator.platform, handle: `@${creator.handle}` });
      const path = `/admin/challenges/${challengeId}/attempts`;
      const { data } = await call<Data<AttemptView>>('POST', path, { externalId });
      await call('PATCH', `${path}/${data.id}`, { action: 'target_opened' });
      await call('PATCH', `${path}/${data.id}`, { action: 'claim_completion' });
      attempts.set(creator, { challengeId, attemptId: data.id });
    }
  });
  const settled = await story.step('wait until every claim is decided', async () => {
    const views: [ScenarioCreator, AttemptView][] = [];
    for (const [creator, { challengeId, attemptId }] of attempts) {
      views.push([creator, await untilSettled(stage, `/admin/challenges/${challengeId}/attempts/${attemptId}`)]);
    }
    return views;
  });
  for (const [{ handle, platform, part, commentText }, view] of settled) {
    const taken = part !== 'none';
    story.expect(
      `@${handle} (${platform}, ${WORDS[part]}) is ${taken ? `rewarded ${POINTS} points` : 'told to try again'}`,
      taken
        ? view.state === 'rewarded' && view.pointsAwarded === POINTS && view.matchedComment?.commentText === commentText
        : view.state === 'failed_retryable' && view.pointsAwarded === 0,
      JSON.stringify(view),
    );
  }

  story.act('What was read from the platform');
  const { instagramPost } = scenario;
  const everything = instagramPost.comments + instagramPost.replies;
  const stored = await call<{ pagination: { total: number } }>('GET', commentsPath(instagram, 1, 1));
  story.expect(
    `all ${instagramPost.comments} comments and ${instagramPost.replies} replies are stored, each once`,
    stored.pagination.total === everything,
    `${stored.pagination.total} stored`,
  );
  const again = await story.step(
    'sweep the comments again',
    async () =>
      (
        await call<Data<{ totalFetched: number; sweepStatus: string; historyComplete: boolean }>>(
          'POST',
          `/admin/challenges/${instagram.challengeId}/comments/refresh`,
        )
      ).data,
    ({ totalFetched, sweepStatus }) => `${totalFetched} fetched, ${sweepStatus}`,
  );
  story.figure('commentsFetched', again.totalFetched);
  story.expect('the sweep reached the end of the history', again.sweepStatus === 'swept' && again.historyComplete);
  const metrics = await story.step(
    'refresh the metrics',
    async () =>
      (
        await call<Data<{ commentCount: number; likeCount: number }>>(
          'POST',
          `/admin/challenges/${instagram.challengeId}/metrics/refresh`,
        )
      ).data,
    ({ commentCount, likeCount }) => `${commentCount} comments, ${likeCount} likes`,
  );
  story.expect('the post shows as many comments as were stored', metrics.commentCount === everything);

  story.act('Batch: creators who commented before they registered');
  await story.step(`register ${BATCH_CREATORS} of the commenters`, async () => {
    const page = await call<Data<readonly CommentView[]>>('GET', commentsPath(instagram, 3, 100));
    const known = new Set(scenario.creators.map(({ handle }) => handle));
    const handles = [...new Set(page.data.map(({ username }) => username))].filter((handle) => !known.has(handle));
    for (const handle of handles.slice(0, BATCH_CREATORS)) {
      await call('POST', '/social-accounts', { externalId: `late-${handle}`, platform: 'instagram', handle });
    }
  });
  const batch = await story.step(
    'verify and reward',
    async () =>
      (
        await call<Data<{ matched: number; verified: number; rewarded: number }>>(
          'POST',
          `/admin/campaigns/${instagram.campaignId}/verify-and-reward`,
        )
      ).data,
    ({ matched, verified }) => `${matched} matched, ${verified} verified`,
  );
  story.expect(
    `the ${BATCH_CREATORS} are verified`,
    batch.matched === BATCH_CREATORS && batch.verified === BATCH_CREATORS,
    JSON.stringify(batch),
  );

  await expectEvents(stage, story, 3 + BATCH_CREATORS);

  story.act('The books');
  const summary = await untilSummary(stage, instagram.campaignId, 2 + BATCH_CREATORS);
  story.expect(
    `${2 + BATCH_CREATORS} rewards, ${POINTS * (2 + BATCH_CREATORS)} points, one claim open to another try`,
    summary.totalRewarded === 2 + BATCH_CREATORS &&
      summary.totalPointsIssued === POINTS * (2 + BATCH_CREATORS) &&
      summary.byState.failed_retryable === 1,
    JSON.stringify(summary),
  );
  const ended = (await call<Data<{ isActive: boolean }>>('POST', `/admin/campaigns/${instagram.campaignId}/end`)).data;
  story.expect('the campaign is ended', ended.isActive === false);
}

const WORDS = { comment: 'a comment', reply: 'only in a reply', none: 'no comment' } as const;

async function openCampaign(stage: Stage, story: Story, brandId: number, post: ScenarioPost): Promise<Running> {
  return story.step(
    `open a campaign on ${post.url}`,
    async () => {
      const { data } = await stage.call<Data<{ campaign: { id: number }; challenge: { id: number } }>>(
        'POST',
        '/admin/campaigns',
        {
          brandId,
          title: `Trail day on ${post.platform}`,
          pointsReward: POINTS,
          challenge: { targetUrl: post.url, instructionText: 'Tell us where you will run the new shoes.' },
        },
      );
      return { campaignId: data.campaign.id, challengeId: data.challenge.id };
    },
    () => `${post.comments} comments, ${post.replies} replies`,
  );
}

/** The receiver failed once on purpose: that event has to come again, the same message, signed as well. */
async function expectEvents(stage: Stage, story: Story, rewarded: number): Promise<void> {
  const { receiver } = stage;
  story.act('Webhooks');
  const expected = 2 * rewarded + 1;
  await story.step(`wait for ${expected} events`, async () => {
    for (let waited = 0; receiver.accepted.length < expected && waited < 15_000; waited += 50) await sleep(50);
  });
  const count = (event: string) => receiver.accepted.filter((received) => received.event === event).length;
  story.figure('eventsAccepted', receiver.accepted.length);
  story.expect(
    `${rewarded} creator.verified, ${rewarded} reward.issued, 1 verification.failed`,
    count('creator.verified') === rewarded && count('reward.issued') === rewarded && count('verification.failed') === 1,
    JSON.stringify(receiver.accepted.map(({ event }) => event)),
  );
  const everything = [...receiver.accepted, ...receiver.refused];
  story.expect(
    'every signature holds',
    everything.every(({ signatureHolds }) => signatureHolds),
  );
  story.expect(
    'the delivery that was refused once came again as the same message',
    receiver.refused.length === 1 &&
      receiver.accepted.some(({ messageId }) => messageId === receiver.refused[0]?.messageId),
  );
  story.expect('no message came twice otherwise', receiver.repeated.length === 0);
}

function commentsPath({ challengeId }: Running, page: number, limit: number): string {
  return `/admin/challenges/${challengeId}/comments?page=${page}&limit=${limit}`;
}

async function untilSettled(stage: Stage, path: string): Promise<AttemptView> {
  for (let waited = 0; ; waited += 100) {
    const { data } = await stage.call<Data<AttemptView>>('GET', path);
    if (rulesOf(data.state).awaits === null || waited > 30_000) return data;
    await sleep(100);
  }
}

interface SummaryView {
  readonly totalRewarded: number;
  readonly totalPointsIssued: number;
  readonly byState: Readonly<Record<string, number>>;
}

async function untilSummary(stage: Stage, campaignId: number, rewarded: number): Promise<SummaryView> {
  for (let waited = 0; ; waited += 100) {
    const { data } = await stage.call<Data<SummaryView>>('GET', `/admin/campaigns/${campaignId}/summary`);
    if (data.totalRewarded >= rewarded || waited > 10_000) return data;
    await sleep(100);
  }
}
