/** Whose a comment is: by the number of the account where it is known, by handle where it is not, and by neither in doubt. */
import { beforeEach, describe, expect, it } from 'vitest';
import { DomainError } from '../../../core/errors.ts';
import type { PlatformProfile } from '../../../core/ports/platform.ts';
import { linkInput, newLiker, newLikersFetch, storedLikersFetch } from '../../contract/storage/samples.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const world = worldOfEachTest({ clockTicks: true });

const comment = (username: string, authorId: string | null, text = 'hi') =>
  world.posts.comment(username, text, undefined, authorId);

/** Proves that @ada is account 5. */
const prove = (externalId = 'ext-ada', platformAccountId = '5', handle = 'ada') =>
  world.storage.creators.link(
    linkInput({ externalId, handle, ownershipProven: true, platformAccountId, now: world.now() }),
  );

const showProfile = (accountId: string) => {
  world.posts.state.profile = async (handle) => ({ handle, accountId }) as PlatformProfile;
};

async function claimOn(challengeId: number, externalId = 'ext-ada') {
  const { id } = await world.createAttempt({ challengeId, creator: { externalId } });
  await world.claim(challengeId, id);
  await world.settle();
  const attempt = await world.stored(id);
  return { ...attempt, reason: attempt.stateHistory.map(({ reason }) => reason).join('; ') };
}

const claim = async (externalId?: string) => claimOn((await world.campaign()).challenge.id, externalId);
const links = async () => (await world.storage.creators.accountsOf(1)).filter((link) => link.disconnectedAt === null);

describe('an account that is proven', () => {
  beforeEach(async () => {
    await world.registerCreator({ externalId: 'ext-ada', platform: 'instagram', handle: 'ada' });
    await prove();
  });

  it('is absent only if every comment came with a number', async () => {
    comment('ben', '7');
    comment('eve', null);
    const attempt = await claim();
    expect(attempt).toMatchObject({ state: 'awaiting_claim', retryCount: 0 });
    expect(attempt.reason).toContain("the account's number is known, and 1 comment came without numbers");
  });

  it('is paid for a comment without a number while the handle is its own', async () => {
    comment('ada', null, 'me');
    showProfile('5');
    expect(await claim()).toMatchObject({ state: 'rewarded', matchedComment: { commentText: 'me' } });
    expect(world.posts.state.profileReads).toBeGreaterThan(0);
  });

  it.each([
    ['before the proof', 'ext-ben', 'ben'],
    ['after the proof', 'ext-ada', 'ada'],
  ])('is not paid for a comment stored without a number %s, if a reading tells another', async (when, id, handle) => {
    const { challenge } = await world.campaign();
    await world.storeComments(challenge.id, { platformCommentId: '1', username: handle });
    if (when === 'before the proof') await prove(id, '8', handle);
    showProfile(when === 'before the proof' ? '8' : '5');
    comment(handle, '99');
    expect(await claimOn(challenge.id, id)).toMatchObject({ state: 'failed_retryable', matchedComment: null });
  });

  it.each([
    ['somebody else has the handle', () => showProfile('99')],
    ['nobody has the handle', () => (world.posts.state.profile = async () => null)],
    [
      'the profile cannot be read',
      () => (world.posts.state.profile = () => Promise.reject(new DomainError('PLATFORM_UNAVAILABLE', 'no'))),
    ],
  ])('waits with a comment without a number if %s', async (_why, show) => {
    comment('ada', null);
    show();
    expect(await claim()).toMatchObject({ state: 'awaiting_claim', retryCount: 0, pointsAwarded: 0 });
  });

  it('takes a comment without a number that was read before the proof, in the batch too', async () => {
    const { campaign, challenge } = await world.campaign();
    await world.storeComments(challenge.id, { username: 'ada' });
    await world.storeComments(challenge.id, { username: 'ben' });
    // The first was read when anybody may have had the handle by then, the second before it was proven to be Ben's.
    await prove('ext-ben', '8', 'ben');
    expect(await world.verifyAndReward({ campaignId: campaign.id })).toMatchObject({ matched: 1 });
  });

  describe.each(['comment', 'like'] as const)('by %s', (action) => {
    async function campaignShowing(numbers: Readonly<Record<string, string>>) {
      const made = await world.campaign({ challenge: { action } });
      const shown = Object.entries(numbers);
      await world.storeComments(made.challenge.id, ...shown.map(([username, authorId]) => ({ username, authorId })));
      const times = { requestedAt: world.now(), finishedAt: world.now() };
      const fetch = newLikersFetch(made.challenge.id, { status: 'succeeded', ...times });
      const likers = shown.map(([username, igUserId]) => newLiker({ username, igUserId }));
      await storedLikersFetch(world.storage, fetch, likers);
      return made;
    }

    it('is found by the batch under a new handle, which the link follows', async () => {
      const { campaign } = await campaignShowing({ ada: '99', 'ada.new': '5' });
      expect(await world.verifyAndReward({ campaignId: campaign.id })).toMatchObject({ rewarded: 1 });
      expect(await links()).toMatchObject([{ platformUsername: 'ada.new', platformAccountId: '5' }]);
    });

    it('is not paid for a stranger who has taken the handle, and the history says so', async () => {
      const { campaign, challenge } = await campaignShowing({ ada: '99' });
      expect(await world.verifyAndReward({ campaignId: campaign.id })).toMatchObject({ matched: 0 });
      world.posts.state.likers = ['ada'];
      const attempt = await claimOn(challenge.id);
      expect(attempt).toMatchObject({ pointsAwarded: 0, matchedComment: null });
      expect(attempt.reason).toMatch(/no match found: @ada is account \d+ there, and the link is for account 5/);
    });
  });

  it('keeps its handle if the creator has another account under the new one', async () => {
    await prove('ext-ada', '6', 'ada.new');
    comment('ada.new', '5', 'me');
    expect(await claim()).toMatchObject({ state: 'rewarded' });
    expect(
      (await links()).map(({ platformUsername, platformAccountId }) => [platformUsername, platformAccountId]),
    ).toEqual([
      ['ada', '5'],
      ['ada.new', '6'],
    ]);
    const { items } = await world.storage.audit.list({ operation: 'followHandle' }, { page: 1, limit: 9 });
    expect(items).toMatchObject([{ actor: 'verification', target: 'creator:1', outcome: 'refused' }]);
  });

  it('follows to no name that is no handle', async () => {
    comment('channel/UC5', '5');
    expect(await claim()).toMatchObject({ state: 'rewarded' });
    expect(await links()).toMatchObject([{ platformUsername: 'ada' }]);
  });

  it('is ended by its former handle, too', async () => {
    comment('ada.new', '5');
    await claim();
    const link = { externalId: 'ext-ada', platform: 'instagram', handle: 'ada' } as const;
    expect(await world.disconnectCreator(link)).toMatchObject({ platformUsername: 'ada.new' });
    expect(await links()).toEqual([]);
    await expect(world.disconnectCreator(link)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is found by its former handle', async () => {
    comment('ada.new', '5');
    const { challengeId, id } = await claim();
    for (const handle of ['ada', 'ada.new']) {
      expect(await world.findAttemptByHandle({ challengeId, handle })).toMatchObject({ id });
    }
  });
});

describe('a handle that is only asserted', () => {
  beforeEach(async () => {
    await world.registerCreator({ externalId: 'ext-ada', platform: 'instagram', handle: 'ada' });
  });

  it('remembers the account of its first match, and no other one later', async () => {
    comment('ada', '5');
    expect(await claim()).toMatchObject({ state: 'rewarded' });
    expect(await links()).toMatchObject([
      { rememberedAccountId: '5', platformAccountId: null, ownershipProven: false },
    ]);
    world.posts.state.comments = [];
    comment('ada', '99');
    expect(await claim()).toMatchObject({ state: 'failed_retryable', pointsAwarded: 0 });
    await world.refreshCreatorProfile({ userId: 1 });
    showProfile('99');
    await expect(world.refreshCreatorProfile({ userId: 1 })).rejects.toMatchObject({ code: 'PROFILE_NOT_FOUND' });
  });

  it('remembers nothing of a comment without a number', async () => {
    comment('ada', null);
    expect(await claim()).toMatchObject({ state: 'rewarded' });
    expect(await links()).toMatchObject([{ rememberedAccountId: null }]);
  });

  it('means one account also if two claims are verified at once', async () => {
    const challenges = [(await world.campaign()).challenge.id, (await world.campaign()).challenge.id];
    const attempts = await Promise.all(
      challenges.map(async (challengeId, index) => {
        const authorId = String(index + 5);
        await world.storeComments(challengeId, { username: 'ada', authorId, commentText: authorId });
        const { id } = await world.createAttempt({ challengeId, creator: { externalId: 'ext-ada' } });
        await world.claim(challengeId, id);
        return id;
      }),
    );
    const { signal } = new AbortController();
    const run = (attemptId: number) => world.verify({ attemptId }, { run: 9, signal });
    await Promise.all(attempts.map(run));
    const texts = await Promise.all(attempts.map(async (id) => (await world.stored(id)).matchedComment?.commentText));
    const [link] = await links();
    expect(texts.filter((text) => text !== undefined)).toEqual([link?.rememberedAccountId]);
  });

  it('is looked for again in the batch when another process has matched it by another account', async () => {
    const { campaign, challenge } = await world.campaign();
    const by = (username: string, authorId: string) => ({ username, authorId, commentText: authorId });
    await world.storeComments(challenge.id, by('ada', '99'), by('ada.new', '5'));
    const { rememberAccounts } = world.storage.creators;
    const { creators } = world.storage;
    let isFirst = true;
    Object.assign(creators, {
      rememberAccounts: async (seen: Parameters<typeof rememberAccounts>[0]) => {
        if (isFirst) await rememberAccounts(seen.map(({ linkId }) => ({ linkId, accountId: '5' })));
        isFirst = false;
        return rememberAccounts(seen);
      },
    });
    expect(await world.verifyAndReward({ campaignId: campaign.id })).toEqual({ matched: 1, verified: 1, rewarded: 1 });
    const attempt = await world.storage.attempts.find({ challengeId: challenge.id, userId: 1 });
    expect(attempt).toMatchObject({ state: 'rewarded', matchedComment: { commentText: '5' } });
  });
});
