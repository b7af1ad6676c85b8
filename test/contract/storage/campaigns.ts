import { describe, expect, it } from 'vitest';
import type { CampaignFilter, CampaignState, NewCampaign } from '../../../core/ports/campaign-store.ts';
import {
  countComments,
  createAttempt,
  endCampaignAt,
  later,
  NASTY_TEXTS,
  newAttempt,
  newCampaign,
  newChallenge,
  newComment,
  newLiker,
  newLikersFetch,
  newSweep,
  parallel,
  storedAttempt,
  storedChallenge,
  storedLikersFetch,
  T0,
  unique,
} from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function campaignStoreContract(create: () => Promise<StorageWorld>): void {
  describe('campaigns', () => {
    const stage = prepareStage(create);

    it('are stored with their challenge', async () => {
      const campaign = newCampaign({
        description: 'd',
        imageUrl: 'https://example.com/i.png',
        startsAt: T0,
        endsAt: later(9),
      });
      const challenge = newChallenge({ platform: 'tiktok', contentId: '7123456789012345678' });
      const stored = await stage.storage.campaigns.create(campaign, challenge);
      expect(stored.campaign).toEqual({ ...campaign, id: stored.campaign.id });
      expect(stored.challenge).toEqual({ ...challenge, id: stored.challenge.id, campaignId: stored.campaign.id });
      expect(await stage.other.campaigns.find(stored.campaign.id)).toEqual(stored);
      expect(await stage.other.campaigns.find({ challengeId: stored.challenge.id })).toEqual(stored);
      expect(await stage.other.campaigns.find(987_654)).toBeNull();
      expect(await stage.other.campaigns.find({ challengeId: 987_654 })).toBeNull();
    });

    it('count hidden comments if they say so', async () => {
      const { campaigns } = stage.storage;
      const stored = await campaigns.create(newCampaign(), newChallenge({ countHidden: true }));
      expect(await stage.other.campaigns.find(stored.campaign.id)).toEqual(stored);
      expect(stored.challenge.countHidden).toBe(true);
      const changed = await campaigns.update(stored.campaign, { instructionText: 'Guess the number' });
      expect(changed).toMatchObject({ challenge: { countHidden: true, instructionText: 'Guess the number' } });
    });

    it('keep who published the post', async () => {
      const { campaigns } = stage.storage;
      const stored = await campaigns.create(newCampaign(), newChallenge({ rules: { notByOwner: true } }));
      const publishedBy = [{ handle: 'acme', accountId: '1' }];
      await campaigns.update(stored.campaign, { publishedBy });
      await campaigns.fixPoints(stored.challenge.id);
      const found = await stage.other.campaigns.find(stored.campaign.id);
      expect(found).toEqual({ ...stored, challenge: { ...stored.challenge, publishedBy } });
      expect(await campaigns.update(stored.campaign, { publishedBy: [] })).toMatchObject({
        challenge: { publishedBy: [] },
      });
    });

    it('ofPost: the campaigns about one post of a platform, newest first', async () => {
      const { campaigns } = stage.storage;
      const post = { platform: 'tiktok', contentId: unique('7') };
      const first = await campaigns.create(newCampaign(), newChallenge(post));
      await campaigns.create(newCampaign(), newChallenge({ ...post, platform: 'instagram' }));
      const second = await campaigns.create(newCampaign(), newChallenge(post));
      expect(await stage.other.campaigns.ofPost(post)).toEqual([second, first]);
      expect(await campaigns.ofPost({ ...post, contentId: 'none' })).toEqual([]);
    });

    it.each(NASTY_TEXTS)('text is data: %.30j', async (nasty) => {
      const campaign = newCampaign({ title: nasty, description: nasty });
      const stored = await stage.storage.campaigns.create(campaign, newChallenge({ instructionText: nasty }));
      const found = await stage.storage.campaigns.find(stored.campaign.id);
      expect(found?.campaign).toMatchObject({ title: nasty, description: nasty });
      expect(found?.challenge.instructionText).toBe(nasty);
    });

    it('list: newest first, by pages', async () => {
      const ids: number[] = [];
      for (let n = 0; n < 5; n++)
        ids.unshift((await stage.storage.campaigns.create(newCampaign(), newChallenge())).campaign.id);
      const total = await stage.world.count('campaigns');
      const first = await stage.storage.campaigns.list({ page: 1, limit: 3 });
      const second = await stage.storage.campaigns.list({ page: 2, limit: 3 });
      expect(first.total).toBe(total);
      expect([...first.items, ...second.items].map((one) => one.id).slice(0, 5)).toEqual(ids);
      expect(await stage.storage.campaigns.list({ page: 1_000_000, limit: 100 })).toEqual({ items: [], total });
    });

    it('list: by a text in the title, in any letter case, and never as a pattern', async () => {
      const { campaigns } = stage.storage;
      const brandId = 900_011;
      const make = async (title: string) =>
        (await campaigns.create(newCampaign({ brandId, title }), newChallenge())).campaign.id;
      const first = await make('Trail (day) 100%');
      const second = await make('Another TRAIL');
      await make('Road');
      const found = async (text: string) => {
        const { items, total } = await stage.other.campaigns.list({ page: 1, limit: 9 }, { brandId, text });
        expect(total).toBe(items.length);
        return items.map(({ id }) => id);
      };
      expect(await found('trail')).toEqual([second, first]);
      expect(await found('L (DAY) 1')).toEqual([first]);
      expect(await found('100%')).toEqual([first]);
      for (const none of ['.*', '%', '_', '$', 'a|b']) expect(await found(`${none}${none}`)).toEqual([]);
      const spring = await make('Große Весна à Élancourt');
      for (const text of ['ВЕСНА', 'весна', 'À ÉLAN', 'GROẞE', 'große в']) expect(await found(text)).toEqual([spring]);
      expect(await found('elan')).toEqual([]);
    });

    it('list: by title and then by id, both ways', async () => {
      const brandId = 900_012;
      const titles = ['b', 'A', 'é', 'A', '😀', 'Aa', '～'];
      for (const title of titles) await stage.storage.campaigns.create(newCampaign({ brandId, title }), newChallenge());
      const listed = async (sort: CampaignFilter['sort']) => {
        const { items } = await stage.other.campaigns.list({ page: 1, limit: 9 }, { brandId, sort });
        return items.map(({ title }) => title);
      };
      expect(await listed('id')).toEqual(titles);
      expect(await listed('title')).toEqual(['A', 'A', 'Aa', 'b', 'é', '～', '😀']);
      expect(await listed('-title')).toEqual(['😀', '～', 'é', 'b', 'Aa', 'A', 'A']);
    });

    it('list: those in which a creator has an attempt', async () => {
      const { attempts, campaigns } = stage.storage;
      const brandId = 900_013;
      const made = await parallel(3, () => campaigns.create(newCampaign({ brandId }), newChallenge()));
      const [first, second] = made.map(({ campaign }) => campaign.id).sort((a, b) => a - b) as [number, number];
      for (const { campaign, challenge } of made) {
        if (campaign.id <= second) await createAttempt(attempts, newAttempt(challenge.id, 870_001), []);
        await createAttempt(attempts, newAttempt(challenge.id, 870_002), []);
      }
      const tried = async (attemptOf: number, filter: CampaignFilter = {}) => {
        const { items, total } = await stage.other.campaigns.list({ page: 1, limit: 9 }, { attemptOf, ...filter });
        return [total, ...items.map(({ id }) => id)];
      };
      expect(await tried(870_001)).toEqual([2, second, first]);
      expect(await tried(870_001, { sort: 'id', brandId })).toEqual([2, first, second]);
      expect(await tried(870_001, { brandId: 900_014 })).toEqual([0]);
      expect(await tried(870_003)).toEqual([0]);
      await expect(tried({ $gt: 0 } as unknown as number)).rejects.toThrow();
    });

    it('list: by state at a time and by creation, also of one brand', async () => {
      const { campaigns } = stage.storage;
      const brandId = 900_010;
      const make = async (changes: Partial<NewCampaign>) =>
        (await campaigns.create(newCampaign({ brandId, ...changes }), newChallenge())).campaign.id;
      const open = await make({ startsAt: null, endsAt: null, createdAt: T0 });
      const within = await make({ startsAt: later(0), endsAt: later(61), createdAt: later(10) });
      const soon = await make({ startsAt: later(61), endsAt: later(99), createdAt: later(20) });
      const over = await make({ startsAt: null, endsAt: later(60), createdAt: later(30) });
      const stopped = await make({ isActive: false, startsAt: later(61), endsAt: null, createdAt: later(40) });
      const never = await make({ startsAt: later(61), endsAt: later(50), createdAt: later(50) });
      const ids = async (filter: CampaignFilter) => {
        const { items, total } = await stage.other.campaigns.list({ page: 1, limit: 100 }, { brandId, ...filter });
        expect(total).toBe(items.length);
        return items.map(({ id }) => id);
      };
      const at = (name: CampaignState) => ids({ state: { name, now: later(60) } });
      expect(await at('running')).toEqual([within, open]);
      expect(await at('upcoming')).toEqual([soon]);
      expect(await at('ended')).toEqual([never, stopped, over]);
      expect(await ids({ createdFrom: later(20), createdBefore: later(40) })).toEqual([over, soon]);
      const state = { name: 'ended', now: later(60) } as const;
      expect(await ids({ state, createdBefore: later(50) })).toEqual([stopped, over]);

      // Of all brands too.
      for (const [name, others] of [
        ['running', [soon, over, stopped, never]],
        ['upcoming', [open, within, over, stopped, never]],
        ['ended', [open, within, soon]],
      ] as const) {
        const { items } = await campaigns.list({ page: 1, limit: 100 }, { state: { name, now: later(60) } });
        expect(items.filter(({ id }) => others.some((other) => other === id))).toEqual([]);
      }
    });

    it('list: of one brand, with its own total, by pages and after a position', async () => {
      const { campaigns } = stage.storage;
      const [own, other] = [900_001, 900_002];
      const ids: number[] = [];
      for (let n = 0; n < 5; n++) {
        ids.unshift((await campaigns.create(newCampaign({ brandId: own }), newChallenge())).campaign.id);
        await campaigns.create(newCampaign({ brandId: other }), newChallenge());
      }
      const first = await stage.other.campaigns.list({ page: 1, limit: 3 }, { brandId: own });
      expect(first).toMatchObject({ total: 5, items: ids.slice(0, 3).map((id) => ({ id, brandId: own })) });
      const second = await campaigns.list({ page: 2, limit: 3 }, { brandId: own });
      const after = await campaigns.list({ page: 1, limit: 3, after: { id: Number(ids[2]) } }, { brandId: own });
      expect(after).toEqual(second);
      expect(second).toMatchObject({ total: 5, items: ids.slice(3).map((id) => ({ id })) });
      expect(await campaigns.list({ page: 1, limit: 3 }, { brandId: 900_003 })).toEqual({ items: [], total: 0 });
    });

    it.each([
      ['none', null, later(100)],
      ['a later one', later(500), later(100)],
      ['an earlier one', later(50), later(50)],
    ])('end with %s as endsAt', async (_, endsAt, expected) => {
      const { campaign } = await stage.storage.campaigns.create(newCampaign({ endsAt }), newChallenge());
      const ended = await endCampaignAt(stage.storage, campaign.id, later(100));
      expect(ended).toEqual({ ...campaign, isActive: false, endsAt: expected });
      expect(await endCampaignAt(stage.storage, campaign.id, later(20))).toEqual(ended);
      expect((await stage.other.campaigns.find(campaign.id))?.campaign).toEqual(ended);
    });

    it('end: concurrent calls agree', async () => {
      const { campaign } = await stage.storage.campaigns.create(newCampaign(), newChallenge());
      const results = await parallel(10, (index) => endCampaignAt(stage.turn(index), campaign.id, later(index)));
      expect(new Set(results.map((one) => one.endsAt.getTime())).size).toBe(1);
    });

    it('update sets what is given, of campaign and challenge in one write', async () => {
      const { campaigns } = stage.storage;
      const stored = await campaigns.create(newCampaign({ description: 'd', endsAt: later(9) }), newChallenge());
      const changes = { title: 'Other', description: null, startsAt: T0, endsAt: later(99), pointsReward: 7 };
      const campaign = { ...stored.campaign, ...changes };
      const challenge = { ...stored.challenge, instructionText: 'Say hi' };
      expect(await campaigns.update(stored.campaign, { ...changes, instructionText: 'Say hi' })).toEqual({
        campaign,
        challenge,
      });
      expect(await stage.other.campaigns.find(campaign.id)).toEqual({ campaign, challenge });
      expect(await campaigns.update(campaign, { instructionText: 'Only this' })).toMatchObject({ campaign });
      expect(await campaigns.update({ ...campaign, id: 987_654 }, { title: 'x' })).toBeNull();
    });

    it('update changes nothing if points, dates or the end are others by now', async () => {
      const { campaigns } = stage.storage;
      const { campaign } = await campaigns.create(newCampaign({ endsAt: later(50) }), newChallenge());
      const others = [
        { pointsReward: campaign.pointsReward + 1 },
        { startsAt: T0 },
        { endsAt: null },
        { isActive: false },
      ];
      for (const other of others) expect(await campaigns.update({ ...campaign, ...other }, { title: 'x' })).toBeNull();
      const results = await parallel(10, (index) =>
        stage.turn(index).campaigns.update(campaign, { endsAt: later(60 + index) }),
      );
      expect(results.filter((one) => one !== null)).toHaveLength(1);
    });

    it('fixPoints keeps the points; the rest can be changed', async () => {
      const { campaigns } = stage.storage;
      const { campaign, challenge } = await campaigns.create(newCampaign(), newChallenge());
      await campaigns.fixPoints(challenge.id);
      await stage.other.campaigns.fixPoints(challenge.id);
      await campaigns.fixPoints(987_654);
      const { pointsReward } = campaign;
      expect(await stage.other.campaigns.update(campaign, { pointsReward: pointsReward + 1 })).toBe('points-fixed');
      const changed = await campaigns.update(campaign, { pointsReward, title: 'Same points' });
      expect(changed).toMatchObject({ campaign: { ...campaign, title: 'Same points' } });
    });

    it('hidden comments, rules, requirements, limits and terms come and go until fixPoints; then only the numbers of limits change', async () => {
      const { campaigns } = stage.storage;
      const plain = await campaigns.create(newCampaign(), newChallenge());
      const of = {
        limits: { maxRewards: 2 },
        terms: { holdDays: 7, review: 'all' },
        countHidden: true,
        rules: { since: 'campaign-start', words: { any: ['a'] } },
        requires: { minPosts: 1 },
      } as const;
      const { limits, terms, countHidden, rules, requires } = of;
      const full = {
        campaign: { ...plain.campaign, limits, terms },
        challenge: { ...plain.challenge, countHidden, rules, requires },
      };
      expect(await campaigns.update(plain.campaign, of)).toEqual(full);
      expect(await stage.other.campaigns.find(plain.campaign.id)).toEqual(full);
      const none = { limits: null, terms: null, countHidden: false, rules: null, requires: null };
      const challenge = { ...plain.challenge, countHidden: false };
      expect(await campaigns.update(plain.campaign, none)).toEqual({ ...plain, challenge });
      const stored = await campaigns.create(
        newCampaign({ limits, terms }),
        newChallenge({ countHidden, rules, requires }),
      );
      expect(stored).toMatchObject({ campaign: { limits, terms }, challenge: { countHidden, rules, requires } });
      await campaigns.fixPoints(stored.challenge.id);
      for (const [name, value] of Object.entries(none)) {
        expect(await stage.other.campaigns.update(stored.campaign, { [name]: value })).toBe('points-fixed');
        expect(await stage.other.campaigns.update(stored.campaign, { [name]: of[name as keyof typeof of] })).toEqual(
          stored,
        );
      }
      const more = { limits: { maxRewards: 3, pointsBudget: 9 } };
      expect(await campaigns.update(stored.campaign, more)).toEqual({
        ...stored,
        campaign: { ...stored.campaign, ...more },
      });
    });

    it('fixPoints against other points: what is read after it stays', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { campaign, challenge } = await stage.storage.campaigns.create(newCampaign(), newChallenge());
        const read = async () => {
          await stage.storage.campaigns.fixPoints(challenge.id);
          return (await stage.storage.campaigns.find(campaign.id))?.campaign.pointsReward;
        };
        const change = stage.other.campaigns.update(campaign, { pointsReward: 999 });
        const [points] = await Promise.all([read(), change]);
        expect((await stage.other.campaigns.find(campaign.id))?.campaign.pointsReward).toBe(points);
      }
    });

    it('delete removes all that hangs on the challenge, and nothing else', async () => {
      const { storage, world } = stage;
      const kinds = ['campaigns', 'challenges', 'comments', 'sweeps', 'metrics', 'fetches', 'likers'] as const;
      const counts = () => Promise.all(kinds.map((kind) => world.count(kind)));
      const fill = async () => {
        const { campaign, challenge } = await storage.campaigns.create(newCampaign(), newChallenge());
        await storage.comments.insertNew(
          challenge.id,
          Array.from({ length: 300 }, () => newComment()),
          T0,
        );
        await storage.comments.saveSweep(newSweep(challenge.id));
        await storage.metrics.add({
          challengeId: challenge.id,
          likeCount: 1,
          commentCount: 1,
          shareCount: 1,
          viewCount: null,
          thumbnailUrl: null,
          fetchedAt: T0,
        });
        await storedLikersFetch(storage, newLikersFetch(challenge.id, { status: 'succeeded' }), [newLiker()]);
        return { campaign, challenge };
      };
      const kept = await fill();
      const before = await counts();
      const { campaign, challenge } = await fill();
      expect(await counts()).not.toEqual(before);
      expect(await stage.other.campaigns.delete(campaign.id)).toBe('deleted');
      expect(await counts()).toEqual(before);
      expect(await storage.campaigns.find(campaign.id)).toBeNull();
      expect(await storage.campaigns.find({ challengeId: challenge.id })).toBeNull();
      expect(await storage.campaigns.delete(campaign.id)).toBe('not-found');
      expect(await countComments(storage.comments, kept.challenge.id)).toBe(300);
    });

    it('what arrives for a deleted challenge is not kept', async () => {
      const { storage, world } = stage;
      const { campaign, challenge } = await storage.campaigns.create(newCampaign(), newChallenge());
      await storage.campaigns.delete(campaign.id);
      const before = await Promise.all([world.count('comments'), world.count('metrics'), world.count('sweeps')]);
      expect(await storage.comments.insertNew(challenge.id, [newComment()], T0)).toBe(0);
      const nothing = { likeCount: null, commentCount: null, shareCount: null, viewCount: null, thumbnailUrl: null };
      await storage.metrics.add({ challengeId: challenge.id, ...nothing, fetchedAt: T0 });
      await storage.comments.saveSweep(newSweep(challenge.id));
      expect(await Promise.all([world.count('comments'), world.count('metrics'), world.count('sweeps')])).toEqual(
        before,
      );
      expect(await createAttempt(storage.attempts, newAttempt(challenge.id, 1), [])).toEqual({
        kind: 'challenge-gone',
      });
    });

    it('delete refuses a campaign with an attempt; concurrent deletes succeed once', async () => {
      const { campaign, challenge } = await stage.storage.campaigns.create(newCampaign(), newChallenge());
      await storedAttempt(stage.storage, challenge.id, 7);
      expect(await stage.other.campaigns.delete(campaign.id)).toBe('has-attempts');
      expect((await stage.other.campaigns.find(campaign.id))?.challenge.id).toBe(challenge.id);

      const free = await stage.storage.campaigns.create(newCampaign(), newChallenge());
      const results = await parallel(10, (index) => stage.turn(index).campaigns.delete(free.campaign.id));
      expect(results.filter((one) => one === 'deleted')).toHaveLength(1);
      expect(results.filter((one) => one === 'not-found')).toHaveLength(9);
    });

    it('ids of deleted campaigns and challenges are not given out again', async () => {
      const { campaign, challenge } = await stage.storage.campaigns.create(newCampaign(), newChallenge());
      await stage.storage.campaigns.delete(campaign.id);
      const next = await stage.storage.campaigns.create(newCampaign(), newChallenge());
      expect(next.campaign.id).toBeGreaterThan(campaign.id);
      expect(next.challenge.id).toBeGreaterThan(challenge.id);
    });

    it('delete against concurrent creates of attempts: exactly one side wins, every time', async () => {
      for (let round = 0; round < 6; round++) {
        const challengeId = await storedChallenge(stage.storage);
        const campaignId = (await stage.storage.campaigns.find({ challengeId }))?.campaign.id ?? 0;
        const before = await stage.world.count('attempts');
        const creates = () =>
          parallel(3, (index) => createAttempt(stage.turn(index).attempts, newAttempt(challengeId, index + 1), []));
        const remove = () => stage.other.campaigns.delete(campaignId);
        const [deletion, results] =
          round % 2 === 0
            ? await Promise.all([remove(), creates()])
            : await Promise.all([creates(), remove()]).then(([created, removed]) => [removed, created] as const);
        const created = results.filter((one) => one.kind === 'created').length;
        if (deletion === 'deleted') {
          expect(results.map((one) => one.kind)).toEqual(['challenge-gone', 'challenge-gone', 'challenge-gone']);
        } else {
          expect(deletion).toBe('has-attempts');
          expect(created).toBe(3);
        }
        expect(await stage.world.count('attempts')).toBe(before + created);
        expect((await stage.storage.campaigns.find(campaignId)) === null).toBe(deletion === 'deleted');
      }
    });
  });
}
