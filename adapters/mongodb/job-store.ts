/**
 * Leased jobs. `dueAt` is when a job becomes claimable: `runAt` while it is queued, the end of its lease while it runs.
 * `lease` counts claims and is the fence: what names an older one changes nothing. A running or queued job holds the slot
 * of its key in a unique index. Jobs of groups: `job-groups.ts`.
 */
import { randomUUID } from 'node:crypto';
import type { Db, Filter } from 'mongodb';
import type { JobType } from '../../core/ports/job-queue.ts';
import type { ClaimedJob, JobStore } from '../../core/ports/job-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { collection, type JobDocument } from './documents.ts';
import { gathered } from './gathered.ts';
import { insertMissing } from './insert-missing.ts';
import { type Candidate, frontsOf, giveTurns, pauseGroups, readyGroups, type Turn } from './job-groups.ts';
import { fromJson, instant, integer, text, texts } from './values.ts';

function toClaimed(job: JobDocument): ClaimedJob {
  return {
    id: job._id,
    type: job.type,
    key: job.key,
    payload: fromJson<unknown>(job.payload),
    group: job.group ?? null,
    run: job.run,
    lease: job.lease,
    leaseUntil: job.dueAt,
    createdAt: job.createdAt,
  };
}

function fenced(job: ClaimedJob): Filter<JobDocument> {
  return { _id: integer(job.id), lease: integer(job.lease), status: 'running' };
}

/** Other processes may claim what this one has found: it looks again so often. */
const LOOKS = 3;
/** Among how many jobs a process looks for each one that it wants: all take the oldest, and few of them get it. */
const WIDEST = 32;

/** By database: widened by each claim that lost much to others, narrowed by those that lost nothing. */
const widths = new WeakMap<Db, number>();

function widthAfter(width: number, wanted: number, claimed: number): number {
  if (wanted === 0) return 1;
  if (claimed < wanted * (7 / 8)) return Math.min(width * 4, WIDEST);
  return claimed === wanted ? Math.max(width / 2, 1) : width;
}

async function claimUpTo(
  db: Db,
  types: readonly JobType[],
  limit: number,
  now: Date,
  leaseUntil: Date,
): Promise<ClaimedJob[]> {
  for (let look = 0; look < LOOKS; look += 1) {
    const width = widths.get(db) ?? 1;
    const { candidates, moveOn } = await claimable(db, types, limit, now, width);
    const claimed = candidates.length === 0 ? [] : await claimAll(db, candidates, now, leaseUntil);
    widths.set(db, widthAfter(width, candidates.length, claimed.length));
    // Also if there was nothing: a group whose jobs are gone has no turn.
    await moveOn();
    if (claimed.length > 0 || candidates.length === 0) return claimed;
  }
  return [];
}

async function claimable(db: Db, types: readonly JobType[], limit: number, now: Date, spread: number) {
  const [due, groups] = await Promise.all([
    ungrouped(db, types, limit * spread, now),
    readyGroups(db, types, limit, now),
  ]);
  // An equal share for each group, and one for the jobs of no group.
  const own = spread === 1 ? due : due.sort(() => Math.random() - 0.5);
  const taken = own.slice(0, groups.length === 0 ? limit : Math.ceil(limit / (groups.length + 1)));
  const left = limit - taken.length;
  if (groups.length === 0 || left === 0) return { candidates: taken, moveOn: async () => undefined };
  const fronts = await frontsOf(db, groups, left, now);
  return { candidates: [...taken, ...fronts.candidates], moveOn: fronts.moveOn };
}

/** Due jobs of no group, and jobs of any group whose lease has run out; the oldest `runAt` first. */
async function ungrouped(db: Db, types: readonly JobType[], limit: number, now: Date): Promise<Candidate[]> {
  const jobs = collection(db, 'jobs');
  const type = { $in: [...types] };
  const found = await Promise.all([
    jobs
      .find({ status: 'queued', type, group: null, runAt: { $lte: now } })
      .sort({ runAt: 1, _id: 1 })
      .limit(limit)
      .project<Candidate>({ runAt: 1 })
      .toArray(),
    jobs
      .find({ status: 'running', type, dueAt: { $lte: now } })
      .sort({ dueAt: 1 })
      .limit(limit)
      .project<Candidate>({ runAt: 1 })
      .toArray(),
  ]);
  return found.flat().sort(byTime);
}

function byTime(a: Candidate, b: Candidate): number {
  return a.runAt.getTime() - b.runAt.getTime() || a._id - b._id;
}

/** Claims those that nobody has claimed meanwhile: two commands, however many. */
async function claimAll(db: Db, candidates: readonly Candidate[], now: Date, leaseUntil: Date): Promise<ClaimedJob[]> {
  const jobs = collection(db, 'jobs');
  const ids = candidates.map(({ _id }) => _id);
  const claim = randomUUID();
  const { matchedCount } = await jobs.updateMany(
    { _id: { $in: ids }, live: true, dueAt: { $lte: now } },
    { $set: { status: 'running', dueAt: leaseUntil, claim }, $inc: { run: 1, lease: 1 } },
  );
  if (matchedCount === 0) return [];
  const claimed = await jobs.find({ _id: { $in: ids }, claim }).toArray();
  return claimed.sort(byTime).map(toClaimed);
}

/** Removes finished jobs in one command. */
const completeAll = gathered<ClaimedJob, boolean>(async (db, jobs) => {
  const target = collection(db, 'jobs');
  const deletions = jobs.map((job) => ({ deleteOne: { filter: fenced(job) } }));
  const { deletedCount } = await target.bulkWrite(deletions, { ordered: false });
  if (deletedCount === jobs.length) return jobs.map(() => true);
  if (deletedCount === 0) return jobs.map(() => false);
  const lost = await target
    .find({ _id: { $in: jobs.map(({ id }) => id) } })
    .project<{ _id: number }>({ _id: 1 })
    .toArray();
  const others = new Set(lost.map(({ _id }) => _id));
  return jobs.map(({ id }) => !others.has(id));
});

interface Paused {
  readonly job: ClaimedJob;
  readonly until: Date;
  readonly now: Date;
}

/** Queues jobs again and pauses their groups: three commands, however many. */
const pauseAll = gathered<Paused, boolean>(async (db, pauses) => {
  const target = collection(db, 'jobs');
  const claim = randomUUID();
  const queued = { status: 'queued', dueAt: '$runAt', run: { $subtract: ['$run', 1] }, claim: { $literal: claim } };
  const updates = pauses.map(({ job }) => ({ updateOne: { filter: fenced(job), update: [{ $set: queued }] } }));
  const { matchedCount } = await target.bulkWrite(updates, { ordered: false });
  if (matchedCount === 0) return pauses.map(() => false);
  const found = await target
    .find({ _id: { $in: pauses.map(({ job }) => job.id) }, claim })
    .project<Pick<JobDocument, '_id' | 'type' | 'group' | 'runAt'>>({ type: 1, group: 1, runAt: 1 })
    .toArray();
  const byId = new Map(found.map((job) => [job._id, job]));
  await pauseGroups(
    db,
    pauses.flatMap(({ job: { id }, until, now }) => {
      const job = byId.get(id);
      return job === undefined ? [] : turnOf(job).map((turn) => ({ ...turn, until, now }));
    }),
  );
  return pauses.map(({ job }) => matchedCount === pauses.length || byId.has(job.id));
});

export function createJobStore(connection: Connection): JobStore {
  return {
    enqueue: (jobs, now) =>
      connection.run(async (db) => {
        if (jobs.length === 0) return [];
        const firstId = await reserveIds(db, 'jobs', jobs.length);
        const documents = jobs.map((job, index): JobDocument => {
          const runAt = instant(job.runAt ?? now);
          return {
            _id: firstId + index,
            type: job.type,
            key: text(job.key),
            slot: `live:${job.key}`,
            payload: JSON.stringify(job.payload),
            group: job.group === undefined ? null : text(job.group),
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
        // Also for jobs that were there: an earlier call may have ended before their groups got a turn.
        await giveTurns(db, documents.flatMap(turnOf));
        // Two commands more would tell which of them are new: a claim takes no more for all.
        return [];
      }),

    claim: (types, limit, now, leaseUntil) =>
      connection.run((db) =>
        claimUpTo(db, texts(types) as JobType[], integer(limit), instant(now), instant(leaseUntil)),
      ),

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
      connection.run((db) => {
        integer(job.id);
        integer(job.lease);
        return completeAll(db, job);
      }),

    release: (job, runAt, error, countRun) =>
      connection.run(async (db) => {
        const { matchedCount } = await collection(db, 'jobs').updateOne(fenced(job), {
          $set: { status: 'queued', runAt: instant(runAt), dueAt: runAt, error },
          $inc: { run: countRun ? 0 : -1 },
        });
        if (matchedCount === 1) await giveTurns(db, turnOf({ ...job, runAt }));
        return matchedCount === 1;
      }),

    pause: (job, until, now) =>
      connection.run((db) => {
        // Before anything is written: a value that is no time must change nothing.
        fenced(job);
        return pauseAll(db, { job, until: instant(until), now: instant(now) });
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
        const [jobs, groups] = [collection(db, 'jobs'), collection(db, 'jobGroups')];
        const type = { $in: texts(types) as JobType[] };
        const times = await Promise.all([
          jobs
            .findOne({ status: 'queued', type, group: null }, { sort: { runAt: 1 }, projection: { runAt: 1 } })
            .then((job) => job?.runAt),
          jobs
            .findOne({ status: 'running', type }, { sort: { dueAt: 1 }, projection: { dueAt: 1 } })
            .then((job) => job?.dueAt),
          groups
            .findOne({ type }, { sort: { readyAt: 1 }, projection: { readyAt: 1 } })
            .then((group) => group?.readyAt),
        ]);
        const due = times.flatMap((time) => (time === undefined ? [] : [time.getTime()]));
        return due.length === 0 ? null : new Date(Math.min(...due));
      }),

    stats: (now) =>
      connection.run(async (db) => {
        const jobs = collection(db, 'jobs');
        const [live, claimed, expired, dead] = await Promise.all([
          // In one command, so that a job that is claimed or given back meanwhile is counted.
          jobs.countDocuments({ status: { $in: ['queued', 'running'] } }),
          jobs.countDocuments({ status: 'running' }),
          jobs.countDocuments({ status: 'running', dueAt: { $lte: instant(now) } }),
          jobs.countDocuments({ status: 'dead' }),
        ]);
        const running = Math.min(Math.max(claimed - expired, 0), live);
        return { queued: live - running, running, dead };
      }),
  };
}

function turnOf({ type, group = null, runAt }: { type: JobType; group?: string | null; runAt: Date }): Turn[] {
  return group === null ? [] : [{ type, group, at: runAt }];
}
