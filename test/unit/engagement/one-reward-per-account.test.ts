/** An account that several creators have linked is rewarded once, on the real storages. */
import { expect, it, vi } from 'vitest';
import { eachStorage } from '../../support/storage.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

await eachStorage((kind) => {
  const world = worldOfEachTest({ on: kind });

  const asked = () => world.campaign({ challenge: { requires: { oneRewardPerAccount: true } } });
  const twin = (index: number, handle = 'ann') =>
    world.registerCreator({ externalId: `ext-${index}`, platform: 'instagram', handle });
  async function claim(challengeId: number, index: number, handle?: string) {
    const { id: userId } = (await twin(index, handle)).creator;
    const { id: attemptId } = await world.createAttempt({ challengeId, creator: { userId } });
    await world.claim(challengeId, attemptId);
    await world.settle();
    return world.getAttempt({ challengeId, attemptId });
  }

  it('of 20 creators who share a handle one is rewarded, in claims and by verify-and-reward, in races too', async () => {
    const { campaign, challenge } = await asked();
    world.posts.comment('ann', 'hi', world.now(), '77');
    world.posts.comment('ben', 'hi', world.now(), '78');
    const ids: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      const { creator } = await twin(index);
      if (index < 10)
        ids.push((await world.createAttempt({ challengeId: challenge.id, creator: { userId: creator.id } })).id);
    }
    await twin(20, 'ben');
    for (const id of ids) await world.claim(challenge.id, id);
    const verify = (attemptId: number) => world.verify({ attemptId }, { run: 1, signal: new AbortController().signal });
    await Promise.all(ids.map(verify));
    await world.verifyAndReward({ campaignId: campaign.id });
    const page = { campaignId: campaign.id, page: 1, limit: 50 };
    const all = (await world.listResults(page)).items.map(({ attempt }) => attempt.id);
    expect(all).toHaveLength(21);
    await Promise.all([...all, ...all].map((attemptId) => world.reward({ attemptId })));
    await world.settle();
    const rewarded = (await world.listResults({ ...page, state: 'rewarded' })).items;
    expect(rewarded.map(({ platformUsername }) => platformUsername).sort()).toEqual(['ann', 'ben']);
    expect((await world.listResults({ ...page, held: 'taken' })).total).toBe(19);
    expect((await world.summariseCampaign(campaign.id)).totalPointsIssued).toBe(100);
  });

  it('an account that has another handle by now is the same account', async () => {
    const { challenge } = await asked();
    world.posts.comment('ann', 'hi', world.now(), '77');
    expect(await claim(challenge.id, 1)).toMatchObject({ state: 'rewarded' });
    world.pass(60_000);
    world.posts.comment('ann.new', 'hi again', world.now(), '77');
    const second = await claim(challenge.id, 2, 'ann.new');
    expect(second).toMatchObject({ state: 'verified', held: { why: 'taken' } });
    // An approval decides again, and changes nothing of it.
    await world.reviewAttempt({
      ...{ challengeId: challenge.id, attemptId: second.id, decision: 'approve', reason: 'please', by: 'boss' },
    });
    await world.settle();
    expect(await world.stored(second.id)).toMatchObject({ state: 'verified', held: { why: 'taken' } });
  });

  it('an account that is given back while another reward is held for it is rewarded', async () => {
    const { challenge } = await asked();
    world.posts.comment('ann', 'hi', world.now(), '77');
    const first = await claim(challenge.id, 1);
    const { places, attempts } = world.storage;
    const { take } = places;
    vi.spyOn(places, 'take').mockImplementationOnce(async (place) => {
      const isTaken = await take(place);
      const entries = [{ at: world.now(), points: -50, reason: 'reversal' as const }];
      await attempts.transition(first, { ...first, entries, revision: first.revision + 1 }, []);
      await world.reward({ attemptId: first.id });
      return isTaken;
    });
    expect(await claim(challenge.id, 2)).toMatchObject({ state: 'rewarded' });
  });
});
