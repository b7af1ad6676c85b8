import { describe, expect, it } from 'vitest';
import { attemptEvent, eligibleEvents } from '../../../core/engagement/attempts/attempt-events.ts';
import { loadAttemptFacts } from '../../../core/engagement/attempts/load-facts.ts';
import type { RewardTerms } from '../../../core/engagement/campaigns/terms.ts';
import type { CampaignOfTest } from '../../support/engagement-world.ts';
import { claimAs, worldOfEachTest } from '../../support/world-of-test.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const REVERSED = { holdDays: 7, recheckDays: 30, reverseOnRemoval: true };

const world = worldOfEachTest({ clockTicks: true });

const settle = async () => {
  await world.queueChecks();
  await world.settle();
};
const pass = async (days: number) => {
  world.pass(days * DAY_MS);
  await settle();
};
/** What can be sent again. */
const replayed = async (id: number) => {
  const attempt = await world.stored(id);
  const facts = await loadAttemptFacts(world.storage, attempt);
  return eligibleEvents(attempt).map((name) => attemptEvent(attempt, facts, name));
};
const uncomment = (handle: string) => {
  world.posts.state.comments = world.posts.state.comments.filter(({ username }) => username !== handle);
};

/** A claim of somebody whose comment is there. */
async function claimed(terms: RewardTerms, challenge: CampaignOfTest['challenge'] = {}) {
  const found = await world.campaign({ terms, challenge });
  world.posts.comment('ann', 'I love #acme');
  const { id } = await world.attempt(found.challenge.id, 'ann');
  await world.claim(found.challenge.id, id);
  await world.settle();
  return { id, found };
}

describe('a reward that waits for a comment to be kept', () => {
  it('is issued when the comment was seen again after the time, and the points are final after the last look', async () => {
    const { id } = await claimed(REVERSED);
    const { verifiedAt, checkAt, ...held } = await world.stored(id);
    expect(held).toMatchObject({ state: 'verified', held: { why: 'holding' }, pointsAwarded: 0 });
    expect(Number(checkAt)).toBe(Number(verifiedAt) + 7 * DAY_MS);
    expect(world.eventNames()).toEqual(['creator.verified']);
    const reads = world.posts.state.reads;
    await pass(6.9);
    expect(world.posts.state.reads).toBe(reads);
    await pass(0.2);
    const rewarded = await world.stored(id);
    expect(rewarded).toMatchObject({ state: 'rewarded', pointsAwarded: 50 });
    expect(rewarded.held ?? null).toBeNull();
    expect(rewarded.stateHistory.slice(-3).map(({ reason }) => reason)).toEqual([
      'reward held: holding',
      'still there after 7 days',
      'reward issued: 50 points',
    ]);
    expect(Number(rewarded.checkAt)).toBe(Number(rewarded.rewardedAt) + 30 * DAY_MS);
    await pass(31);
    expect((await world.stored(id)).checkAt ?? null).toBeNull();
    uncomment('ann');
    await pass(100);
    expect(await world.stored(id)).toMatchObject({ pointsAwarded: 50 });
    expect(world.eventNames()).toEqual(['creator.verified', 'reward.issued']);
  });

  it('waits on while nobody can tell, each time longer, and reads the post once for many', async () => {
    const { id, found } = await claimed({ holdDays: 1 });
    const ben = await world.attempt(found.challenge.id, 'ben');
    world.posts.comment('ben');
    await world.claim(found.challenge.id, ben.id);
    await world.settle();
    world.posts.state.isDown = true;
    await pass(1.1);
    const first = await world.stored(id);
    expect(Number(first.checkAt) - Number(world.now())).toBeGreaterThan(5.9 * HOUR_MS);
    expect(first).toMatchObject({ state: 'verified', held: { why: 'holding' } });
    await pass(20);
    expect(Number((await world.stored(id)).checkAt) - Number(world.now())).toBeGreaterThan(4 * DAY_MS);
    world.posts.state.isDown = false;
    // The list ends before the comments: they are neither seen nor proven to be gone.
    for (let n = 0; n < 20; n += 1) world.posts.comment(`other${n}`);
    world.posts.state.comments.reverse();
    world.posts.state.shown = 10;
    await pass(8);
    expect(await world.stored(id)).toMatchObject({ held: { why: 'holding' } });
    world.posts.state.shown = Infinity;
    const reads = world.posts.state.reads;
    await pass(8);
    expect([(await world.stored(id)).state, (await world.stored(ben.id)).state]).toEqual(['rewarded', 'rewarded']);
    expect(world.posts.state.reads - reads).toBeLessThan(4);
  });

  it('is issued by an approval after its time, while nobody can tell, and not by one before', async () => {
    const { id, found } = await claimed({ ...REVERSED, holdDays: 1 });
    const decided = { decision: 'approve', reason: 'I see it', by: 'boss' } as const;
    const approve = () => world.reviewAttempt({ challengeId: found.challenge.id, attemptId: id, ...decided });
    const until = (await world.stored(id)).checkAt?.toISOString() ?? 'a time';
    await expect(approve()).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(until) });
    expect((await world.stored(id)).review ?? null).toBeNull();
    world.posts.state.isDown = true;
    await pass(2);
    expect(await world.stored(id)).toMatchObject({ state: 'verified', held: { why: 'holding' } });
    await approve();
    await settle();
    const { rewardedAt, checkAt, ...rewarded } = await world.stored(id);
    expect(rewarded).toMatchObject({ state: 'rewarded', pointsAwarded: 50 });
    expect(Number(checkAt)).toBe(Number(rewardedAt) + 30 * DAY_MS);
  });

  it('is not issued by an approval once a reading has shown that it is gone', async () => {
    const { id, found } = await claimed({ holdDays: 1 });
    for (let n = 0; n < 5; n += 1) world.posts.comment(`other${n}`);
    uncomment('ann');
    world.pass(2 * DAY_MS);
    await claimAs(world, found, 'bob');
    const ref = { challengeId: found.challenge.id, attemptId: id };
    const approved = world.reviewAttempt({ ...ref, decision: 'approve', reason: 'I see it', by: 'boss' });
    await expect(approved).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('gone') });
  });

  it('is issued for another comment that meets the rules, and not for one that does not', async () => {
    const { id } = await claimed({ holdDays: 1 }, { rules: { hashtags: ['#acme'] } });
    for (let n = 0; n < 5; n += 1) world.posts.comment('other');
    uncomment('ann');
    world.posts.comment('dan');
    world.posts.comment('ann', 'without');
    await pass(2);
    expect((await world.stored(id)).held).toMatchObject({ why: 'gone' });
    await world.reward({ attemptId: id });
    expect(await world.stored(id)).toMatchObject({ state: 'verified', held: { why: 'gone' } });
    const other = await claimed({ holdDays: 1 }, { rules: { hashtags: ['#acme'] } });
    world.posts.state.comments = world.posts.state.comments.map((one) => ({ ...one, id: `again-${one.id}` }));
    await pass(2);
    expect((await world.stored(other.id)).state).toBe('rewarded');
  });

  it('keeps nobody from erasing the creator, and is not issued then', async () => {
    const { id } = await claimed({ holdDays: 1 });
    const { userId } = await world.stored(id);
    await world.eraseCreator({ userId });
    await world.reward({ attemptId: id });
    await pass(2);
    const erased = await world.stored(id);
    expect(erased).toMatchObject({ state: 'verified', held: { why: 'gone' }, pointsAwarded: 0 });
    expect(erased.checkAt ?? null).toBeNull();
    expect(world.eventNames()).not.toContain('reward.issued');
  });

  it('is issued though the handle was disconnected meanwhile, and at once if an admin verified', async () => {
    const { id, found } = await claimed({ holdDays: 1 });
    await world.disconnectCreator({ externalId: 'ext-ann', platform: 'instagram', handle: 'ann' });
    await pass(2);
    expect((await world.stored(id)).state).toBe('rewarded');
    const ben = await world.attempt(found.challenge.id, 'ben');
    await world.forceVerify({ challengeId: found.challenge.id, attemptId: ben.id });
    await settle();
    expect(await world.stored(ben.id)).toMatchObject({ state: 'rewarded', pointsAwarded: 50 });
  });

  it('of the batch waits as well, and a like is looked for among the likers', async () => {
    const { campaign, challenge } = await world.campaign({
      terms: { holdDays: 1 },
      challenge: { action: 'like' },
    });
    const [ann, ben] = [await world.attempt(challenge.id, 'ann'), await world.attempt(challenge.id, 'ben')];
    world.posts.state.likers = ['ann', 'cleo', 'ben'];
    for (const { id } of [ann, ben]) await world.claim(challenge.id, id);
    await world.settle();
    await world.creator('cleo');
    world.posts.state.likers = ['ann', 'cleo'];
    await world.claim(challenge.id, (await world.attempt(challenge.id, 'dan')).id);
    await world.settle();
    expect(await world.verifyAndReward({ campaignId: campaign.id })).toEqual({ matched: 1, verified: 1, rewarded: 0 });
    await settle();
    await pass(2);
    const states = async (id: number) => [(await world.stored(id)).state, (await world.stored(id)).held?.why];
    expect(await states(ann.id)).toEqual(['rewarded', undefined]);
    expect(await states(ben.id)).toEqual(['verified', 'gone']);
    expect((await world.summariseCampaign(campaign.id)).totalRewarded).toBe(2);
    expect(await replayed(ben.id)).toEqual(world.events.filter(({ data }) => data.attemptId === ben.id));
  });
});

describe('a comment that is gone after the reward', () => {
  it('takes the points back once, with an entry of its own and an event', async () => {
    const { id } = await claimed(REVERSED);
    await pass(8);
    uncomment('ann');
    await pass(31);
    await pass(31);
    const after = await world.stored(id);
    expect(after).toMatchObject({ state: 'rewarded', pointsAwarded: 0 });
    expect(after.checkAt ?? null).toBeNull();
    expect(after.entries?.map(({ points, reason }) => [points, reason])).toEqual([
      [50, 'reward'],
      [-50, 'reversal'],
    ]);
    expect(world.eventNames()).toEqual(['creator.verified', 'reward.issued', 'engagement.removed', 'reward.reversed']);
    expect(world.events.at(-1)?.data).toMatchObject({ attemptId: id, points: 50 });
    expect(await replayed(id)).toEqual(world.events);
  });

  it('is told without a reversal if the campaign says nothing of one', async () => {
    const { id } = await claimed({ recheckDays: 1 });
    expect((await world.stored(id)).state).toBe('rewarded');
    uncomment('ann');
    await pass(2);
    const told = { pointsAwarded: 50, matchedComment: { removed: { how: 'removed' } } };
    expect(await world.stored(id)).toMatchObject(told);
    expect(world.eventNames()).toEqual(['creator.verified', 'reward.issued', 'engagement.removed']);
  });
});
