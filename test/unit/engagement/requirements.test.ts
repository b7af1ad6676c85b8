/** Campaigns that require something of the account. */
import { describe, expect, it } from 'vitest';
import { waitingOf } from '../../../core/engagement/attempts/waiting.ts';
import type { CampaignWithChallenge } from '../../../core/engagement/campaigns/campaign.ts';
import type { AccountRequirements } from '../../../core/engagement/campaigns/terms.ts';
import { settleComments } from '../../../core/engagement/pushes/settle-comments.ts';
import { DomainError } from '../../../core/errors.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import type { PlatformProfile } from '../../../core/ports/platform.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { newSweep } from '../../contract/storage/samples.ts';
import { claimAs, worldOfEachTest } from '../../support/world-of-test.ts';

const RECHECK_MS = 13 * 60 * 60 * 1_000;

const world = worldOfEachTest();

const campaign = (requires: AccountRequirements) => world.campaign({ challenge: { requires } });

const shows = (handle: string, facts: Partial<PlatformProfile>): PlatformProfile => ({
  ...{ platform: 'instagram', handle, accountId: `id-${handle}`, secUid: null, displayName: null, bio: null },
  ...{ profilePictureUrl: null, isPrivate: null, isVerified: null },
  ...{ followerCount: null, followingCount: null, mediaCount: null, ...facts },
});

const claim = (found: CampaignWithChallenge, name: string) => claimAs(world, found, name);

it('what the platform does not tell waits, passes or fails, as the campaign says', async () => {
  world.posts.comment('ann');
  const asked = (unknown: 'wait' | 'pass' | 'fail') => campaign({ minAccountAgeDays: 30, unknown });
  const waits = await asked('wait');
  const open = await claim(waits, 'ann');
  expect(open).toMatchObject({ state: 'awaiting_claim', retryCount: 0 });
  const message = 'The platform does not tell of the account: age.';
  expect(waitingOf(open)).toMatchObject({ reason: 'ACCOUNT_UNKNOWN', message });
  expect(await claim(await asked('pass'), 'ann')).toMatchObject({ state: 'rewarded' });
  const unmet = { state: 'failed_retryable', unmetRules: ['account-age'] };
  expect(await claim(await asked('fail'), 'ann')).toMatchObject(unmet);
  expect(world.events.at(-1)?.data).toMatchObject({ reason: 'retryable', unmetRules: ['account-age'] });
  const createdAt = new Date(world.now().getTime() - 31 * 86_400_000);
  world.posts.state.profile = async (handle) => shows(handle, { createdAt });
  world.pass(RECHECK_MS);
  await world.recheckClaims();
  await world.settle();
  expect(await world.stored(open.id)).toMatchObject({ state: 'rewarded', retryCount: 0 });
});

it('a profile that cannot be read now is read later; one that nobody can read is not known', async () => {
  world.posts.comment('ann');
  await world.creator('ann');
  world.posts.state.profile = async () => {
    throw new DomainError('PLATFORM_TIMEOUT', 'Slow.');
  };
  const found = await campaign({ minFollowers: 1, unknown: 'fail' });
  const open = await claim(found, 'ann');
  expect(open).toMatchObject({ state: 'awaiting_claim' });
  expect(waitingOf(open)?.reason).toBe('PLATFORM_TIMEOUT');
  world.posts.state.profile = async () => {
    throw new DomainError('NOT_SUPPORTED', 'Nobody can.');
  };
  expect(await claim(found, 'ann')).toMatchObject({ state: 'failed_retryable', unmetRules: ['followers'] });
});

describe('a creator with several accounts', () => {
  const followers: Record<string, number> = { small: 5, big: 500 };

  /** A campaign, and a creator whose accounts have all commented, in this order. */
  async function commentedBy(handles: readonly string[]) {
    world.posts.state.profile = async (handle) => shows(handle, { followerCount: followers[handle] ?? null });
    const found = await campaign({ minFollowers: 100 });
    for (const handle of handles) {
      await world.registerCreator({ externalId: 'ext', platform: 'instagram', handle });
      world.posts.comment(handle, `by ${handle}`, world.now());
      world.pass(1_000);
    }
    return found;
  }

  it.each([
    [['small', 'big'], { state: 'rewarded', matchedComment: { commentText: 'by big' } }],
    [['small', 'shy', 'big'], { state: 'rewarded', matchedComment: { commentText: 'by big' } }],
    [['small', 'shy'], { state: 'awaiting_claim' }],
    [['shy', 'small'], { state: 'awaiting_claim' }],
    [['small'], { state: 'failed_retryable', unmetRules: ['followers'] }],
  ])('is judged by the one that is what is required: %s', async (handles, outcome) => {
    const { id: challengeId } = (await commentedBy(handles)).challenge;
    const { id } = await world.createAttempt({ challengeId, creator: { externalId: 'ext' } });
    await world.claim(challengeId, id);
    await world.settle();
    expect(await world.stored(id)).toMatchObject(outcome);
  });

  it('is rewarded by verify-and-reward for the account that is what is required', async () => {
    const { campaign, challenge } = await commentedBy(['small', 'big']);
    const comment = ({ id, username, text, createdAt }: (typeof world.posts.state.comments)[number]) => ({
      ...{ platformCommentId: id, username, commentText: text, commentedAt: createdAt },
    });
    await world.storeComments(challenge.id, ...world.posts.state.comments.map(comment));
    const expected = { matched: 1, ineligible: 0, rewards: [{ platformUsername: 'big' }] };
    expect(await world.previewRewards({ campaignId: campaign.id, limit: 9 })).toMatchObject(expected);
    expect(await world.verifyAndReward({ campaignId: campaign.id })).toMatchObject({ rewarded: 1 });
  });
});

it('verify-and-reward goes by stored profiles, and leaves out whom they do not speak for', async () => {
  const followers: Record<string, number | null> = { ann: 5, ben: 500, cat: null };
  world.posts.state.profile = async (handle) => shows(handle, { followerCount: followers[handle] ?? null });
  for (const name of ['ann', 'ben', 'cat']) {
    world.posts.comment(name);
    await world.creator(name);
  }
  const found = await campaign({ minFollowers: 100 });
  const { id: challengeId } = found.challenge;
  await world.storeComments(challengeId, ...Object.keys(followers).map((username) => ({ username })));
  const input = { campaignId: found.campaign.id };
  const reads = world.posts.state.profileReads;
  expect(await world.previewRewards({ ...input, limit: 9 })).toMatchObject({ matched: 1, ineligible: 2 });
  expect(await world.verifyAndReward(input)).toEqual({ matched: 1, verified: 1, rewarded: 1 });
  expect(world.posts.state.profileReads).toBe(reads);
  const rewarded = (await world.listResults({ ...input, page: 1, limit: 9 })).items;
  expect(rewarded.map(({ externalId }) => externalId)).toEqual(['ext-ben']);
});

it('a comment that arrives begins the claim, and does not begin it again', async () => {
  let followers = 5;
  world.posts.state.profile = async (handle) => shows(handle, { followerCount: followers });
  const found = await campaign({ minFollowers: 100 });
  const { id: challengeId } = found.challenge;
  const { id } = await world.attempt(challengeId, 'ann');
  world.posts.comment('ann');
  await world.storeComments(challengeId, { username: 'ann' });
  const { storage, platforms, now } = world;
  const relay = { handOver: async () => {} };
  const deps = { storage, platforms, random: systemRandom, relay, logger: silentLogger };
  const settle = settleComments({ ...deps, clock: { now } });
  const listed = async () => {
    const before = await storage.comments.sweep(challengeId);
    const whole = { cursor: null, status: 'swept', historyComplete: true, isWhole: true } as const;
    const lease = { lease: (before?.lease ?? 0) + 1, leasedAt: world.now() };
    await storage.comments.beginSweep(newSweep(challengeId, { ...whole, ...lease }), before);
    await settle({ challengeId }, { signal: new AbortController().signal });
    await world.settle();
    return world.stored(id);
  };
  const failed = await listed();
  expect(failed).toMatchObject({ state: 'failed_retryable', retryCount: 0, unmetRules: ['followers'] });
  followers = 100;
  world.pass(60_000);
  expect(await listed()).toEqual(failed);
  // Nobody was rewarded: the requirements may still be changed.
  await world.updateCampaign({ campaignId: found.campaign.id, changes: { requires: { minFollowers: 101 } } });
  expect(await claim(found, 'ann')).toMatchObject({ state: 'failed_retryable', retryCount: 1 });
});
