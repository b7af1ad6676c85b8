/**
 * Leased jobs. `dueAt` is when a job becomes claimable: `runAt` while it is queued, the end of its lease while it runs.
 * `lease` counts claims and is the fence: what names an older one changes nothing. A running or queued job holds the slot
 * of its key in a unique index.
 */
import type { Filter } from 'mongodb';
import type { ClaimedJob, JobStore } from '../../core/ports/job-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { collection, type JobDocument } from './documents.ts';
import { insertMissing } from './insert-missing.ts';
import { fromJson, instant, integer, text, texts } from './values.ts';

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

function fenced(job: ClaimedJob): Filter<JobDocument> {
  return { _id: integer(job.id), lease: integer(job.lease), status: 'running' };
}

export function createJobStore(connection: Connection): JobStore {
  return {
    enqueue: (jobs, now) =>
      connection.run(async (db) => {
        if (jobs.length === 0) return;
        const firstId = await reserveIds(db, 'jobs', jobs.length);
        const documents = jobs.map((job, index): JobDocument => {
          const runAt = instant(job.runAt ?? now);
          return {
            _id: firstId + index,
            type: job.type,
            key: text(job.key),
            slot: `live:${job.key}`,
            payload: JSON.stringify(job.payload),
            status: 'queued',
            live: true,
            runAt,
            dueAt: runAt,
            run: 0,
            lease: 0,
            error: null,
            createdAt: instant(now),
            finishedAt: null,
          };
        });
        await insertMissing(db, 'jobs', documents, ['slot']);
      }),

    claim: (types, limit, now, leaseUntil) =>
      connection.run(async (db) => {
        const claimed: ClaimedJob[] = [];
        const wanted = texts(types) as JobDocument['type'][];
        const most = integer(limit);
        while (claimed.length < most) {
          const job = await collection(db, 'jobs').findOneAndUpdate(
            { live: true, runAt: { $lte: instant(now) }, dueAt: { $lte: now }, type: { $in: wanted } },
            { $set: { status: 'running', dueAt: instant(leaseUntil) }, $inc: { run: 1, lease: 1 } },
            { sort: { runAt: 1, _id: 1 }, returnDocument: 'after' },
          );
          if (job === null) break;
          claimed.push(toClaimed(job));
        }
        return claimed;
      }),

    extend: (jobs, leaseUntil) =>
      connection.run(async (db) => {
        const held = await Promise.all(
          jobs.map(async (job) => {
            const update = { $set: { dueAt: instant(leaseUntil) } };
            const { matchedCount } = await collection(db, 'jobs').updateOne(fenced(job), update);
            return matchedCount === 1 ? [job.id] : [];
          }),
        );
        return held.flat();
      }),

    complete: (job) =>
      connection.run(async (db) => {
        const { deletedCount } = await collection(db, 'jobs').deleteOne(fenced(job));
        return deletedCount === 1;
      }),

    release: (job, runAt, error, countRun) =>
      connection.run(async (db) => {
        const { matchedCount } = await collection(db, 'jobs').updateOne(fenced(job), {
          $set: { status: 'queued', runAt: instant(runAt), dueAt: runAt, error },
          $inc: { run: countRun ? 0 : -1 },
        });
        return matchedCount === 1;
      }),

    deadLetter: (job, error, now) =>
      connection.run(async (db) => {
        const { matchedCount } = await collection(db, 'jobs').updateOne(fenced(job), {
          $set: { status: 'dead', live: false, slot: `dead:${job.id}`, error, finishedAt: instant(now) },
        });
        return matchedCount === 1;
      }),

    remove: (key) =>
      connection.run(async (db) => {
        const { deletedCount } = await collection(db, 'jobs').deleteOne({ slot: text(`live:${key}`) });
        return deletedCount === 1;
      }),

    nextDue: (types) =>
      connection.run(async (db) => {
        const wanted = texts(types) as JobDocument['type'][];
        const job = await collection(db, 'jobs').findOne(
          { live: true, type: { $in: wanted } },
          { sort: { dueAt: 1 }, projection: { dueAt: 1 } },
        );
        return job?.dueAt ?? null;
      }),

    stats: (now) =>
      connection.run(async (db) => {
        const jobs = collection(db, 'jobs');
        const [live, running, dead] = await Promise.all([
          jobs.countDocuments({ live: true }),
          jobs.countDocuments({ live: true, status: 'running', dueAt: { $gt: instant(now) } }),
          jobs.countDocuments({ live: false }),
        ]);
        return { queued: live - running, running, dead };
      }),
  };
}
