/** What a server gives up because concurrent writes met is done all the same, once. */
import { type AnyBulkWriteOperation, Collection, MongoBulkWriteError, MongoServerError } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { NewJob } from '../../../core/ports/job-queue.ts';
import type { ClaimedJob } from '../../../core/ports/job-store.ts';
import { openTestStorage } from '../../support/storage.ts';
import {
  later,
  newAuditAction,
  newComment,
  newConnection,
  newDelivery,
  parallel,
  storedChallenge,
  T0,
  unique,
} from './samples.ts';

/**
 * - `refused`: the server refuses every second write and does the others.
 * - `given up`: it gives up the command, and nothing is done.
 * - `given up late`: it gives up the command, and all is done.
 */
const FAULTS = ['refused', 'given up', 'given up late'] as const;
type Fault = (typeof FAULTS)[number];

const DEADLOCK = { code: 1, message: 'deadlock detected' };
const CONFLICT = { code: 112, errmsg: 'WriteConflict' };
const UNDONE = { code: 251, message: 'Transaction was aborted.', errorLabels: ['TransientTransactionError'] };

/** As the driver throws it. */
function bulkError(
  error: object,
  counts: { readonly matchedCount?: number; readonly deletedCount?: number },
  writeErrors: readonly object[],
): MongoBulkWriteError {
  const result = {
    matchedCount: 0,
    deletedCount: 0,
    ...counts,
    getWriteErrors: () => writeErrors,
    getWriteConcernError: () => undefined,
  };
  return new MongoBulkWriteError(error as never, result as never);
}

/** The next bulk, or the next two, and the next command that changes or inserts a document, or updates or inserts many, meet others. */
function meetOthers(fault: Fault, times = 1, gaveUp: typeof DEADLOCK = DEADLOCK): void {
  const bulkWrite = Collection.prototype.bulkWrite;
  const faulty = vi.spyOn(Collection.prototype, 'bulkWrite');
  const bulk = async function (
    this: Collection,
    writes: readonly AnyBulkWriteOperation[],
    options?: { readonly ordered?: boolean },
  ): Promise<never> {
    if (fault !== 'refused') {
      if (fault === 'given up late') await bulkWrite.call(this, writes, options);
      throw bulkError(new MongoServerError(gaveUp), {}, []);
    }
    const isOrdered = options?.ordered !== false;
    const done = writes.filter((_, index) => (isOrdered ? index < 1 : index % 2 === 0));
    const refused = writes.flatMap((_, index) =>
      (isOrdered ? index === 1 : index % 2 === 1) ? [{ index, ...CONFLICT }] : [],
    );
    if (refused.length === 0) throw bulkError(new MongoServerError(gaveUp), {}, []);
    const { matchedCount, deletedCount } = await bulkWrite.call(this, done, options);
    throw bulkError(
      { code: CONFLICT.code, message: CONFLICT.errmsg, writeErrors: refused },
      { matchedCount, deletedCount },
      refused,
    );
  };
  for (let time = 0; time < times; time += 1) faulty.mockImplementationOnce(bulk as never);
  const updateMany = Collection.prototype.updateMany;
  vi.spyOn(Collection.prototype, 'updateMany').mockImplementationOnce(async function (this: Collection, ...given) {
    if (fault === 'given up late') await updateMany.apply(this, given);
    throw new MongoServerError(gaveUp);
  });
  for (const name of ['findOneAndUpdate', 'insertOne'] as const) {
    const write = Collection.prototype[name];
    const giveUp = async function (this: Collection, ...given: readonly unknown[]) {
      if (fault === 'given up late') await Reflect.apply(write, this, given);
      throw new MongoServerError(gaveUp);
    };
    vi.spyOn(Collection.prototype, name).mockImplementationOnce(giveUp as never);
  }
  const insertMany = Collection.prototype.insertMany;
  vi.spyOn(Collection.prototype, 'insertMany').mockImplementationOnce(async function (this: Collection, ...given) {
    if (fault === 'given up late') await insertMany.apply(this, given);
    throw bulkError(new MongoServerError(gaveUp), {}, []);
  });
}

export function mongoClashes(): void {
  describe.each(FAULTS)('writes that meet others: %s', (fault) => {
    let made: Awaited<ReturnType<typeof openTestStorage>>;
    let other: typeof made.storage;
    beforeAll(async () => {
      made = await openTestStorage('mongodb');
      other = made.create();
      await other.open();
    });
    afterEach(() => void vi.restoreAllMocks());
    afterAll(() => made.close());

    let queued = 0;
    /** Claims so many jobs; the lease of the first one is lost to a later claim. */
    const claimedJobs = async (count: number): Promise<ClaimedJob[]> => {
      const { jobs } = made.storage;
      const added = Array.from({ length: count }, (): NewJob => {
        queued += 1;
        return { type: 'issue-reward', key: `clash:${queued}`, payload: { attemptId: queued } };
      });
      await jobs.enqueue(added.slice(0, 1), T0);
      const [lost] = await jobs.claim(['issue-reward'], 1, later(1), later(2));
      await jobs.claim(['issue-reward'], 1, later(3), later(1_000));
      await jobs.enqueue(added.slice(1), T0);
      const held = await jobs.claim(['issue-reward'], count, later(4), later(1_000));
      if (lost === undefined || held.length !== count - 1) throw new Error('The jobs are not claimed.');
      return [lost, ...held];
    };
    const runsOf = async (held: readonly ClaimedJob[]) => {
      const again = await other.jobs.claim(['issue-reward'], 100, later(2_000), later(3_000));
      const ids = new Set(held.map(({ id }) => id));
      for (const job of again) await other.jobs.complete(job);
      return again.filter(({ id }) => ids.has(id)).map(({ run }) => run);
    };

    it('claims each job once', async () => {
      const [, ...claimed] = await claimedJobs(4);
      for (const job of claimed) expect(await made.storage.jobs.release(job, T0, 'again', false)).toBe(true);
      meetOthers(fault);
      const again = await made.storage.jobs.claim(['issue-reward'], 9, later(5), later(1_000));
      expect(again.map(({ id, run, lease }) => [id, run, lease])).toEqual(claimed.map(({ id }) => [id, 1, 2]));
      expect(await runsOf(again)).toEqual([2, 2, 2]);
    });

    it('completes jobs, and tells which lease is lost', async () => {
      const jobs = await claimedJobs(4);
      meetOthers(fault);
      const completed = await Promise.all(jobs.map((job) => made.storage.jobs.complete(job)));
      expect(completed).toEqual([false, true, true, true]);
      vi.restoreAllMocks();
      expect(await runsOf(jobs)).toEqual([3]);
    });

    it('extends leases, and tells which is lost', async () => {
      const jobs = await claimedJobs(3);
      meetOthers(fault);
      expect(await made.storage.jobs.extend(jobs, later(1_500))).toEqual(jobs.slice(1).map(({ id }) => id));
      vi.restoreAllMocks();
      expect(await runsOf(jobs)).toHaveLength(3);
    });

    it('claims each delivery of a subscriber once, and cancels all', async () => {
      const { subscribers, deliveries } = made.storage;
      await subscribers.subscribe([{ subscriber: 'clash', event: '*' }]);
      await deliveries.createMany(Array.from({ length: 3 }, () => newDelivery('clash')));
      const handled = new Map([['clash', ['creator.verified', 'reward.issued'] as const]]);
      meetOthers(fault);
      const claimed = await deliveries.claim({ total: 9, each: 9, of: new Map(), handled }, later(1), later(60));
      expect(claimed.map(({ lease }) => lease)).toEqual([1, 1, 1]);
      meetOthers(fault);
      expect(await deliveries.cancelPending('clash', T0)).toBe(3);
      const left = await other.deliveries.list('clash', { page: 1, limit: 9 });
      expect(left.items.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    });

    it('connects accounts of brands, and gives brands their new names', async () => {
      const { brands, brandConnections } = made.storage;
      const [brand, second] = await parallel(2, () =>
        brands.create({ name: 'Met', slug: unique('first'), logoUrl: null, createdAt: T0 }),
      );
      meetOthers(fault);
      const slug = unique('met');
      expect(await brands.update(brand?.id ?? 0, { slug })).toEqual({ ...brand, slug });
      expect(await brands.update(second?.id ?? 0, { slug })).toBe('slug-taken');
      vi.restoreAllMocks();
      meetOthers(fault);
      const brandId = brand?.id ?? 0;
      const connected = await brandConnections.connect(newConnection(brandId));
      expect(await other.brandConnections.list({ brandId })).toEqual([connected]);
    });

    it('stores comments and audit entries once', async () => {
      const challengeId = await storedChallenge(made.storage);
      meetOthers(fault, 1, UNDONE);
      const comments = Array.from({ length: 4 }, () => newComment());
      expect(await made.storage.comments.insertNew(challengeId, comments, T0)).toBe(4);
      expect((await other.comments.page(challengeId, { page: 1, limit: 9 })).items).toHaveLength(4);
      meetOthers(fault, 1, UNDONE);
      const ids = await parallel(3, () => made.storage.audit.append(newAuditAction()));
      const listed = await other.audit.list({}, { page: 1, limit: 9 });
      expect(listed.items.map(({ id }) => id).sort()).toEqual(ids.toSorted());
    });
  });
}
