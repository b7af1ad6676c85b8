/**
 * Leased jobs. `dueAt` is when a job becomes claimable: `runAt` while it is queued, the end of its lease while it runs.
 * `lease` counts claims and is the fence: what names an older one changes nothing. A running or queued job holds the slot
 * of its key in a unique index. Jobs of groups: `job-groups.ts`.
 */
import { randomUUID } from 'node:crypto';
import type { Db, Filter, UpdateFilter } from 'mongodb';
import { pieces } from '../../core/bulk.ts';
import { CLOCKS_DIFFER_MS, type JobType } from '../../core/ports/job-queue.ts';
import type { ClaimedJob, JobStore } from '../../core/ports/job-store.ts';
import type { Connection } from './database.ts';
import { collection, type JobDocument } from './documents.ts';
import { byTime, type Candidate, dueJobs, nextDueAt } from './due-jobs.ts';
import { enqueueJobs, toClaimed } from './enqueue-jobs.ts';
import { frontsOf, giveTurns, pauseGroups, restoreTurns, turnOf } from './job-groups.ts';
import { repeatOnClash } from './repeat.ts';
import { instant, integer, text, texts } from './values.ts';
import { updateAll } from './write-bulk.ts';

function fenced(job: ClaimedJob): Filter<JobDocument> {
  return { _id: integer(job.id), lease: integer(job.lease), status: 'running' };
}

/** Other processes may claim what this one has found: it looks again so often. */
const LOOKS = 3;
/** So often it tries to claim some of what one look has found. */
const TRIES = 3;
/** Among how many jobs a process looks for each one that it wants: all take the oldest, and few of them get it. */
const WIDEST = 32;
const WIDENED_BY = 8;
/** Claims in a row that lost nothing, before a process looks among fewer: what is lost costs more than what is read in vain. */
const QUIET_CLAIMS = 16;

interface Width {
  width: number;
  /** Claims since the last that lost something. */
  quiet: number;
}

/** By database: widened by each claim that lost much to others, narrowed by many that lost nothing. */
const widths = new WeakMap<Db, Width>();

function adapt(width: Width, wanted: number, claimed: number): void {
  if (claimed < wanted * (7 / 8)) {
    width.width = Math.min(width.width * WIDENED_BY, WIDEST);
    width.quiet = 0;
  } else if (wanted > 0 && claimed === wanted) {
    width.quiet += 1;
    if (width.quiet % QUIET_CLAIMS === 0) width.width = Math.max(width.width / 2, 1);
  }
}

async function claimUpTo(
  db: Db,
  types: readonly JobType[],
  limit: number,
  now: Date,
  leaseUntil: Date,
): Promise<ClaimedJob[]> {
  if (limit <= 0) return [];
  const width = widths.get(db) ?? { width: 1, quiet: 0 };
  widths.set(db, width);
  for (let look = 0; look < LOOKS; look += 1) {
    const { choices, isAll, moveOn } = await claimable(db, types, limit, now, width.width);
    let claimed: ClaimedJob[] = [];
    for (const candidates of choices) {
      claimed = await claimAll(db, candidates, now, leaseUntil);
      adapt(width, candidates.length, claimed.length);
      if (claimed.length > 0) break;
    }
    // Also if there was nothing: a group whose jobs are gone has no turn.
    await moveOn();
    // If others took all there is, they work on it: nothing is left to look for.
    if (claimed.length > 0 || choices.length === 0 || isAll) return claimed;
  }
  return [];
}

/** What to claim, and what instead if another process has taken all of it. */
async function claimable(db: Db, types: readonly JobType[], limit: number, now: Date, spread: number) {
  const { jobs, groups, isAll } = await dueJobs(db, types, { jobs: limit * spread, groups: limit }, now);
  // An equal share for each group, and one for the jobs of no group.
  const share = groups.length === 0 ? limit : Math.ceil(limit / (groups.length + 1));
  const [taken = [], ...others] = pieces(spread === 1 ? jobs : inAnyOrder(jobs, share), share);
  const left = limit - taken.length;
  if (groups.length === 0 || left === 0) {
    const choices = taken.length === 0 ? [] : [taken, ...others.slice(0, TRIES - 1)];
    return { choices, isAll: isAll && groups.length === 0, moveOn: async () => undefined };
  }
  const fronts = await frontsOf(db, groups, left, now);
  const candidates = [...taken, ...fronts.candidates];
  return { choices: candidates.length === 0 ? [] : [candidates], isAll: false, moveOn: fronts.moveOn };
}

/**
 * In blocks of neighbouring ids, one after the other in any order. The blocks are the same in every process. A process that
 * is late finds a whole block gone and takes another one.
 */
function inAnyOrder(jobs: readonly Candidate[], share: number): readonly Candidate[] {
  const size = 2 ** Math.floor(Math.log2(share));
  const blocks = [...Map.groupBy(jobs, ({ _id }) => Math.floor(_id / size)).values()];
  return blocks
    .map((block) => ({ block, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .flatMap(({ block }) => block);
}

/** Claims those that nobody has claimed meanwhile: two commands, however many. */
async function claimAll(db: Db, candidates: readonly Candidate[], now: Date, leaseUntil: Date): Promise<ClaimedJob[]> {
  const jobs = collection(db, 'jobs');
  const ids = candidates.map(({ _id }) => _id);
  const claim = randomUUID();
  const found = await updateAll(
    jobs,
    { _id: { $in: ids }, live: true, dueAt: { $lte: now } },
    { $set: { status: 'running', dueAt: leaseUntil, claim }, $inc: { run: 1, lease: 1 } },
  );
  if (found === 0) return [];
  const claimed = await jobs.find({ _id: { $in: ids }, claim }).toArray();
  return claimed.sort(byTime).map(toClaimed);
}

/**
 * Changes running jobs, and returns the ids of those whose lease held. `claim` names the change: a repetition changes nothing
 * twice.
 */
async function changeAll(db: Db, jobs: readonly ClaimedJob[], changed: UpdateFilter<JobDocument>): Promise<number[]> {
  if (jobs.length === 0) return [];
  const target = collection(db, 'jobs');
  const claim = randomUUID();
  const { $set, ...others } = changed;
  const held = { $or: jobs.map(fenced), claim: { $ne: claim } };
  const found = await updateAll(target, held, { ...others, $set: { ...$set, claim } });
  const ids = jobs.map(({ id }) => id);
  if (found === jobs.length) return ids;
  return found === 0 ? [] : (await target.find({ _id: { $in: ids }, claim }).toArray()).map(({ _id }) => _id);
}

export function createJobStore(connection: Connection): JobStore {
  return {
    enqueue: (jobs, now) =>
      connection.run(async (db) => {
        await enqueueJobs(db, jobs, instant(now));
        return [];
      }),

    claim: (types, limit, now, leaseUntil) =>
      connection.run((db) =>
        claimUpTo(db, texts(types) as JobType[], integer(limit), instant(now), instant(leaseUntil)),
      ),

    extend: (jobs, leaseUntil) => connection.run((db) => changeAll(db, jobs, { $set: { dueAt: instant(leaseUntil) } })),

    recount: (jobs, change) =>
      connection.run((db) => {
        return changeAll(db, jobs, { $inc: { run: integer(change) } });
      }),

    complete: (job) =>
      connection.run(async (db) => {
        const { deletedCount } = await repeatOnClash(() => collection(db, 'jobs').deleteOne(fenced(job)));
        return deletedCount === 1;
      }),

    release: (job, runAt, error, countRun) =>
      connection.run(async (db) => {
        const update: UpdateFilter<JobDocument> = {
          $set: { status: 'queued', runAt: instant(runAt), dueAt: runAt, error },
          $inc: { run: countRun ? 0 : -1 },
        };
        const { matchedCount } = await repeatOnClash(() => collection(db, 'jobs').updateOne(fenced(job), update));
        if (matchedCount === 1) await giveTurns(db, turnOf({ ...job, runAt }));
        return matchedCount === 1;
      }),

    pause: (job, until, now) =>
      connection.run(async (db) => {
        const [endsAt, at] = [instant(until), instant(now)];
        const queued = [{ $set: { status: 'queued', dueAt: '$runAt', run: { $subtract: ['$run', 1] } } }];
        const paused = await repeatOnClash(() =>
          collection(db, 'jobs').findOneAndUpdate(fenced(job), queued, { returnDocument: 'after' }),
        );
        if (paused === null) return false;
        await pauseGroups(
          db,
          turnOf(paused).map((turn) => ({ ...turn, until: endsAt, now: at })),
        );
        return true;
      }),

    deadLetter: (job, error, now) =>
      connection.run(async (db) => {
        const update: UpdateFilter<JobDocument> = {
          $set: { status: 'dead', live: false, slot: `dead:${job.id}`, error, finishedAt: instant(now) },
        };
        const { matchedCount } = await repeatOnClash(() => collection(db, 'jobs').updateOne(fenced(job), update));
        return matchedCount === 1;
      }),

    remove: (key) =>
      connection.run(async (db) => {
        const live = { slot: text(`live:${key}`) };
        const { deletedCount } = await repeatOnClash(() => collection(db, 'jobs').deleteOne(live));
        return deletedCount === 1;
      }),

    afterSetBack: (now, leaseUntil, byMs) =>
      connection.run(async (db) => {
        const jobs = collection(db, 'jobs');
        const [at, until] = [instant(now), instant(leaseUntil)];
        await jobs.updateMany({ status: 'running', dueAt: { $gt: until } }, { $set: { dueAt: until } });
        const by = { $max: [integer(byMs), { $subtract: ['$createdAt', at] }] };
        const runAt = { $max: [at, { $subtract: ['$runAt', by] }] };
        const isLate = byMs > 0 ? {} : { createdAt: { $gt: new Date(at.getTime() + CLOCKS_DIFFER_MS) } };
        const { modifiedCount } = await jobs.updateMany({ status: 'queued', runAt: { $gt: at }, ...isLate }, [
          { $set: { runAt, dueAt: runAt, createdAt: { $min: ['$createdAt', at] } } },
        ]);
        if (modifiedCount > 0) await restoreTurns(db);
      }),

    nextDue: (types) => connection.run((db) => nextDueAt(db, texts(types) as JobType[])),

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
