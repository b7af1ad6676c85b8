import { beforeEach, describe, expect, it } from 'vitest';
import type { Refresh } from '../../../core/engagement/attempts/post-reads.ts';
import { verifyAttempt } from '../../../core/engagement/attempts/verify-attempt.ts';
import { waitingOf } from '../../../core/engagement/attempts/waiting.ts';
import type { LikersFetch, SweepProgress } from '../../../core/engagement/challenge-data/comment.ts';
import { startOf } from '../../../core/engagement/challenge-data/sweep-progress.ts';
import { DomainError, type DomainErrorOptions, type ErrorCode } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { linkInput, newLiker, newLikersFetch, newSweep, storedLikersFetch } from '../../contract/storage/samples.ts';
import { createRecordingLogger, type RecordingLogger } from '../../support/recording-logger.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const world = worldOfEachTest();
let logger: RecordingLogger;
/** What a reading of the post comes to. */
let refresh: Refresh;
let refreshed: string[];

beforeEach(async () => {
  logger = createRecordingLogger();
  refreshed = [];
  refresh = async () => {};
});
const fail = (code: ErrorCode, options: DomainErrorOptions = {}): Refresh => {
  return () => Promise.reject(new DomainError(code, 'no', options));
};

/** One run of the job, with readings as scripted. */
function run(attemptId: number, number = 1, signal = new AbortController().signal) {
  const reading =
    (what: string): Refresh =>
    (challengeId, options) => {
      expect(options.signal).toBe(signal);
      refreshed.push(what);
      return refresh(challengeId, options);
    };
  const verify = verifyAttempt({
    storage: world.storage,
    clock: { now: world.now },
    platforms: world.platforms,
    random: systemRandom,
    relay: { handOver: async () => {} },
    refreshComments: reading('comments'),
    refreshLikers: reading('likers'),
    logger,
  });
  return verify({ attemptId }, { run: number, signal });
}

/** The times of a reading that begins and ends now. */
const atOnce = () => {
  const now = world.now();
  return { startedAt: now, leasedAt: now, updatedAt: now };
};
const fetchedAt = (at: Date) => ({ status: 'succeeded', requestedAt: at, startedAt: at, finishedAt: at }) as const;

async function claimed(action: 'comment' | 'like' = 'comment') {
  const { challenge } = await world.campaign({ challenge: { action } });
  const { id } = await world.attempt(challenge.id, 'ada');
  world.pass(1000);
  return world.claim(challenge.id, id);
}

const waiting = async (id: number) => waitingOf(await world.stored(id));

describe('a post that cannot be read to its end', () => {
  it('is read three times in a run, then taken for unreadable', async () => {
    const { id } = await claimed();
    await expect(run(id)).rejects.toMatchObject({
      code: 'PLATFORM_UNAVAILABLE',
      message: 'The post could not be read to its end.',
      details: { reason: 'partial' },
    });
    expect(refreshed).toEqual(['comments', 'comments', 'comments']);
    expect(await world.stored(id)).toMatchObject({ state: 'verification_pending' });
    expect(logger.lines).toEqual([]);
    await expect(run(id, 2)).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    await run(id, 3);
    const attempt = await world.stored(id);
    expect(attempt).toMatchObject({ state: 'awaiting_claim' });
    expect(attempt.stateHistory.at(-1)?.reason).toBe('post could not be read: PLATFORM_UNAVAILABLE (partial)');
    const fields = { attemptId: id, code: 'PLATFORM_UNAVAILABLE', run: 3 };
    expect(logger.lines).toMatchObject([{ level: 'info', fields }]);
  });

  it('still counts when the creator was found on the way', async () => {
    const { id, challengeId } = await claimed();
    refresh = async () => {
      if (refreshed.length < 3) return;
      await world.storeComments(challengeId, { username: 'ada' });
    };
    await run(id);
    expect(await world.stored(id)).toMatchObject({ state: 'verified' });
  });
});

describe('a handle that changes while the post is read', () => {
  const link = { externalId: 'ext-ada', platform: 'instagram' } as const;
  const disconnect = () => world.storage.creators.disconnect({ ...link, handle: 'ada' }, world.now());
  const comment = (username: string) => ({ username, commentText: `by ${username}` });

  it('is not found once it is disconnected, and with no handle left nothing is read any more', async () => {
    const { id, challengeId } = await claimed();
    refresh = async () => {
      expect(await disconnect()).not.toBeNull();
      await world.storeComments(challengeId, comment('ada'));
    };
    await run(id);
    expect(await world.stored(id)).toMatchObject({ state: 'failed_retryable', matchedComment: null });
    expect(refreshed).toEqual(['comments']);
  });

  it('is found once it is linked', async () => {
    const { id, challengeId } = await claimed();
    refresh = async () => {
      await disconnect();
      await world.storage.creators.link(linkInput({ ...link, handle: 'ada.new', now: world.now() }));
      await world.storeComments(challengeId, comment('ada'), comment('ada.new'));
    };
    await run(id);
    expect(await world.stored(id)).toMatchObject({ state: 'verified', matchedComment: { commentText: 'by ada.new' } });
  });
});

describe('a platform that wants to be left alone', () => {
  it('is waited for when that is at most a quarter of an hour', async () => {
    const { id } = await claimed();
    expect(await waiting(id)).toBeNull();
    const since = world.now();
    world.pass(2_000);
    refresh = fail('SCRAPING_RATE_LIMITED', { retryAfterSeconds: 900 });
    await expect(run(id)).rejects.toMatchObject({ code: 'SCRAPING_RATE_LIMITED', retryAfterSeconds: 900 });
    expect(await world.stored(id)).toMatchObject({ state: 'verification_pending' });
    expect(await waiting(id)).toEqual({
      reason: 'SCRAPING_RATE_LIMITED',
      message: 'The platform refused the read: the rate limit is reached.',
      since,
      nextCheckAt: new Date(world.now().getTime() + 900_000),
    });
    world.pass(900_000);
    refresh = fail('POST_PRIVATE');
    await run(id, 2);
    expect(await waiting(id)).toMatchObject({ reason: 'POST_PRIVATE', since: world.now() });
    expect((await world.stored(id)).recheck?.count).toBe(1);
  });

  it('for longer than that costs the creator nothing', async () => {
    const { id } = await claimed();
    refresh = fail('SCRAPING_RATE_LIMITED', { retryAfterSeconds: 901 });
    await run(id);
    expect(await world.stored(id)).toMatchObject({ state: 'awaiting_claim', retryCount: 0 });
    const nextCheckAt = new Date(world.now().getTime() + 15 * 60_000);
    expect(await waiting(id)).toMatchObject({ reason: 'SCRAPING_RATE_LIMITED', since: world.now(), nextCheckAt });
  });
});

describe('a run that says nothing about the post', () => {
  it('because it was stopped', async () => {
    const { id } = await claimed();
    const controller = new AbortController();
    refresh = (...args) => {
      controller.abort();
      return fail('POST_PRIVATE')(...args);
    };
    await expect(run(id, 3, controller.signal)).rejects.toMatchObject({ code: 'POST_PRIVATE' });
    expect(await world.stored(id)).toMatchObject({ state: 'verification_pending' });
  });

  it.each<[string, Error]>([
    ['defect', new Error('a defect')],
    ['storage that is down', new DomainError('SERVICE_UNAVAILABLE', 'down')],
  ])('because of a %s', async (_what, error) => {
    const { id } = await claimed();
    refresh = () => Promise.reject(error);
    await expect(run(id, 3)).rejects.toBe(error);
    expect(await world.stored(id)).toMatchObject({ state: 'verification_pending' });
    expect(logger.lines).toEqual([]);
  });
});

it('keeps the reason short that a platform gives', async () => {
  const { id } = await claimed();
  refresh = fail('POST_UNAVAILABLE', { details: { reason: 'r'.repeat(300) } });
  await run(id);
  expect((await world.stored(id)).stateHistory.at(-1)?.reason).toBe(
    `post could not be read: POST_UNAVAILABLE (${'r'.repeat(100)})`,
  );
});

describe('likers', () => {
  const NOBODY = { maxCount: 100, fetchedCount: 0, totalLikes: 0 };
  /** A fetch that found nobody; times count from the claim. */
  async function fetched(
    challengeId: number,
    requestedMs: number,
    startedMs: number | null,
    counts: Pick<LikersFetch, 'maxCount' | 'fetchedCount' | 'totalLikes'> = NOBODY,
  ) {
    const at = (ms: number) => new Date(world.now().getTime() + ms);
    const startedAt = startedMs === null ? null : at(startedMs);
    const times = { requestedAt: at(requestedMs), startedAt, finishedAt: at(5000) };
    await world.storage.likers.createFetch(newLikersFetch(challengeId, { status: 'succeeded', ...counts, ...times }));
  }

  it.each<[string, number, number | null, boolean]>([
    ['began at the claim', -500, 0, true],
    ['began before the claim', -500, -1, false],
    ['was asked for at the claim, with no word on its beginning', 0, null, true],
    ['was asked for before the claim, with no word on its beginning', -1, null, false],
  ])('of a fetch that %s', async (_when, requestedMs, startedMs, counts) => {
    const { id, challengeId } = await claimed('like');
    await fetched(challengeId, requestedMs, startedMs);
    if (counts) {
      await run(id);
      expect(await world.stored(id)).toMatchObject({ state: 'failed_retryable' });
      expect(refreshed).toEqual([]);
    } else {
      await expect(run(id)).rejects.toMatchObject({ details: { reason: 'partial' } });
      expect(refreshed).toEqual(['likers', 'likers', 'likers']);
    }
  });

  it.each<[number, number, number | null, readonly string[], string]>([
    [100, 100, 100, [], 'failed_retryable'],
    [4_999, 99, 99, [], 'failed_retryable'],
    // Instagram shows about a thousand at most.
    [4_999, 1_000, 9_000, [], 'awaiting_claim'],
    [5_000, 5_000, 9_000, [], 'awaiting_claim'],
    [100, 99, 100, [], 'awaiting_claim'],
    [5_000, 22, null, [], 'awaiting_claim'],
    // A larger fetch may see more.
    [1, 1, 22, ['likers'], 'failed_retryable'],
    [4_999, 4_999, 9_000, ['likers'], 'failed_retryable'],
  ])('of a fetch that asked for %i and found %i of %s', async (maxCount, fetchedCount, totalLikes, reads, state) => {
    const { id, challengeId } = await claimed('like');
    await fetched(challengeId, 0, 0, { maxCount, fetchedCount, totalLikes });
    refresh = () => fetched(challengeId, 1, 1, { maxCount: 5_000, fetchedCount: totalLikes ?? 0, totalLikes });
    await run(id);
    expect(refreshed).toEqual(reads);
    expect(await world.stored(id)).toMatchObject({ state, retryCount: 0 });
  });
});

describe('an undecided claim', () => {
  /** A complete reading, begun now, of 11 of 551 comments. */
  const sweepOf = (challengeId: number, changes: Partial<SweepProgress>) => {
    const whole = { status: 'swept', historyComplete: true, cursor: null } as const;
    const read = { ...atOnce(), ...whole, totalFetched: 11, expectedTotal: 551, ...changes };
    return world.storage.comments.saveSweep(newSweep(challengeId, read));
  };

  it('is concluded by the last complete reading while another one is under way', async () => {
    const { id, challengeId } = await claimed();
    const last = startOf(challengeId, null, world.now());
    refresh = async () => {
      const swept = { ...last, status: 'swept', historyComplete: true, expectedTotal: 11, totalFetched: 11 } as const;
      await world.storage.comments.saveSweep(startOf(challengeId, swept, world.now()));
    };
    await run(id);
    expect(refreshed).toEqual(['comments']);
    expect(await world.stored(id)).toMatchObject({ state: 'failed_retryable' });
  });

  it('shares the reading of another claim', async () => {
    const { id, challengeId } = await claimed();
    await sweepOf(challengeId, {});
    await run(id);
    expect(refreshed).toEqual([]);
    expect(await world.stored(id)).toMatchObject({ state: 'awaiting_claim' });
  });
});

it('does not take a reading that ended while it looked for one that it has looked through', async () => {
  const { id, challengeId } = await claimed();
  const { comments } = world.storage;
  const ask = comments.earliestByAuthors;
  let asked = 0;
  comments.earliestByAuthors = async (...args) => {
    const found = await ask(...args);
    asked += 1;
    if (asked > 1) return found;
    await world.storeComments(challengeId, { username: 'ada' });
    const read = { status: 'swept', historyComplete: true, cursor: null, totalFetched: 1, expectedTotal: 1 } as const;
    await comments.saveSweep(newSweep(challengeId, { ...atOnce(), ...read }));
    return found;
  };
  await run(id);
  expect(await world.stored(id)).toMatchObject({ state: 'verified' });
});

it('asks one fetch of likers whether it saw all and who is in it: a smaller one that ends meanwhile changes nothing', async () => {
  const { id, challengeId } = await claimed('like');
  const { likers } = world.storage;
  const over = (changes: Partial<LikersFetch>) =>
    newLikersFetch(challengeId, { ...fetchedAt(world.now()), ...changes });
  await storedLikersFetch(world.storage, over({ maxCount: 5_000, fetchedCount: 1 }), [newLiker({ username: 'ada' })]);
  const ask = likers.findFetch;
  likers.findFetch = async (...args) => {
    const found = await ask(...args);
    await likers.createFetch(over({ maxCount: 1, fetchedCount: 1 }));
    return found;
  };
  await run(id);
  expect(await world.stored(id)).toMatchObject({ state: 'verified', matchedComment: null });
  expect(refreshed).toEqual([]);
});

it.each<[string, number, string]>([
  ['after the claim has seen', 0, 'verified'],
  ['before the claim has seen', -1, 'awaiting_claim'],
])('finds a liker whom a fetch %s, though the latest one shows others', async (_when, ms, state) => {
  const { id, challengeId } = await claimed('like');
  const fetched = (at: Date, username: string) => {
    const counts = { totalLikes: 50_000, maxCount: 5_000, fetchedCount: 1 };
    const fetch = newLikersFetch(challengeId, { ...fetchedAt(at), ...counts });
    return storedLikersFetch(world.storage, fetch, [newLiker({ username })]);
  };
  await fetched(new Date(world.now().getTime() + ms), 'Ada');
  await fetched(new Date(world.now().getTime() + 1_000), 'bob');
  await run(id);
  expect(await world.stored(id)).toMatchObject({ state, matchedComment: null });
  expect(refreshed).toEqual([]);
});

it.each<[string, string, string]>([
  ['shows every handle', 'bob', 'failed_retryable'],
  ['shows a liker by number only', '', 'awaiting_claim'],
])('concludes that a handle is missing if a fetch %s: %j leads to %s', async (_what, username, state) => {
  const { id, challengeId } = await claimed('like');
  const whole = newLikersFetch(challengeId, { ...fetchedAt(world.now()), fetchedCount: 1, totalLikes: 1 });
  await storedLikersFetch(world.storage, whole, [newLiker({ username })]);
  await run(id);
  expect(await world.stored(id)).toMatchObject({ state });
});
