/**
 * Rewards that wait for comments to be kept, in any order of steps and crashes. Points are issued once at most, and taken back once at
 * most. Entries are only added, and points are their sum. What was announced adds up to it.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Attempt, entriesOf } from '../../core/engagement/attempts/attempt.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createEngagementWorld, type EngagementWorld } from '../support/engagement-world.ts';
import { runs } from '../support/property-runs.ts';
import { createTestStorage, eachStorage } from '../support/storage.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const NAMES = ['ann', 'ben'];
const POINTS = 7;

/** A storage whose next write of an attempt fails, before it or after it. */
function crashing(storage: Storage) {
  let next: 'before' | 'after' | null = null;
  const attempts: Storage['attempts'] = {
    ...storage.attempts,
    async transition(...move) {
      const when = next;
      next = null;
      if (when === 'before') throw new Error('crash');
      const made = await storage.attempts.transition(...move);
      if (when === 'after') throw new Error('crash');
      return made;
    },
  };
  return { storage: { ...storage, attempts }, crash: (when: 'before' | 'after') => (next = when) };
}

const who = fc.nat(NAMES.length - 1);
const step = fc.oneof(
  fc.record({ do: fc.constantFrom('comment' as const, 'delete' as const, 'claim' as const), who }),
  fc.record({ do: fc.constantFrom('reward' as const, 'check' as const), who }),
  fc.record({ do: fc.constant('pass' as const), days: fc.constantFrom(0.3, 1.1, 2.2) }),
  fc.record({ do: fc.constantFrom('settle' as const, 'settle' as const, 'down' as const) }),
  fc.record({ do: fc.constant('crash' as const), when: fc.constantFrom('before' as const, 'after' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const terms = fc.record(
  { holdDays: fc.constantFrom(1, 2), recheckDays: fc.constantFrom(1, 2), reverseOnRemoval: fc.constant(true) },
  { requiredKeys: ['holdDays'] },
);

interface Run {
  readonly world: EngagementWorld;
  readonly challengeId: number;
  readonly handles: readonly string[];
  readonly ids: readonly number[];
  readonly crash: (when: 'before' | 'after') => void;
}

let comments = 0;
async function take(run: Run, given: Step): Promise<void> {
  const { world, challengeId } = run;
  const { state } = world.posts;
  const index = 'who' in given ? given.who : 0;
  const [handle, id] = [run.handles[index] ?? '', run.ids[index] ?? 0];
  if (given.do === 'comment') {
    world.posts.comment(handle);
    comments += 1;
    state.comments = state.comments.map((one, at) =>
      at === state.comments.length - 1 ? { ...one, id: `c${comments}` } : one,
    );
  } else if (given.do === 'delete') state.comments = state.comments.filter(({ username }) => username !== handle);
  else if (given.do === 'claim') await world.claim(challengeId, id).catch(() => {});
  else if (given.do === 'reward') await Promise.allSettled([1, 2].map(() => world.reward({ attemptId: id })));
  else if (given.do === 'check') await Promise.allSettled([1, 2].map(() => world.check(id)));
  else if (given.do === 'pass') world.pass(given.days * DAY_MS);
  else if (given.do === 'crash') run.crash(given.when);
  else {
    state.isDown = given.do === 'down';
    await world.queueChecks();
    // A timer that failed comes again.
    await world.recheckClaims().catch(() => {});
    await world.settle();
    state.isDown = false;
  }
}

async function judge({ world, ids }: Run, before: Map<number, Attempt>): Promise<void> {
  for (const id of ids) {
    const attempt = await world.stored(id);
    const entries = entriesOf(attempt);
    expect(attempt.pointsAwarded).toBe(entries.reduce((sum, { points }) => sum + points, 0));
    const earlier = before.get(id);
    if (earlier) expect(entries.slice(0, entriesOf(earlier).length)).toEqual(entriesOf(earlier));
    const reasons = entries.map(({ reason }) => reason);
    expect([[], ['reward'], ['reward', 'reversal']]).toContainEqual(reasons);
    expect(attempt.rewardedAt !== null).toBe(attempt.state === 'rewarded');
    if (attempt.removedAt != null && attempt.state === 'verified') expect(attempt.held?.why).toBe('gone');
    before.set(id, attempt);
  }
}

await eachStorage((kind) => {
  describe('rewards that wait for comments to be kept', () => {
    it('are issued once, and taken back once, in any order of steps and crashes', async () => {
      await using made = await createTestStorage(kind);
      const { storage, crash } = crashing(made.create());
      await using world = await createEngagementWorld({ storage, clockTicks: true, recheckScale: 0.0001 });
      let round = 0;
      await fc.assert(
        fc.asyncProperty(
          terms,
          fc.array(step, { minLength: 4, maxLength: 25 }),
          fc.nat(3),
          async (given, steps, leaves) => {
            round += 1;
            world.posts.state.comments = [];
            const found = await world.campaign({ pointsReward: POINTS, terms: given });
            const handles = NAMES.map((name) => `${name}${round}`);
            const ids: number[] = [];
            for (const handle of handles) ids.push((await world.attempt(found.challenge.id, handle)).id);
            const run: Run = { world, challengeId: found.challenge.id, handles, ids, crash };
            const before = new Map<number, Attempt>();
            for (const one of [{ do: 'comment', who: 0 } as const, { do: 'claim', who: 0 } as const, ...steps]) {
              await take(run, one);
              await judge(run, before);
            }
            // Nothing is left to wait for: what was verified is rewarded or gone.
            for (let n = 0; n < 6; n += 1) {
              // Before its reward, or after it.
              if (n === leaves) await take(run, { do: 'delete', who: 0 });
              await take(run, { do: 'pass', days: 2.2 });
              await take(run, { do: 'settle' });
              await judge(run, before);
            }
            const own = world.events.filter(({ data }) => data.challengeId === found.challenge.id);
            const sum = (name: string) =>
              own.filter(({ event }) => event === name).reduce((all, { data }) => all + (data.points ?? 0), 0);
            const { totalPointsIssued } = await storage.attempts.summary(found.challenge.id);
            expect(totalPointsIssued).toBe(sum('reward.issued') - sum('reward.reversed'));
            for (const id of ids) {
              const { state, held } = await world.stored(id);
              if (state === 'verified') expect(held?.why).toBe('gone');
            }
          },
        ),
        { ...runs(kind === 'sqlite' ? 40 : 8), interruptAfterTimeLimit: 20_000 },
      );
    }, 60_000);
  });
});
