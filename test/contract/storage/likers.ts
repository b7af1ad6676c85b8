import { describe, expect, it } from 'vitest';
import type { LikersFetch } from '../../../core/engagement/challenge-data/comment.ts';
import { later, newLiker, newLikersFetch, parallel, storedChallenge } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function likerStoreContract(create: () => Promise<StorageWorld>): void {
  describe('likers', () => {
    const stage = prepareStage(create);
    it('fetches: the latest requested and the latest that succeeded', async () => {
      const { likers } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      expect(await likers.findFetch({ challengeId })).toBeNull();
      expect(await likers.findFetch({ challengeId, status: 'succeeded' })).toBeNull();
      const first = await likers.createFetch(newLikersFetch(challengeId, { requestedAt: later(1) }));
      const second = await likers.createFetch(newLikersFetch(challengeId, { requestedAt: later(2) }));
      const third = await likers.createFetch(newLikersFetch(challengeId, { requestedAt: later(2) }));
      expect(await stage.other.likers.findFetch(first.id)).toEqual(first);
      expect(await likers.findFetch(987_654)).toBeNull();
      expect(await likers.findFetch({ challengeId })).toEqual(third);
      const succeeded: LikersFetch = {
        ...second,
        status: 'succeeded',
        fetchedCount: 3,
        totalLikes: 9,
        warning: 'fewer than visible',
        startedAt: later(3),
        finishedAt: later(4),
      };
      expect(await likers.updateFetch(succeeded)).toBe(true);
      await likers.updateFetch({ ...third, status: 'failed', errorMessage: 'no session' });
      expect(await likers.findFetch({ challengeId, status: 'succeeded' })).toEqual(succeeded);
      expect(await likers.findFetch({ challengeId })).toMatchObject({
        id: third.id,
        status: 'failed',
        errorMessage: 'no session',
      });
    });

    it('fetches: the latest that was requested before a time', async () => {
      const { likers } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const at = (seconds: number, status: LikersFetch['status']) =>
        likers.createFetch(newLikersFetch(challengeId, { requestedAt: later(seconds), status }));
      const [first, second] = [await at(1, 'succeeded'), await at(2, 'failed')];
      const find = (seconds: number, which: { readonly status?: 'succeeded' } = {}) =>
        stage.other.likers.findFetch({ challengeId, requestedBefore: later(seconds), ...which });
      expect(await find(3)).toEqual(second);
      expect(await find(3, { status: 'succeeded' })).toEqual(first);
      expect(await find(2)).toEqual(first);
      expect(await find(1)).toBeNull();
    });

    it('a fetch that is over stays as it is', async () => {
      const { likers } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      for (const status of ['succeeded', 'failed'] as const) {
        const fetch = await likers.createFetch(newLikersFetch(challengeId));
        const over = { ...fetch, status, finishedAt: later(9) };
        const running = { ...fetch, status: 'running', startedAt: later(1) } as const;
        expect(await likers.updateFetch(running)).toBe(true);
        expect(await likers.updateFetch(running)).toBe(true);
        expect(await likers.updateFetch(over)).toBe(true);
        for (const late of ['queued', 'running', 'succeeded', 'failed'] as const) {
          expect(await stage.other.likers.updateFetch({ ...running, status: late, fetchedCount: 7 })).toBe(false);
        }
        expect(await likers.findFetch(fetch.id)).toEqual(over);
      }
      expect(await likers.updateFetch({ ...newLikersFetch(challengeId), id: 987_654 })).toBe(false);
    });

    it('a fetch has one end, no matter which process concludes it', async () => {
      const { likers } = stage.storage;
      const fetch = await likers.createFetch(
        newLikersFetch(await storedChallenge(stage.storage), { status: 'running' }),
      );
      const results = await parallel(8, (index) =>
        stage.turn(index).likers.updateFetch({
          ...fetch,
          status: index % 2 === 0 ? 'succeeded' : 'failed',
          fetchedCount: index,
        }),
      );
      expect(results.filter((one) => one)).toHaveLength(1);
      expect((await likers.findFetch(fetch.id))?.fetchedCount).toBe(results.indexOf(true));
    });

    it('unfinished: queued and running ones, the longest wait first', async () => {
      const { likers } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const at = (seconds: number, changes: Partial<LikersFetch> = {}) =>
        likers.createFetch(newLikersFetch(challengeId, { requestedAt: later(seconds), ...changes }));
      const [third, first, second] = [await at(-7_000), await at(-9_000, { status: 'running' }), await at(-8_000)];
      await at(-6_000);
      await at(-9_500, { status: 'succeeded' });
      await at(-9_500, { status: 'failed' });
      const ids = [first, second, third].map(({ id, requestedAt }) => ({ id, challengeId, since: requestedAt }));
      expect(await stage.other.likers.unfinished(later(-6_000), 10)).toEqual(ids);
      expect(await stage.other.likers.unfinished(later(-6_000), 2)).toEqual(ids.slice(0, 2));
      expect(await stage.other.likers.unfinished(later(-9_000), 10)).toEqual([]);
      expect(await stage.other.likers.unfinished(later(-6_000), 10, ids[0])).toEqual(ids.slice(1));
      await likers.updateFetch({ ...second, status: 'failed' });
      expect(await stage.other.likers.unfinished(later(-6_000), 10)).toEqual([ids[0], ids[2]]);
    });

    it('are inserted once by igUserId within their fetch; pages by id', async () => {
      const { likers } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const [one, two] = [
        await likers.createFetch(newLikersFetch(challengeId)),
        await likers.createFetch(newLikersFetch(challengeId)),
      ];
      const all = Array.from({ length: 40 }, () =>
        newLiker({ fullName: 'F\u0000N', isPrivate: true, isVerified: false }),
      );
      const counts = await parallel(4, (index) =>
        stage.turn(index).likers.insertNew(one.id, all.slice(index * 5, index * 5 + 25)),
      );
      expect(counts.reduce((sum, n) => sum + n, 0)).toBe(40);
      expect(await likers.insertNew(two.id, all.slice(0, 3))).toBe(3);
      expect(await likers.insertNew(two.id, [])).toBe(0);
      const pages = [];
      for (const page of [1, 2, 3]) pages.push(await stage.other.likers.page(one.id, { page, limit: 15 }));
      expect(pages.map((page) => page.items.length)).toEqual([15, 15, 10]);
      expect(pages[0]?.total).toBe(40);
      const items = pages.flatMap((page) => page.items);
      expect(items.map((item) => item.id)).toEqual(items.map((item) => item.id).sort((a, b) => a - b));
      expect(new Set(items.map((item) => item.igUserId)).size).toBe(40);
      expect(items[0]).toMatchObject({ fetchId: one.id, fullName: 'F\u0000N', isPrivate: true, isVerified: false });
    });

    it('nothing is kept for a fetch that is over', async () => {
      const { likers } = stage.storage;
      const fetch = await likers.createFetch(
        newLikersFetch(await storedChallenge(stage.storage), { status: 'running' }),
      );
      expect(await likers.insertNew(fetch.id, [newLiker()])).toBe(1);
      for (const status of ['succeeded', 'failed'] as const) {
        const late = newLikersFetch(fetch.challengeId, { status });
        const { id } = await likers.createFetch(late);
        expect(await stage.other.likers.insertNew(id, [newLiker()])).toBe(0);
        expect((await likers.page(id, { page: 1, limit: 5 })).total).toBe(0);
      }
      await likers.updateFetch({ ...fetch, status: 'succeeded' });
      expect(await stage.other.likers.insertNew(fetch.id, [newLiker()])).toBe(0);
      expect(await likers.page(fetch.id, { page: 1, limit: 5 })).toMatchObject({ total: 1, items: { length: 1 } });
    });

    it('nothing is kept for a challenge that is gone', async () => {
      const { likers } = stage.storage;
      const before = await stage.world.count('fetches');
      await expect(likers.createFetch(newLikersFetch(987_654))).rejects.toThrow('no challenge 987654');
      expect(await stage.world.count('fetches')).toBe(before);
    });

    it('nothing is kept for a fetch that is gone', async () => {
      const before = await stage.world.count('likers');
      expect(await stage.storage.likers.insertNew(987_654, [newLiker()])).toBe(0);
      expect(await stage.world.count('likers')).toBe(before);
    });

    it('among: by handle case-insensitively and by number, 1,000 at most', async () => {
      const { likers } = stage.storage;
      const fetch = await likers.createFetch(newLikersFetch(await storedChallenge(stage.storage)));
      const [alice, bob] = [newLiker({ username: 'Al.Ice', igUserId: 'Uc5' }), newLiker({ username: 'bob' })];
      await likers.insertNew(fetch.id, [alice, bob]);
      const found = await likers.among({ fetchId: fetch.id }, [
        'al.ice',
        '#Uc5',
        '#uc5',
        'alxice',
        'bob',
        'carol',
        '#bob',
        'Uc5',
      ]);
      expect([...found].map(([author, { username }]) => [author, username])).toEqual([
        ['al.ice', 'Al.Ice'],
        ['#Uc5', 'Al.Ice'],
        ['bob', 'bob'],
      ]);
      expect(found.get('bob')).toEqual({ fetchId: fetch.id, igUserId: bob.igUserId, username: 'bob' });
      expect(await likers.among({ fetchId: fetch.id }, [])).toEqual(new Map());
      expect((await likers.among({ fetchId: fetch.id }, [''])).size).toBe(0);
      await likers.insertNew(fetch.id, [newLiker({ username: '', igUserId: '9' })]);
      expect((await likers.among({ fetchId: fetch.id }, [''])).get('')).toMatchObject({ igUserId: '9' });
      const many = Array.from({ length: 1_001 }, (_, index) => `h${index}`);
      await expect(likers.among({ fetchId: fetch.id }, many)).rejects.toThrow('1000');
    });

    it('amongSince: of all fetches that succeeded and started since', async () => {
      const { likers } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const fetched = async (username: string, changes: Partial<LikersFetch>, challenge = challengeId) => {
        const over = { status: 'succeeded', requestedAt: later(0), ...changes } as const;
        const fetch = await likers.createFetch(newLikersFetch(challenge, { ...over, status: 'running' }));
        await likers.insertNew(fetch.id, [newLiker({ username })]);
        await likers.updateFetch({ ...fetch, ...over });
      };
      await fetched('Early', { startedAt: later(4) });
      await fetched('Al.Ice', { startedAt: later(5) });
      await fetched('bob', { requestedAt: later(6) });
      await fetched('bob', { startedAt: later(9) });
      await fetched('failed', { startedAt: later(6), status: 'failed' });
      await fetched('running', { startedAt: later(6), status: 'running' });
      await fetched('carol', { requestedAt: later(4) });
      await fetched('elsewhere', { startedAt: later(6) }, await storedChallenge(stage.storage));
      const handles = ['early', 'al.ice', 'bob', 'failed', 'running', 'carol', 'elsewhere'];
      const since = async (seconds: number, asked = handles) =>
        new Set((await stage.other.likers.among({ challengeId, since: later(seconds) }, asked)).keys());
      expect(await since(5)).toEqual(new Set(['al.ice', 'bob']));
      expect(await since(4)).toEqual(new Set(['early', 'al.ice', 'bob', 'carol']));
      expect(await since(10)).toEqual(new Set());
      expect(await since(0, [])).toEqual(new Set());
      await expect(since(0, Array(1_001).fill('x'))).rejects.toThrow('1000');
    });
  });
}
