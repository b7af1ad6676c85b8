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
  return {
    campaign: (platform: Platform, contentId: string) => campaign({ platform, contentId, pointsReward: 50 }),
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
      await claim(path);
      const attempt = await vi.waitFor(async () => {
        const data = await read(path);
        expect(['rewarded', 'failed_retryable', 'awaiting_claim', 'failed_terminal']).toContain(data?.state);
        return data as unknown as Attempt;
      }, PATIENCE);
      return { ...attempt, reason: attempt.stateHistory.map(({ reason }) => reason).join('; ') };
    },
    async accounts(externalId: string) {
      const accounts = (await read(`/social-accounts?externalId=${externalId}`)) as unknown as Account[];
      return accounts
        .filter(({ disconnectedAt }) => disconnectedAt === null)
        .map(({ platformUsername, platformAccountId }) => [platformUsername, platformAccountId]);
    },
    async audited() {
      const entries = (await read('/admin/audit-log?operation=followHandle')) as unknown as { outcome: string }[];
      return entries.map(({ outcome }) => outcome);
    },
  };
}

interface Attempt {
  readonly state: string;
  readonly retryCount: number;
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

it.each(['instagram', 'tiktok'] as const)(
  'an account proven on %s is rewarded under a new handle, which the link follows, and a stranger under the old one is not',
  async (platform) => {
    const { world, connect, claim, campaign, accounts, audited, assert } = await started();
    world.addProfile({ platform, handle: 'ada', accountId: '5' });
    const post = world.addPost({ platform, owner: 'maker', comments: 3 });
    await connect('u1', platform, 'ada');
    const { challenge } = await campaign(platform, post.contentId);
    world.renameAccount(platform, 'ada', 'ada.new');
    post.thread.add({ handle: 'ada', text: 'I am somebody else' });
    post.thread.add({ handle: 'ada.new', text: 'it is me' });
    const attempt = await claim(challenge, 'u1');
    expect(attempt).toMatchObject({ state: 'rewarded', matchedComment: { commentText: 'it is me' } });
    expect(attempt.reason).toContain('match found: @ada is now @ada.new');
    expect(await accounts('u1')).toEqual([['ada.new', '5']]);
    expect(await audited()).toEqual(['succeeded']);
    // A customer who registers the old handle again means the same account.
    await assert('u1', platform, 'ada');
    const another = world.addPost({ platform, owner: 'maker' });
    another.thread.add({ handle: 'ada', text: 'I am somebody else' });
    const next = await campaign(platform, another.contentId);
    expect((await claim(next.challenge, 'u1')).state).toBe('failed_retryable');
  },
);

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
