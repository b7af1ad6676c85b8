import { describe, expect, it } from 'vitest';
import { VERIFICATION_WINDOW_MS } from '../../../core/engagement/attempts/deadline.ts';
import type { EventName } from '../../../core/engagement/webhooks/outbox.ts';
import { DomainError } from '../../../core/errors.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const world = worldOfEachTest();

describe('a claim', () => {
  it('matches any active handle of the creator, and events name the one that matched', async () => {
    const { challenge } = await world.campaign();
    world.posts.comment('ada.second');
    const attempt = await world.attempt(challenge.id, 'ada.second');
    world.pass(1000);
    await world.registerCreator({ externalId: 'ext-ada.second', platform: 'instagram', handle: 'ada.newest' });
    await world.claim(challenge.id, attempt.id);
    await world.settle();
    expect(world.events.map(({ data }) => data.username)).toEqual(['ada.second', 'ada.second']);
  });

  it('does not read the platform when the comment is stored already', async () => {
    const { challenge } = await world.campaign();
    world.posts.comment('ada');
    world.posts.comment('bob');
    const ada = await world.attempt(challenge.id, 'ada');
    const bob = await world.attempt(challenge.id, 'bob');
    await world.claim(challenge.id, ada.id);
    await world.settle();
    expect(world.posts.state.reads).toBe(1);
    await world.claim(challenge.id, bob.id);
    await world.settle();
    expect(world.posts.state.reads).toBe(1);
    expect(await world.stateOf(bob.id)).toBe('rewarded');
  });

  it('shares one reading between claims made before it', async () => {
    const { challenge } = await world.campaign();
    world.posts.comment('someone');
    const attempts = [];
    for (const name of ['ada', 'bob', 'cleo']) attempts.push(await world.attempt(challenge.id, name));
    for (const { id } of attempts) await world.claim(challenge.id, id);
    await world.settle();
    expect(world.posts.state.reads).toBe(1);
    for (const { id } of attempts) expect(await world.stateOf(id)).toBe('failed_retryable');
  });

  it.each([
    ['POST_PRIVATE', undefined, 1],
    ['PLATFORM_UNAVAILABLE', 'session-required', 1],
    ['PLATFORM_UNAVAILABLE', 'login-wall', 3],
  ] as const)('on a post that cannot be read (%s, %s) is handed back after %i tries', async (code, reason, tries) => {
    const { challenge } = await world.campaign();
    const failure = new DomainError(code, 'no', reason ? { details: { reason } } : {});
    world.posts.state.failures = Array.from({ length: 9 }, () => failure);
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attempt.id);
    await world.settle();
    expect(world.posts.state.reads).toBe(tries);
    const stored = await world.stored(attempt.id);
    expect(stored).toMatchObject({ state: 'awaiting_claim', retryCount: 0 });
    expect(stored.stateHistory.at(-1)?.reason).toContain(reason ?? code);
    expect(world.events).toEqual([]);
  });

  it('is not judged by a verification of an earlier claim', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attempt.id);
    // While a slow run reads the post, another one ends, and the creator claims again.
    const read = world.posts.instagram.getComments;
    let during: Promise<unknown> | null = null;
    Object.assign(world.posts.instagram, {
      getComments: async (...args: Parameters<typeof read>) => {
        Object.assign(world.posts.instagram, { getComments: read });
        const pending = await world.stored(attempt.id);
        const failed = { ...pending, state: 'failed_retryable' as const, revision: pending.revision + 1 };
        await world.storage.attempts.transition(pending, failed, []);
        during = world.claim(challenge.id, attempt.id);
        await during;
        return read(...args);
      },
    });
    await world.verify({ attemptId: attempt.id }, { run: 1, signal: new AbortController().signal });
    expect(during).not.toBeNull();
    expect(await world.stored(attempt.id)).toMatchObject({
      state: 'verification_pending',
      retryCount: 1,
    });
  });
});

describe('deadlines', () => {
  it('count at once when a claim comes too late', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attempt.id);
    await world.settle();
    world.pass(VERIFICATION_WINDOW_MS);
    await expect(world.claim(challenge.id, attempt.id)).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
    await world.settle();
    expect(await world.stateOf(attempt.id)).toBe('failed_terminal');
    expect(world.eventNames()).toEqual(['verification.failed', 'verification.failed']);
  });

  it('are shown as they apply when the campaign is shortened and extended after the claim', async () => {
    const { campaign, challenge } = await world.campaign();
    const { id: attemptId, userId } = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attemptId);
    const ofClaim = new Date(world.now().getTime() + VERIFICATION_WINDOW_MS);
    const sooner = new Date(ofClaim.getTime() - 60_000);
    const later = new Date(ofClaim.getTime() + 60_000);
    for (const [endsAt, verificationDeadline] of [
      [null, ofClaim],
      [sooner, sooner],
      [later, ofClaim],
    ] as const) {
      await world.updateCampaign({ campaignId: campaign.id, changes: { endsAt } });
      const shown = { id: attemptId, verificationDeadline };
      expect(await world.getAttempt({ challengeId: challenge.id, attemptId })).toMatchObject(shown);
      expect(await world.findAttemptByHandle({ challengeId: challenge.id, handle: 'ada' })).toMatchObject(shown);
      await expect(world.eraseCreator({ userId })).rejects.toMatchObject({
        details: { attempts: [{ attemptId, verificationDeadline: verificationDeadline.toISOString() }] },
      });
    }
    expect(await world.stored(attemptId)).toMatchObject({ verificationDeadline: ofClaim });
  });
});

describe('redelivery says which events no webhook of the brand and no subscriber wants', () => {
  it.each([
    ['none', [], ['creator.verified', 'reward.issued']],
    ['one of both', [{ events: ['verification.failed', 'reward.issued'], active: true }], ['creator.verified']],
    ['a paused one', [{ events: ['creator.verified', 'reward.issued'], active: false }], []],
  ] as const)('%s', async (_what, webhooks, unwanted) => {
    const { campaign, challenge } = await world.campaign();
    const other = await world.campaign();
    const webhook = {
      url: 'https://receiver.example',
      description: null,
      sealedSecret: 'sealed',
      lastTriggeredAt: null,
      createdAt: world.now(),
    };
    const create = (brandId: number, rest: { readonly events: readonly EventName[]; readonly active: boolean }) =>
      world.storage.webhooks.create({ ...webhook, ...rest, brandId });
    // Of another brand, which says nothing.
    await create(other.campaign.brandId, { events: ['creator.verified', 'reward.issued'], active: true });
    for (const rest of webhooks) await create(campaign.brandId, rest);
    const attempt = await world.attempt(challenge.id, 'ada');
    const ref = { challengeId: challenge.id, attemptId: attempt.id };
    await world.forceVerify(ref);
    await world.settle();
    const redelivered = ['creator.verified', 'reward.issued'];
    expect(await world.redeliverWebhooks(ref)).toEqual({ redelivered, unwanted });
    await world.storage.subscribers.subscribe([{ subscriber: 'ledger', event: 'creator.verified' }]);
    const rest = unwanted.filter((event) => event !== 'creator.verified');
    expect(await world.redeliverWebhooks(ref)).toEqual({ redelivered, unwanted: rest });
  });
});

describe('by a handle that was disconnected', () => {
  const connect = (name: string, handle: string) =>
    world.registerCreator({ externalId: `ext-${name}`, platform: 'instagram', handle });
  const disconnect = (name: string, handle: string) =>
    world.disconnectCreator({ externalId: `ext-${name}`, platform: 'instagram', handle });
  /** A challenge, with what creates an attempt of a creator at it and what finds one by a handle. */
  const challenged = async () => {
    const challengeId = (await world.campaign()).challenge.id;
    return {
      create: (name: string) => world.createAttempt({ challengeId, creator: { externalId: `ext-${name}` } }),
      find: (handle: string) => world.findAttemptByHandle({ challengeId, handle }),
    };
  };

  it('finds what was made before, and first the creator who has the handle now', async () => {
    const { create, find } = await challenged();
    await connect('one', 'shared');
    await connect('two', 'shared');
    const second = await create('two');
    const first = await create('one');
    await disconnect('one', 'shared');
    expect(await find('@Shared')).toEqual(second);
    await disconnect('two', 'shared');
    expect(await find('@Shared')).toEqual(first);
    expect(await world.isHandleRegistered('shared')).toBe(false);
    await connect('three', 'shared');
    expect(await find('@Shared')).toEqual(first);
    const third = await create('three');
    expect(await find('@Shared')).toEqual(third);
    await connect('two', 'shared');
    expect(await find('@Shared')).toEqual(third);
    await disconnect('three', 'shared');
    expect(await find('@Shared')).toEqual(second);
  });

  it('finds nothing that was made after', async () => {
    const { create, find } = await challenged();
    await connect('ada', 'old');
    await connect('ada', 'new');
    await disconnect('ada', 'old');
    world.pass(1);
    const attempt = await create('ada');
    expect(await find('old')).toBeNull();
    expect(await find('new')).toEqual(attempt);
  });

  it('finds nothing of somebody who was linked to it later only', async () => {
    const { create, find } = await challenged();
    await connect('two', 'y');
    await create('two');
    world.pass(1);
    await connect('two', 'x');
    await disconnect('two', 'x');
    expect(await find('x')).toBeNull();
  });

  it('finds what was made while another handle came first, and what was made before the handle came back', async () => {
    const { create, find } = await challenged();
    await connect('ada', 'first');
    await connect('ada', 'second');
    const attempt = await create('ada');
    await disconnect('ada', 'first');
    await disconnect('ada', 'second');
    expect([await find('first'), await find('second')]).toEqual([attempt, attempt]);
    world.pass(1);
    await connect('ada', 'second');
    await disconnect('ada', 'second');
    expect(await find('second')).toEqual(attempt);
  });
});
