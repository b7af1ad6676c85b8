/** Sweeps in parts, over comments that an older sweep stored, while the ranking changes between any two requests. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isResumable } from '../../core/engagement/challenge-data/sweep-progress.ts';
import { DomainError } from '../../core/errors.ts';
import type { CommentPage } from '../../core/ports/platform.ts';
import { runs } from '../support/property-runs.ts';
import { comment, createSweepWorld, reply, ScriptedPlatform } from '../unit/challenge-data/support.ts';

const PARTS = 8;

it('counts no comment twice, however often a sweep is refused and wherever its comments move', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 4, max: 25 }), fc.integer({ min: 1, max: 6 }), fc.gen(), async (...given) => {
      const [count, pageSize, draw] = given;
      const platform = new ScriptedPlatform();
      const world = await createSweepWorld(platform);
      let minutes = 0;
      const start = Date.now();
      const clock = { now: () => new Date(start + minutes * 60_000) };
      const comments = Array.from({ length: count }, (_, n) => comment(`c${n}`, { replyCount: n % 3 === 0 ? 2 : 0 }));
      const answered = comments.filter(({ replyCount }) => replyCount === 2);
      platform.replies = Object.fromEntries(
        answered.map(({ id }) => [id, [[reply(`${id}a`, id)], [reply(`${id}b`, id)]]]),
      );
      const place = () =>
        Array.from({ length: Math.ceil(count / pageSize) }, (_, page) =>
          comments.slice(page * pageSize, (page + 1) * pageSize),
        );
      const shown = new Set<string>();
      const noting = async (answer: Promise<CommentPage>) => {
        const page = await answer;
        for (const { id } of page.comments) shown.add(id);
        return page;
      };
      const { getComments, getReplies } = platform;
      platform.getComments = (...asked) => noting(getComments.apply(platform, asked));
      platform.getReplies = (...asked) => noting(getReplies.apply(platform, asked));
      try {
        platform.pages = place();
        await world.sweeper({ clock }).sweep(world.challenge.id);
        const at = () => draw(fc.nat, { max: count - 1 });
        platform.before = () => {
          for (let moves = draw(fc.nat, { max: 4 }); moves > 0; moves -= 1) {
            comments.splice(at(), 0, ...comments.splice(at(), 1));
          }
          platform.pages = place();
          if (draw(fc.nat, { max: 5 }) === 0) throw new DomainError('SCRAPING_RATE_LIMITED', 'Slow down.');
        };
        for (let part = 0; part < PARTS; part += 1) {
          minutes += 10;
          const last = await world.storage.comments.sweep(world.challenge.id);
          if (last === null || !isResumable(last)) shown.clear();
          await world
            .sweeper({ clock })
            .sweep(world.challenge.id)
            .catch((error) => expect(error).toBeInstanceOf(DomainError));
          const { totalFetched = 0 } = (await world.storage.comments.sweep(world.challenge.id)) ?? {};
          if (shown.size > 0) expect(totalFetched).toBeLessThanOrEqual(shown.size);
        }
      } finally {
        await world.storage.close();
      }
    }),
    runs(20),
  );
});
