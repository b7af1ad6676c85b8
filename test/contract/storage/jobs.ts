import { describe, expect, it } from 'vitest';
import type { JobType, NewJob } from '../../../core/ports/job-queue.ts';
import type { ClaimedJob } from '../../../core/ports/job-store.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { later, NASTY_TEXTS, parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

const TYPES: readonly JobType[] = ['verify-attempt', 'dispatch-event', 'deliver-webhook'];

function verifyJob(changes: Partial<NewJob<'verify-attempt'>> = {}): NewJob<'verify-attempt'> {
  return { type: 'verify-attempt', key: unique('key'), payload: { attemptId: 1 }, ...changes };
}

function deliverJob(changes: Partial<NewJob<'deliver-webhook'>> = {}): NewJob<'deliver-webhook'> {
  return { type: 'deliver-webhook', key: unique('key'), payload: { deliveryId: 1 }, ...changes };
}

/** Jobs of a group, due one after the other by milliseconds. */
function inGroup(group: string, count: number, seconds: number): readonly NewJob[] {
  return Array.from({ length: count }, (_, index) =>
    deliverJob({ group, runAt: new Date(later(seconds).getTime() + index) }),
  );
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
      const payload = { entryId: 'e', event: JSON.parse('{"__proto__":1,"$set":{"a.b":"\\u0000"},"at":"2026"}') };
      const key = NASTY_TEXTS.slice(0, 8).join();
      await stage.storage.jobs.enqueue([{ type: 'dispatch-event', key, payload }], T0);
      const [job] = await stage.other.jobs.claim(TYPES, 5, T0, later(60));
      expect(job).toMatchObject({
        type: 'dispatch-event',
        key,
        run: 1,
        lease: 1,
        leaseUntil: later(60),
        createdAt: T0,
      });
      expect(JSON.stringify(job?.payload)).toBe(JSON.stringify(payload));
    });

    it('a job that is claimed with its enqueueing is under a lease as if it were claimed next, and no other one', async () => {
      await drain();
      const { jobs } = stage.storage;
      const [known, late, other] = [verifyJob(), verifyJob({ runAt: later(30) }), deliverJob()];
      const fresh = [verifyJob(), verifyJob(), verifyJob()];
      const claim = { limits: new Map<JobType, number>([['verify-attempt', 2]]), leaseUntil: later(60) };
      await jobs.enqueue([known], later(5));
      // What is due at the time goes first.
      expect(await jobs.enqueue([verifyJob({ runAt: later(6) })], later(6), claim)).toEqual([]);
      await drain();
      await jobs.enqueue([late], T0);
      const claimed = await jobs.enqueue([late, ...fresh, other], T0, claim);
      // A store may leave them to the next claim.
      const rest = await jobs.claim(TYPES, 2 - claimed.length, T0, later(60));
      expect([...claimed, ...rest].map(({ key }) => key)).toEqual(keysOf(fresh.slice(0, 2)));
      for (const job of claimed) {
        expect(job).toEqual({
          id: expect.any(Number),
          type: 'verify-attempt',
          key: job.key,
          payload: { attemptId: 1 },
          group: null,
          run: 1,
          lease: 1,
          leaseUntil: later(60),
          createdAt: T0,
        });
      }
      expect(await jobs.claim(TYPES, 9, T0, later(60))).toHaveLength(2);
      const again = await stage.other.jobs.claim(TYPES, 9, later(61), later(120));
      expect(again.filter(({ key }) => keysOf(fresh).includes(key)).map(({ run, lease }) => [run, lease])).toEqual([
        [2, 2],
        [2, 2],
        [2, 2],
      ]);
      for (const job of claimed) expect(await jobs.complete(job)).toBe(false);
    });

    it('none is claimed with its enqueueing while jobs of its group wait', async () => {
      await drain();
      const { jobs } = stage.storage;
      const [first] = inGroup('g', 1, 30);
      await jobs.enqueue(first === undefined ? [] : [first], T0);
      const claim = { limits: new Map<JobType, number>([['deliver-webhook', 9]]), leaseUntil: later(60) };
      expect(await jobs.enqueue([deliverJob({ group: 'g' })], T0, claim)).toEqual([]);
      const others = [deliverJob({ group: 'h' }), deliverJob({ group: 'h' })];
      const claimed = await jobs.enqueue(others, T0, claim);
      expect(claimed.every(({ key }) => keysOf(others).includes(key))).toBe(true);
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
      const other: NewJob = { type: 'deliver-webhook', key: unique('key'), payload: { deliveryId: 1 } };
      await jobs.enqueue([late, early, future, other], T0);
      expect(await jobs.claim([], 10, T0, later(60))).toEqual([]);
      const claimed = await jobs.claim(['verify-attempt'], 10, T0, later(60));
      expect(claimed.map((job) => job.key)).toEqual([early.key, late.key]);
      expect(await jobs.nextDue(['deliver-webhook'])).toEqual(T0);
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

    it('recount counts or uncounts a run under its lease, and says whose lease was held', async () => {
      await drain();
      const { jobs } = stage.storage;
      await jobs.enqueue([verifyJob(), verifyJob()], T0);
      const [first, second] = await jobs.claim(TYPES, 2, T0, later(60));
      if (first === undefined || second === undefined) throw new Error('unreachable');
      expect(await jobs.recount([first, second], -1)).toEqual([first.id, second.id]);
      expect(await jobs.recount([second], 1)).toEqual([second.id]);
      expect(await jobs.recount([], 1)).toEqual([]);
      const again = await stage.other.jobs.claim(TYPES, 2, later(61), later(120));
      expect(again.map(({ id, run }) => [id, run])).toEqual([
        [first.id, 1],
        [second.id, 2],
      ]);
      expect(await jobs.recount([first, ...again.slice(1)], -1)).toEqual([second.id]);
      expect(await jobs.recount([first], 1)).toEqual([]);
    });

    it('a long backlog of one group holds neither another group nor jobs of no group up', async () => {
      await drain();
      const { jobs } = stage.storage;
      const busy = inGroup('busy', 300, -9);
      const quiet = inGroup('quiet', 1, -1);
      const single = deliverJob({ runAt: T0 });
      await jobs.enqueue([...busy, ...quiet, single], T0);
      const claimed = await jobs.claim(['deliver-webhook'], 12, T0, later(60));
      const keys = claimed.map((job) => job.key);
      expect(keys).toContain(quiet[0]?.key);
      expect(keys).toContain(single.key);
      expect(claimed.length).toBeLessThanOrEqual(12);
      expect(claimed.map(({ group }) => group)).toEqual(expect.arrayContaining(['busy', 'quiet', null]));
      const rest = keysOf(busy).filter((key) => keys.includes(key));
      expect(rest).toEqual(keysOf(busy).slice(0, rest.length));
    });

    it('a group is claimed in the order of runAt, to its end', async () => {
      await drain();
      const { jobs } = stage.storage;
      const [first, second, third] = [inGroup('g', 3, -9), inGroup('g', 2, 5), inGroup('g', 2, -20)];
      for (const some of [first, second, third]) await jobs.enqueue(some, T0);
      expect(await jobs.nextDue(['deliver-webhook'])).toEqual(later(-20));
      const claim = async (limit: number, now: Date) =>
        (await jobs.claim(['deliver-webhook'], limit, now, later(60))).map(({ key }) => key);
      expect(await claim(4, T0)).toEqual(keysOf([...third, ...first.slice(0, 2)]));
      expect(await claim(4, T0)).toEqual(keysOf(first.slice(2)));
      expect(await claim(4, T0)).toEqual([]);
      expect(await jobs.nextDue(['deliver-webhook'])).toEqual(later(5));
      expect(await claim(4, later(6))).toEqual(keysOf(second));
      await jobs.enqueue(inGroup('g', 1, 7), T0);
      expect(await claim(4, later(7))).toHaveLength(1);
    });

    it('a paused group rests until then, its backlog and what is added included; its jobs keep their places', async () => {
      await drain();
      const { jobs } = stage.storage;
      const busy = inGroup('busy', 5, -9);
      await jobs.enqueue(busy, T0);
      const claimed = await jobs.claim(['deliver-webhook'], 3, T0, later(60));
      expect(claimed).toHaveLength(3);
      const [first, second, third] = claimed;
      if (first === undefined || second === undefined || third === undefined) throw new Error('unreachable');
      expect(await jobs.pause(first, later(20), T0)).toBe(true);
      expect(await jobs.pause(second, later(30), T0)).toBe(true);
      expect(await jobs.pause(third, later(10), T0)).toBe(true);
      expect(await jobs.pause(third, later(40), T0)).toBe(false);
      await jobs.enqueue(inGroup('busy', 1, -30), T0);
      await jobs.enqueue(inGroup('quiet', 1, -1), T0);
      const meanwhile = await stage.other.jobs.claim(['deliver-webhook'], 9, later(9), later(60));
      expect(meanwhile.map(({ group }) => group)).toEqual(['quiet']);
      expect(await jobs.nextDue(['deliver-webhook'])).toEqual(later(10));
      const again = await jobs.claim(['deliver-webhook'], 9, later(10), later(60));
      expect(again).toHaveLength(6);
      expect(again.map(({ key }) => key).slice(1)).toEqual(keysOf(busy));
      expect(again.slice(1, 4)).toMatchObject([
        { run: 1, lease: 2 },
        { run: 1, lease: 2 },
        { run: 1, lease: 2 },
      ]);
    });

    it.each(['a new job', 'a job that is there'])('%s cuts a pause that a clock set wrong has stored', async (what) => {
      await drain();
      const { jobs } = stage.storage;
      const [waiting, ...others] = inGroup('paused', 3, -9);
      if (waiting === undefined) throw new Error('unreachable');
      await jobs.enqueue([waiting], T0);
      const [claimed] = await jobs.claim(['deliver-webhook'], 1, T0, later(60));
      if (claimed === undefined) throw new Error('unreachable');
      await jobs.pause(claimed, later(3_600), later(3_590));
      expect(await jobs.nextDue(['deliver-webhook'])).toEqual(later(3_600));
      await stage.other.jobs.enqueue(what === 'a new job' ? others : [waiting], T0);
      expect(await jobs.nextDue(['deliver-webhook'])).toEqual(later(30));
      const due = await jobs.claim(['deliver-webhook'], 9, later(30), later(60));
      expect(due).toHaveLength(what === 'a new job' ? 3 : 1);
    });

    it('a job that is there gives its group the turn that a clock set wrong has postponed', async () => {
      await drain();
      const { jobs } = stage.storage;
      const [first, second] = inGroup('late', 2, -9);
      if (first === undefined || second === undefined) throw new Error('unreachable');
      await jobs.enqueue([first, second], T0);
      await jobs.claim(['deliver-webhook'], 1, later(3_600), later(3_660));
      expect(await jobs.claim(['deliver-webhook'], 9, later(1), later(60))).toEqual([]);
      await jobs.enqueue([second], later(1));
      const due = await jobs.claim(['deliver-webhook'], 9, later(1), later(60));
      expect(due.map(({ key }) => key)).toEqual([second.key]);
    });

    it('afterSetBack: what a clock stored that was ahead ends or is due as if it had not been; what is far off otherwise stays', async () => {
      await drain();
      const { jobs } = stage.storage;
      const ahead = 7_200;
      const held = verifyJob();
      await jobs.enqueue([held], later(ahead));
      await jobs.claim(TYPES, 1, later(ahead), later(ahead + 60));
      const [first, second] = inGroup('ahead', 2, ahead);
      if (first === undefined || second === undefined) throw new Error('unreachable');
      const [planned, own, delayed] = [
        verifyJob({ runAt: later(9_000) }),
        verifyJob(),
        deliverJob({ runAt: later(ahead + 30) }),
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

    it('a released job of a group comes back in its time, and one whose lease ran out as well', async () => {
      await drain();
      const { jobs } = stage.storage;
      await jobs.enqueue(inGroup('g', 2, -9), T0);
      const [retried, lost] = await jobs.claim(['deliver-webhook'], 2, T0, later(60));
      if (retried === undefined || lost === undefined) throw new Error('unreachable');
      await jobs.release(retried, later(10), 'no luck', true);
      expect(await jobs.nextDue(['deliver-webhook'])).toEqual(later(10));
      expect(await jobs.claim(['deliver-webhook'], 9, later(9), later(60))).toEqual([]);
      const [again] = await jobs.claim(['deliver-webhook'], 9, later(10), later(70));
      expect(again).toMatchObject({ key: retried.key, group: 'g', run: 2 });
      const [taken] = await jobs.claim(['deliver-webhook'], 9, later(60), later(120));
      expect(taken).toMatchObject({ key: lost.key, group: 'g', run: 2 });
    });

    it('a group whose jobs are gone is due no more once it was looked at', async () => {
      await drain();
      const { jobs } = stage.storage;
      const gone = inGroup('g', 2, -9);
      await jobs.enqueue(gone, T0);
      for (const key of keysOf(gone)) await jobs.remove(key);
      expect(await jobs.claim(['deliver-webhook'], 9, T0, later(60))).toEqual([]);
      expect(await jobs.nextDue(['deliver-webhook'])).toBeNull();
    });

    it('4 workers over groups that are added to meanwhile: each job goes to one of them, none is left', async () => {
      await drain();
      const groups = Array.from({ length: 4 }, (_, index) => inGroup(`g${index}`, 15, -1 - index));
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
          const claimed = await stage.turn(index).jobs.claim(['deliver-webhook'], 7, T0, later(60));
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
        const claimed = await stage.storage.jobs.claim(['deliver-webhook'], 7, T0, later(60));
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
