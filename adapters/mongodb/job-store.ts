/**
 * Leased jobs. `dueAt` is when a job becomes claimable: `runAt` while it is queued, the end of its lease while it runs.
 * `lease` counts claims and is the fence: what names an older one changes nothing. A running or queued job holds the slot
 * of its key in a unique index.
 */
import { randomUUID } from 'node:crypto';
import type { Db, Filter, UpdateFilter } from 'mongodb';
import { CLOCKS_DIFFER_MS, JOB_TYPES, type JobRecord, type JobType, type NewJob } from '../../core/ports/job-queue.ts';
import type { ClaimedJob, JobStore } from '../../core/ports/job-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { collection, type JobDocument } from './documents.ts';
import { LIVE } from './indexes.ts';
import { insertMissing } from './insert-missing.ts';
import { readPage } from './pages.ts';
import { repeatOnClash } from './repeat.ts';
import { fromJson, instant, integer, integers, text, texts } from './values.ts';

/** Other processes may claim all that this one has found: it looks again so often. */
const LOOKS = 3;

function fenced({ id, lease }: Pick<ClaimedJob, 'id' | 'lease'>): Filter<JobDocument> {
  return { _id: integer(id), lease: integer(lease), status: 'running' };
}

function queuedJob(job: NewJob, now: Date): Omit<JobDocument, '_id'> {
  const runAt = instant(job.runAt ?? now);
  return {
    type: job.type,
    key: text(job.key),
    slot: `live:${job.key}`,
    payload: JSON.stringify(job.payload),
    status: 'queued',
    runAt,
    dueAt: runAt,
    run: 0,
    lease: 0,
    error: null,
    createdAt: now,
    finishedAt: null,
  };
}

function toClaimed(job: JobDocument): ClaimedJob {
  return {
    id: job._id,
    type: job.type,
    key: job.key,
    payload: fromJson<unknown>(job.payload),
    run: job.run,
    lease: job.lease,
    leaseUntil: job.dueAt,
    createdAt: job.createdAt,
  };
}

function toRecord({ _id, type, key, payload, run, error, dueAt, createdAt, finishedAt }: JobDocument): JobRecord {
  return { id: _id, type, key, payload: fromJson<unknown>(payload), runs: run, error, dueAt, createdAt, finishedAt };
}

/** Three commands a look, however many: which are due, who gets them, and what they are. */
async function claimDue(db: Db, due: Filter<JobDocument>, limit: number, leaseUntil: Date): Promise<ClaimedJob[]> {
  const jobs = collection(db, 'jobs');
  for (let look = 0; look < LOOKS; look += 1) {
    const found = await jobs
      .find(due)
      .sort({ dueAt: 1, _id: 1 })
      .limit(limit)
      .project<{ _id: number }>({ _id: 1 })
      .toArray();
    if (found.length === 0) return [];
    const _id = { $in: found.map((job) => job._id) };
    const claim = randomUUID();
    const update = { $set: { status: 'running' as const, dueAt: leaseUntil, claim }, $inc: { run: 1, lease: 1 } };
    await repeatOnClash(() => jobs.updateMany({ ...due, _id }, update));
    const claimed = await jobs.find({ _id, claim }).sort({ runAt: 1, _id: 1 }).toArray();
    if (claimed.length > 0) return claimed.map(toClaimed);
  }
  return [];
}

/** Changes a running job, if the fence holds. */
async function change(db: Db, job: ClaimedJob, update: UpdateFilter<JobDocument>): Promise<boolean> {
  const target = fenced(job);
  return (await repeatOnClash(() => collection(db, 'jobs').updateOne(target, update))).matchedCount === 1;
}

export function createJobStore(connection: Connection): JobStore {
  return {
    enqueue: (jobs, now) =>
      connection.run(async (db) => {
        if (jobs.length === 0) return;
        const queued = jobs.map((job) => queuedJob(job, instant(now)));
        const firstId = await reserveIds(db, 'jobs', jobs.length);
        const documents = queued.map((job, index): JobDocument => ({ _id: firstId + index, ...job }));
        await insertMissing(db, 'jobs', documents, ['slot']);
      }),

    claim: (types, limit, now, leaseUntil) =>
      connection.run((db) => {
        const due = { status: LIVE, type: { $in: texts(types) as JobType[] }, dueAt: { $lte: instant(now) } };
        return claimDue(db, due, integer(limit), instant(leaseUntil));
      }),

    extend: (jobs, leaseUntil) =>
      connection.run(async (db) => {
        if (jobs.length === 0) return [];
        const held = { $or: jobs.map(fenced) };
        const dueAt = instant(leaseUntil);
        const { matchedCount } = await repeatOnClash(() =>
          collection(db, 'jobs').updateMany(held, { $set: { dueAt } }),
        );
        if (matchedCount === jobs.length) return jobs.map(({ id }) => id);
        const found = await collection(db, 'jobs').find(held).project<{ _id: number }>({ _id: 1 }).toArray();
        return found.map(({ _id }) => _id);
      }),

    complete: (job) =>
      connection.run(async (db) => {
        const target = fenced(job);
        return (await repeatOnClash(() => collection(db, 'jobs').deleteOne(target))).deletedCount === 1;
      }),

    release: (job, runAt, error, countRun) =>
      connection.run((db) =>
        change(db, job, {
          $set: { status: 'queued', runAt: instant(runAt), dueAt: runAt, error },
          $inc: { run: countRun ? 0 : -1 },
        }),
      ),

    deadLetter: (job, error, now) =>
      connection.run((db) =>
        change(db, job, {
          $set: { status: 'dead', slot: `dead:${job.id}`, error, finishedAt: instant(now) },
        }),
      ),

    remove: (key) =>
      connection.run(async (db) => {
        const live = { slot: text(`live:${key}`) };
        return (await repeatOnClash(() => collection(db, 'jobs').deleteOne(live))).deletedCount === 1;
      }),

    afterSetBack: (now, leaseUntil, byMs) =>
      connection.run(async (db) => {
        const jobs = collection(db, 'jobs');
        const [at, until] = [instant(now), instant(leaseUntil)];
        await jobs.updateMany({ status: 'running', dueAt: { $gt: until } }, { $set: { dueAt: until } });
        const by = { $max: [integer(byMs), { $subtract: ['$createdAt', at] }] };
        const runAt = { $max: [at, { $subtract: ['$runAt', by] }] };
        const isLate = byMs > 0 ? {} : { createdAt: { $gt: new Date(at.getTime() + CLOCKS_DIFFER_MS) } };
        await jobs.updateMany({ status: 'queued', runAt: { $gt: at }, ...isLate }, [
          { $set: { runAt, dueAt: runAt, createdAt: { $min: ['$createdAt', at] } } },
        ]);
      }),

    nextDue: (types) =>
      connection.run(async (db) => {
        const waiting = { status: LIVE, type: { $in: texts(types) as JobType[] } };
        const next = await collection(db, 'jobs').findOne(waiting, { sort: { dueAt: 1 }, projection: { dueAt: 1 } });
        return next?.dueAt ?? null;
      }),

    list: ({ state, type, id }, page, now) =>
      connection.run(async (db) => {
        const [at, jobs] = [instant(now), collection(db, 'jobs')];
        const chosen = { type: { $in: type === undefined ? [...JOB_TYPES] : [type] }, ...(id && { _id: integer(id) }) };
        const inState = {
          dead: { status: 'dead' as const },
          running: { status: 'running' as const, dueAt: { $gt: at } },
          waiting: { status: LIVE, $or: [{ status: 'queued' as const }, { dueAt: { $lte: at } }] },
        };
        const order = state === 'dead' ? { direction: -1 as const } : { direction: 1 as const, by: 'dueAt' as const };
        const { items, total } = await readPage(jobs, { ...chosen, ...inState[state] }, order, page);
        return { items: items.map(toRecord), total };
      }),

    removeDead: (ids) =>
      connection.run(async (db) => {
        const dead = { _id: { $in: integers(ids) }, status: 'dead' as const };
        return (await collection(db, 'jobs').deleteMany(dead)).deletedCount;
      }),

    stats: (now) =>
      connection.run(async (db) => {
        const jobs = collection(db, 'jobs');
        const expiredBy = { $lte: instant(now) };
        const [live, claimed, expired, dead] = await Promise.all([
          // In one command, so that a job that is claimed or given back meanwhile is counted.
          jobs.countDocuments({ status: { $in: ['queued', 'running'] } }),
          jobs.countDocuments({ status: 'running' }),
          jobs.countDocuments({ status: 'running', dueAt: expiredBy }),
          jobs.countDocuments({ status: 'dead' }),
        ]);
        const running = Math.min(Math.max(claimed - expired, 0), live);
        return { queued: live - running, running, dead };
      }),
  };
}
