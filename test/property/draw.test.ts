/** Draws: who wins follows from seed, beacon value and participants, and anybody can recompute it. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitmentTo, faultsOf, pickWinners } from '../../core/engagement/campaigns/draw.ts';
import { anyCharacter } from '../support/any-character.ts';

const hex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const ids = fc
  .uniqueArray(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 2, maxLength: 60 })
  .map((list) => list.sort((a, b) => a - b));
const beaconValue = fc.string({ unit: anyCharacter, maxLength: 80 });
const drawn = fc.record({ seed: hex, beaconValue, participants: ids });

/** As the documentation says it, with another implementation. */
function recomputed({
  seed,
  beaconValue,
  participants,
}: {
  seed: string;
  beaconValue: string;
  participants: number[];
}) {
  const scoreOf = (id: number) =>
    createHash('sha256').update(Buffer.from(seed, 'hex')).update(`${beaconValue}:${id}`, 'utf8').digest('hex');
  return [...participants].sort((a, b) => (scoreOf(a) < scoreOf(b) ? -1 : 1));
}

describe('pickWinners', () => {
  it('gives what anybody recomputes, and the first of more places are the same', () =>
    fc.assert(
      fc.asyncProperty(drawn, fc.integer({ min: 1, max: 60 }), async (draw, places) => {
        const all = recomputed(draw);
        expect(await pickWinners(draw, places)).toEqual(all.slice(0, places));
      }),
    ));

  it('lets everyone win about equally often', async () => {
    const participants = Array.from({ length: 10 }, (_, at) => 95 + at);
    const wins = new Map<number, number>();
    for (let round = 0; round < 2_000; round += 1) {
      const seed = createHash('sha256').update(String(round)).digest('hex');
      const [winner = 0] = await pickWinners({ seed, beaconValue: 'same', participants }, 1);
      wins.set(winner, (wins.get(winner) ?? 0) + 1);
    }
    const counts = participants.map((id) => wins.get(id) ?? 0);
    // Five standard deviations around 200.
    expect(Math.min(...counts)).toBeGreaterThan(133);
    expect(Math.max(...counts)).toBeLessThan(267);
  });
});

describe('faultsOf', () => {
  const proof = drawn.map((draw) => {
    const winners = recomputed(draw).slice(0, Math.ceil(draw.participants.length / 3));
    return { campaignId: 1, beacon: 'b', ...draw, commitment: commitmentTo(draw.seed), winners };
  });

  it('finds none in an honest proof', () =>
    fc.assert(
      fc.asyncProperty(proof, async (honest) => {
        expect(await faultsOf(honest)).toEqual([]);
      }),
    ));

  it('finds another seed, winner, order of winners or participant named twice', () =>
    fc.assert(
      fc.asyncProperty(proof, hex, async (honest, otherSeed) => {
        const { participants, winners, seed } = honest;
        const loser = participants.find((id) => !winners.includes(id)) ?? 0;
        fc.pre(otherSeed !== seed);
        const forged = [
          { ...honest, seed: otherSeed },
          { ...honest, commitment: otherSeed },
          { ...honest, winners: [loser, ...winners.slice(1)] },
          { ...honest, winners: [...winners, loser].reverse() },
          { ...honest, winners: [...winners, winners[0] ?? 0] },
          { ...honest, participants: [...participants, participants.at(-1) ?? 0] },
          { ...honest, participants: participants.filter((id) => id !== winners[0]) },
        ];
        for (const each of forged) expect(await faultsOf(each)).not.toEqual([]);
      }),
    ));
});
