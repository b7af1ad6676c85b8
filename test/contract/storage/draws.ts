import { describe, expect, it } from 'vitest';
import { newCampaign, newChallenge, newDraw, parallel, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function drawStoreContract(create: () => Promise<StorageWorld>): void {
  describe('draws', () => {
    const stage = prepareStage(create);
    const kept = async () => {
      const commitment = unique('commitment');
      await stage.storage.draws.keep({ commitment, sealedSeed: 'sealed' });
      return commitment;
    };

    it('are open, then drawn, then released', async () => {
      const [commitment, other] = [await kept(), await kept()];
      const draws = stage.other.draws;
      const unreleased = async () => (await draws.unreleased(1_000)).filter((one) => one.commitment === commitment);
      expect(await draws.find(commitment)).toEqual({ commitment, sealedSeed: 'sealed', state: 'open' });
      await draws.markReleased(commitment);
      expect(await draws.find(commitment)).toMatchObject({ state: 'open' });
      expect(await unreleased()).toEqual([]);
      const draw = newDraw(commitment);
      expect(await stage.storage.draws.decide(commitment, draw)).toBe(true);
      const drawn = { commitment, sealedSeed: 'sealed', state: 'drawn', draw };
      expect(await draws.find(commitment)).toEqual(drawn);
      expect(await unreleased()).toEqual([drawn]);
      await draws.markReleased(commitment);
      expect(await draws.find(commitment)).toEqual({ ...drawn, state: 'released' });
      expect(await unreleased()).toEqual([]);
      expect(await draws.decide(commitment, newDraw(commitment, { winners: [1] }))).toBe(false);
      expect(await draws.find(commitment)).toMatchObject({ state: 'released', draw });
      expect(await draws.find(other)).toMatchObject({ state: 'open' });
      expect(await draws.find('unknown')).toBeNull();
      expect(await draws.decide('unknown', draw)).toBe(false);
    });

    it('unreleased: at most so many', async () => {
      for (const commitment of [await kept(), await kept()]) {
        await stage.storage.draws.decide(commitment, newDraw(commitment));
      }
      expect(await stage.other.draws.unreleased(1)).toHaveLength(1);
    });

    it('decide: exactly one of concurrent callers', async () => {
      const commitment = await kept();
      const results = await parallel(10, (index) =>
        stage.turn(index).draws.decide(commitment, newDraw(commitment, { winners: [index + 1] })),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await stage.other.draws.find(commitment))?.draw?.winners).toEqual([results.indexOf(true) + 1]);
    });

    it('go with their campaign', async () => {
      const [commitment, other] = [await kept(), await kept()];
      const terms = { draw: { beacon: 'a round', commitment } };
      const { campaign } = await stage.storage.campaigns.create(newCampaign({ terms }), newChallenge());
      expect(await stage.other.campaigns.delete(campaign.id)).toBe('deleted');
      expect([await stage.storage.draws.find(commitment), await stage.storage.draws.find(other)]).toMatchObject([
        null,
        { state: 'open' },
      ]);
    });

    it('keep 100,000 participants', async () => {
      const commitment = await kept();
      const participants = Array.from({ length: 100_000 }, (_, index) => 2 ** 40 + index);
      const draw = newDraw(commitment, { participants, winners: participants });
      await stage.storage.draws.decide(commitment, draw);
      expect((await stage.other.draws.find(commitment))?.draw).toEqual(draw);
    });
  });
}
