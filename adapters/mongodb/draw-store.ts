import type { DrawStore } from '../../core/ports/draw-store.ts';
import type { Database } from './items.ts';
import { integer, text } from './values.ts';

export function createDrawStore({ draws }: Database): DrawStore {
  return {
    async keep({ commitment, sealedSeed }) {
      await draws.insert({ _id: text(commitment), sealedSeed: text(sealedSeed), state: 'open' });
    },

    find: async (commitment) => draws.find({ _id: text(commitment) }),

    decide: async (commitment, draw) =>
      draws.update({ _id: text(commitment), state: 'open' }, { $set: { draw, state: 'drawn' } }),

    unreleased: async (limit) => draws.list({ state: 'drawn' }, { sort: { _id: 1 }, limit: integer(limit) }),

    async markReleased(commitment) {
      await draws.update({ _id: text(commitment), state: 'drawn' }, { $set: { state: 'released' } });
    },
  };
}
