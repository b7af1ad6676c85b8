/** Erasing a creator: what becomes of attempts, and of the comments that somebody else could be paid for. */
import { describe, expect, it } from 'vitest';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const world = worldOfEachTest({ clockTicks: true });

async function claim(challengeId: number, externalId: string) {
  const { id } = await world.createAttempt({ challengeId, creator: { externalId } });
  await world.claim(challengeId, id);
  await world.settle();
  return world.stored(id);
}

const register = (externalId: string) =>
  world.registerCreator({ externalId, platform: 'instagram', handle: 'ada', displayName: 'Ada' });

describe('a handle whose holder was erased', () => {
  it.each([null, '5'])('is free, and its next holder is paid for own comments only (number %s)', async (number) => {
    world.posts.comment('ada', 'from before', undefined, number);
    const { challenge } = await world.campaign();
    const { creator } = await register('ext-ada');
    const before = await claim(challenge.id, 'ext-ada');
    expect(before).toMatchObject({ state: 'rewarded', pointsAwarded: 50 });
    await world.eraseCreator({ userId: creator.id });
    expect(await world.stored(before.id)).toMatchObject({
      state: 'rewarded',
      pointsAwarded: 50,
      matchedComment: { commentText: '[erased]' },
    });
    expect(await world.isHandleRegistered('ada')).toBe(false);

    const next = await register('ext-next');
    expect(next.creator.id).not.toBe(creator.id);
    const refused = await claim(challenge.id, 'ext-next');
    // The post was read again, to its end, so that absence is proven.
    expect(refused).toMatchObject({ state: 'failed_retryable', pointsAwarded: 0, matchedComment: null });
    expect((await world.verifyAndReward({ campaignId: challenge.campaignId })).rewarded).toBe(0);

    world.posts.comment('ada', 'my own', undefined, number === null ? null : '6');
    await world.claim(challenge.id, refused.id);
    await world.settle();
    const paid = { state: 'rewarded', matchedComment: { commentText: 'my own' } };
    expect(await world.stored(refused.id)).toMatchObject(paid);
  });
});

describe('attempts', () => {
  it('that are under way are named in the refusal', async () => {
    const { challenge } = await world.campaign();
    const { creator } = await register('ext-ada');
    const { id } = await world.createAttempt({ challengeId: challenge.id, creator: { externalId: 'ext-ada' } });
    await world.claim(challenge.id, id);
    await expect(world.eraseCreator({ userId: creator.id })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`${id} (verification_pending)`),
      details: { attempts: [{ attemptId: id, challengeId: challenge.id, state: 'verification_pending' }] },
    });
    expect(await world.storage.creators.find(creator.id)).toMatchObject({ displayName: 'Ada' });
  });

  it('that were never claimed stay open, and nobody is paid for them later', async () => {
    world.posts.comment('ada', 'hi');
    const { challenge } = await world.campaign();
    const { creator } = await register('ext-ada');
    const { id } = await world.createAttempt({ challengeId: challenge.id, creator: { externalId: 'ext-ada' } });
    await world.eraseCreator({ userId: creator.id });
    const erased = { code: 'CONFLICT', message: expect.stringContaining('erased') };
    const ref = { challengeId: challenge.id, attemptId: id };
    await world.progressAttempt({ ...ref, action: 'target_opened' });
    await expect(world.progressAttempt({ ...ref, action: 'claim_completion' })).rejects.toMatchObject(erased);
    await expect(world.forceVerify(ref)).rejects.toMatchObject(erased);
    const review = { decision: 'approve', reason: 'a real person', by: 'admin' } as const;
    await expect(world.reviewAttempt({ ...ref, ...review })).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
    const { campaignId } = challenge;
    expect(await world.previewRewards({ campaignId, limit: 10 })).toMatchObject({ matched: 0 });
    expect(await world.verifyAndReward({ campaignId })).toMatchObject({ matched: 0 });
    await world.settle();
    expect(await world.stored(id)).toMatchObject({ state: 'target_opened', pointsAwarded: 0 });
    expect(JSON.stringify(world.events)).not.toMatch(/ada/i);
  });
});
