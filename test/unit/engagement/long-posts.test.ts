/** Claims on posts with more pages than one sweep reads. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyAttempt } from '../../../core/engagement/attempts/verify-attempt.ts';
import { type CommentSweeper, createCommentSweeper } from '../../../core/engagement/challenge-data/sweep-comments.ts';
import { DomainError, type ErrorCode } from '../../../core/errors.ts';
import { RescheduleError } from '../../../core/ports/job-queue.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { platformsOf } from '../../support/platforms.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';
import { comment, recordingQueue, ScriptedPlatform } from '../challenge-data/support.ts';

/** A run of a job makes three sweeps. */
const PAGES_OF_A_SWEEP = 5;
const PAGES = 40;

const world = worldOfEachTest({ clockTicks: true });
let platform: ScriptedPlatform;
const sweepers: CommentSweeper[] = [];

beforeEach(async () => {
  platform = new ScriptedPlatform();
  platform.pages = Array.from({ length: PAGES }, (_, page) => [comment(`a${page}`), comment(`b${page}`)]);
});
afterEach(async () => {
  await Promise.all(sweepers.splice(0).map((sweeper) => sweeper.close()));
});

/** A process of its own over the same storage. */
function host() {
  const clock = {
    now() {
      // A reading begins later than the one before stored its last comments.
      world.pass(1);
      return world.now();
    },
  };
  const sweeper = createCommentSweeper({
    ...world.storage,
    platforms: platformsOf(platform),
    queue: recordingQueue(),
    clock,
    logger: silentLogger,
    limits: { maxPages: PAGES_OF_A_SWEEP },
  });
  sweepers.push(sweeper);
  const verify = verifyAttempt({
    storage: world.storage,
    platforms: platformsOf(platform),
    clock,
    random: systemRandom,
    relay: { handOver: async () => {} },
    refreshComments: sweeper.sweep,
    refreshLikers: () => Promise.reject(new Error('Nobody asks for likes.')),
    logger: silentLogger,
  });
  return {
    close: () => sweeper.close(),
    run: (attemptId: number, run = 1) => verify({ attemptId }, { run, signal: new AbortController().signal }),
    /** Runs the job until it asks for no other run; returns how often. */
    async runToEnd(attemptId: number): Promise<number> {
      for (let runs = 1; ; runs += 1) {
        try {
          await this.run(attemptId);
          return runs;
        } catch (error) {
          if (!(error instanceof RescheduleError) || runs === 20) throw error;
        }
      }
    },
  };
}

async function claimed(name = 'ada') {
  const { challenge } = await world.campaign();
  return await claimAt(challenge.id, name);
}

async function claimAt(challengeId: number, name: string) {
  const { id } = await world.attempt(challengeId, name);
  world.pass(1_000);
  await world.claim(challengeId, id);
  world.pass(1_000);
  return id;
}

/** How often each page but the first was asked for. */
const timesAsked = () => {
  const cursors = platform.asked.filter((request) => /^comments c/.test(request));
  return [...Map.groupBy(cursors, (request) => request).values()].map(({ length }) => length);
};

it('finds the author of the very last comment, over several runs', async () => {
  const id = await claimed();
  platform.pages.push([comment('last', { username: 'Ada' })]);
  expect(await host().runToEnd(id)).toBe(3);
  expect(await world.stateOf(id)).toBe('verified');
  expect(timesAsked()).toEqual(Array.from({ length: PAGES }, () => 1));
});

it('concludes that the creator is missing, and reads each page once', async () => {
  const id = await claimed();
  expect(await host().runToEnd(id)).toBe(3);
  expect(await world.stateOf(id)).toBe('failed_retryable');
  expect(timesAsked()).toEqual(Array.from({ length: PAGES - 1 }, () => 1));
});

describe('a page that is always refused', () => {
  const refusals: readonly [ErrorCode, string | null][] = [
    ['PLATFORM_UNAVAILABLE', 'empty-body'],
    ['SCRAPING_RATE_LIMITED', null],
  ];
  const refuse = (code: ErrorCode, reason: string | null, isRefused: (request: string) => boolean) => {
    platform.before = (request) => {
      if (isRefused(request)) throw new DomainError(code, 'no', { details: { reason } });
    };
  };
  /** Runs the job until it asks for no other run and gives no other try. */
  async function check(id: number) {
    const reader = host();
    for (let run = 1; run <= 3; run += 1) await reader.runToEnd(id).catch(() => undefined);
    await reader.run(id, 3);
  }
  async function recheck(id: number, hours: number) {
    world.pass(hours * 3_600_000);
    expect(await world.recheckClaims()).toBeGreaterThan(0);
    await check(id);
  }

  it.each(refusals)('hides nobody who commented on a page before it: %s (%s)', async (code, reason) => {
    refuse(code, reason, (request) => request === 'comments c30');
    const { challenge } = await world.campaign();
    await check(await claimAt(challenge.id, 'bob'));
    platform.pages[20]?.push(comment('new', { username: 'ada' }));
    const id = await claimAt(challenge.id, 'ada');
    await check(id);
    await recheck(id, 1);
    expect(await world.stateOf(id)).toBe('verified');
  });

  it.each(refusals.flatMap((refusal) => [20, 35].map((page) => [...refusal, page] as const)))(
    'a thread of replies on page 30 hides nobody either: %s (%s), on page %d',
    async (code, reason, page) => {
      refuse(code, reason, (request) => request.startsWith('replies'));
      platform.pages[30]?.push(comment('asks', { replyCount: 1 }));
      const { challenge } = await world.campaign();
      await check(await claimAt(challenge.id, 'bob'));
      platform.pages[page]?.push(comment('new', { username: 'ada' }));
      const id = await claimAt(challenge.id, 'ada');
      await check(id);
      if ((await world.stateOf(id)) !== 'verified') await recheck(id, 1);
      expect(await world.stateOf(id)).toBe('verified');
    },
  );

  it('holds no post up of which some pages can be read at a time', async () => {
    const id = await claimed();
    platform.pages.push([comment('last', { username: 'Ada' })]);
    let left = 0;
    refuse('SCRAPING_RATE_LIMITED', null, (request) => {
      if (request === 'comments -') return false;
      left -= 1;
      return left < 0;
    });
    for (let checks = 0; (await world.stateOf(id)) !== 'verified'; checks += 1) {
      expect(checks).toBeLessThan(12);
      left = 4;
      if (checks === 0) await check(id);
      else await recheck(id, 13);
    }
    // Each page was asked for until it came, and not again.
    expect(timesAsked().filter((count) => count === 1).length).toBeGreaterThan(PAGES / 2);
  });
});

describe('a claim that was handed back while the post was read', () => {
  async function handedBack() {
    const id = await claimed();
    platform.before = (request) => {
      if (request === 'comments c20') throw new DomainError('PLATFORM_TIMEOUT', 'slow');
    };
    const reader = host();
    await expect(reader.runToEnd(id)).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    await reader.run(id, 3);
    expect(await world.stateOf(id)).toBe('awaiting_claim');
    platform.before = () => {};
    platform.asked.length = 0;
    world.pass(16 * 60_000);
    expect(await world.recheckClaims()).toBe(1);
    return id;
  }

  it('continues with the reading that began after the claim', async () => {
    const id = await handedBack();
    await host().runToEnd(id);
    expect(await world.stateOf(id)).toBe('failed_retryable');
    expect(timesAsked()).toEqual(Array.from({ length: PAGES - 20 }, () => 1));
  });

  it('reads from the top if that reading lacks a comment, which may have moved to a page that was read before', async () => {
    const moving = comment('moving', { username: 'ada' });
    platform.pages[35]?.push(moving);
    const id = await handedBack();
    platform.pages[35]?.pop();
    platform.pages[5]?.push(moving);
    await host().runToEnd(id);
    expect(await world.stateOf(id)).toBe('verified');
  });

  it('reads from the top if that reading could not read a comment, which can be read by now', async () => {
    const { getComments } = platform;
    platform.getComments = async (...given) => {
      const page = await getComments.apply(platform, given);
      const comments = page.comments.filter(({ username }) => username !== 'ada');
      return { ...page, comments, skipped: page.comments.length - comments.length };
    };
    platform.pages[5]?.push(comment('own', { username: 'ada' }));
    const id = await handedBack();
    platform.getComments = getComments;
    await host().runToEnd(id);
    expect(await world.stateOf(id)).toBe('verified');
  });

  it('fails the claim by the reading from the top, if that lacks no more than it may', async () => {
    const id = await handedBack();
    platform.expectedTotal = 2 * PAGES + 1;
    await host().runToEnd(id);
    expect(await world.stateOf(id)).toBe('failed_retryable');
    expect(timesAsked().every((count) => count <= 2)).toBe(true);
  });

  it('reads again if that reading has ended before the check, and left the claim undecided', async () => {
    const id = await claimed();
    platform.expectedTotal = 1_000;
    await host().runToEnd(id);
    expect(await world.stateOf(id)).toBe('awaiting_claim');
    platform.expectedTotal = undefined;
    world.pass(16 * 60_000);
    expect(await world.recheckClaims()).toBe(1);
    await host().runToEnd(id);
    expect(await world.stateOf(id)).toBe('failed_retryable');
    expect(timesAsked()).toEqual(Array.from({ length: PAGES - 1 }, () => 2));
  });
});
