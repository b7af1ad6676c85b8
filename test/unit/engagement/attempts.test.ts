import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { abandonVerification, reportUnissuedReward } from '../../../core/engagement/attempts/dead-letter.ts';
import { PENDING_GRACE_MS, VERIFICATION_WINDOW_MS } from '../../../core/engagement/attempts/deadline.ts';
import { statesThatTake } from '../../../core/engagement/attempts/states.ts';
import { attemptEventId } from '../../../core/engagement/webhooks/message-id.ts';
import type { EventName } from '../../../core/engagement/webhooks/outbox.ts';
import { DomainError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { outboxOf } from '../../contract/storage/samples.ts';
import { createEngagementWorld, type EngagementWorld } from '../../support/engagement-world.ts';

let world: EngagementWorld;
beforeEach(async () => {
  world = await createEngagementWorld();
});
afterEach(() => world.close());

const stateOf = async (id: number) => (await world.storage.attempts.find(id))?.state;
const pathOf = async (id: number) => (await world.storage.attempts.find(id))?.stateHistory.map(({ state }) => state);

describe('creating an attempt', () => {
  it('needs an active handle on the platform of the challenge', async () => {
    const { challenge } = await world.campaign();
    const creator = await world.creator('ada', 'tiktok');
    const create = () => world.createAttempt({ challengeId: challenge.id, creator: { userId: creator.id } });
    await expect(create()).rejects.toMatchObject({
      code: 'HANDLE_NOT_LINKED',
      message: `Creator ${creator.id} has no active Instagram handle: link one first.`,
      details: { userId: creator.id, platform: 'instagram' },
    });
    await world.registerCreator({ externalId: 'ext-ada', platform: 'instagram', handle: 'ada' });
    expect(await create()).toMatchObject({ state: 'created', retryCount: 0, maxRetries: 3, userId: creator.id });
  });

  it('happens once: later requests learn the id of the first', async () => {
    const { challenge } = await world.campaign();
    await world.creator('ada');
    const create = () =>
      world.createAttempt({ challengeId: challenge.id, creator: { externalId: 'ext-ada' } }).then(
        ({ id }) => id,
        (error: DomainError) => error,
      );
    const results = await Promise.all(Array.from({ length: 20 }, create));
    const ids = results.filter((result) => typeof result === 'number');
    expect(ids).toHaveLength(1);
    for (const error of results.filter((result) => typeof result !== 'number')) {
      expect(error).toMatchObject({ code: 'ATTEMPT_EXISTS', details: { attemptId: ids[0] } });
    }
  });

  it('needs a campaign that runs', async () => {
    const { campaign, challenge } = await world.campaign({ startsAt: new Date(world.now().getTime() + 1000) });
    const creator = await world.creator('ada');
    const create = () => world.createAttempt({ challengeId: challenge.id, creator: { userId: creator.id } });
    await expect(create()).rejects.toMatchObject({ code: 'CAMPAIGN_INACTIVE' });
    world.pass(1000);
    await world.endCampaign(campaign.id);
    await expect(create()).rejects.toMatchObject({ code: 'CAMPAIGN_INACTIVE' });
  });

  it('names what is not there', async () => {
    const { challenge } = await world.campaign();
    await expect(world.createAttempt({ challengeId: 999, creator: { externalId: 'ext-ada' } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('challenge 999'),
    });
    await expect(
      world.createAttempt({ challengeId: challenge.id, creator: { externalId: 'nobody' } }),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no creator with this externalId: register it first.',
    });
    await expect(world.createAttempt({ challengeId: challenge.id, creator: { userId: 98 } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no creator with userId 98: register it first.',
    });
    await expect(world.getAttempt({ challengeId: 999, attemptId: 1 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a claim', () => {
  it('is verified by a comment in any spelling of the handle, then rewarded', async () => {
    const { challenge } = await world.campaign();
    world.posts.comment('other');
    world.posts.comment('AdA', 'second', new Date('2026-02-02T00:00:00Z'));
    world.posts.comment('ada', 'first', new Date('2026-02-01T00:00:00Z'));
    const attempt = await world.attempt(challenge.id, '@Ada');
    expect((await world.claim(challenge.id, attempt.id)).state).toBe('verification_pending');
    await world.settle();
    expect(await world.storage.attempts.find(attempt.id)).toMatchObject({
      state: 'rewarded',
      pointsAwarded: 50,
      matchedComment: { commentText: 'first', commentedAt: new Date('2026-02-01T00:00:00Z') },
    });
    expect(await pathOf(attempt.id)).toEqual(['created', 'verification_pending', 'verified', 'rewarded']);
    expect(world.events.map(({ event, data }) => [event, data.username, data.commentText, data.points])).toEqual([
      ['creator.verified', 'ada', 'first', undefined],
      ['reward.issued', 'ada', undefined, 50],
    ]);
  });

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
    expect(await stateOf(bob.id)).toBe('rewarded');
  });

  it('shares one reading between claims made before it', async () => {
    const { challenge } = await world.campaign();
    world.posts.comment('someone');
    const attempts = [];
    for (const name of ['ada', 'bob', 'cleo']) attempts.push(await world.attempt(challenge.id, name));
    for (const { id } of attempts) await world.claim(challenge.id, id);
    await world.settle();
    expect(world.posts.state.reads).toBe(1);
    for (const { id } of attempts) expect(await stateOf(id)).toBe('failed_retryable');
  });

  it('without a match can be repeated three times, then fails for good', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    for (let round = 0; round < 4; round += 1) {
      world.pass(1000);
      await world.claim(challenge.id, attempt.id);
      await world.settle();
      expect(await world.storage.attempts.find(attempt.id)).toMatchObject({
        state: round < 3 ? 'failed_retryable' : 'failed_terminal',
        retryCount: round,
      });
    }
    expect(world.events.map(({ event, data }) => [event, data.reason])).toEqual([
      ['verification.failed', 'retryable'],
      ['verification.failed', 'retryable'],
      ['verification.failed', 'retryable'],
      ['verification.failed', 'terminal'],
    ]);
    await expect(world.claim(challenge.id, attempt.id)).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
  });

  it('finds on a retry what was written in between', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attempt.id);
    await world.settle();
    world.posts.comment('ada');
    world.pass(1000);
    await world.claim(challenge.id, attempt.id);
    await world.settle();
    expect(await stateOf(attempt.id)).toBe('rewarded');
  });

  it.each([
    ['POST_PRIVATE', undefined, 1],
    ['PLATFORM_UNAVAILABLE', 'session-required', 1],
    ['PLATFORM_UNAVAILABLE', 'login-wall', 3],
  ] as const)('on a post that cannot be read (%s, %s) is handed back after %i tries', async (code, reason, tries) => {
    const { challenge } = await world.campaign();
    world.posts.state.failures = Array.from(
      { length: 9 },
      () => new DomainError(code, 'no', reason ? { details: { reason } } : {}),
    );
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attempt.id);
    await world.settle();
    expect(world.posts.state.reads).toBe(tries);
    const stored = await world.storage.attempts.find(attempt.id);
    expect(stored).toMatchObject({ state: 'awaiting_claim', retryCount: 0 });
    expect(stored?.stateHistory.at(-1)?.reason).toContain(reason ?? code);
    expect(world.events).toEqual([]);
  });

  it('is not failed on a reading that stopped halfway', async () => {
    const { challenge } = await world.campaign();
    world.posts.state.pageSize = 1;
    world.posts.comment('someone');
    world.posts.comment('other');
    world.posts.comment('ada');
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attempt.id);
    const platformDown = new DomainError('PLATFORM_UNAVAILABLE', 'down');
    const read = world.posts.instagram.getComments;
    let pages = 0;
    Object.assign(world.posts.instagram, {
      getComments: (...args: Parameters<typeof read>) => {
        pages += 1;
        if (pages === 2) throw platformDown;
        return read(...args);
      },
    });
    await world.settle();
    expect(await stateOf(attempt.id)).toBe('rewarded');
  });

  it('is taken back by nobody once the handle is gone: no match', async () => {
    const { challenge } = await world.campaign();
    world.posts.comment('ada');
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attempt.id);
    await world.disconnectCreator({ externalId: 'ext-ada', platform: 'instagram', handle: '@ADA' });
    await world.settle();
    expect(await stateOf(attempt.id)).toBe('failed_retryable');
    expect(world.events[0]?.data.username).toBe('ada');
  });

  it('starts one verification, however many ask at a time', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => world.claim(challenge.id, attempt.id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'INVALID_TRANSITION' });
    }
    expect(await outboxOf(world.storage.outbox, attempt.id)).toHaveLength(1);
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
        const pending = await world.storage.attempts.find(attempt.id);
        if (pending === null) throw new Error('gone');
        const failed = { ...pending, state: 'failed_retryable' as const, revision: pending.revision + 1 };
        await world.storage.attempts.transition(pending, failed, []);
        during = world.claim(challenge.id, attempt.id);
        await during;
        return read(...args);
      },
    });
    await world.verify({ attemptId: attempt.id }, { run: 1, signal: new AbortController().signal });
    expect(during).not.toBeNull();
    expect(await world.storage.attempts.find(attempt.id)).toMatchObject({
      state: 'verification_pending',
      retryCount: 1,
    });
  });
});

describe('like challenges', () => {
  it('are verified from the likers', async () => {
    const { challenge } = await world.campaign({
      challenge: { targetUrl: 'https://www.instagram.com/reel/Abc_1/', action: 'like' },
    });
    world.posts.state.likers = ['someone', 'ADA'];
    const ada = await world.attempt(challenge.id, 'ada');
    const bob = await world.attempt(challenge.id, 'bob');
    for (const { id } of [ada, bob]) await world.claim(challenge.id, id);
    await world.settle();
    expect(await world.storage.attempts.find(ada.id)).toMatchObject({ state: 'rewarded', matchedComment: null });
    expect(await stateOf(bob.id)).toBe('failed_retryable');
    expect(world.events.find(({ event }) => event === 'creator.verified')?.data).not.toHaveProperty('commentText');
  });
});

describe('deadlines', () => {
  it('fail claimed attempts for good, others never', async () => {
    const { challenge } = await world.campaign();
    const claimed = await world.attempt(challenge.id, 'ada');
    const opened = await world.attempt(challenge.id, 'bob');
    await world.claim(challenge.id, claimed.id);
    await world.settle();
    world.pass(VERIFICATION_WINDOW_MS - 1);
    expect(await world.failOverdue()).toBe(0);
    world.pass(2);
    expect(await world.failOverdue()).toBe(1);
    expect(await world.failOverdue()).toBe(0);
    expect(await stateOf(claimed.id)).toBe('failed_terminal');
    expect(await stateOf(opened.id)).toBe('created');
  });

  it('count at once when a claim comes too late', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attempt.id);
    await world.settle();
    world.pass(VERIFICATION_WINDOW_MS);
    await expect(world.claim(challenge.id, attempt.id)).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
    await world.settle();
    expect(await stateOf(attempt.id)).toBe('failed_terminal');
    expect(world.eventNames()).toEqual(['verification.failed', 'verification.failed']);
  });
});

it('an action on an attempt that is over is refused for its own sake', async () => {
  const { challenge } = await world.campaign();
  const attempt = await world.attempt(challenge.id, 'ada');
  await world.claim(challenge.id, attempt.id);
  await world.forceVerify({ challengeId: challenge.id, attemptId: attempt.id });
  await expect(world.claim(challenge.id, attempt.id)).rejects.toMatchObject({
    code: 'INVALID_TRANSITION',
    details: { state: 'verified', allowedFrom: statesThatTake('claim') },
  });
});

describe('the end of a campaign', () => {
  it('fails its claimed attempts for good, others never', async () => {
    const { campaign, challenge } = await world.campaign();
    const claimed = await world.attempt(challenge.id, 'ada');
    const opened = await world.attempt(challenge.id, 'bob');
    await world.claim(challenge.id, claimed.id);
    await world.settle();
    const { challenge: elsewhere } = await world.campaign();
    const other = await world.attempt(elsewhere.id, 'cleo');
    await world.claim(elsewhere.id, other.id);
    await world.settle();
    await world.endCampaign(campaign.id);
    world.pass(1);
    expect(await world.failOverdue()).toBe(1);
    expect(await world.failOverdue()).toBe(0);
    expect(await stateOf(claimed.id)).toBe('failed_terminal');
    expect(await stateOf(opened.id)).toBe('created');
    expect(await stateOf(other.id)).toBe('failed_retryable');
    await world.settle();
    expect(world.events.at(-1)).toMatchObject({ event: 'verification.failed', data: { reason: 'terminal' } });
  });

  it('leaves a claim whose verification is under way its grace', async () => {
    const { campaign, challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attempt.id);
    await world.endCampaign(campaign.id);
    world.pass(PENDING_GRACE_MS - 1);
    expect(await world.failOverdue()).toBe(0);
    world.pass(1);
    expect(await world.failOverdue()).toBe(1);
    expect(await stateOf(attempt.id)).toBe('failed_terminal');
  });

  it.each(['target_opened', 'claim_completion'] as const)(
    'is noticed by %s in any state that can expire',
    async (action) => {
      const { campaign, challenge } = await world.campaign();
      world.posts.state.isDown = true;
      const attempt = await world.attempt(challenge.id, 'ada');
      await world.claim(challenge.id, attempt.id);
      await world.settle();
      const open = () =>
        world.progressAttempt({ challengeId: challenge.id, attemptId: attempt.id, action: 'target_opened' });
      expect(await open()).toMatchObject({ state: 'target_opened' });
      await world.endCampaign(campaign.id);
      await expect(
        world.progressAttempt({ challengeId: challenge.id, attemptId: attempt.id, action }),
      ).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
      expect(await stateOf(attempt.id)).toBe('failed_terminal');
    },
  );
});

describe('force-verify', () => {
  it('rewards, quotes a stored comment, and happens once', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    const ref = { challengeId: challenge.id, attemptId: attempt.id };
    await world.storage.comments.insertNew(
      challenge.id,
      [{ platformCommentId: '1', username: 'Ada', commentText: 'hello', commentedAt: world.now() }],
      world.now(),
    );
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => world.forceVerify(ref)));
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(won[0]?.value).toMatchObject({ before: { state: 'created' }, after: { state: 'verified' } });
    await world.settle();
    expect(await world.storage.attempts.find(attempt.id)).toMatchObject({ state: 'rewarded', pointsAwarded: 50 });
    expect(world.events.map(({ event, data }) => [event, data.commentText])).toEqual([
      ['creator.verified', 'hello'],
      ['reward.issued', undefined],
    ]);
    await expect(world.forceVerify(ref)).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
  });

  it('overtakes a pending verification, which then changes nothing', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attempt.id);
    await world.forceVerify({ challengeId: challenge.id, attemptId: attempt.id });
    await world.settle();
    expect(await pathOf(attempt.id)).toEqual(['created', 'verification_pending', 'verified', 'rewarded']);
    expect(world.eventNames()).toEqual(['creator.verified', 'reward.issued']);
  });
});

it('points are issued once, however often the job runs', async () => {
  const { campaign, challenge } = await world.campaign();
  const attempt = await world.attempt(challenge.id, 'ada');
  await world.forceVerify({ challengeId: challenge.id, attemptId: attempt.id });
  await Promise.all(Array.from({ length: 20 }, () => world.reward({ attemptId: attempt.id })));
  await world.settle();
  expect(world.eventNames()).toEqual(['creator.verified', 'reward.issued']);
  expect(await world.summariseCampaign(campaign.id)).toMatchObject({ totalRewarded: 1, totalPointsIssued: 50 });
});

describe('redelivery', () => {
  it('sends what fits the state, as it was sent first', async () => {
    const { challenge } = await world.campaign();
    world.posts.comment('ada', 'hi');
    const attempt = await world.attempt(challenge.id, 'ada');
    const ref = { challengeId: challenge.id, attemptId: attempt.id };
    await expect(world.redeliverWebhooks(ref)).rejects.toMatchObject({
      code: 'EVENT_NOT_ELIGIBLE',
      message: 'In state "created" no event can be sent again.',
    });
    await world.claim(challenge.id, attempt.id);
    await world.settle();
    const first = [...world.events];
    world.pass(60_000);
    await world.registerCreator({ externalId: 'ext-ada', platform: 'instagram', handle: 'renamed' });

    const names = ['creator.verified', 'reward.issued'];
    expect(await world.redeliverWebhooks(ref)).toEqual({ redelivered: names, unwanted: names });
    await world.settle();
    expect(world.events.slice(first.length)).toEqual(first);

    expect(await world.redeliverWebhooks({ ...ref, events: ['verification.failed', 'reward.issued'] })).toMatchObject({
      redelivered: ['reward.issued'],
    });
    await expect(world.redeliverWebhooks({ ...ref, events: ['verification.failed'] })).rejects.toMatchObject({
      code: 'EVENT_NOT_ELIGIBLE',
      message: 'In state "rewarded" only creator.verified, reward.issued can be sent again.',
      details: { state: 'rewarded', eligible: ['creator.verified', 'reward.issued'] },
    });
  });
});

describe('redelivery of a failure', () => {
  it('is the last failure again, with its own id', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    for (let count = 0; count < 2; count += 1) {
      await world.claim(challenge.id, attempt.id);
      await world.settle();
      world.pass(60_000);
    }
    await world.redeliverWebhooks({ challengeId: challenge.id, attemptId: attempt.id });
    await world.settle();
    const [first, second, again] = world.events;
    expect(again).toEqual(second);
    const ids = world.events.map(attemptEventId);
    expect(ids).toEqual([ids[0], ids[1], ids[1]]);
    expect(ids[0]).not.toBe(ids[1]);
    expect(first?.data).toEqual(second?.data);
  });
});

describe('redelivery says which events no webhook of the brand and no subscriber wants', () => {
  it.each([
    ['none', [], ['creator.verified', 'reward.issued']],
    ['one of both', [{ events: ['verification.failed', 'reward.issued'], active: true }], ['creator.verified']],
    ['a paused one', [{ events: ['creator.verified', 'reward.issued'], active: false }], []],
    [
      'one each',
      [
        { events: ['creator.verified'], active: true },
        { events: ['reward.issued'], active: true },
      ],
      [],
    ],
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

describe('by handle', () => {
  it('finds the attempt in any spelling; null without one', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.creator('bob');
    const find = (handle: string) => world.findAttemptByHandle({ challengeId: challenge.id, handle });
    expect((await find('@ADA'))?.id).toBe(attempt.id);
    expect(await find('bob')).toBeNull();
    expect(await find('nobody')).toBeNull();
    await expect(world.findAttemptByHandle({ challengeId: 99, handle: 'ada' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('finds the newest when the handle is linked to several creators', async () => {
    const { challenge } = await world.campaign();
    const create = (externalId: string) =>
      world.createAttempt({ challengeId: challenge.id, creator: { externalId: `ext-${externalId}` } });
    for (const name of ['one', 'two', 'three']) {
      await world.registerCreator({ externalId: `ext-${name}`, platform: 'instagram', handle: 'shared' });
    }
    await create('two');
    const newest = await create('three');
    const find = () => world.findAttemptByHandle({ challengeId: challenge.id, handle: 'shared' });
    expect(await find()).toEqual(newest);
    const evenNewer = await create('one');
    expect(await find()).toEqual(evenNewer);
  });
});

describe('by a handle that was disconnected', () => {
  const connect = (name: string, handle: string) =>
    world.registerCreator({ externalId: `ext-${name}`, platform: 'instagram', handle });
  const disconnect = (name: string, handle: string) =>
    world.disconnectCreator({ externalId: `ext-${name}`, platform: 'instagram', handle });

  it('finds what was made before, and first the creator who has the handle now', async () => {
    const { challenge } = await world.campaign();
    const create = (name: string) =>
      world.createAttempt({ challengeId: challenge.id, creator: { externalId: `ext-${name}` } });
    const find = () => world.findAttemptByHandle({ challengeId: challenge.id, handle: '@Shared' });
    await connect('one', 'shared');
    await connect('two', 'shared');
    const second = await create('two');
    const first = await create('one');
    await disconnect('one', 'shared');
    expect(await find()).toEqual(second);
    await disconnect('two', 'shared');
    expect(await find()).toEqual(first);
    expect(await world.isHandleRegistered('shared')).toBe(false);
    await connect('three', 'shared');
    expect(await find()).toEqual(first);
    const third = await create('three');
    expect(await find()).toEqual(third);
    await connect('two', 'shared');
    expect(await find()).toEqual(third);
    await disconnect('three', 'shared');
    expect(await find()).toEqual(second);
  });

  it('finds nothing that was made after', async () => {
    const { challenge } = await world.campaign();
    await connect('ada', 'old');
    await connect('ada', 'new');
    await disconnect('ada', 'old');
    world.pass(1);
    const attempt = await world.createAttempt({ challengeId: challenge.id, creator: { externalId: 'ext-ada' } });
    const find = (handle: string) => world.findAttemptByHandle({ challengeId: challenge.id, handle });
    expect(await find('old')).toBeNull();
    expect(await find('new')).toEqual(attempt);
  });

  it('finds nothing of somebody who was linked to it later only', async () => {
    const { challenge } = await world.campaign();
    const create = (name: string) =>
      world.createAttempt({ challengeId: challenge.id, creator: { externalId: `ext-${name}` } });
    const find = () => world.findAttemptByHandle({ challengeId: challenge.id, handle: 'x' });
    await connect('two', 'y');
    const second = await create('two');
    world.pass(1);
    await connect('two', 'x');
    await disconnect('two', 'x');
    expect(await find()).toBeNull();
    await connect('one', 'x');
    const first = await create('one');
    await disconnect('one', 'x');
    expect(await find()).toEqual(first);
    await connect('two', 'x');
    expect(await find()).toEqual(second);
    await disconnect('two', 'x');
    expect(await find()).toEqual(first);
  });

  it('finds what was made while another handle came first, and what was made before the handle came back', async () => {
    const { challenge } = await world.campaign();
    const find = (handle: string) => world.findAttemptByHandle({ challengeId: challenge.id, handle });
    await connect('ada', 'first');
    await connect('ada', 'second');
    const attempt = await world.createAttempt({ challengeId: challenge.id, creator: { externalId: 'ext-ada' } });
    await disconnect('ada', 'first');
    await disconnect('ada', 'second');
    expect([await find('first'), await find('second')]).toEqual([attempt, attempt]);
    world.pass(1);
    await connect('ada', 'second');
    await disconnect('ada', 'second');
    expect(await find('second')).toEqual(attempt);
  });
});

describe('a dead-lettered job', () => {
  const failure = { error: 'TypeError: of a defect', signal: new AbortController().signal };
  const relay = { handOver: async () => {} };
  const deps = () => {
    const clock = { now: world.now };
    return { storage: world.storage, clock, random: systemRandom, relay, logger: world.logger };
  };

  it('hands a claim back without using a retry, and names the attempt', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.claim(challenge.id, attempt.id);
    await abandonVerification(deps())({ attemptId: attempt.id }, failure);
    expect(await world.storage.attempts.find(attempt.id)).toMatchObject({ state: 'awaiting_claim', retryCount: 0 });
    expect(world.events).toEqual([]);
    const named = { level: 'error', fields: { attemptId: attempt.id, error: failure.error } };
    expect(world.logger.lines).toMatchObject([named]);
    // The creator claims again, and the repetition of a conclusion changes nothing that has moved on.
    world.posts.comment('ada');
    await world.claim(challenge.id, attempt.id);
    await world.settle();
    await abandonVerification(deps())({ attemptId: attempt.id }, failure);
    await abandonVerification(deps())({ attemptId: 987_654 }, failure);
    expect(await stateOf(attempt.id)).toBe('rewarded');
    expect(world.logger.lines).toHaveLength(1);
  });

  it('leaves a reward owed, and names the attempt as long as it is', async () => {
    const { challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.forceVerify({ challengeId: challenge.id, attemptId: attempt.id });
    await reportUnissuedReward(deps())({ attemptId: attempt.id }, failure);
    expect(world.logger.lines).toMatchObject([{ level: 'error', fields: { attemptId: attempt.id } }]);
    expect(await stateOf(attempt.id)).toBe('verified');
    await world.settle();
    await reportUnissuedReward(deps())({ attemptId: attempt.id }, failure);
    expect(world.logger.lines).toHaveLength(1);
  });
});
