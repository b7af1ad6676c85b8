/**
 * Claims against platforms that lie: lists that end early, totals that are missing, pages that come twice, comments that
 * cannot be read. A creator who commented never fails for absence; one who did not fails once the post was read whole.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DomainError } from '../../core/errors.ts';
import type { CommentPage, PlatformComment } from '../../core/ports/platform.ts';
import { createEngagementWorld, type EngagementWorld } from '../support/engagement-world.ts';
import { runs } from '../support/property-runs.ts';
import { comment as sample } from '../unit/challenge-data/support.ts';

/** One reading: the pages that the platform shows, and what it says of the whole. */
interface Answers {
  readonly pageSize: number;
  /** The list ends after this many comments, as if that were all. */
  readonly endsAfter: number;
  /** Each page is shown this often, behind cursors of its own. */
  readonly times: number;
  /** Positions of comments that cannot be read. */
  readonly unreadable: readonly number[];
  readonly listTotal: 'true' | 'null';
  /** What the post itself says; null hides it. */
  readonly postTotal: 'true' | 'null';
  readonly fails: boolean;
}

const answers: fc.Arbitrary<Answers> = fc.record({
  pageSize: fc.integer({ min: 1, max: 7 }),
  endsAfter: fc.oneof(fc.constant(1_000), fc.nat(20)),
  times: fc.constantFrom(1, 1, 2, 3, 5),
  unreadable: fc.oneof(fc.constant([]), fc.array(fc.nat(20), { maxLength: 3 })),
  listTotal: fc.constantFrom('true', 'true', 'null'),
  postTotal: fc.constantFrom('true', 'null'),
  fails: fc.constantFrom(false, false, false, true),
});

const told = { listTotal: 'true', postTotal: 'true' } as const;
const honest: Answers = { pageSize: 5, endsAfter: 1_000, times: 1, unreadable: [], ...told, fails: false };

let world: EngagementWorld;
let current: { comments: readonly PlatformComment[]; answers: Answers };
let creators = 0;

beforeAll(async () => {
  // Nothing is tolerated: a comment that is counted and not shown may always be the creator's.
  world = await createEngagementWorld({ absenceTolerance: { count: 0, share: 0 }, recheckScale: 0.0001 });
  world.posts.instagram.getComments = async (_post, cursor) => pageOf(cursor === null ? 0 : Number(cursor));
  const { getPost } = world.posts.instagram;
  world.posts.instagram.getPost = async (...given) => {
    const post = await getPost(...given);
    const comments = current.answers.postTotal === 'true' ? current.comments.length : null;
    return { ...post, stats: { ...post.stats, comments } };
  };
});
afterAll(() => world.close());

function pageOf(position: number): CommentPage {
  const { comments, answers: says } = current;
  if (says.fails) throw new DomainError('PLATFORM_UNAVAILABLE', 'The platform is down.');
  const listed = comments.slice(0, says.endsAfter);
  const pages = Math.max(1, Math.ceil(listed.length / says.pageSize)) * says.times;
  const start = Math.floor(position / says.times) * says.pageSize;
  const page = listed.slice(start, start + says.pageSize);
  const readable = page.filter((_, index) => !says.unreadable.includes(start + index));
  return {
    comments: readable,
    nextCursor: position + 1 < pages ? String(position + 1) : null,
    expectedTotal: says.listTotal === 'true' ? comments.length : null,
    skipped: page.length - readable.length,
  };
}

const comment = (id: number, username: string) => sample(String(id), { username, createdAt: world.now() });

/** A claim on a post with this many comments of others, and the creator's own at `own`; null without one. */
async function claimed(others: number, own: number | null) {
  creators += 1;
  const name = `creator${creators}`;
  const { challenge } = await world.campaign();
  const attempt = await world.attempt(challenge.id, name);
  const comments = Array.from({ length: others }, (_, index) => comment(index, `other${index}`));
  if (own !== null) comments.splice(own % (others + 1), 0, comment(others, name));
  current = { comments, answers: honest };
  await world.claim(challenge.id, attempt.id);
  return attempt.id;
}

/** Runs the verification with one reading's answers, then everything that follows from it. */
async function settle(attemptId: number, reading: Answers) {
  current = { ...current, answers: reading };
  await world.settle();
  world.pass(60_000);
  return world.stored(attemptId);
}

it('never fails a creator who commented, whatever the platform leaves out', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(15),
      fc.nat(15),
      fc.array(answers, { minLength: 1, maxLength: 4 }),
      async (others, own, readings) => {
        const id = await claimed(others, own);
        for (const reading of readings) {
          const { state, stateHistory, retryCount } = await settle(id, reading);
          expect(['awaiting_claim', 'rewarded']).toContain(state);
          expect(stateHistory.filter((entry) => entry.state.startsWith('failed'))).toEqual([]);
          expect(retryCount).toBe(0);
          await world.recheckClaims();
        }
        // Once the platform shows everything, the creator is found without claiming again.
        expect((await settle(id, honest)).state).toBe('rewarded');
      },
    ),
    runs(30),
  );
});

it('fails a creator who did not comment only in a reading that saw everything', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(15), fc.array(answers, { minLength: 1, maxLength: 4 }), async (others, readings) => {
      const id = await claimed(others, null);
      for (const reading of readings) {
        const { state, recheck } = await settle(id, reading);
        const sweep = await world.storage.comments.sweep((await world.stored(id)).challengeId);
        if (state === 'failed_retryable') {
          expect(sweep).toMatchObject({ status: 'swept', skipped: 0, totalFetched: others, expectedTotal: others });
          return;
        }
        expect(state).toBe('awaiting_claim');
        expect(recheck).not.toBeNull();
        await world.recheckClaims();
      }
      expect(await settle(id, honest)).toMatchObject({ state: 'failed_retryable', retryCount: 0, recheck: null });
    }),
    runs(30),
  );
});
