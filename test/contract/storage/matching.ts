import { describe, expect, it } from 'vitest';
import type { CommentBatch, MatchingProgress } from '../../../core/ports/matching-store.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import {
  later,
  linkInput,
  newCampaign,
  newChallenge,
  newComment,
  newLiker,
  newLikersFetch,
  parallel,
  storedChallenge,
  T0,
  unique,
} from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function matchingStoreContract(create: () => Promise<StorageWorld>): void {
  describe('matching', () => {
    const stage = prepareStage(create);
    const progressOf = (challengeId: number, changes: Partial<MatchingProgress> = {}): MatchingProgress => ({
      challengeId,
      rule: 'instagram/comment',
      linkedUpTo: 7,
      handlesAfter: null,
      revision: 1,
      ...changes,
    });
    const store = (challengeId: number, usernames: readonly string[], storage: Storage = stage.storage) =>
      storage.comments.insertNew(
        challengeId,
        usernames.map((username) => newComment({ username })),
        T0,
      );

    it('keeps progress by compare-and-set: one of concurrent callers wins each revision', async () => {
      const { matching } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      expect(await matching.progress(challengeId)).toBeNull();
      expect(await matching.save(progressOf(challengeId, { revision: 2 }))).toBe(false);
      for (const revision of [1, 2]) {
        const saves = await parallel(6, (index) =>
          stage
            .turn(index)
            .matching.save(progressOf(challengeId, { linkedUpTo: index, handlesAfter: 'a.b', revision })),
        );
        expect(saves.filter(Boolean)).toHaveLength(1);
        expect(await stage.other.matching.progress(challengeId)).toEqual(
          progressOf(challengeId, { linkedUpTo: saves.indexOf(true), handlesAfter: 'a.b', revision }),
        );
      }
      expect(await matching.save(progressOf(challengeId))).toBe(false);
      expect(await matching.save(progressOf(challengeId, { revision: 4 }))).toBe(false);
    });

    it('keeps nothing of a deleted challenge', async () => {
      const { storage } = stage;
      const { campaign, challenge } = await storage.campaigns.create(newCampaign(), newChallenge());
      await store(challenge.id, ['ada']);
      expect(await storage.matching.save(progressOf(challenge.id))).toBe(true);
      expect(await storage.campaigns.delete(campaign.id)).toBe('deleted');
      expect(await storage.matching.progress(challenge.id)).toBeNull();
      expect(await storage.matching.newBatches(challenge.id)).toEqual([]);
      expect(await storage.matching.save(progressOf(challenge.id))).toBe(false);
      expect(await storage.matching.progress(challenge.id)).toBeNull();
      await store(challenge.id, ['ada']);
      expect(await storage.matching.newBatches(challenge.id)).toEqual([]);
    });

    it('puts each new comment into a batch until the batch is settled, and a known one into none', async () => {
      const { matching, comments } = stage.storage;
      const [one, two] = [await storedChallenge(stage.storage), await storedChallenge(stage.storage)];
      const known = newComment({ username: '@Ada' });
      await comments.insertNew(one, [known, newComment({ username: 'bob' })], T0);
      await store(two, ['eve']);
      const first = await matching.newBatches(one);
      expect(first.map(({ isComplete }) => isComplete)).toEqual([true]);
      expect((await matching.authorsIn(one, first)).toSorted()).toEqual(['ada', 'bob']);
      expect(await matching.authorsIn(two, first)).toEqual([]);
      expect(await matching.authorsIn(one, [])).toEqual([]);

      await matching.settle(two, first);
      expect(await stage.other.matching.newBatches(one)).toEqual(first);
      await matching.settle(one, first);
      expect(await stage.other.matching.newBatches(one)).toEqual([]);
      await matching.settle(one, first);

      await comments.insertNew(one, [{ ...known, commentText: 'edited' }], T0);
      expect(await matching.newBatches(one)).toEqual([]);
      await comments.insertNew(one, [known, newComment({ username: 'cleo' })], T0);
      expect(await matching.authorsIn(one, await matching.newBatches(one))).toEqual(['cleo']);
      expect(await comments.count(one)).toBe(3);
    });

    it('has every comment of concurrent writes in a batch, and none lost by settling what was listed before', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const names = Array.from({ length: 1_000 }, (_, index) => `author${index}`);
      const all = names.map((username) => newComment({ username }));
      const seen = new Set<string>();
      const look = async () => {
        const batches = await stage.other.matching.newBatches(challengeId);
        for (const batch of batches) {
          for (const author of await stage.other.matching.authorsIn(challengeId, [batch])) seen.add(author);
        }
        const complete = batches.filter(({ isComplete }) => isComplete);
        for (let at = 0; at < complete.length; at += 1_000) {
          await stage.other.matching.settle(challengeId, complete.slice(at, at + 1_000));
        }
      };
      await Promise.all([
        parallel(3, (index) =>
          stage.turn(index).comments.insertNew(challengeId, all.slice(index * 300, index * 300 + 400), T0),
        ),
        (async () => {
          for (let looks = 0; looks < 5; looks += 1) await look();
        })(),
      ]);
      await look();
      expect([...seen].toSorted()).toEqual(names.toSorted());
      expect(await stage.storage.matching.newBatches(challengeId)).toEqual([]);
    });

    it('lists the distinct authors of a challenge in ascending order', async () => {
      const { matching } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      await store(challengeId, ['Bob', 'ada', 'bob', 'émile', 'ADA', 'ada', 'cleo']);
      await store(await storedChallenge(stage.storage), ['dora']);
      const seen: string[] = [];
      for (let page = await matching.authors(challengeId, '', 2); page.length > 0; ) {
        seen.push(...page);
        page = await matching.authors(challengeId, page.at(-1) ?? '', 2);
      }
      expect(seen).toEqual(['ada', 'bob', 'cleo', 'émile']);
    });

    it('lists the distinct likers of a fetch in ascending order', async () => {
      const { matching, likers } = stage.storage;
      const fetches = [await storedChallenge(stage.storage), await storedChallenge(stage.storage)].map((challengeId) =>
        likers.createFetch(newLikersFetch(challengeId)),
      );
      const [one, two] = await Promise.all(fetches);
      if (one === undefined || two === undefined) throw new Error('Two fetches were made.');
      await likers.insertNew(
        one.id,
        ['Bob', 'ada', 'BOB', 'cleo'].map((username) => newLiker({ username })),
      );
      await likers.insertNew(two.id, [newLiker({ username: 'dora' })]);
      const seen: string[] = [];
      for (let page = await matching.likers(one.id, '', 1); page.length > 0; ) {
        seen.push(...page);
        page = await matching.likers(one.id, page.at(-1) ?? '', 1);
      }
      const { items } = await likers.page(one.id, { page: 1, limit: 9 });
      const numbers = items.map(({ igUserId }) => `#${igUserId}`).toSorted();
      expect(seen).toEqual([...numbers, 'ada', 'bob', 'cleo']);
    });

    it('gives every link that is made, or made again, a higher number than all before', async () => {
      const { creators, matching } = stage.storage;
      const inputs = Array.from({ length: 5 }, () => linkInput({ platform: 'tiktok' }));
      const before = await matching.lastLink('tiktok');
      for (const input of inputs) await creators.link(input);
      await creators.link(linkInput({ platform: 'instagram' }));
      const handlesAfter = async (after: number) => {
        const seen: string[] = [];
        for (let page = await matching.links('tiktok', after, 2); page.length > 0; ) {
          expect(page.length).toBeLessThanOrEqual(2);
          seen.push(...page.map(({ handle }) => handle));
          page = await matching.links('tiktok', page.at(-1)?.number ?? 0, 2);
        }
        return seen;
      };
      const handles = inputs.map(({ handle }) => handle);
      expect(await handlesAfter(before)).toEqual(handles);
      const last = await stage.other.matching.lastLink('tiktok');
      expect(last).toBeGreaterThan(before);
      expect(await handlesAfter(last)).toEqual([]);

      const [first, second] = inputs;
      if (first === undefined || second === undefined) throw new Error('Five links were made.');
      await creators.link(first);
      await creators.link({ ...second, ownershipProven: true });
      expect(await handlesAfter(last)).toEqual([]);
      // By another account than before, other comments match.
      const accountId = unique('account');
      for (let times = 0; times < 2; times += 1) {
        await creators.link({ ...second, ownershipProven: true, platformAccountId: accountId });
      }
      expect(await matching.links('tiktok', last, 9)).toMatchObject([{ handle: second.handle, accountId }]);
      await creators.disconnect(second, T0);
      expect(await handlesAfter(before)).toEqual(handles.toSpliced(1, 1));
      expect(await matching.countLinks('tiktok', before, 100)).toBe(4);
      await stage.other.creators.link({ ...second, now: later(1) });
      expect(await handlesAfter(last)).toEqual([second.handle]);
      expect(await matching.lastLink('tiktok')).toBeGreaterThan(last);
      expect(await matching.countLinks('tiktok', before, 100)).toBe(5);
      expect(await matching.countLinks('tiktok', before, 3)).toBe(3);
      expect(await matching.countLinks('tiktok', await matching.lastLink('tiktok'), 3)).toBe(0);
    });

    it('never gives a number out again, also when the last link has ended', async () => {
      const { creators, matching } = stage.storage;
      const input = linkInput({ platform: 'youtube' });
      await creators.link(input);
      await creators.disconnect(input, T0);
      const last = await matching.lastLink('youtube');
      await creators.link(linkInput({ platform: 'youtube' }));
      expect(await matching.links('youtube', last, 10)).toHaveLength(1);
    });

    it('shows all links up to the last one, also when others are linked meanwhile', async () => {
      const { matching } = stage.other;
      const before = await matching.lastLink('instagram');
      const seen = new Set<number>();
      let upTo = before;
      const look = async () => {
        const last = await matching.lastLink('instagram');
        for (const { number, creatorId } of await matching.links('instagram', upTo, 1_000)) {
          if (number <= last) seen.add(creatorId);
        }
        upTo = last;
      };
      const [made] = await Promise.all([
        parallel(30, (index) => stage.turn(index).creators.link(linkInput())),
        (async () => {
          for (let looks = 0; looks < 5; looks += 1) await look();
        })(),
      ]);
      await look();
      expect([...seen].toSorted()).toEqual(made.map(({ creator }) => creator.id).toSorted());
    });

    it('finds creators by active handles, and their links', async () => {
      const { creators, matching } = stage.storage;
      const input = linkInput();
      const shared = { ...linkInput(), handle: input.handle };
      const { creator: one } = await creators.link(input);
      const second = { ...input, handle: unique('second') };
      const account = (await creators.link(second)).account;
      const { creator: two } = await creators.link(shared);
      await creators.link({ ...input, platform: 'tiktok' });
      const gone = linkInput();
      await creators.link(gone);
      await creators.disconnect(gone, T0);
      const find = (handles: readonly string[]) => matching.creatorsByAuthors('instagram', handles);
      expect((await find([input.handle, second.handle, gone.handle, unique('nobody')])).toSorted()).toEqual(
        [one.id, two.id].toSorted(),
      );
      expect(await find([])).toEqual([]);
      const links = await stage.other.matching.linksOf('instagram', [two.id, one.id, one.id, 987_654]);
      expect(links.map(({ creator, account: { platformUsername } }) => [creator.id, platformUsername])).toEqual([
        [one.id, input.handle],
        [one.id, second.handle],
        [two.id, input.handle],
      ]);
      expect(links[1]).toEqual({ creator: one, account });
    });

    it('takes 1,000 handles, creators or batches a call', async () => {
      const { matching } = stage.storage;
      const many = Array.from({ length: 1_001 }, (_, index) => index + 1);
      const batch: CommentBatch = { firstId: 1, lastId: 1, isComplete: true };
      const batches = many.map(() => batch);
      await expect(matching.creatorsByAuthors('tiktok', many.map(String))).rejects.toThrow('1000');
      await expect(matching.linksOf('tiktok', many)).rejects.toThrow('1000');
      await expect(matching.authorsIn(1, batches)).rejects.toThrow('1000');
      await expect(matching.settle(1, batches)).rejects.toThrow('1000');
    });
  });
}
