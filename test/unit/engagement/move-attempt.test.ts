import { beforeEach, describe, expect, it, vi } from 'vitest';
import { abandonVerification, reportUnissuedReward } from '../../../core/engagement/attempts/dead-letter.ts';
import { PENDING_GRACE_MS, VERIFICATION_WINDOW_MS } from '../../../core/engagement/attempts/deadline.ts';
import { lastHandle, loadAttemptFacts } from '../../../core/engagement/attempts/load-facts.ts';
import { type AttemptDeps, moveAttempt } from '../../../core/engagement/attempts/move-attempt.ts';
import { failOverdue } from '../../../core/engagement/attempts/move-due.ts';
import { DomainError } from '../../../core/errors.ts';
import type { PendingOutbox } from '../../../core/ports/outbox-store.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createRecordingLogger, type RecordingLogger } from '../../support/recording-logger.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const world = worldOfEachTest();
let logger: RecordingLogger;
let handed: PendingOutbox[];
beforeEach(async () => {
  logger = createRecordingLogger();
  handed = [];
});

/** The world's parts, with changes to how attempts are stored. */
function deps(changes: Partial<Storage['attempts']> = {}) {
  const { attempts, campaigns, creators } = world.storage;
  const relay: AttemptDeps['relay'] = {
    handOver: async (stored) => void handed.push(...stored),
  };
  const storage = { attempts: { ...attempts, ...changes }, campaigns, creators };
  return { storage, clock: { now: world.now }, random: systemRandom, relay, logger };
}

async function newAttempt(name = 'ada') {
  const { challenge } = await world.campaign();
  return world.attempt(challenge.id, name);
}

/** An attempt with a verification under way. */
async function pendingAttempt() {
  const { id, challengeId } = await newAttempt();
  return world.claim(challengeId, id);
}

const openTarget = { command: { type: 'open-target' } } as const;

describe('moving an attempt', () => {
  it('gives up after ten lost races', async () => {
    const attempt = await newAttempt();
    const transition = vi.fn(async () => false);
    await expect(moveAttempt(deps({ transition }), attempt, openTarget)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The attempt is being changed by others at the moment; try again.',
    });
    expect(transition).toHaveBeenCalledTimes(10);
    transition.mockClear();
    let losses = 9;
    const { changed } = await moveAttempt(
      deps({ transition: async (...args) => losses-- <= 0 && world.storage.attempts.transition(...args) }),
      attempt,
      openTarget,
    );
    expect(changed).toBe(true);
  });

  it('names an attempt that is gone', async () => {
    const attempt = await newAttempt();
    const gone = deps({ transition: async () => false, find: async () => null });
    await expect(moveAttempt(gone, attempt, openTarget)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `There is no attempt ${attempt.id}.`,
    });
  });
});

describe('what belongs to an attempt', () => {
  const link = (handle: string, platform: 'instagram' | 'tiktok' = 'instagram') =>
    world.registerCreator({ externalId: 'ext-ada', platform, handle });

  it('the handle of the active link on its platform that was connected last, unless one is given', async () => {
    const attempt = await newAttempt('ada');
    const username = async () => (await loadAttemptFacts(world.storage, attempt)).username;
    await link('ada.twin');
    expect(await username()).toBe('ada.twin');
    world.pass(1);
    await link('ada.late');
    await link('ada.moves', 'tiktok');
    expect(await username()).toBe('ada.late');
    await world.disconnectCreator({ externalId: 'ext-ada', platform: 'instagram', handle: 'ada' });
    world.pass(1);
    await link('ada');
    expect(await username()).toBe('ada');
    expect((await loadAttemptFacts(world.storage, attempt, 'ada.was')).username).toBe('ada.was');
  });

  it('without one the handle it was last seen with, and else no name', async () => {
    const attempt = await newAttempt('ada');
    await world.disconnectCreator({ externalId: 'ext-ada', platform: 'instagram', handle: 'ada' });
    expect(await loadAttemptFacts(world.storage, attempt)).toMatchObject({ username: 'ada' });
    const nameless = { ...attempt, metadata: { platformUsername: 7 } };
    expect(lastHandle(nameless)).toBeUndefined();
    expect(await loadAttemptFacts(world.storage, nameless)).toMatchObject({ username: '' });
  });

  it('a challenge and a creator, or it says which is gone', async () => {
    const attempt = await newAttempt();
    await expect(loadAttemptFacts(world.storage, { ...attempt, challengeId: 99 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no challenge 99.',
    });
    await expect(loadAttemptFacts(world.storage, { ...attempt, userId: 98 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no creator 98.',
    });
  });
});

describe('failing overdue attempts', () => {
  const fail = (changes: Partial<Storage['attempts']> = {}) => failOverdue(deps(changes))();

  async function overdueAttempt() {
    const attempt = await pendingAttempt();
    await world.settle();
    world.pass(VERIFICATION_WINDOW_MS);
    return attempt;
  }

  it('counts those that it failed, not one whose verification may still finish', async () => {
    const attempt = await pendingAttempt();
    world.pass(VERIFICATION_WINDOW_MS + PENDING_GRACE_MS - 1);
    const due: Storage['attempts']['due'] = async () => [attempt];
    expect(await fail({ due })).toBe(0);
    expect(await world.stored(attempt.id)).toMatchObject({ state: 'verification_pending' });
    world.pass(1);
    expect(await fail({ due })).toBe(1);
    expect(await fail({ due })).toBe(0);
    expect(await world.stored(attempt.id)).toMatchObject({ state: 'failed_terminal' });
  });

  it.each(['INVALID_TRANSITION', 'NOT_FOUND', 'CONFLICT'] as const)(
    'passes over what is not overdue any more: %s',
    async (code) => {
      const attempt = await overdueAttempt();
      world.pass(1);
      const moved = () => Promise.reject(new DomainError(code, 'moved'));
      expect(await fail({ transition: moved })).toBe(0);
      expect(await fail()).toBe(1);
      expect(await world.stored(attempt.id)).toMatchObject({ state: 'failed_terminal' });
    },
  );
});

describe('a verification whose job is dead-lettered', () => {
  const failure = { error: 'out of memory', signal: new AbortController().signal };
  const abandon = (attemptId: number, changes: Partial<Storage['attempts']> = {}) =>
    abandonVerification(deps(changes))({ attemptId }, failure);

  it('hands the claim back and is reported', async () => {
    const { id } = await pendingAttempt();
    await abandon(id);
    expect(await world.stored(id)).toMatchObject({ state: 'awaiting_claim', retryCount: 0 });
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { attemptId: id, error: 'out of memory' } }]);
    await abandon(id);
    expect(logger.lines).toHaveLength(1);
  });

  it('leaves other attempts alone', async () => {
    const { id } = await newAttempt();
    await abandon(id);
    await abandon(99);
    expect(await world.stored(id)).toMatchObject({ state: 'created', revision: 0 });
    expect(logger.lines).toEqual([]);
  });

  it.each(['INVALID_TRANSITION', 'NOT_FOUND'] as const)('says nothing when others were faster: %s', async (code) => {
    const { id } = await pendingAttempt();
    await abandon(id, { transition: () => Promise.reject(new DomainError(code, 'moved')) });
    expect(logger.lines).toEqual([]);
  });

  it('is taken up again when the storage fails', async () => {
    const { id } = await pendingAttempt();
    const down = new DomainError('SERVICE_UNAVAILABLE', 'down');
    await expect(abandon(id, { transition: () => Promise.reject(down) })).rejects.toBe(down);
    expect(logger.lines).toEqual([]);
  });
});

describe('a reward whose job is dead-lettered', () => {
  const failure = { error: 'out of memory', signal: new AbortController().signal };

  it('is reported while it is owed', async () => {
    const attempt = await newAttempt();
    const report = (attemptId: number) => reportUnissuedReward(deps())({ attemptId }, failure);
    await report(attempt.id);
    await report(99);
    expect(logger.lines).toEqual([]);
    await world.forceVerify({ challengeId: attempt.challengeId, attemptId: attempt.id });
    await report(attempt.id);
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { attemptId: attempt.id, error: 'out of memory' } }]);
    expect(await world.stored(attempt.id)).toMatchObject({ state: 'verified' });
    await world.settle();
    await report(attempt.id);
    expect(logger.lines).toHaveLength(1);
  });
});
