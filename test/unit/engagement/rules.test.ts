/** Campaigns that ask for more than any comment. */
import { describe, expect, it } from 'vitest';
import { waitingOf } from '../../../core/engagement/attempts/waiting.ts';
import type { CampaignWithChallenge } from '../../../core/engagement/campaigns/campaign.ts';
import type { CommentRules } from '../../../core/engagement/campaigns/terms.ts';
import { DomainError } from '../../../core/errors.ts';
import { claimAs, worldOfEachTest } from '../../support/world-of-test.ts';

const world = worldOfEachTest();

const campaign = (rules: CommentRules) => world.campaign({ challenge: { rules } });

const claim = (found: CampaignWithChallenge, name: string) => claimAs(world, found, name);

it('tells a creator what the nearest comment lacks, and rewards the first that lacks nothing', async () => {
  const found = await campaign({ words: { any: ['spring'] }, hashtags: ['acme'] });
  world.posts.comment('ann', 'hello');
  world.posts.comment('ann', 'hello #acme');
  world.posts.comment('ben', 'spring #acme');
  const failed = await claim(found, 'ann');
  expect(failed).toMatchObject({ state: 'failed_retryable', unmetRules: ['words'] });
  const lacks = 'no match found: a comment was found, but it lacks words that are asked for';
  expect(failed.stateHistory.at(-1)?.reason).toBe(lacks);
  expect(waitingOf(failed)?.message).toBe(
    'A comment was found, but it lacks words that are asked for. An edit is not seen: write a new comment.',
  );
  const data = { reason: 'retryable', unmetRules: ['words'] };
  expect(world.events.at(-1)).toMatchObject({ event: 'verification.failed', data });
  await world.redeliverWebhooks({ challengeId: found.challenge.id, attemptId: failed.id });
  expect(world.events.at(-1)?.data).toMatchObject({ unmetRules: ['words'] });
  world.posts.comment('ann', 'It is Spring! #Acme');
  world.posts.comment('ann', 'spring again #acme');
  const done = await claim(found, 'ann');
  expect(done).toMatchObject({ state: 'rewarded', matchedComment: { commentText: 'It is Spring! #Acme' } });
  expect(done.unmetRules ?? null).toBeNull();
  expect(await claim(found, 'eve')).toMatchObject({ state: 'failed_retryable' });
  expect(world.events.at(-1)?.data).not.toHaveProperty('unmetRules');
});

it('leaves a claim open while comments are missing, and says what was found', async () => {
  const found = await campaign({ minWords: 5 });
  world.posts.comment('ann', 'too short');
  for (let index = 0; index < 20; index += 1) world.posts.comment(`other${index}`);
  world.posts.state.shown = 10;
  const open = await claim(found, 'ann');
  expect(open).toMatchObject({ state: 'awaiting_claim', unmetRules: ['min-words'] });
  expect(waitingOf(open)?.message).toBe(
    'No match was found, but only 10 of 21 comments could be read; a comment was found, but it has too few words.',
  );
});

it('fails nobody while it is not known who published the post', async () => {
  const found = await campaign({ mentions: 2, notByOwner: true });
  world.posts.comment('ann', '@bob @cat');
  const { getPost } = world.posts.instagram;
  world.posts.instagram.getPost = () => Promise.reject(new DomainError('POST_UNAVAILABLE', 'Not here.'));
  const open = await claim(found, 'ann');
  expect(open).toMatchObject({ state: 'awaiting_claim' });
  expect(open.stateHistory.at(-1)?.reason).toContain('who published the post could not be read');
  expect(await world.verifyAndReward({ campaignId: found.campaign.id })).toMatchObject({ matched: 0 });
  let posts = 0;
  world.posts.instagram.getPost = (...call) => {
    posts += 1;
    return getPost(...call);
  };
  expect(await claim(found, 'ann')).toMatchObject({ state: 'rewarded' });
  world.posts.comment('dan', '@bob @eve');
  expect(await claim(found, 'dan')).toMatchObject({ state: 'rewarded' });
  expect(posts).toBe(1);
});

it('rewards at once those whose stored comment meets the rules, as the preview has said', async () => {
  const rules: CommentRules = { ownText: true, notByOwner: true, topLevelOnly: true, since: 'campaign-start' };
  const found = await campaign(rules);
  const { id: challengeId } = found.challenge;
  const comment = (username: string, commentText: string, seconds: number, isReply = false) => ({
    platformCommentId: `${username}-${seconds}`,
    ...{ username, commentText, isReply, commentedAt: new Date(world.now().getTime() + seconds * 1_000) },
  });
  const { handle: owner } = (await world.posts.instagram.getPost(found.challenge)).owner;
  await world.storeComments(
    challengeId,
    comment('ann', 'Love it', 1),
    comment('ben', 'love it!!', 2),
    comment('ben', 'yes', 3, true),
    comment('cat', 'too early', -5),
    comment('cat', 'love it', 4),
    comment('cat', 'mine', 5),
    comment(owner, 'welcome', 6),
    comment('stranger', 'hi', 7),
  );
  const names = ['ann', 'ben', 'cat', owner];
  for (const name of names) await world.creator(name);
  const input = { campaignId: found.campaign.id, limit: 20 };
  const preview = await world.previewRules(input);
  expect(preview).toMatchObject({
    ...{ comments: 8, judged: 8, matching: 3, matchingAuthors: 3, publishersKnown: true },
    unmet: { 'same-text': 2, reply: 1, 'too-early': 1, 'by-owner': 1 },
  });
  const judged = preview.examples.map(({ commentText, unmetRules }) => [commentText, ...unmetRules]);
  expect(judged).toContainEqual(['love it!!', 'same-text']);
  const shown = async (limit: number) =>
    (await world.previewRules({ ...input, limit })).examples.map(({ unmetRules }) => unmetRules.length);
  expect([await shown(3), await shown(8)]).toEqual([
    [0, 0, 1],
    [0, 0, 0, 1, 1, 1, 1, 1],
  ]);
  expect((await world.storage.campaigns.find({ challengeId }))?.challenge.publishedBy).toBeUndefined();
  expect(await world.verifyAndReward(input)).toMatchObject({ matched: 0 });
  // As a reading of the comments stores it.
  await world.storage.campaigns.update(found.campaign, { publishedBy: [{ handle: owner, accountId: '1' }] });
  expect(await world.previewRules({ ...input, rules: null, limit: 0 })).toMatchObject({ matching: 8, examples: [] });
  expect(await world.previewRewards(input)).toMatchObject({ matched: 2 });
  expect(await world.verifyAndReward(input)).toEqual({ matched: 2, verified: 2, rewarded: 2 });
  const { items } = await world.listResults({ campaignId: found.campaign.id, page: 1, limit: 9 });
  expect(items.map(({ attempt }) => attempt.matchedComment?.commentText)).toEqual(['Love it', 'mine']);
  expect(await world.verifyAndReward(input)).toMatchObject({ matched: 0 });
});

it('judges each comment by the account that wrote it, and tells nobody what another one lacks', async () => {
  const found = await campaign({ hashtags: ['acme'] });
  const profile = { accountId: '5', handle: 'ann' };
  const { account } = await world.storage.creators.link({
    ...{ externalId: 'ext-ann', email: 'a@example.com', displayName: null, platform: 'instagram', handle: 'ann' },
    ...{ profileData: {}, ownershipProven: true, platformAccountId: profile.accountId, now: world.now() },
  });
  expect(account.platformAccountId).toBe('5');
  world.posts.comment('ann', '#acme of somebody else', world.now(), '6');
  expect(await claim(found, 'ann')).toMatchObject({ state: 'failed_retryable' });
  expect((await world.stored(1)).unmetRules ?? null).toBeNull();
  world.posts.comment('ann.new', 'without', world.now(), '5');
  expect(await claim(found, 'ann')).toMatchObject({ unmetRules: ['hashtags'] });
  world.posts.comment('ann.new', '#acme', world.now(), '5');
  expect(await claim(found, 'ann')).toMatchObject({ state: 'rewarded' });
});

describe('rules', () => {
  it('change until the first reward, also while a post is being read', async () => {
    const found = await campaign({ hashtags: ['acme'] });
    const {
      campaign: { id: campaignId },
    } = found;
    const change = (rules: CommentRules | null) => world.updateCampaign({ campaignId, changes: { rules } });
    expect((await change({ hashtags: ['other'] })).challenge.rules).toEqual({ hashtags: ['other'] });
    expect((await change(null)).challenge.rules ?? null).toBeNull();
    await change({ hashtags: ['acme'] });
    world.posts.comment('ann', 'hello');
    const { getComments } = world.posts.instagram;
    world.posts.instagram.getComments = async (...call) => {
      await change({ words: { any: ['hello'] } });
      return getComments(...call);
    };
    expect(await claim(found, 'ann')).toMatchObject({ state: 'rewarded' });
    await expect(change({ hashtags: ['acme'] })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(change(null)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('are for comments only', async () => {
    const challenge = { action: 'like' } as const;
    const rules = { minWords: 1 };
    const refused = { code: 'INVALID_REQUEST' };
    await expect(world.campaign({ challenge: { ...challenge, rules } })).rejects.toMatchObject(refused);
    const {
      campaign: { id: campaignId },
    } = await world.campaign({ challenge });
    await expect(world.updateCampaign({ campaignId, changes: { rules } })).rejects.toMatchObject(refused);
    await expect(world.previewRules({ campaignId, limit: 1 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
