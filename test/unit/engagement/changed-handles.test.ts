/** Whose a comment or like is that was stored before its author's handle changed, and before a link was made. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignWithChallenge } from '../../../core/engagement/campaigns/campaign.ts';
import type { RewardTerms } from '../../../core/engagement/campaigns/terms.ts';
import { toNewComment } from '../../../core/engagement/challenge-data/page.ts';
import type { PlatformComment } from '../../../core/ports/platform.ts';
import { newLiker } from '../../contract/storage/samples.ts';
import { POST_URL } from '../../support/engagement-world.ts';
import { claimAs, worldOfEachTest } from '../../support/world-of-test.ts';

const BY_NUMBER = (id: string) => ({ authorId: id });
const BY_APP = (id: string) => ({ authorId: null, scopedAuthorId: `app-1/${id}` });

const world = worldOfEachTest({ clockTicks: true });
let found: CampaignWithChallenge;

function write(handle: string, text: string, ids: Partial<PlatformComment> = {}) {
  world.posts.comment(handle, text);
  Object.assign(world.posts.state.comments.at(-1) ?? {}, ids);
}

/** An account has commented as @zoe, which was stored. */
async function storedOf(ids: Partial<PlatformComment>, terms: RewardTerms = {}) {
  found = await world.campaign({ terms });
  write('zoe', 'first', ids);
  const shown = world.posts.state.comments.map(toNewComment);
  await world.storage.comments.insertNew(found.challenge.id, shown, world.now());
}

function show(changes: Partial<PlatformComment>) {
  const { state } = world.posts;
  state.comments = state.comments.map((one) => ({ ...one, ...changes }));
}
const rename = (username: string) => show({ username });

async function claim(handle: string, campaign = found) {
  const attempt = await claimAs(world, campaign, handle);
  return { ...attempt, reason: attempt.stateHistory.at(-1)?.reason };
}

const accountOf = async (handle: string) => {
  const [link] = await world.storage.creators.linksOf('instagram', [handle]);
  const { rememberedAccountId: authorId, scopedAccountId: id } = link?.account ?? {};
  return { authorId, ...(id === undefined ? {} : { scopedAuthorId: id }) };
};

it.each([
  ['number', BY_NUMBER],
  ['id of an app', BY_APP],
])('a comment with the %s that was stored since the link was made stays its author’s', async (_what, idsOf) => {
  found = await world.campaign();
  const attempt = await world.attempt(found.challenge.id, 'zoe');
  write('zoe', 'first', idsOf('5'));
  await claim('other');
  rename('zoe2');
  write('zoe', 'second', idsOf('9'));
  await claim('another');
  await world.claim(found.challenge.id, attempt.id);
  await world.settle();
  const paid = { state: 'rewarded', matchedComment: { commentText: 'first' } };
  expect(await world.storage.attempts.find(attempt.id)).toMatchObject(paid);
  expect(await accountOf('zoe')).toEqual(idsOf('5'));
});

describe.each([
  ['number', BY_NUMBER],
  ['id of an app', BY_APP],
])('a comment with the %s of its author', (_what, idsOf) => {
  const first = { state: 'rewarded', matchedComment: { commentText: 'first' } };
  const second = { state: 'rewarded', matchedComment: { commentText: 'second' } };
  beforeEach(() => storedOf(idsOf('5')));

  it('is paid to its author, whose new handle was linked', async () => {
    rename('zoe2');
    expect(await claim('zoe2')).toMatchObject(first);
    expect(await accountOf('zoe2')).toEqual(idsOf('5'));
  });

  it('is not paid to somebody else who has the handle now, and the history says why', async () => {
    rename('zoe2');
    const attempt = await claim('zoe');
    expect(attempt).toMatchObject({ state: 'failed_retryable', matchedComment: null });
    expect(attempt.reason).toContain('the comment of @zoe is by an account that has another handle now');
    expect(await accountOf('zoe')).toEqual({ authorId: null });
  });

  it('leaves the own comment to who has the handle now, here and in the next campaign', async () => {
    rename('zoe2');
    write('zoe', 'second', idsOf('9'));
    expect(await claim('zoe')).toMatchObject(second);
    expect(await accountOf('zoe')).toEqual(idsOf('9'));
    expect(await claim('zoe', await world.campaign())).toMatchObject(second);
    expect(await claim('zoe2')).toMatchObject(first);
  });

  it('is paid to its author who kept the handle, after a reading that serves others too', async () => {
    await world.registerCreator({ externalId: 'ext-eve', platform: 'instagram', handle: 'zoe' });
    expect(await claim('zoe')).toMatchObject(first);
    const { reads } = world.posts.state;
    await claim('eve');
    expect(world.posts.state.reads).toBe(reads);
    expect(await accountOf('zoe')).toEqual(idsOf('5'));
  });

  it.each([
    ['its author’s account', { authorId: null, scopedAuthorId: null }],
    ['its author’s handle', { username: '' }],
  ])('is paid to its author if a reading does not tell %s', async (_missing, changes) => {
    show(changes);
    expect(await claim('zoe')).toMatchObject(first);
  });

  it('is paid to its author if it is not shown any more', async () => {
    world.posts.state.comments = [];
    expect(await claim('zoe')).toMatchObject(first);
  });

  it('decides nothing while the post cannot be read', async () => {
    world.posts.state.isDown = true;
    expect(await claim('zoe')).toMatchObject({ state: 'awaiting_claim', retryCount: 0 });
    expect(await accountOf('zoe')).toEqual({ authorId: null });
  });

  it('is its author’s in the batch and its preview once a reading has shown it', async () => {
    rename('zoe2');
    await world.creator('zoe');
    await world.creator('zoe2');
    await claim('eve');
    const { id: campaignId } = found.campaign;
    const { rewards } = await world.previewRewards({ campaignId, limit: 9 });
    expect(rewards.map(({ platformUsername }) => platformUsername)).toEqual(['zoe2']);
    expect(await world.verifyAndReward({ campaignId })).toMatchObject({ matched: 1 });
    expect(await accountOf('zoe')).toEqual({ authorId: null });
  });
});

it('who has the handle now is paid for a comment that does not tell the account', async () => {
  await storedOf(BY_NUMBER('5'));
  rename('zoe2');
  write('zoe', 'second');
  expect(await claim('zoe')).toMatchObject({ state: 'rewarded', matchedComment: { commentText: 'second' } });
});

it('a comment is seen again under any handle if the link has ended that it was found by', async () => {
  await storedOf(BY_NUMBER('5'), { holdDays: 1 });
  const { id } = await claim('zoe');
  await world.disconnectCreator({ externalId: 'ext-zoe', platform: 'instagram', handle: 'zoe' });
  rename('zoe2');
  world.pass(25 * 60 * 60 * 1_000);
  await world.queueChecks();
  await world.settle();
  expect(await world.storage.attempts.find(id)).toMatchObject({ state: 'rewarded' });
});

describe('a like', () => {
  let likers: Readonly<Record<string, string>>;

  /** Account 5 has liked as @zoe, which was stored. */
  beforeEach(async () => {
    world.posts.instagram.getLikers = async () => ({
      likers: Object.entries(likers).map(([username, accountId]) => ({ ...newLiker({ username }), accountId })),
      totalLikes: 100,
    });
    found = await world.campaign({ challenge: { targetUrl: POST_URL, action: 'like' } });
    likers = { zoe: '5' };
    await claim('eve');
  });

  it('is paid to its author, who kept the handle or has a new one', async () => {
    expect(await claim('zoe')).toMatchObject({ state: 'rewarded' });
    likers = { zoe2: '5' };
    expect(await claim('zoe2')).toMatchObject({ state: 'rewarded' });
  });

  it('is paid to its author if a later fetch shows others', async () => {
    likers = { ben: '7' };
    expect(await claim('zoe')).toMatchObject({ state: 'rewarded' });
  });

  it('is not paid to somebody else who has the handle now', async () => {
    likers = { zoe2: '5' };
    expect(await claim('zoe')).toMatchObject({ state: 'awaiting_claim', pointsAwarded: 0 });
    likers = { zoe2: '5', zoe: '9' };
    expect(await claim('zoe')).toMatchObject({ state: 'rewarded' });
    expect(await accountOf('zoe')).toEqual({ authorId: '9' });
  });
});
