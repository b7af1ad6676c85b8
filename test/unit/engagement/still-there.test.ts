/** Rewards that had to wait are not issued for comments and likes that are gone by then. */
import { describe, expect, it } from 'vitest';
import type { CampaignOfTest } from '../../support/engagement-world.ts';
import { claimAs, worldOfEachTest } from '../../support/world-of-test.ts';

const TIKTOK = { targetUrl: 'https://www.tiktok.com/@ada/video/7300000000000000001' };
const DAY_MS = 24 * 60 * 60 * 1_000;

describe('a reward that had to wait', () => {
  const world = worldOfEachTest();

  const leave = (name: string) => {
    const { state } = world.posts;
    state.comments = state.comments.filter(({ username }) => username !== name);
    state.likers = state.likers.filter((liker) => liker !== name);
  };
  async function claimed(campaign: CampaignOfTest, names: readonly string[]) {
    const found = await world.campaign(campaign);
    const { id: challengeId } = found.challenge;
    const claim = async (name: string) => {
      world.posts.state.likers.push(name);
      world.posts.comment(name);
      return claimAs(world, found, name);
    };
    const ids = new Map<string, number>();
    for (const name of names) ids.set(name, (await claim(name)).id);
    const find = async (name: string) => world.stored(ids.get(name) ?? 0);
    const standing = async (name: string) => ((one) => one.held?.why ?? one.state)(await find(name));
    const raise = async (maxRewards: number) => {
      await world.updateCampaign({ campaignId: found.campaign.id, changes: { limits: { maxRewards } } });
      await world.settle();
    };
    return { found, challengeId, claim, find, standing, raise };
  }

  it.each(['comment', 'like'] as const)('goes to those who kept the %s when there is room again', async (action) => {
    const one = { limits: { maxRewards: 1 }, challenge: { action } };
    const { claim, find, standing, raise } = await claimed(one, ['ann', 'ben', 'cid']);
    leave('ben');
    // Reads the post once more.
    await claim('dan');
    expect(await standing('ben')).toBe('limit');
    await raise(2);
    expect([await standing('ben'), await standing('cid')]).toEqual(['gone', 'rewarded']);
    expect(await find('ben')).toMatchObject({ pointsAwarded: 0, removedAt: expect.any(Date) });
    expect(world.eventNames().filter((name) => name === 'engagement.removed')).toHaveLength(1);
    expect(world.eventNames().filter((name) => name === 'reward.issued')).toHaveLength(2);
  });

  it('is paid if no reading proves the absence, and for another comment', async () => {
    const { claim, standing, raise } = await claimed({ limits: { maxRewards: 1 } }, ['ann', 'ben', 'cid']);
    leave('ben');
    await raise(2);
    expect(await standing('ben')).toBe('rewarded');
    leave('cid');
    world.posts.comment('cid', 'once more');
    world.posts.state.comments = world.posts.state.comments.map((one, at) => ({ ...one, id: `later-${at}` }));
    await claim('dan');
    await raise(3);
    expect(await standing('cid')).toBe('rewarded');
  });

  it('is paid for a reply where readings show a few of them only', async () => {
    for (const name of ['ann', 'ben', 'cid']) await world.creator(name, 'tiktok');
    const { found, claim, raise } = await claimed({ limits: { maxRewards: 1 }, challenge: TIKTOK }, ['ann']);
    world.posts.comment('ben');
    const { state } = world.posts;
    state.comments = state.comments.map((one) => (one.username === 'ben' ? { ...one, parentId: '1' } : one));
    const { id } = await claimAs(world, found, 'ben');
    leave('ben');
    await claim('cid');
    await raise(2);
    expect(await world.stored(id)).toMatchObject({ state: 'rewarded' });
  });

  it('waits for nobody whose comment was hidden, unless it was shown again', async () => {
    const { challengeId, find, standing, raise } = await claimed({ limits: { maxRewards: 1 } }, ['ann', 'ben', 'cid']);
    let at = world.now();
    const tell = async (name: string, withheld: 'hidden' | null) => {
      const { platformCommentId = '' } = (await find(name)).matchedComment ?? {};
      await world.storage.comments.withhold(challengeId, [{ platformCommentId, withheld, at }]);
    };
    for (const name of ['ben', 'cid']) {
      const before = await find(name);
      const removed = { at, how: 'hidden' as const };
      const matchedComment = before.matchedComment && { ...before.matchedComment, removed };
      await world.storage.attempts.transition(before, { ...before, matchedComment, revision: before.revision + 1 }, []);
      await tell(name, 'hidden');
    }
    at = new Date(at.getTime() + 1);
    await tell('cid', null);
    await raise(3);
    expect([await standing('ben'), await standing('cid')]).toEqual(['gone', 'rewarded']);
    expect((await find('ben')).stateHistory.at(-1)?.reason).toBe('hidden before the reward');
  });

  it('is not issued after an approval, and the lot falls on those who are there', async () => {
    const { challengeId, claim, find, standing } = await claimed({ terms: { review: 'all' } }, ['ann', 'ben']);
    leave('ben');
    await claim('dan');
    for (const name of ['ann', 'ben']) {
      const { id: attemptId } = await find(name);
      await world.reviewAttempt({ challengeId, attemptId, decision: 'approve', reason: 'fine', by: 'boss' });
    }
    await world.settle();
    expect([await standing('ann'), await standing('ben')]).toEqual(['rewarded', 'gone']);

    const raffle = await claimed({ terms: { draw: { beacon: 'round 5' } } }, ['eve', 'fay', 'gus']);
    leave('fay');
    await raffle.claim('hal');
    const input = { campaignId: raffle.found.campaign.id, beaconValue: 'abc' };
    await expect(world.drawWinners({ ...input, winners: 4 })).rejects.toMatchObject({ code: 'CONFLICT' });
    await world.drawWinners({ ...input, winners: 3 });
    await world.settle();
    const names = ['eve', 'fay', 'gus'];
    expect(await Promise.all(names.map(raffle.standing))).toEqual(['rewarded', 'not-drawn', 'rewarded']);
  });

  it('goes to another creator with the same account when its points were taken back', async () => {
    const { challengeId, find, standing } = await claimed(
      {
        terms: { recheckDays: 1, reverseOnRemoval: true },
        challenge: { requires: { oneRewardPerAccount: true } },
      },
      ['ann'],
    );
    const { creator } = await world.registerCreator({ externalId: 'twin', platform: 'instagram', handle: 'ann' });
    const { id: attemptId } = await world.createAttempt({ challengeId, creator: { userId: creator.id } });
    await world.forceVerify({ challengeId, attemptId });
    await world.settle();
    expect(await world.getAttempt({ challengeId, attemptId })).toMatchObject({ held: { why: 'taken' } });
    leave('ann');
    world.pass(2 * DAY_MS);
    await world.queueChecks();
    await world.settle();
    expect([await standing('ann'), (await find('ann')).pointsAwarded]).toEqual(['rewarded', 0]);
    expect(await world.getAttempt({ challengeId, attemptId })).toMatchObject({
      state: 'rewarded',
      pointsAwarded: 50,
    });
  });
});
