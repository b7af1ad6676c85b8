import { describe, expect, it } from 'vitest';
import type { Page, PageRequest, Position } from '../../../core/ports/paging.ts';
import {
  allRows,
  createAttempt,
  later,
  linkInput,
  newAttempt,
  newCampaign,
  newChallenge,
  newComment,
  newDelivery,
  newLiker,
  newLikersFetch,
  newToken,
  newWebhook,
  storedChallenge,
  T0,
  unique,
} from './samples.ts';
import { prepareStage, type Stage, type StorageWorld } from './world.ts';

interface Item {
  readonly id: number;
  readonly at?: Date;
  readonly name?: string;
}

/** Fills a list with five items and returns how its pages are read. */
type MakeList = (stage: Stage) => Promise<(request: PageRequest) => Promise<Page<Item>>>;

const COUNT = 5;
const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);

const LISTS: Readonly<Record<string, MakeList>> = {
  comments: async ({ storage, other }) => {
    const challengeId = await storedChallenge(storage);
    // Some at the same time, and not in the order of their ids.
    for (const n of numbers) {
      await storage.comments.insertNew(challengeId, [newComment({ commentedAt: later((n * 5) % 3) })], T0);
    }
    return async (request) => {
      const { items, total } = await other.comments.page(challengeId, request);
      return { items: items.map(({ id, commentedAt: at }) => ({ id, at })), total };
    };
  },
  participants: async ({ storage, other }) => {
    const challengeId = await storedChallenge(storage);
    for (const n of numbers) await createAttempt(storage.attempts, newAttempt(challengeId, n), []);
    return (request) => ofAttempts(other.attempts.participants(challengeId, 'tiktok', {}, request));
  },
  'participants in a state': async ({ storage, other }) => {
    const challengeId = await storedChallenge(storage);
    for (const n of numbers) {
      await createAttempt(storage.attempts, newAttempt(challengeId, n, { state: 'target_opened' }), []);
      await createAttempt(storage.attempts, newAttempt(challengeId, n + COUNT), []);
    }
    return (request) =>
      ofAttempts(other.attempts.participants(challengeId, 'tiktok', { state: 'target_opened' }, request));
  },
  'participants among creators': async ({ storage, other }) => {
    const challengeId = await storedChallenge(storage);
    for (const n of numbers) {
      await createAttempt(storage.attempts, newAttempt(challengeId, n), []);
      await createAttempt(storage.attempts, newAttempt(challengeId, n + COUNT), []);
    }
    return (request) => ofAttempts(other.attempts.participants(challengeId, 'tiktok', { userIds: numbers }, request));
  },
  'participants, the last changed first': async ({ storage, other }) => {
    const challengeId = await storedChallenge(storage);
    for (const n of numbers) {
      await createAttempt(storage.attempts, newAttempt(challengeId, n, { updatedAt: later((n * 5) % 3) }), []);
    }
    return async (request) => {
      const sort = '-updatedAt';
      const { items, total } = await other.attempts.participants(challengeId, 'tiktok', { sort }, request);
      return { items: items.map(({ attempt: { id, updatedAt: at } }) => ({ id, at })), total };
    };
  },
  'campaigns by title': async ({ storage, other }) => {
    const brandId = 900_100 + (await other.campaigns.list({ page: 1, limit: 1 })).total;
    for (const title of ['b', 'A', 'B', 'a', 'é'])
      await storage.campaigns.create(newCampaign({ brandId, title }), newChallenge());
    return async (request) => {
      const { items, total } = await other.campaigns.list(request, { brandId, sort: 'title' });
      return { items: items.map(({ id, title: name }) => ({ id, name })), total };
    };
  },
  'attempts of a creator': async ({ storage, other }) => {
    for (const _ of numbers) {
      await createAttempt(storage.attempts, newAttempt(await storedChallenge(storage), 760_100), []);
    }
    return (request) => other.attempts.ofCreator(760_100, request);
  },
  'rewards of a creator by a brand': async ({ storage, other }) => {
    for (const _ of numbers) {
      const rewarded = { state: 'rewarded', pointsAwarded: 5, rewardedAt: T0 } as const;
      await createAttempt(storage.attempts, newAttempt(await storedChallenge(storage), 760_101), []);
      const challengeId = await storedChallenge(storage, { brandId: 760_102 });
      await createAttempt(storage.attempts, newAttempt(challengeId, 760_101, rewarded), []);
    }
    return (request) => other.attempts.ofCreator(760_101, request, { rewardedBy: { brandId: 760_102 } });
  },
  'leaderboard of a brand': async ({ storage, other }) => {
    const brandId = 760_200;
    const challengeId = await storedChallenge(storage, { brandId });
    // Two with the same points.
    for (const n of numbers) {
      await createAttempt(storage.attempts, newAttempt(challengeId, n, { pointsAwarded: 5 + ((n * 3) % 4) }), []);
    }
    return async (request) => {
      const { items, total } = await other.attempts.leaderboard(brandId, request);
      return { items: items.map(({ userId: id, points: by }) => ({ id, by })), total };
    };
  },
  likers: async ({ storage, other }) => {
    const { id } = await storage.likers.createFetch(newLikersFetch(await storedChallenge(storage)));
    await storage.likers.insertNew(
      id,
      numbers.map(() => newLiker()),
    );
    return (request) => other.likers.page(id, request);
  },
  'deliveries of a webhook': async ({ storage, other }) => {
    const { id } = await storage.webhooks.create(newWebhook(8_001));
    await storage.deliveries.createMany(numbers.map(() => newDelivery(id)));
    return (request) => other.deliveries.list(id, request);
  },
  'deliveries of a webhook with a status': async ({ storage, other }) => {
    const { id } = await storage.webhooks.create(newWebhook(8_002));
    await storage.deliveries.createMany(numbers.map(() => newDelivery(id)));
    await storage.deliveries.createMany(numbers.map(() => newDelivery(id, { status: 'failed', nextTryAt: null })));
    return (request) => other.deliveries.list(id, request, { status: 'pending' });
  },
  'deliveries of a subscriber': async ({ storage, other }) => {
    const name = unique('paged');
    await storage.subscribers.subscribe([{ subscriber: name, event: '*' }]);
    await storage.deliveries.createMany(numbers.map(() => newDelivery(name)));
    return (request) => other.deliveries.list(name, request);
  },
};

async function ofAttempts(page: Promise<Page<{ readonly attempt: Item }>>): Promise<Page<Item>> {
  const { items, total } = await page;
  return { items: items.map(({ attempt }) => attempt), total };
}

export function pagingContract(create: () => Promise<StorageWorld>): void {
  describe('pages', () => {
    const stage = prepareStage(create);

    it.each(Object.keys(LISTS))('%s: continue after an item as they do by number', async (name) => {
      const read = await (LISTS[name] as MakeList)(stage);
      const all = await read({ page: 1, limit: 100 });
      expect(all).toMatchObject({ total: COUNT, items: { length: COUNT } });
      for (const limit of [1, 3]) {
        let after: Position | undefined;
        for (let from = 0; from < COUNT; from += limit) {
          const expected = { items: all.items.slice(from, from + limit), total: COUNT };
          expect(await read({ page: from / limit + 1, limit })).toEqual(expected);
          expect(await read({ page: 1, limit, after })).toEqual(expected);
          after = expected.items.at(-1);
        }
        expect(await read({ page: 1, limit, after })).toEqual({ items: [], total: COUNT });
      }
    });

    it.each(Object.keys(LISTS))('%s: refuse what is no position', async (name) => {
      const read = await (LISTS[name] as MakeList)(stage);
      await expect(read({ page: 0, limit: 2 })).rejects.toThrow(RangeError);
      await expect(read({ page: 1, limit: 0 })).rejects.toThrow(RangeError);
      const bad = { id: { $gt: 0 }, at: { $gt: 0 }, by: { $gt: 0 } } as unknown as Position;
      await expect(read({ page: 1, limit: 2, after: bad })).rejects.toThrow();
      if (name === 'comments') await expect(read({ page: 1, limit: 2, after: { id: 1 } })).rejects.toThrow(RangeError);
    });

    it('campaigns continue after an item, which may be gone', async () => {
      const { campaigns } = stage.storage;
      const made: number[] = [];
      for (const _ of numbers) {
        const challenge = await storedChallenge(stage.storage);
        made.unshift((await campaigns.find({ challengeId: challenge }))?.campaign.id as number);
      }
      const [, second] = made as [number, number];
      await campaigns.delete(second);
      const { items } = await stage.other.campaigns.list({ page: 1, limit: 3, after: { id: second } });
      expect(items.map(({ id }) => id)).toEqual(made.slice(2, 5));
    });

    /** Lists that are read whole too. */
    const WHOLE: Readonly<Record<string, MakeList>> = {
      brands: async ({ storage, other }) => {
        for (const _ of numbers) {
          await storage.brands.create({ name: 'B', slug: unique('paged'), logoUrl: null, createdAt: T0 });
        }
        return (request) => other.brands.list(request);
      },
      tokens: async ({ storage, other }) => {
        for (const _ of numbers) await storage.tokens.create(newToken());
        return (request) => other.tokens.list({}, request);
      },
      creators: async ({ storage: { creators }, other }) => {
        const inputs = numbers.map(() => linkInput());
        for (const input of inputs) await creators.link(input);
        // Further handles of the first ones, which come before the others; and one that has ended.
        for (const input of inputs.slice(0, 2)) await creators.link({ ...input, handle: unique('second') });
        await creators.disconnect(inputs[3] ?? linkInput(), later(1));
        return async (request) => {
          const { items, total } = await other.creators.listPage(request);
          return { items: items.map((row) => ({ ...row, id: row.account.id })), total };
        };
      },
    };
    const everything: Readonly<Record<string, () => Promise<readonly object[]>>> = {
      brands: async () => (await stage.storage.brands.list()).items,
      tokens: async () => (await stage.storage.tokens.list({})).items,
      creators: async () => (await allRows(stage.storage)).map((row) => ({ ...row, id: row.account.id })),
    };

    it.each(Object.keys(WHOLE))('%s: the pages are the whole list, in its order', async (name) => {
      const read = await (WHOLE[name] as MakeList)(stage);
      const all = (await everything[name]?.()) ?? [];
      expect(all.length).toBeGreaterThanOrEqual(COUNT);
      for (const limit of [3, 100]) {
        let after: Position | undefined;
        for (let from = 0; from < all.length; from += limit) {
          const expected = { items: all.slice(from, from + limit), total: all.length };
          expect(await read({ page: from / limit + 1, limit })).toEqual(expected);
          expect(await read({ page: 1, limit, after })).toEqual(expected);
          after = { id: (expected.items.at(-1) as Item).id };
        }
        expect(await read({ page: 1, limit, after })).toEqual({ items: [], total: all.length });
      }
      await expect(read({ page: 0, limit: 2 })).rejects.toThrow(RangeError);
      const bad = { id: { $gt: 0 } } as unknown as Position;
      await expect(read({ page: 1, limit: 2, after: bad })).rejects.toThrow();
      expect((await read({ page: 1, limit: 2, after: { id: 987_654_321 } })).items).toEqual([]);
    });

    it('creators: continue after a link that has ended meanwhile', async () => {
      const { creators } = stage.storage;
      const inputs = numbers.map(() => linkInput());
      const links = [];
      for (const input of inputs) links.push(await creators.link(input));
      await creators.disconnect(inputs[1] ?? linkInput(), later(1));
      const after = { id: links[1]?.account.id ?? 0 };
      const { items } = await stage.other.creators.listPage({ page: 1, limit: 2, after });
      expect(items.map(({ account }) => account)).toEqual([links[2]?.account, links[3]?.account]);
    });
  });
}
