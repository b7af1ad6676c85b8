import { expect, it } from 'vitest';
import type { AttemptStore } from '../../../core/ports/attempt-store.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const world = worldOfEachTest();

async function raffle(creators: number) {
  const { campaign, challenge } = await world.campaign({ terms: { draw: { beacon: 'drand round 5000000' } } });
  let verified = 0;
  const verify = async () => {
    verified += 1;
    const attempt = await world.attempt(challenge.id, `creator${verified}`);
    await world.forceVerify({ challengeId: challenge.id, attemptId: attempt.id });
    return attempt.id;
  };
  const ids: number[] = [];
  for (let n = 0; n < creators; n += 1) ids.push(await verify());
  await world.settle();
  const draw = (winners: number, beaconValue = 'abc') =>
    world.drawWinners({ campaignId: campaign.id, winners, beaconValue });
  const standings = async () => {
    const found = await Promise.all(ids.map((id) => world.stored(id)));
    return found.map(({ held, state }) => held?.why ?? state);
  };
  const commitment = campaign.terms?.draw?.commitment ?? '';
  return { campaign, challenge, commitment, ids, verify, draw, standings };
}

const paid = () => world.eventNames().filter((name) => name === 'reward.issued').length;

it('loses nothing in a crash: the sweep looks again at all who were verified', async () => {
  const { draw, ids, standings } = await raffle(4);
  const { participants } = world.storage.attempts;
  let reads = 0;
  const dying: AttemptStore['participants'] = async (...given) => {
    reads += 1;
    // After the draw itself, which read two pages.
    if (reads > 2) throw new Error('the process dies here');
    return participants(...given);
  };
  Object.assign(world.storage.attempts, { participants: dying });
  await expect(draw(3)).rejects.toThrow('dies');
  Object.assign(world.storage.attempts, { participants });
  await world.settle();
  expect(paid()).toBe(0);
  expect(await world.releaseDraws()).toBe(1);
  await world.settle();
  expect((await standings()).toSorted()).toEqual(['not-drawn', 'rewarded', 'rewarded', 'rewarded']);
  expect(ids).toHaveLength(4);
  expect([paid(), await world.releaseDraws()]).toEqual([3, 0]);
});

it('tells the first page of a large draw at once, and the sweep the others', async () => {
  const { draw, standings } = await raffle(5);
  const { participants } = world.storage.attempts;
  const byTwo: AttemptStore['participants'] = (id, platform, filter, page) =>
    participants(id, platform, filter, { ...page, limit: 2 });
  Object.assign(world.storage.attempts, { participants: byTwo });
  const waiting = async () => (await standings()).filter((one) => one === 'draw').length;
  expect((await draw(3)).participants).toHaveLength(5);
  await world.settle();
  expect(await waiting()).toBe(3);
  expect(await world.releaseDraws()).toBe(1);
  await world.settle();
  expect([await waiting(), paid(), await world.releaseDraws()]).toEqual([0, 3, 0]);
});

it('tells an attempt that is held for the draw while others draw', async () => {
  const { commitment, draw, verify } = await raffle(1);
  const late = await verify();
  const { find } = world.storage.draws;
  let isDrawn = false;
  const drawing: typeof find = async (which) => {
    const before = await find(which);
    if (!isDrawn) {
      isDrawn = true;
      const { state } = (await find(commitment)) ?? {};
      expect(state).toBe('open');
      Object.assign(world.storage.draws, { find });
      // It counts as a participant, but the release has come by before it is held.
      await draw(1);
    }
    return before;
  };
  Object.assign(world.storage.draws, { find: drawing });
  await world.reward({ attemptId: late });
  const { state, held } = await world.stored(late);
  expect(held?.why ?? state).toMatch(/not-drawn|rewarded/);
});

it('is refused before the end of a campaign that has one, unless it was ended', async () => {
  const { campaign, draw } = await raffle(2);
  const endsAt = new Date(world.now().getTime() + 1_000);
  await world.updateCampaign({ campaignId: campaign.id, changes: { endsAt } });
  const refused = { code: 'CONFLICT', message: expect.stringContaining(endsAt.toISOString()) };
  await expect(draw(1)).rejects.toMatchObject(refused);
  await world.endCampaign(campaign.id);
  expect((await draw(1)).participants).toHaveLength(2);
});

it('refuses more winners than participants, too many participants, and a campaign without a draw', async () => {
  const { draw, campaign } = await raffle(2);
  await expect(draw(3)).rejects.toMatchObject({ code: 'CONFLICT', details: { participants: 2 } });
  const page = await world.listResults({ campaignId: campaign.id, page: 1, limit: 10 });
  const [row] = page.items;
  const { participants } = world.storage.attempts;
  const endless = async () => ({ items: Array.from({ length: 1_000 }, () => row), total: 1_000 });
  Object.assign(world.storage.attempts, { participants: endless });
  await expect(draw(1)).rejects.toThrow('More than 100000 take part');
  Object.assign(world.storage.attempts, { participants });
  const plain = await world.campaign();
  const input = { campaignId: plain.campaign.id, winners: 1, beaconValue: 'abc' };
  await expect(world.drawWinners(input)).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(world.readDraw(999_999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('keeps the draw when other terms change', async () => {
  const { campaign } = await raffle(0);
  const { draw } = campaign.terms ?? {};
  const changed = await world.updateCampaign({ campaignId: campaign.id, changes: { terms: { holdDays: 2 } } });
  expect(changed.campaign.terms).toEqual({ holdDays: 2, draw });
  const none = await world.updateCampaign({ campaignId: campaign.id, changes: { terms: null } });
  expect(none.campaign.terms).toEqual({ draw });
});
