import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignWithChallenge } from '../../../core/engagement/campaigns/campaign.ts';
import type { RewardTerms } from '../../../core/engagement/campaigns/terms.ts';
import { settleComments } from '../../../core/engagement/pushes/settle-comments.ts';
import { takeChanges } from '../../../core/engagement/pushes/take-changes.ts';
import type {
  OfficialAccount,
  OfficialAccounts,
  OfficialApi,
  OfficialPost,
  PushedChange,
} from '../../../core/ports/official-api.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { newSweep } from '../../contract/storage/samples.ts';
import { claimAs, worldOfEachTest } from '../../support/world-of-test.ts';

const ACCOUNT = 'account-1';
const world = worldOfEachTest();
let found: CampaignWithChallenge;
let take: (...changes: readonly Partial<PushedChange>[]) => Promise<void>;
let known: OfficialPost | null;
let settle: () => Promise<void>;
let readAgain: () => Promise<unknown>;
let handles: Record<string, string>;
/** As if the owner’s list had been read to its end at this moment. */
let listWhole: (totalFetched?: number) => Promise<void>;

beforeEach(async () => {
  found = await world.campaign();
  handles = {};
  known = null;
  readAgain = async () => {};
  const { storage, platforms, logger } = world;
  const connected: OfficialAccount[] = [
    { connectionId: 1, brandId: found.campaign.brandId, accountId: ACCOUNT, handle: 'acme', accessToken: 'secret' },
  ];
  const accounts: OfficialAccounts = {
    of: async (_platform, brandId) => connected.filter((one) => one.brandId === brandId),
    byAccountId: async (_platform, accountId) => connected.find((one) => one.accountId === accountId) ?? null,
    refused: async () => {},
    findPost: async () => known,
    rememberPosts: async () => {},
  };
  const contentIdOf = async (_account: OfficialAccount, apiId: string) =>
    apiId === 'media-1' ? found.challenge.contentId : null;
  // Sound: no more of it is asked here.
  const api = { platform: 'instagram', contentIdOf } as unknown as OfficialApi;
  world.posts.instagram.getProfile = async (handle) =>
    ({ platform: 'instagram', handle, accountId: handles[handle] ?? 'nobody' }) as never;
  const clock = { now: world.now };
  const relay = { handOver: async () => {} };
  const signal = new AbortController().signal;
  const deps = { storage, platforms, clock, random: systemRandom, relay, logger };
  const changes = takeChanges({ ...deps, accounts, api, readAgain: () => readAgain(), signal });
  take = (...some) => changes(some.map((one) => changeOf(one)));
  settle = () => settleComments(deps)({ challengeId: found.challenge.id }, { signal });
  listWhole = async (totalFetched = 0) => {
    const now = world.now();
    const whole = { cursor: null, status: 'swept', historyComplete: true, isWhole: true } as const;
    const at = { leasedAt: now, startedAt: now, updatedAt: now };
    await storage.comments.beginSweep(newSweep(found.challenge.id, { ...whole, ...at, totalFetched }), null);
    await settle();
  };
});

function changeOf(change: Partial<PushedChange>): PushedChange {
  const { handle = '', scopedAuthorId = handle === '' ? null : `app-1/${handle}` } = change;
  const place = { accountId: ACCOUNT, postApiId: 'media-1', commentId: `c-${handle}`, parentId: null };
  return { ...place, action: 'added', at: world.now(), text: `by ${handle}`, ...change, handle, scopedAuthorId };
}

describe('a pushed comment', () => {
  it('is not paid to a later holder of the handle', async () => {
    const by = (id: string) => ({ handle: 'ann', commentId: id, scopedAuthorId: `app-1/${id}`, text: id });
    await take(by('5'));
    world.pass(1_000);
    const { id, userId } = await world.attempt(found.challenge.id, 'ann');
    await settle();
    await listWhole();
    expect(await world.stateOf(id)).toBe('created');
    await take(by('9'));
    const rewarded = { state: 'rewarded', matchedComment: { commentText: '9' } };
    expect(await world.stored(id)).toMatchObject(rewarded);
    expect(await world.storage.creators.accountsOf(userId)).toMatchObject([{ scopedAccountId: 'app-1/9' }]);
  });

  it('verifies and rewards the open attempt of its author, without a claim and without reading the post', async () => {
    const attempt = await world.attempt(found.challenge.id, 'ann');
    await take({ handle: 'ann' });
    const stored = await world.stored(attempt.id);
    const matchedComment = { commentText: 'by ann', platformCommentId: 'c-ann' };
    expect(stored).toMatchObject({ pointsAwarded: 50, retryCount: 0, revision: 1, matchedComment });
    const path = ['created', 'verification_pending', 'verified', 'rewarded'];
    expect(stored.stateHistory.map(({ state }) => state)).toEqual(path);
    await world.settle();
    expect(world.eventNames()).toEqual(['creator.verified', 'reward.issued']);
    expect(world.posts.state.reads).toBe(0);
    // Twice, and in several pushes of one moment: nothing more.
    await Promise.all([take({ handle: 'ann' }), take({ handle: 'ann', commentId: 'c-2' })]);
    await world.settle();
    expect(world.eventNames()).toHaveLength(2);
  });

  it('counts if it meets the rules, and if somebody else has not written the same', async () => {
    const rules = { mentions: 1, ownText: true, topLevelOnly: true } as const;
    await world.updateCampaign({ campaignId: found.campaign.id, changes: { rules } });
    const [ann, ben] = [await world.attempt(found.challenge.id, 'ann'), await world.attempt(found.challenge.id, 'ben')];
    await take({ handle: 'ann', text: 'hello' }, { handle: 'ann', commentId: 'c-2', text: '@eve', parentId: 'c-1' });
    expect(await world.stateOf(ann.id)).toBe('created');
    await take({ handle: 'ann', commentId: 'c-3', text: 'hi @eve!' });
    expect(await world.stateOf(ann.id)).toBe('rewarded');
    world.pass(1_000);
    await take({ handle: 'ben', text: 'Hi, @Eve' });
    expect(await world.stateOf(ben.id)).toBe('created');
    await take({ handle: 'ben', commentId: 'c-4', text: 'hi @fay' });
    expect(await world.stateOf(ben.id)).toBe('rewarded');
    // The post, for those who published it.
    expect(world.posts.state.reads).toBe(1);
  });

  it('decides a claim that was left undecided, and one that is being checked', async () => {
    const { id: challengeId } = found.challenge;
    world.posts.state.isDown = true;
    const ann = await world.attempt(challengeId, 'ann');
    await world.claim(challengeId, ann.id);
    await world.settle();
    expect(await world.stateOf(ann.id)).toBe('awaiting_claim');
    const ben = await world.attempt(challengeId, 'ben');
    await world.claim(challengeId, ben.id);
    await take({ handle: 'ann' }, { handle: 'ben' });
    expect([await world.stateOf(ann.id), await world.stateOf(ben.id)]).toEqual(['rewarded', 'rewarded']);
    await world.settle();
    expect(world.eventNames().filter((name) => name === 'reward.issued')).toHaveLength(2);
  });

  it('counts for nobody else: other accounts, other posts, ended campaigns, failed attempts', async () => {
    const ann = await world.attempt(found.challenge.id, 'ann');
    await take({ handle: 'ann', accountId: 'another' }, { handle: 'ann', postApiId: 'media-2' }, { handle: 'annie' });
    expect(await world.stateOf(ann.id)).toBe('created');
    await world.endCampaign(found.campaign.id);
    await take({ handle: 'ann' });
    expect(await world.stateOf(ann.id)).toBe('created');
  });

  it('that does not say whose post it is counts for the account that the post was read for', async () => {
    const ann = await world.attempt(found.challenge.id, 'ann');
    const { contentId } = found.challenge;
    const unnamed = { handle: 'ann', accountId: null, postApiId: contentId };
    await take(unnamed);
    known = { contentId, apiId: contentId, accountId: 'another' };
    await take(unnamed);
    expect(await world.stateOf(ann.id)).toBe('created');
    known = { ...known, accountId: ACCOUNT };
    await take(unnamed);
    expect(await world.stateOf(ann.id)).toBe('rewarded');
  });

  it('is not taken for the account’s if somebody else has its handle by now', async () => {
    const { creator, account } = await world.storage.creators.link({
      externalId: 'ext-ann',
      email: 'a@example.com',
      displayName: null,
      platform: 'instagram',
      handle: 'ann',
      profileData: {},
      ownershipProven: true,
      platformAccountId: '77',
      now: world.now(),
    });
    const attempt = await world.createAttempt({ challengeId: found.challenge.id, creator: { userId: creator.id } });
    world.pass(1_000);
    handles.ann = '66';
    await take({ handle: 'ann', scopedAuthorId: 'app-1/stranger', commentId: 'c-1' });
    expect(await world.stateOf(attempt.id)).toBe('created');
    handles.ann = '77';
    await take({ handle: 'ann', scopedAuthorId: 'app-1/owner', commentId: 'c-2', text: 'mine' });
    const paid = { state: 'rewarded', matchedComment: { commentText: 'mine' } };
    expect(await world.stored(attempt.id)).toMatchObject(paid);
    const [link] = await world.storage.creators.accountsOf(account.creatorId);
    expect(link).toMatchObject({ scopedAccountId: 'app-1/owner', platformAccountId: '77' });
  });

  it('of an author that is named by id only is decided on once a list tells the handle', async () => {
    const attempt = await world.attempt(found.challenge.id, 'ann');
    const author = { scopedAuthorId: 'app-1/9', commentId: 'c-9' };
    const told = { username: 'Ann', scopedAuthorId: 'app-1/9', platformCommentId: 'c-9' };
    readAgain = () => world.storeComments(found.challenge.id, told);
    await take({ ...author, text: '' });
    await expect.poll(() => world.stateOf(attempt.id)).toBe('rewarded');
    // From then on the id is enough.
    const again = await world.campaign({ title: 'Another' });
    expect(again.challenge.contentId).toBe(found.challenge.contentId);
  });
});

describe('a comment that is deleted or hidden', () => {
  it('is announced once for the attempt that it verified, and the reward stays', async () => {
    const attempt = await world.attempt(found.challenge.id, 'ann');
    await take({ handle: 'ann' });
    world.pass(5_000);
    const removed = { handle: 'ann', action: 'removed' } as const;
    await take(removed);
    await take(removed, { ...removed, action: 'hidden' });
    await world.settle();
    expect(world.eventNames()).toEqual(['creator.verified', 'reward.issued', 'engagement.removed']);
    const what = { removal: 'removed', commentText: 'by ann' };
    expect(world.events.at(-1)?.data).toMatchObject({ attemptId: attempt.id, ...what });
    expect(await world.stored(attempt.id)).toMatchObject({
      state: 'rewarded',
      pointsAwarded: 50,
      matchedComment: { removed: { how: 'removed', at: world.now() } },
    });
  });

  it('ends a reward that waits for it, and takes points back; another comment that counts saves both', async () => {
    const { brandId } = found.campaign;
    const terms = { holdDays: 7, recheckDays: 7, reverseOnRemoval: true };
    found = await world.campaign({ brandId, terms });
    const of = async (name: string) => (await world.attempt(found.challenge.id, name)).id;
    const [ann, ben, cleo] = [await of('ann'), await of('ben'), await of('cleo')];
    await take({ handle: 'ann' }, { handle: 'ben' }, { handle: 'cleo' }, { handle: 'cleo', commentId: 'c-2' });
    await world.settle();
    expect((await world.stored(cleo)).held).toMatchObject({ why: 'holding' });
    await take({ handle: 'ann', action: 'removed' }, { handle: 'cleo', action: 'removed' });
    expect(await world.stored(ann)).toMatchObject({ held: { why: 'gone' }, removedAt: world.now() });
    expect(await world.stored(cleo)).toMatchObject({ held: { why: 'holding' }, checkAt: world.now() });
    const seen = async () => {
      const other = { username: 'cleo', platformCommentId: 'c-2' };
      await world.storeComments(found.challenge.id, { username: 'ben', platformCommentId: 'c-ben' }, other);
      await world.queueChecks();
      await world.settle();
    };
    await seen();
    const end = (await world.stored(ben)).checkAt;
    expect((await world.stored(cleo)).checkAt).toEqual(end);
    world.pass(7 * 24 * 60 * 60_000);
    await seen();
    expect([await world.stateOf(ben), await world.stateOf(cleo)]).toEqual(['rewarded', 'rewarded']);
    await take({ handle: 'ben', action: 'removed' });
    await world.settle();
    expect(await world.stored(ben)).toMatchObject({ pointsAwarded: 0, entries: [{ points: 50 }, { points: -50 }] });
    expect(world.eventNames().slice(-2)).toEqual(['engagement.removed', 'reward.reversed']);
  });

  it('gets no reward if it is told while the reward waits for its turn', async () => {
    found = await world.campaign({ brandId: found.campaign.brandId, limits: { maxRewards: 10 } });
    const attempt = await world.attempt(found.challenge.id, 'ann');
    await take({ handle: 'ann' });
    expect(await world.stateOf(attempt.id)).toBe('verified');
    await take({ handle: 'ann', action: 'removed' });
    await world.settle();
    expect(await world.stored(attempt.id)).toMatchObject({ held: { why: 'gone' }, pointsAwarded: 0 });
    expect(world.eventNames()).toEqual(['creator.verified', 'engagement.removed']);
  });

  it('takes points back, also if the handle was disconnected meanwhile', async () => {
    found = await world.campaign({ brandId: found.campaign.brandId, terms: { reverseOnRemoval: true } });
    const attempt = await world.attempt(found.challenge.id, 'ann');
    await take({ handle: 'ann' });
    await world.settle();
    await world.disconnectCreator({ externalId: 'ext-ann', platform: 'instagram', handle: 'ann' });
    await take({ handle: 'ann', action: 'removed' });
    expect(await world.stored(attempt.id)).toMatchObject({ state: 'rewarded', pointsAwarded: 0 });
    await world.settle();
    expect(world.eventNames().slice(-2)).toEqual(['engagement.removed', 'reward.reversed']);
  });

  describe('and may be shown again', () => {
    const hours = async (count: number) => {
      world.pass(count * 60 * 60_000);
      await world.queueChecks();
      await world.settle();
    };
    /** Attempts whose comments were pushed, and are on the post. */
    async function pushed(terms: RewardTerms) {
      const { brandId } = found.campaign;
      found = await world.campaign({ brandId, terms });
      const ids: number[] = [];
      for (const handle of ['ann', 'ben']) {
        ids.push((await world.attempt(found.challenge.id, handle)).id);
        world.posts.comment(handle);
      }
      world.posts.state.comments = world.posts.state.comments.map((one) => ({ ...one, id: `c-${one.username}` }));
      await take({ handle: 'ann' }, { handle: 'ben' });
      await hours(1);
      return ids as [number, number];
    }

    it('takes points back after some hours only, and at once if it is deleted then', async () => {
      const [ann, ben] = await pushed({ reverseOnRemoval: true });
      const handles = ['ann', 'ben'] as const;
      for (const handle of handles) await take({ handle, action: 'hidden' });
      await hours(1);
      await take({ handle: 'ann', action: 'shown' });
      await hours(6);
      expect([(await world.stored(ann)).pointsAwarded, (await world.stored(ben)).pointsAwarded]).toEqual([50, 0]);
      const { stateHistory } = await world.stored(ben);
      expect(stateHistory.at(-1)?.reason).toBe('hidden after the reward: 50 points taken back');
      const { checkAt, matchedComment } = await world.stored(ann);
      expect([checkAt ?? null, matchedComment?.removed]).toEqual([null, undefined]);
      await take({ handle: 'ann', action: 'hidden' });
      expect((await world.stored(ann)).pointsAwarded).toBe(50);
      world.pass(60_000);
      await take({ handle: 'ann', action: 'removed' });
      await world.settle();
      expect((await world.stored(ann)).pointsAwarded).toBe(0);
      expect(world.eventNames().filter((name) => name === 'reward.reversed')).toHaveLength(2);
    });

    it('is judged at the end of a hold, and a person may approve it when it is shown later', async () => {
      const [ann, ben] = await pushed({ holdDays: 7 });
      for (const handle of ['ann', 'ben']) await take({ handle, action: 'hidden' });
      await hours(1);
      await take({ handle: 'ann', action: 'shown' });
      await hours(7 * 24);
      expect([(await world.stored(ann)).state, (await world.stored(ben)).held?.why]).toEqual(['rewarded', 'gone']);
      const attempt = { challengeId: found.challenge.id, attemptId: ben };
      const approve = () => world.reviewAttempt({ ...attempt, decision: 'approve', reason: 'it is back', by: 'boss' });
      await expect(approve()).rejects.toMatchObject({ code: 'CONFLICT' });
      await take({ handle: 'ben', action: 'shown' });
      await approve();
      await world.settle();
      await hours(0);
      expect(await world.stored(ben)).toMatchObject({ state: 'rewarded', pointsAwarded: 50 });
      expect((await world.stored(ben)).matchedComment).not.toHaveProperty('removed');
    });

    it('is approved if readings have missed it, once one shows it', async () => {
      const [ann] = await pushed({ holdDays: 7 });
      const { state } = world.posts;
      const shown = state.comments;
      state.comments = shown.slice(1);
      for (const count of [7 * 24, 7, 7]) await hours(count);
      expect((await world.stored(ann)).held?.why).toBe('gone');
      const attempt = { challengeId: found.challenge.id, attemptId: ann };
      const approve = () => world.reviewAttempt({ ...attempt, decision: 'approve', reason: 'it is back', by: 'boss' });
      await expect(approve()).rejects.toMatchObject({ code: 'CONFLICT' });
      state.comments = shown;
      await claimAs(world, found, 'cleo');
      await approve();
      await world.settle();
      await hours(0);
      expect(await world.stored(ann)).toMatchObject({ state: 'rewarded', pointsAwarded: 50 });
    });
  });

  it('decides nothing, also if the news of it comes first', async () => {
    const attempt = await world.attempt(found.challenge.id, 'ann');
    await take({ handle: 'ann', action: 'removed', at: new Date(world.now().getTime() + 1_000) });
    await take({ handle: 'ann' });
    expect(await world.stateOf(attempt.id)).toBe('created');
    await take({ handle: 'ann', action: 'hidden', commentId: 'c-5' }, { handle: 'ann', commentId: 'c-5' });
    expect(await world.stateOf(attempt.id)).toBe('created');
  });
});

describe('a campaign that counts hidden comments', () => {
  it('rewards them, pushed or listed, and tells only of deletions', async () => {
    const { brandId } = found.campaign;
    found = await world.campaign({ brandId, challenge: { countHidden: true } });
    const { id: challengeId } = found.challenge;
    const [ann, ben] = [await world.attempt(challengeId, 'ann'), await world.attempt(challengeId, 'ben')];
    const at = new Date(world.now().getTime() + 1_000);
    await take({ handle: 'ann' }, { handle: 'ann', action: 'hidden', at });
    const comment = { username: 'ben', scopedAuthorId: 'app-1/ben', platformCommentId: 'c-ben' };
    await world.storeComments(challengeId, { ...comment, isHidden: true });
    await listWhole();
    expect([await world.stateOf(ann.id), await world.stateOf(ben.id)]).toEqual(['rewarded', 'rewarded']);
    await world.settle();
    expect(world.eventNames()).not.toContain('engagement.removed');
    await take({ handle: 'ben', action: 'removed', at: new Date(at.getTime() + 1_000) });
    await world.settle();
    expect(world.events.at(-1)).toMatchObject({ event: 'engagement.removed', data: { attemptId: ben.id } });
  });
});

/** Handles of many authors, of whom those at some places have an attempt that their comment has verified. */
async function manyRewarded(count: number, places: readonly number[]) {
  const handles = Array.from({ length: count }, (_, index) => `fan${index}`);
  const attempts = [];
  for (const place of places) attempts.push(await world.attempt(found.challenge.id, handles[place] ?? ''));
  await take(...handles.map((handle) => ({ handle })));
  expect(await Promise.all(attempts.map(({ id }) => world.stateOf(id)))).toEqual(places.map(() => 'rewarded'));
  return { handles, removed: () => world.eventNames().filter((name) => name === 'engagement.removed').length };
}

describe('many deletions', () => {
  it('are all announced if they come in one push', async () => {
    const places = [0, 499, 500, 799];
    const { handles, removed } = await manyRewarded(800, places);
    world.pass(1_000);
    await take(...handles.map((handle) => ({ handle, action: 'removed' as const })));
    await world.settle();
    expect(removed()).toBe(places.length);
  });

  it('are all announced if one list tells of them', async () => {
    const places = [0, 999, 1_000, 1_999, 2_000, 2_499];
    const { removed } = await manyRewarded(2_500, places);
    world.pass(20 * 60_000);
    await listWhole(2_500);
    await world.settle();
    expect(removed()).toBe(places.length);
  });
});

describe('a whole list', () => {
  it('makes good what pushes have lost: comments, and deletions that no platform pushes', async () => {
    const { id: challengeId } = found.challenge;
    const [ann, ben] = [await world.attempt(challengeId, 'ann'), await world.attempt(challengeId, 'ben')];
    await take({ handle: 'ann' });
    world.pass(20 * 60_000);
    const comment = { username: 'ben', scopedAuthorId: 'app-1/ben', platformCommentId: 'c-ben' };
    await world.storeComments(challengeId, comment);
    await listWhole();
    await settle();
    expect([await world.stateOf(ann.id), await world.stateOf(ben.id)]).toEqual(['rewarded', 'rewarded']);
    await world.settle();
    expect(world.eventNames().toSorted()).toEqual([
      'creator.verified',
      'creator.verified',
      'engagement.removed',
      'reward.issued',
      'reward.issued',
    ]);
    expect((await world.stored(ben.id)).matchedComment).not.toHaveProperty('removed');
  });

  it('takes nothing back for a reply where lists show a few of them only', async () => {
    const tiktok = 'https://www.tiktok.com/@ada/video/7300000000000000001';
    found = await world.campaign({ challenge: { targetUrl: tiktok } });
    const { id: challengeId } = found.challenge;
    await world.creator('ann', 'tiktok');
    const { id } = await world.attempt(challengeId, 'ann');
    await world.storeComments(challengeId, { username: 'ann', scopedAuthorId: 'app-1/ann', isReply: true });
    world.pass(20 * 60_000);
    await listWhole();
    expect(await world.stateOf(id)).toBe('rewarded');
  });
});
