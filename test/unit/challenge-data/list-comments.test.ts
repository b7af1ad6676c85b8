import { afterEach, beforeEach, expect, it } from 'vitest';
import { listComments } from '../../../core/engagement/challenge-data/read-stored.ts';
import { comment, createSweepWorld, type SweepWorld } from './support.ts';

let world: SweepWorld;
beforeEach(async () => {
  world = await createSweepWorld();
});
afterEach(() => world.storage.close());

const list = (challengeId: number, page = 1) =>
  listComments({ storage: world.storage })(challengeId, { page, limit: 2 });

it('lists what is stored, newest first, without asking the platform', async () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 9, minute));
  world.platform.pages = [[1, 2, 3].map((minute) => comment(`c${minute}`, { createdAt: at(minute) }))];
  await world.sweeper().sweep(world.challenge.id);
  world.platform.asked.length = 0;
  const { items, total } = await list(world.challenge.id);
  expect([items.map(({ platformCommentId }) => platformCommentId), total]).toEqual([['c3', 'c2'], 3]);
  expect((await list(world.challenge.id, 2)).items).toMatchObject([{ platformCommentId: 'c1', commentedAt: at(1) }]);
  expect(world.platform.asked).toEqual([]);
});

it('of a challenge without comments is empty, of an unknown one refused', async () => {
  expect(await list(world.challenge.id)).toEqual({ items: [], total: 0 });
  await expect(list(999)).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'There is no challenge 999.' });
});

it('asks for the challenge only where there is nothing', async () => {
  const comments = { ...world.storage.comments, page: async () => ({ items: [], total: 1 }) };
  const campaigns = { ...world.storage.campaigns, findByChallenge: () => Promise.reject(new Error('asked')) };
  expect(await listComments({ storage: { comments, campaigns } })(1, { page: 9, limit: 2 })).toEqual({
    items: [],
    total: 1,
  });
});
