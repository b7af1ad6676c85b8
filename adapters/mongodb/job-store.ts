/**
 * Leased jobs. `dueAt` is when a job becomes claimable: `runAt` while it is queued, the end of its lease while it runs. A running
 * or queued job holds the slot of its key in a unique index.
 */
import type { Filter, UpdateFilter } from 'mongodb';
import { gathered } from '../../core/gather.ts';
import { CLOCKS_DIFFER_MS, JOB_TYPES, type JobType, type NewJob } from '../../core/ports/job-queue.ts';
import type { ClaimedJob, JobStore } from '../../core/ports/job-store.ts';
import type { DocumentOf } from './documents.ts';
import { LIVE } from './indexes.ts';
import type { Database } from './items.ts';
import { claimLeases, extendLeases } from './leases.ts';
import { equals, instant, integer, integers, text, texts } from './values.ts';

type JobDocument = DocumentOf<'jobs'>;

/** Other processes may claim all that this one has found: it looks again so often. */
const LOOKS = 3;

const fenced = ({ id, lease }: ClaimedJob) => equals({ _id: id, lease, status: 'running' as const });

const liveOf = (types: readonly JobType[]) => ({ status: LIVE, type: { $in: texts(types) as JobType[] } });

function queuedJob({ type, key, payload, runAt: at }: NewJob, now: Date): Omit<JobDocument, '_id'> {
  const runAt = instant(at ?? now);
  return {
    type,
    key: text(key),
    slot: `live:${key}`,
    payload: JSON.stringify(payload),
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

export function createJobStore({ jobs }: Database): JobStore {
  /** Changes a running job, if the fence holds. */
  const change = (job: ClaimedJob, update: UpdateFilter<JobDocument>) => jobs.update(fenced(job), update);
  const toClaimed = (document: JobDocument): ClaimedJob => {
    const { error, dueAt, finishedAt, ...job } = jobs.toItem(document);
    return { ...job, lease: document.lease, leaseUntil: dueAt };
  };
  const complete = gathered(async (held: readonly ClaimedJob[]) => {
    const deleted = await jobs.deleteAll({ $or: held.map(fenced) });
    const ids = held.map(({ id }) => id);
    // Of some that are gone one cannot tell who ended them; one that is there was lost.
    const lost = deleted === 0 ? ids : deleted < ids.length ? await jobs.ids({ _id: { $in: ids } }) : [];
    return new Map(held.map((job) => [job, !lost.includes(job.id)]));
  });
  return {
    async enqueue(added, now) {
      await jobs.insertNew(added.map((job) => queuedJob(job, instant(now))));
    },

    /** Three commands a look, however many: which are due, who gets them, and what they are. */
    async claim(types, limit, now, leaseUntil) {
      const due: Filter<JobDocument> = { ...liveOf(types), dueAt: { $lte: instant(now) } };
      const changes = { $set: { status: 'running', dueAt: instant(leaseUntil) }, $inc: { run: 1 } };
      for (let look = 0; look < LOOKS; look += 1) {
        const ids = await jobs.ids(due, { sort: { dueAt: 1, _id: 1 }, limit: integer(limit) });
        if (ids.length === 0) return [];
        const claimed = await claimLeases(jobs, due, ids, changes);
        const inOrder = claimed.sort((a, b) => a.runAt.getTime() - b.runAt.getTime() || a._id - b._id);
        if (claimed.length > 0) return inOrder.map(toClaimed);
      }
      return [];
    },

    extend: (held, leaseUntil) => extendLeases(jobs, 'running', held, { dueAt: leaseUntil }),

    complete: async (job) => (await complete(job)) ?? false,

    release: async (job, runAt, error, countRun) =>
      change(job, {
        $set: { status: 'queued', runAt: instant(runAt), dueAt: runAt, error },
        $inc: { run: countRun ? 0 : -1 },
      }),

    deadLetter: async (job, error, now) =>
      change(job, { $set: { status: 'dead', slot: `dead:${job.id}`, error, finishedAt: instant(now) } }),

    remove: (key) => jobs.delete({ slot: text(`live:${key}`) }),

    async afterSetBack(at, until, byMs) {
      await jobs.updateAll({ status: 'running', dueAt: { $gt: until } }, { $set: { dueAt: until } });
      const by = { $max: [integer(byMs), { $subtract: ['$createdAt', at] }] };
      const runAt = { $max: [at, { $subtract: ['$runAt', by] }] };
      const isLate = byMs <= 0 && { createdAt: { $gt: new Date(at.getTime() + CLOCKS_DIFFER_MS) } };
      await jobs.updateAll({ status: 'queued', runAt: { $gt: at }, ...isLate }, [
        { $set: { runAt, dueAt: runAt, createdAt: { $min: ['$createdAt', at] } } },
      ]);
    },

    nextDue: async (types) =>
      (await jobs.find(liveOf(types), { sort: { dueAt: 1 }, projection: { dueAt: 1 } }))?.dueAt ?? null,

    async list({ state, type, id }, page, now) {
      const chosen = { type: { $in: type === undefined ? [...JOB_TYPES] : [type] }, ...equals({}, { _id: id }) };
      const inState = {
        dead: { status: 'dead' as const },
        running: { status: 'running' as const, dueAt: { $gt: now } },
        waiting: { status: LIVE, $or: [{ status: 'queued' as const }, { dueAt: { $lte: now } }] },
      };
      const order = state === 'dead' ? '-id' : 'dueAt';
      const { items, total } = await jobs.page({ ...chosen, ...inState[state] }, order, page);
      return { items: items.map(({ run, ...job }) => ({ ...job, runs: run })), total };
    },

    removeDead: (ids) => jobs.deleteAll({ _id: { $in: integers(ids) }, status: 'dead' }),

    async stats(now) {
      const expiredBy = { $lte: instant(now) };
      const [live, claimed, expired, dead] = await Promise.all([
        // In one command, so that a job that is claimed or given back meanwhile is counted.
        jobs.raw.countDocuments({ status: { $in: ['queued', 'running'] } }),
        jobs.raw.countDocuments({ status: 'running' }),
        jobs.raw.countDocuments({ status: 'running', dueAt: expiredBy }),
        jobs.raw.countDocuments({ status: 'dead' }),
      ]);
      const running = Math.min(Math.max(claimed - expired, 0), live);
      return { queued: live - running, running, dead };
    },
  };
}
