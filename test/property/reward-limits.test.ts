/** Rewards of a campaign with limits, issued in any order by processes that die between any two calls of the storage. */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { issueReward } from '../../core/engagement/attempts/issue-reward.ts';
import { releaseHeld } from '../../core/engagement/attempts/release-held.ts';
import { updateCampaign } from '../../core/engagement/campaigns/update-campaign.ts';
import type { NewJob } from '../../core/ports/job-queue.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { linkInput, newAttempt, newCampaign, newChallenge, T0 } from '../contract/storage/samples.ts';
import { REGISTRY } from '../support/platforms.ts';
import { runs } from '../support/property-runs.ts';
import { openTestStorage } from '../support/storage.ts';

const MOST = 8;

/** The process dies before or after one of its calls of the storage. */
const death = fc.option(fc.record({ calls: fc.integer({ min: 1, max: 30 }), after: fc.boolean() }), { nil: null });
type Death = typeof death extends fc.Arbitrary<infer T> ? T : never;
const step = fc.oneof(
  fc.record({ kind: fc.constant('verify' as const) }),
  fc.record({
    kind: fc.constant('pay' as const),
    whom: fc.array(fc.nat(MOST - 1), { minLength: 1, maxLength: 4 }),
    death,
  }),
  fc.record({ kind: fc.constant('raise' as const), by: fc.nat(2), death }),
  fc.record({ kind: fc.constant('sweep' as const), death }),
);

class Dead extends Error {}

/** Every call of every store, until the process dies. */
function mortal(storage: Storage, end: Death): Storage {
  let left = end?.calls ?? Infinity;
  const watch = <T extends object>(store: T): T =>
    new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]) => {
          left -= 1;
          if (left < 0 || (left === 0 && !end?.after)) throw new Dead();
          const result: unknown = await Reflect.apply(member, target, given);
          if (left <= 0) throw new Dead();
          return result;
        };
      },
    });
  const { attempts, campaigns, creators, places } = storage;
  const watched = { attempts: watch(attempts), campaigns: watch(campaigns) };
  return { ...storage, ...watched, creators: watch(creators), places: watch(places) };
}

const made = await openTestStorage('sqlite');
afterAll(() => made.close());

async function begin(maxRewards: number) {
  const { storage } = made;
  const limited = newCampaign({ limits: { maxRewards } });
  const { campaign, challenge } = await storage.campaigns.create(limited, newChallenge());
  const ids: number[] = [];
  const jobs: NewJob[] = [];
  let ticks = 0;
  const tick = () => {
    ticks += 1;
    return new Date(T0.getTime() + ticks);
  };
  const depsOf = (end: Death) => ({
    storage: mortal(storage, end),
    platforms: REGISTRY,
    clock: { now: tick },
    random: systemRandom,
    relay: { handOver: async () => {} },
    queue: { enqueue: async (more: readonly NewJob[]) => void jobs.push(...more) },
  });
  const survive = (work: Promise<unknown>) =>
    work.catch((error: unknown) => {
      if (!(error instanceof Dead)) throw error;
    });
  const pay = (whom: readonly number[], end: Death) => {
    const run = issueReward(depsOf(end));
    return Promise.all(whom.map((attemptId) => survive(run({ attemptId }))));
  };
  const all = () => Promise.all(ids.map(async (id) => storage.attempts.find(id)));
  return {
    campaignId: campaign.id,
    all,
    pay: (indexes: readonly number[], end: Death) =>
      pay(
        indexes.flatMap((index) => ids[index] ?? []),
        end,
      ),
    async verify() {
      if (ids.length === MOST) return;
      const { creator } = await storage.creators.link(linkInput());
      const verifiedAt = tick();
      const attempt = newAttempt(challenge.id, creator.id, { state: 'verified', verifiedAt });
      const [result] = await storage.attempts.create([{ attempt, outbox: () => [] }]);
      if (result?.kind === 'created') ids.push(result.attempt.id);
    },
    async raise(by: number, end: Death) {
      const stored = await storage.campaigns.find(campaign.id);
      const limits = { maxRewards: (stored?.campaign.limits?.maxRewards ?? 0) + by };
      await survive(updateCampaign(depsOf(end))({ campaignId: campaign.id, changes: { limits } }));
      return (await storage.campaigns.find(campaign.id))?.campaign.limits?.maxRewards ?? 0;
    },
    sweep: (end: Death) => survive(releaseHeld(depsOf(end))()),
    /** Jobs are delivered again until each has ended, and the sweep comes by. */
    async settle() {
      for (let before = -1; ; ) {
        const pending = (await storage.outbox.pending(1_000)).filter(({ owner }) =>
          ids.some((id) => owner === `attempts:${id}`),
        );
        const next = pending.flatMap(({ entries }) =>
          entries.flatMap((e) => (e.kind === 'job' ? [e.job.attemptId] : [])),
        );
        const held = (await all()).filter((one) => one?.state === 'verified' && one.held == null);
        const queued = jobs.splice(0).map(({ payload }) => (payload as { attemptId: number }).attemptId);
        await pay([...held.flatMap((one) => one?.id ?? []), ...queued, ...next], null);
        await storage.outbox.acknowledge(
          pending.map(({ owner, entries }) => ({
            owner,
            entryIds: entries.filter((e) => e.kind === 'job').map((e) => e.id),
          })),
        );
        await releaseHeld(depsOf(null))();
        const paid = (await all()).filter((one) => one?.state === 'rewarded').length;
        if (paid === before && jobs.length === 0) return pending;
        before = paid;
      }
    },
  };
}

it('pays each once, never more than the limit, and in the end all that it allows', async () => {
  let totals = { sequences: 0, deaths: 0, rewards: 0, held: 0 };
  await fc.assert(
    fc.asyncProperty(fc.nat(4), fc.array(step, { maxLength: 25 }), async (first, steps) => {
      let most = first + 1;
      const scene = await begin(most);
      const rewarded = async () => (await scene.all()).filter((one) => one?.state === 'rewarded').length;
      for (const each of steps) {
        if (each.kind === 'verify') await scene.verify();
        else if (each.kind === 'pay') await scene.pay(each.whom, each.death);
        else if (each.kind === 'raise') most = await scene.raise(each.by, each.death);
        else await scene.sweep(each.death);
        if ('death' in each && each.death !== null) totals = { ...totals, deaths: totals.deaths + 1 };
        expect(await rewarded()).toBeLessThanOrEqual(most);
      }
      const pending = await scene.settle();
      const attempts = await scene.all();
      const paid = Math.min(most, attempts.length);
      expect(await rewarded()).toBe(paid);
      expect(await made.storage.places.used(`rewards:campaign:${scene.campaignId}`)).toBe(paid);
      const announced = pending.flatMap(({ entries }) => entries.filter((e) => e.kind === 'event'));
      expect(announced).toHaveLength(paid);
      for (const one of attempts) expect(one?.pointsAwarded).toBe(one?.state === 'rewarded' ? 50 : 0);
      const held = attempts.filter((one) => one?.held?.why === 'limit').length;
      expect(held).toBe(attempts.length - paid);
      totals = { ...totals, sequences: totals.sequences + 1, rewards: totals.rewards + paid, held: totals.held + held };
    }),
    runs(150),
  );
  console.info('reward limits:', totals);
}, 240_000);
