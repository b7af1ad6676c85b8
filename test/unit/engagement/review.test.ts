/** Rewards that a person decides about. */
import { expect, it } from 'vitest';
import type { Review } from '../../../core/engagement/attempts/attempt.ts';
import type { RewardTerms } from '../../../core/engagement/campaigns/terms.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const world = worldOfEachTest();

async function verified(terms: RewardTerms, name = 'ann') {
  const { challenge, campaign } = await world.campaign({ terms });
  world.posts.comment(name, 'hi', new Date(world.now().getTime() + 3_600_000));
  const { id } = await world.attempt(challenge.id, name);
  await world.claim(challenge.id, id);
  await world.settle();
  const now = async () => {
    await world.settle();
    return world.getAttempt({ challengeId: challenge.id, attemptId: id });
  };
  const review = (decision: Review['decision']) =>
    world.reviewAttempt({
      challengeId: challenge.id,
      attemptId: id,
      decision,
      reason: `they ${decision}`,
      by: 'boss',
    });
  return { now, review, campaignId: campaign.id };
}

it('waits for the approval, and may be refused and approved after all; a repeated approval pays once', async () => {
  const { now, review } = await verified({ review: 'all' });
  expect(await now()).toMatchObject({ state: 'verified', held: { why: 'review' }, pointsAwarded: 0 });
  await review('refuse');
  expect(await now()).toMatchObject({ state: 'verified', held: { why: 'refused' } });
  await review('hold');
  expect(await now()).toMatchObject({ held: { why: 'review' }, review: { decision: 'hold', by: 'boss' } });
  await Promise.all([review('approve'), review('approve')]);
  const paid = await now();
  expect(paid).toMatchObject({ state: 'rewarded', pointsAwarded: 50, review: { decision: 'approve' } });
  expect(world.eventNames()).toEqual(['creator.verified', 'reward.issued']);
  await expect(review('refuse')).rejects.toMatchObject({ code: 'CONFLICT' });
  await world.eraseCreator({ userId: paid.userId });
  expect(JSON.stringify(await world.stored(paid.id))).not.toContain('they ');
});

it('of a refusal and an approval at once, one comes last, and nobody is paid after a refusal', async () => {
  const { now, review } = await verified({ review: 'all' });
  await Promise.allSettled([review('refuse'), review('approve'), review('refuse'), review('approve')]);
  const { state, review: last } = await now();
  const isPaid = last?.decision === 'approve';
  expect([state, last?.decision]).toEqual(isPaid ? ['rewarded', 'approve'] : ['verified', 'refuse']);
});

it('with signals: only what may be worth a look waits', async () => {
  const plain = await verified({ review: 'signals' });
  expect(await plain.now()).toMatchObject({ state: 'rewarded' });
  await world.registerCreator({ externalId: 'ext-twin', platform: 'instagram', handle: 'ben' });
  const odd = await verified({ review: 'signals' }, 'ben');
  expect(await odd.now()).toMatchObject({ state: 'verified', held: { why: 'review' }, signals: ['shared-account'] });
  const list = { campaignId: odd.campaignId, page: 1, limit: 9 };
  expect((await world.listResults({ ...list, held: 'review' })).total).toBe(1);
  expect((await world.listResults({ ...list, held: 'refused' })).total).toBe(0);
});
