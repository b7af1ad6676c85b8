/** Accounts are renamed, and their handles taken by others: whole instances pay the account that was proven, and nobody else. */
import { describe, expect, it, vi } from 'vitest';
import { createWorld, type World } from '../../hosts/platform-simulator/world.ts';
import { actingOn } from '../support/campaign.ts';
import { closingAfterEach } from '../support/closing.ts';
import { INSTAGRAM_SESSION, startInstance, type TestInstance } from '../support/instance.ts';
import { hasReports, serveReport } from '../support/reported-platform.ts';

type Platform = 'instagram' | 'tiktok';
const PATIENCE = { timeout: 20_000, interval: 50 };

const closing = closingAfterEach();

/** What tests do with one instance. */
function acting(instance: TestInstance) {
  const { make, register, read, claim, campaign } = actingOn(instance.api);
  async function claimAgain(path: string) {
    await claim(path);
    const attempt = await vi.waitFor(async () => {
      const data = await read(path);
      expect(['rewarded', 'failed_retryable', 'awaiting_claim', 'failed_terminal']).toContain(data?.state);
      return data as unknown as Attempt;
    }, PATIENCE);
    return { ...attempt, path, reason: attempt.stateHistory.map(({ reason }) => reason).join('; ') };
  }

  return {
    claimAgain,
    campaign: (platform: Platform, contentId: string, action?: string) =>
      campaign({ platform, contentId, pointsReward: 50, ...(action === undefined ? {} : { action }) }),
    assert: register,
    /** By the code in the bio, on the page. */
    async connect(externalId: string, platform: Platform, handle: string) {
      const input = { externalId, platform, inputs: { handle } };
      const { redirectUrl } = await make('/social-accounts/connect', input);
      const path = new URL(String(redirectUrl)).pathname;
      const code = /<code>([^<]+)<\/code>/.exec((await instance.api.call('GET', path)).text)?.[1] ?? '';
      const profile = instance.world.findProfile(platform, handle);
      if (profile === undefined) throw new Error(`There is no @${handle}.`);
      profile.bio = code;
      const form = { raw: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      expect((await instance.api.call('POST', path, form)).status).toBe(200);
    },
    /** Claims, and waits until the claim is decided or handed back. */
    async claim(challenge: string, externalId: string) {
      const { id } = await make(`${challenge}/attempts`, { externalId });
      const path = `${challenge}/attempts/${id}`;
      return claimAgain(path);
    },
    async accounts(externalId: string) {
      const accounts = (await read(`/social-accounts?externalId=${externalId}`)) as unknown as Account[];
      return accounts
        .filter(({ disconnectedAt }) => disconnectedAt === null)
        .map(({ platformUsername, platformAccountId }) => [platformUsername, platformAccountId]);
    },
    async batch(campaignId: number) {
      return (await instance.api.call('POST', `/admin/campaigns/${campaignId}/verify-and-reward`)).json.data;
    },
    async audited() {
      const entries = (await read('/admin/audit-log?operation=followHandle')) as unknown as { outcome: string }[];
      return entries.map(({ outcome }) => outcome);
    },
    refresh: (challenge: string) => instance.api.call('POST', `${challenge}/comments/refresh`),
  };
}

interface Attempt {
  readonly state: string;
  readonly retryCount: number;
  readonly pointsAwarded: number;
  readonly matchedComment: { readonly commentText: string } | null;
  readonly stateHistory: readonly { readonly reason: string }[];
}

interface Account {
  readonly platformUsername: string;
  readonly platformAccountId: string | null;
  readonly disconnectedAt: string | null;
}

async function started(config: Parameters<typeof startInstance>[0] = {}) {
  const instance = await startInstance(config);
  closing.push(() => instance.close());
  return { instance, world: instance.world, ...acting(instance) };
}

describe.each(['instagram', 'tiktok'] as const)('a proven account on %s', (platform) => {
  const stage = async () => {
    const on = await started();
    on.world.addProfile({ platform, handle: 'ada', accountId: '5' });
    const post = on.world.addPost({ platform, owner: 'maker', comments: 3 });
    await on.connect('u1', platform, 'ada');
    return { ...on, post, ...(await on.campaign(platform, post.contentId)) };
  };

  it('is rewarded under a new handle, which the link follows, and a stranger under the old one is not', async () => {
    const { world, post, challenge, claim, campaign, accounts, audited, assert } = await stage();
    const { accountId } = world.findProfile(platform, 'ada') ?? {};
    world.renameAccount(platform, 'ada', 'ada.new');
    post.thread.add({ handle: 'ada', text: 'I am somebody else' });
    post.thread.add({ handle: 'ada.new', text: 'it is me' });
    const attempt = await claim(challenge, 'u1');
    expect(attempt).toMatchObject({ state: 'rewarded', matchedComment: { commentText: 'it is me' } });
    expect(attempt.reason).toContain('match found: @ada is now @ada.new');
    expect(await accounts('u1')).toEqual([['ada.new', accountId]]);
    expect(await audited()).toEqual(['succeeded']);
    // A customer who registers the old handle again means the same account.
    await assert('u1', platform, 'ada');
    const another = world.addPost({ platform, owner: 'maker' });
    another.thread.add({ handle: 'ada', text: 'I am somebody else' });
    const next = await campaign(platform, another.contentId);
    expect((await claim(next.challenge, 'u1')).state).toBe('failed_retryable');
  });

  it('is not rewarded for a stranger who has taken the handle, and the history says so', async () => {
    const { world, post, campaignId, challenge, claim, refresh, batch } = await stage();
    world.renameAccount(platform, 'ada', 'elsewhere');
    post.thread.add({ handle: 'ada', text: 'I am somebody else' });
    await refresh(challenge);
    expect(await batch(campaignId)).toMatchObject({ matched: 0 });
    const attempt = await claim(challenge, 'u1');
    expect(attempt).toMatchObject({ state: 'failed_retryable', pointsAwarded: 0, matchedComment: null });
    expect(attempt.reason).toMatch(/no match found: @ada is account \d+ there, and the link is for account 5/);
  });

  it('is found by the batch under a new handle', async () => {
    const { world, post, campaignId, challenge, refresh, batch, accounts } = await stage();
    world.renameAccount(platform, 'ada', 'ada.new');
    post.thread.add({ handle: 'ada', text: 'I am somebody else' });
    post.thread.add({ handle: 'ada.new', text: 'it is me' });
    await refresh(challenge);
    expect(await batch(campaignId)).toEqual({ matched: 1, verified: 1, rewarded: 1 });
    expect(await accounts('u1')).toEqual([['ada.new', '5']]);
    expect(await batch(campaignId)).toEqual({ matched: 0, verified: 0, rewarded: 0 });
  });
});

it('a liker is told by the number too', async () => {
  const { world, connect, campaign, claim } = await started();
  world.addProfile({ platform: 'instagram', handle: 'ada', accountId: '5' });
  await connect('u1', 'instagram', 'ada');
  const renamed = world.addPost({ platform: 'instagram', owner: 'maker', placedLikers: ['ada', 'ben'] });
  world.renameAccount('instagram', 'ada', 'ada.new');
  const taken = world.addPost({ platform: 'instagram', owner: 'maker', placedLikers: ['ada', 'ben'] });
  const own = await campaign('instagram', renamed.contentId, 'like');
  const others = await campaign('instagram', taken.contentId, 'like');
  const lost = await claim(others.challenge, 'u1');
  expect(lost.state).toBe('failed_retryable');
  expect(lost.reason).toContain('no match found: @ada is account');
  expect((await claim(own.challenge, 'u1')).state).toBe('rewarded');
});

it('an asserted handle means the account that it was first matched with', async () => {
  const { world, assert, campaign, claim, accounts, claimAgain } = await started();
  const posts = Array.from({ length: 3 }, () => world.addPost({ platform: 'tiktok', owner: 'maker' }));
  const [first, second, third] = posts;
  if (!first || !second || !third) throw new Error('Three posts were added.');
  const challenges = await Promise.all(posts.map(({ contentId }) => campaign('tiktok', contentId)));
  await assert('u1', 'tiktok', 'ada');
  first.thread.add({ handle: 'ada', text: 'first' });
  expect((await claim(challenges[0]?.challenge ?? '', 'u1')).state).toBe('rewarded');

  world.renameAccount('tiktok', 'ada', 'ada.new');
  second.thread.add({ handle: 'ada', text: 'somebody else' });
  const lost = await claim(challenges[1]?.challenge ?? '', 'u1');
  expect(lost).toMatchObject({ state: 'failed_retryable', matchedComment: null });
  expect(lost.reason).toMatch(/no match found: @ada is account \d+ there/);
  // The number decides also under another handle; the handle that was asserted stays.
  second.thread.add({ handle: 'ada.new', text: 'me' });
  expect(await claimAgain(lost.path)).toMatchObject({ state: 'rewarded', matchedComment: { commentText: 'me' } });
  expect(await accounts('u1')).toEqual([['ada', null]]);
});

/** Answers by the rules of a report, and by the simulator where none is about the request. */
async function behindReport(name: string, platform: Platform, world: World) {
  let simulatorUrl = '';
  const { baseUrl, close } = await serveReport(
    name,
    (text) => text,
    () => simulatorUrl,
  );
  closing.push(close);
  const settings = {
    pacing: 'off' as const,
    instagram: { baseUrl, sessionIds: [INSTAGRAM_SESSION] },
    tiktok: { baseUrl },
  };
  const on = await started({ world, config: { platforms: settings } });
  const { instagramBaseUrl, tiktokBaseUrl } = on.instance.simulator;
  simulatorUrl = platform === 'instagram' ? instagramBaseUrl : tiktokBaseUrl;
  return on;
}

describe.skipIf(!hasReports)('what the public has reported', () => {
  it('comments name the numbers of their authors only: who is known by number is paid', async () => {
    const world = createWorld('reports');
    const contentId = '7531566121787378974';
    world.addPost({ platform: 'tiktok', owner: 'maker', contentId });
    world.addProfile({ platform: 'tiktok', handle: 'ada', accountId: '6733789169421698053' });
    world.addProfile({ platform: 'tiktok', handle: 'eve', accountId: '77' });
    const { connect, assert, campaign, claim, accounts } = await behindReport(
      '05-tt-comment-users-with-uid-only',
      'tiktok',
      world,
    );
    await connect('u1', 'tiktok', 'ada');
    await connect('u2', 'tiktok', 'eve');
    await assert('u3', 'tiktok', 'ben');
    const { challenge } = await campaign('tiktok', contentId);
    expect(await claim(challenge, 'u1')).toMatchObject({ state: 'rewarded', matchedComment: { commentText: 'hi' } });
    expect(await accounts('u1')).toEqual([['ada', '6733789169421698053']]);
    // All numbers were read, and this one is not among them.
    expect((await claim(challenge, 'u2')).state).toBe('failed_retryable');
    // Either comment may be of the handle that is only asserted.
    const undecided = await claim(challenge, 'u3');
    expect(undecided).toMatchObject({ state: 'awaiting_claim', retryCount: 0 });
    expect(undecided.reason).toContain('no match found, but 2 comments could not be read');
  });
});
