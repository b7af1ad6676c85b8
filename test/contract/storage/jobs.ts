import { describe, expect, it } from 'vitest';
import type { JobFilter, JobType, NewJob } from '../../../core/ports/job-queue.ts';
import type { ClaimedJob } from '../../../core/ports/job-store.ts';
import type { PageRequest } from '../../../core/ports/paging.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { later, NASTY_TEXTS, parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

const TYPES: readonly JobType[] = ['verify-attempt', 'read-canary', 'issue-reward'];

function verifyJob(changes: Partial<NewJob<'verify-attempt'>> = {}): NewJob<'verify-attempt'> {
  return { type: 'verify-attempt', key: unique('key'), payload: { attemptId: 1 }, ...changes };
}

function rewardJob(changes: Partial<NewJob<'issue-reward'>> = {}): NewJob<'issue-reward'> {
  return { type: 'issue-reward', key: unique('key'), payload: { attemptId: 1 }, ...changes };
}

/** Jobs that are due one after the other by milliseconds. */
function inOrder(count: number, seconds: number): readonly NewJob[] {
  return Array.from({ length: count }, (_, index) => rewardJob({ runAt: new Date(later(seconds).getTime() + index) }));
}

const keysOf = (jobs: readonly Pick<NewJob, 'key'>[]) => jobs.map(({ key }) => key);

export function jobStoreContract(create: () => Promise<StorageWorld>): void {
  describe('jobs', () => {
    const stage = prepareStage(create);

    /** Claims everything that is due and finishes it, so that tests do not see each other's jobs. */
    const drain = async (): Promise<void> => {
      const far = later(10_000_000);
      const left = await stage.storage.jobs.claim(TYPES, 10_000, far, later(10_000_001));
      await Promise.all(left.map((job) => stage.storage.jobs.complete(job)));
    };
    const claimOne = async (storage: Storage, now: Date, leaseUntil: Date): Promise<ClaimedJob> => {
      const [job] = await storage.jobs.claim(TYPES, 1, now, leaseUntil);
      if (job === undefined) throw new Error('No job is due.');
      return job;
    };

    it('a job is claimed as it was enqueued', async () => {
      await drain();
      const payload = { target: 'e', event: JSON.parse('{"__proto__":1,"$set":{"a.b":"\\u0000"},"at":"2026"}') };
      const key = NASTY_TEXTS.slice(0, 8).join();
      await stage.storage.jobs.enqueue([{ type: 'read-canary', key, payload }], T0);
      const [job] = await stage.other.jobs.claim(TYPES, 5, T0, later(60));
      expect(job).toMatchObject({
        type: 'read-canary',
        key,
        run: 1,
        lease: 1,
        leaseUntil: later(60),
        createdAt: T0,
      });
      expect(JSON.stringify(job?.payload)).toBe(JSON.stringify(payload));
    });

    it('a key is queued or running once; finished or dead, it is free again', async () => {
      await drain();
      const { jobs } = stage.storage;
      const job = verifyJob();
      const before = await stage.world.count('jobs');
      await parallel(20, (index) => stage.turn(index).jobs.enqueue([job, job], T0));
      expect(await stage.world.count('jobs')).toBe(before + 1);
      const running = await claimOne(stage.storage, T0, later(60));
      await jobs.enqueue([job], T0);
      expect(await stage.world.count('jobs')).toBe(before + 1);
      expect(await jobs.deadLetter(running, 'gave up', T0)).toBe(true);
      await jobs.enqueue([job], T0);
      expect(await stage.world.count('jobs')).toBe(before + 2);
      const second = await claimOne(stage.storage, T0, later(60));
      expect(second.key).toBe(job.key);
      expect(second.id).not.toBe(running.id);
      expect(await jobs.complete(second)).toBe(true);
      await jobs.enqueue([job], T0);
      const third = await claimOne(stage.storage, T0, later(60));
      expect(third.id).toBeGreaterThan(second.id);
      expect(await jobs.complete(second)).toBe(false);
      expect(await jobs.complete(third)).toBe(true);
      await jobs.enqueue([], T0);
    });

    it('claim: due ones of these types only, oldest runAt first', async () => {
      await drain();
      const { jobs } = stage.storage;
      const [late, early, future] = [
        verifyJob({ runAt: later(-1) }),
        verifyJob({ runAt: later(-9) }),
        verifyJob({ runAt: later(50) }),
      ];
      const other: NewJob = { type: 'issue-reward', key: unique('key'), payload: { attemptId: 1 } };
      await jobs.enqueue([late, early, future, other], T0);
      expect(await jobs.claim([], 10, T0, later(60))).toEqual([]);
      const claimed = await jobs.claim(['verify-attempt'], 10, T0, later(60));
      expect(claimed.map((job) => job.key)).toEqual([early.key, late.key]);
      expect(await jobs.nextDue(['issue-reward'])).toEqual(T0);
      expect(await jobs.nextDue(['verify-attempt'])).toEqual(later(50));
      expect(await jobs.nextDue(['sweep-comments'])).toBeNull();
      expect(await jobs.nextDue([])).toBeNull();
      expect((await jobs.claim(['verify-attempt'], 10, later(50), later(110))).map((job) => job.key)).toEqual([
        future.key,
      ]);
    });

    it('8 workers at once: each job goes to one of them', async () => {
      await drain();
      const enqueued = Array.from({ length: 30 }, () => verifyJob());
      await stage.storage.jobs.enqueue(enqueued, T0);
      const claims = await parallel(8, async (index) => {
        const mine: ClaimedJob[] = [];
        for (;;) {
          const batch = await stage.turn(index).jobs.claim(TYPES, 3, T0, later(60));
          if (batch.length === 0) return mine;
          mine.push(...batch);
        }
      });
      const keys = claims.flat().map((job) => job.key);
      expect(keys).toHaveLength(30);
      expect(new Set(keys)).toEqual(new Set(enqueued.map((job) => job.key)));
    });

    it('after its lease ran out a job is claimed again, and the first worker is fenced off', async () => {
      await drain();
      const { jobs } = stage.storage;
      await jobs.enqueue([verifyJob()], T0);
      const first = await claimOne(stage.storage, T0, later(60));
      expect(await jobs.claim(TYPES, 1, later(59), later(100))).toEqual([]);
      expect(await jobs.nextDue(TYPES)).toEqual(later(60));
      const second = await claimOne(stage.other, later(60), later(120));
      expect(second).toMatchObject({ id: first.id, run: 2 });
      expect(second.lease).toBeGreaterThan(first.lease);
      expect(await jobs.extend([first], later(500))).toEqual([]);
      expect(await jobs.complete(first)).toBe(false);
      expect(await jobs.release(first, T0, null, true)).toBe(false);
      expect(await jobs.deadLetter(first, 'late', T0)).toBe(false);
      expect(await jobs.extend([first, second], later(500))).toEqual([second.id]);
      expect(await jobs.claim(TYPES, 1, later(499), later(600))).toEqual([]);
      expect(await jobs.complete(second)).toBe(true);
      expect(await jobs.complete(second)).toBe(false);
    });

    it('expired leases race to one new owner', async () => {
      await drain();
      await stage.storage.jobs.enqueue([verifyJob()], T0);
      await claimOne(stage.storage, T0, later(60));
      const claims = await parallel(10, (index) => stage.turn(index).jobs.claim(TYPES, 1, later(61), later(120)));
      expect(claims.flat()).toHaveLength(1);
    });

    it('release queues again; a clean one gives the run back', async () => {
      await drain();
      const { jobs } = stage.storage;
      await jobs.enqueue([verifyJob()], T0);
      const first = await claimOne(stage.storage, T0, later(60));
      expect(await jobs.release(first, later(10), 'no luck', true)).toBe(true);
      expect(await jobs.claim(TYPES, 1, later(9), later(60))).toEqual([]);
      const second = await claimOne(stage.storage, later(10), later(70));
      expect(second.run).toBe(2);
      expect(await jobs.release(second, later(10), null, false)).toBe(true);
      const third = await claimOne(stage.storage, later(10), later(70));
      expect(third.run).toBe(2);
      expect(third.lease).toBeGreaterThan(second.lease);
      expect(await jobs.complete(second)).toBe(false);
    });

    it('afterSetBack: what a clock stored that was ahead ends or is due as if it had not been; what is far off otherwise stays', async () => {
      await drain();
      const { jobs } = stage.storage;
      const ahead = 7_200;
      const held = verifyJob();
      await jobs.enqueue([held], later(ahead));
      await jobs.claim(TYPES, 1, later(ahead), later(ahead + 60));
      const [first, second] = inOrder(2, ahead);
      if (first === undefined || second === undefined) throw new Error('unreachable');
      const [planned, own, delayed] = [
        verifyJob({ runAt: later(9_000) }),
        verifyJob(),
        rewardJob({ runAt: later(ahead + 30) }),
      ];
      await jobs.enqueue([planned], T0);
      await jobs.enqueue([first, second, own, delayed], later(ahead));
      const claim = (seconds: number) => jobs.claim(TYPES, 9, later(seconds), later(seconds + 60));
      expect(await claim(1)).toEqual([]);
      await jobs.afterSetBack?.(later(1), later(61), 0);
      expect(await jobs.nextDue(TYPES)).toEqual(later(1));
      expect(keysOf(await claim(2)).sort()).toEqual(keysOf([first, second, own]).sort());
      expect(keysOf(await claim(30))).toEqual([]);
      expect(keysOf(await claim(31))).toEqual([delayed.key]);
      expect(keysOf(await claim(61))).toContain(held.key);
      await jobs.afterSetBack?.(later(61), later(121), 7_200_000);
      expect(keysOf(await jobs.claim(['verify-attempt'], 9, later(1_799), later(99_999)))).not.toContain(planned.key);
      expect(keysOf(await jobs.claim(['verify-attempt'], 9, later(1_800), later(99_999)))).toContain(planned.key);
    });

    it('a released job comes back in its time, and one whose lease ran out as well', async () => {
      await drain();
      const { jobs } = stage.storage;
      await jobs.enqueue(inOrder(2, -9), T0);
      const [retried, lost] = await jobs.claim(['issue-reward'], 2, T0, later(60));
      if (retried === undefined || lost === undefined) throw new Error('unreachable');
      await jobs.release(retried, later(10), 'no luck', true);
      expect(await jobs.nextDue(['issue-reward'])).toEqual(later(10));
      expect(await jobs.claim(['issue-reward'], 9, later(9), later(60))).toEqual([]);
      const [again] = await jobs.claim(['issue-reward'], 9, later(10), later(70));
      expect(again).toMatchObject({ key: retried.key, run: 2 });
      const [taken] = await jobs.claim(['issue-reward'], 9, later(60), later(120));
      expect(taken).toMatchObject({ key: lost.key, run: 2 });
    });

    it('4 workers while jobs are added: each job goes to one of them, none is left', async () => {
      await drain();
      const groups = Array.from({ length: 4 }, (_, index) => inOrder(15, -1 - index));
      const expected = keysOf(groups.flat());
      let added = 0;
      const mine = await parallel(4, async (index) => {
        const keys: string[] = [];
        if (index < 2) {
          for (const some of groups.slice(index * 2, index * 2 + 2)) {
            for (let at = 0; at < some.length; at += 5) {
              await stage.turn(index).jobs.enqueue(some.slice(at, at + 5), T0);
            }
          }
          added += 1;
        }
        for (let empty = 0; empty < 2; ) {
          const claimed = await stage.turn(index).jobs.claim(['issue-reward'], 7, T0, later(60));
          for (const job of claimed) {
            if (job.run === 1 && job.id % 3 === 0) await stage.turn(index).jobs.release(job, T0, null, true);
            else keys.push(job.key);
          }
          if (claimed.length === 0 && added === 2) empty += 1;
        }
        return keys;
      });
      const rest = [];
      while (rest.length < expected.length) {
        const claimed = await stage.storage.jobs.claim(['issue-reward'], 7, T0, later(60));
        if (claimed.length === 0) break;
        rest.push(...claimed.map(({ key }) => key));
      }
      const all = [...mine.flat(), ...rest];
      expect(all).toHaveLength(expected.length);
      expect(new Set(all)).toEqual(new Set(expected));
    });

    it('remove takes a job away whether it is queued or running, its key being free then; dead ones stay', async () => {
      await drain();
      const { jobs } = stage.storage;
      const [queued, running, dead] = [verifyJob(), verifyJob({ runAt: later(-2) }), verifyJob({ runAt: later(-3) })];
      await jobs.enqueue([queued, running, dead], T0);
      await jobs.deadLetter(await claimOne(stage.storage, later(-3), later(60)), 'gave up', T0);
      const held = await claimOne(stage.storage, later(-2), later(60));
      const { dead: buried } = await jobs.stats(T0);
      const answers = [];
      for (const key of [queued.key, running.key, dead.key, unique('key')]) answers.push(await jobs.remove(key));
      expect(answers).toEqual([true, true, false, false]);
      expect(await jobs.complete(held)).toBe(false);
      expect(await jobs.stats(T0)).toEqual({ queued: 0, running: 0, dead: buried });
      await jobs.enqueue([queued], T0);
      expect(await claimOne(stage.storage, T0, later(60))).toMatchObject({ key: queued.key, run: 1 });
      const race = await parallel(8, (index) => stage.turn(index).jobs.remove(queued.key));
      expect(race.filter((removed) => removed)).toHaveLength(1);
    });

    it('list: each state by itself, by type, in order and in pages', async () => {
      await drain();
      const { jobs } = stage.storage;
      const [late, early, other] = [
        verifyJob({ runAt: later(9) }),
        verifyJob({ runAt: later(3) }),
        rewardJob({ runAt: later(5) }),
      ];
      const [held, lost] = [rewardJob({ runAt: later(-9) }), rewardJob({ runAt: later(-8) })];
      await jobs.enqueue([late, early, other, held, lost], T0);
      await jobs.claim(['issue-reward'], 1, T0, later(60));
      await jobs.claim(['issue-reward'], 1, T0, later(1));
      const list = async (filter: JobFilter, page: PageRequest = { page: 1, limit: 9 }) => {
        const { items, total } = await stage.other.jobs.list(filter, page, later(2));
        return [total, ...keysOf(items)];
      };
      expect(await list({ state: 'waiting' })).toEqual([4, lost.key, early.key, other.key, late.key]);
      expect(await list({ state: 'waiting', type: 'verify-attempt' })).toEqual([2, early.key, late.key]);
      expect(await list({ state: 'waiting' }, { page: 2, limit: 2 })).toEqual([4, other.key, late.key]);
      const { items } = await jobs.list({ state: 'waiting' }, { page: 1, limit: 2 }, later(2));
      const after = { id: items[1]?.id ?? 0, at: items[1]?.dueAt ?? T0 };
      expect(await list({ state: 'waiting' }, { page: 2, limit: 1, after })).toEqual([4, other.key]);
      expect(items[1]).toMatchObject({
        key: early.key,
        runs: 0,
        error: null,
        dueAt: later(3),
        createdAt: T0,
        finishedAt: null,
      });
      expect(await list({ state: 'running' })).toEqual([1, held.key]);
      expect(await list({ state: 'running', type: 'verify-attempt' })).toEqual([0]);
    });

    it('dead ones are listed newest first, found by id, and removed; live ones are not', async () => {
      await drain();
      const { jobs } = stage.storage;
      const [one, two] = [verifyJob(), verifyJob({ runAt: later(-1) })];
      const { total: before } = await jobs.list({ state: 'dead' }, { page: 1, limit: 1 }, T0);
      await jobs.enqueue([one, two], T0);
      for (const job of await jobs.claim(TYPES, 2, T0, later(60))) await jobs.deadLetter(job, 'gave up', later(5));
      const list = (filter: Omit<JobFilter, 'state'>) =>
        stage.other.jobs.list({ ...filter, state: 'dead' }, { page: 1, limit: 2 }, T0);
      const { items, total } = await list({ type: 'verify-attempt' });
      expect(keysOf(items)).toEqual([two.key, one.key]);
      expect(items[0]).toMatchObject({ runs: 1, error: 'gave up', finishedAt: later(5), payload: two.payload });
      expect(total).toBeGreaterThanOrEqual(2);
      expect((await list({})).total).toBe(before + 2);
      const [last, first] = items.map(({ id }) => id);
      expect((await list({ id: first })).items).toEqual([items[1]]);
      await jobs.enqueue([one], T0);
      const live = await jobs.list({ state: 'waiting' }, { page: 1, limit: 1 }, T0);
      const liveId = live.items[0]?.id ?? 0;
      expect(await jobs.removeDead([first ?? 0, last ?? 0, liveId, 987_654])).toBe(2);
      expect(await jobs.removeDead([])).toBe(0);
      expect((await list({})).total).toBe(before);
      expect((await claimOne(stage.storage, T0, later(60))).id).toBe(liveId);
    });

    it('stats: expired leases count as queued', async () => {
      await drain();
      const { jobs } = stage.storage;
      const { dead } = await jobs.stats(T0);
      await jobs.enqueue([verifyJob(), verifyJob(), verifyJob({ runAt: later(500) })], T0);
      const [first] = await jobs.claim(TYPES, 1, T0, later(60));
      expect(await jobs.stats(T0)).toEqual({ queued: 2, running: 1, dead });
      expect(await jobs.stats(later(60))).toEqual({ queued: 3, running: 0, dead });
      if (first !== undefined) await jobs.deadLetter(first, 'gave up', T0);
      expect(await jobs.stats(T0)).toEqual({ queued: 2, running: 0, dead: dead + 1 });
    });
  });
}
