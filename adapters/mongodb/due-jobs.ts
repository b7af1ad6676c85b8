/** What may be claimed now, and when the next job may: each in one command over the jobs and the turns of their groups. */
import type { Db } from 'mongodb';
import type { JobType } from '../../core/ports/job-queue.ts';
import type { JobDocument, JobGroupDocument } from './documents.ts';
import { front, inOneCommand } from './fronts.ts';

/** A job that may be claimed. */
export type Candidate = Pick<JobDocument, '_id' | 'runAt'>;

export interface DueJobs {
  /** Due jobs of no group, and jobs of any group whose lease has run out; the oldest `runAt` first. */
  readonly jobs: readonly Candidate[];
  /** Groups whose turn has come, those that wait longest first. */
  readonly groups: readonly JobGroupDocument[];
  /** Whether that is all: there were fewer than were asked for. */
  readonly isAll: boolean;
}

/** Reads at most so many jobs of no group, as many expired ones, and as many groups. */
export async function dueJobs(
  db: Db,
  types: readonly JobType[],
  most: { readonly jobs: number; readonly groups: number },
  now: Date,
): Promise<DueJobs> {
  const type = { $in: [...types] };
  const isDue = { $lte: now };
  const found = await inOneCommand<Candidate & { readonly turn?: JobGroupDocument }>(db, 2 * most.jobs + most.groups, [
    front('jobs', { status: 'queued', type, group: null, runAt: isDue }, { runAt: 1, _id: 1 }, most.jobs, { runAt: 1 }),
    front('jobs', { status: 'running', type, dueAt: isDue }, { dueAt: 1 }, most.jobs, { runAt: 1 }),
    front('jobGroups', { type, readyAt: isDue }, { readyAt: 1 }, most.groups, { turn: '$$ROOT' }),
  ]);
  const jobs = found.filter(({ turn }) => turn === undefined).toSorted(byTime);
  const groups = found.flatMap(({ turn }) => turn ?? []);
  return { jobs, groups, isAll: jobs.length < most.jobs && groups.length < most.groups };
}

/** The next jobs of each group, at most `most` of them, also those that are not due. */
export async function frontsOfGroups(
  db: Db,
  groups: readonly Pick<JobGroupDocument, 'type' | 'name'>[],
  most: number,
): Promise<readonly (readonly Candidate[])[]> {
  const found = await inOneCommand<Candidate & { readonly at: number }>(
    db,
    groups.length * most,
    groups.map(({ type, name }, at) =>
      front('jobs', { status: 'queued', type, group: name }, { runAt: 1, _id: 1 }, most, {
        runAt: 1,
        at: { $literal: at },
      }),
    ),
  );
  const byGroup = Map.groupBy(found, ({ at }) => at);
  return groups.map((_, at) => byGroup.get(at) ?? []);
}

/** When the next job of these types may be claimed; null if there is none. */
export async function nextDueAt(db: Db, types: readonly JobType[]): Promise<Date | null> {
  const type = { $in: [...types] };
  const found = await inOneCommand<{ readonly at: Date }>(db, 3, [
    front('jobs', { status: 'queued', type, group: null }, { runAt: 1 }, 1, { at: '$runAt' }),
    front('jobs', { status: 'running', type }, { dueAt: 1 }, 1, { at: '$dueAt' }),
    front('jobGroups', { type }, { readyAt: 1 }, 1, { at: '$readyAt' }),
  ]);
  return found.length === 0 ? null : new Date(Math.min(...found.map(({ at }) => at.getTime())));
}

export function byTime(a: Candidate, b: Candidate): number {
  return a.runAt.getTime() - b.runAt.getTime() || a._id - b._id;
}
