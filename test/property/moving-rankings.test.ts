/**
 * Claims on a post whose ranking moves between any two requests, and whose platform refuses some of them. The first check on a
 * platform that is quiet again decides each claim, and decides it rightly.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DomainError } from '../../core/errors.ts';
import type { CommentPage, PlatformComment } from '../../core/ports/platform.ts';
import { createEngagementWorld } from '../support/engagement-world.ts';
import { runs } from '../support/property-runs.ts';
import { comment } from '../unit/challenge-data/support.ts';

const CODES = ['SCRAPING_RATE_LIMITED', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT'] as const;
const HOURS_13 = 13 * 3_600_000;

it('decides a claim at the first check on a quiet platform, whatever earlier checks left behind', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      fc.gen(),
      async (others, pageSize, isThere, checks, draw) => {
        const world = await createEngagementWorld({ absenceTolerance: { count: 0, share: 0 }, clockTicks: true });
        const { challenge } = await world.campaign();
        const { id: attemptId } = await world.attempt(challenge.id, 'ada');
        const at = () => draw(fc.nat, { max: comments.length - 1 });
        const comments = Array.from({ length: others }, (_, n) =>
          comment(`${n}`, { username: n === 0 && isThere ? 'Ada' : `fan${n}`, createdAt: world.now() }),
        );
        let isQuiet = false;
        world.posts.instagram.getComments = async (_post, cursor): Promise<CommentPage> => {
          if (!isQuiet) {
            for (let moves = draw(fc.nat, { max: 3 }); moves > 0; moves -= 1) {
              comments.splice(at(), 0, ...comments.splice(at(), 1));
            }
            if (draw(fc.nat, { max: 2 }) === 0) throw new DomainError(draw(fc.constantFrom, ...CODES), 'no');
          }
          const start = Number(cursor ?? 0);
          const end = start + pageSize;
          const isUnreadable = ({ id }: PlatformComment) => !isQuiet && id === '0' && draw(fc.boolean);
          const page = comments.slice(start, end);
          const readable = page.filter((one) => !isUnreadable(one));
          return {
            comments: readable,
            nextCursor: end < comments.length ? String(end) : null,
            expectedTotal: comments.length,
            isPostTotal: true,
            skipped: page.length - readable.length,
          };
        };
        const check = async () => {
          await world.verifyInRuns(attemptId);
          world.pass(HOURS_13);
          return world.stateOf(attemptId);
        };
        try {
          await world.claim(challenge.id, attemptId);
          let state: string | undefined;
          for (let done = 0; done < checks; done += 1) {
            state = await check();
            expect(isThere ? ['awaiting_claim', 'verified'] : ['awaiting_claim', 'failed_retryable']).toContain(state);
            if (state !== 'awaiting_claim') return;
            await world.recheckClaims();
          }
          isQuiet = true;
          expect(await check()).toBe(isThere ? 'verified' : 'failed_retryable');
        } finally {
          await world.close();
        }
      },
    ),
    runs(60),
  );
});
