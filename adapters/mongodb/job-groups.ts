/**
 * Turns of groups of jobs. A group with queued jobs has one document, which says when its next job may be claimed. A claim
 * reads the groups that are ready and the front of each, and never the backlog of a group. Jobs are queued before their group
 * gets its turn, and `version` shows if another process gave a turn meanwhile. A turn that comes too early only costs a look.
 * If a process dies in between, `restoreTurns` or the next `enqueue` of the job gives the turn.
 */
import type { AnyBulkWriteOperation, Db } from 'mongodb';
import { type JobType, LONGEST_PAUSE_MS } from '../../core/ports/job-queue.ts';
import { collection, type JobGroupDocument } from './documents.ts';
import { type Candidate, frontsOfGroups } from './due-jobs.ts';
import { repeatOnClash } from './repeat.ts';
import { instant, text } from './values.ts';
import { writeBulk } from './write-bulk.ts';

/** When a group's next job is due. */
export interface Turn {
  readonly type: JobType;
  readonly group: string;
  readonly at: Date;
}

/** The turn that a job gives its group, if it is of one. */
export function turnOf(job: { readonly type: JobType; readonly group?: string | null; readonly runAt: Date }): Turn[] {
  const { type, group = null, runAt } = job;
  return group === null ? [] : [{ type, group, at: runAt }];
}

const NEVER_PAUSED = new Date(0);

/** The due jobs at the fronts of the groups, an equal share each, and what moves the turns of those groups on. */
export async function frontsOf(
  db: Db,
  groups: readonly JobGroupDocument[],
  limit: number,
  now: Date,
): Promise<{ readonly candidates: readonly Candidate[]; moveOn(): Promise<void> }> {
  const share = Math.ceil(limit / groups.length);
  const served = groups.slice(0, limit);
  // One more than can be taken: the group's next turn.
  const fronts = await frontsOfGroups(db, served, share + 1);
  let left = limit;
  const moves: AnyBulkWriteOperation<JobGroupDocument>[] = [];
  const candidates = served.flatMap(({ _id, version, pausedUntil }, index) => {
    const front = fronts[index] ?? [];
    const taken = front.slice(0, Math.min(share, left)).filter(({ runAt }) => runAt <= now);
    left -= taken.length;
    const filter = { _id, version };
    const next = front[taken.length];
    if (next === undefined) {
      moves.push({ deleteOne: { filter } });
    } else {
      // Behind the groups that wait already.
      const turnAt = later(next.runAt, now);
      moves.push({
        updateOne: { filter, update: { $set: { turnAt, readyAt: later(turnAt, pausedUntil) }, $inc: { version: 1 } } },
      });
    }
    return taken;
  });
  return {
    candidates,
    moveOn: async () => void (await writeBulk(collection(db, 'jobGroups'), moves)),
  };
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}

/**
 * Makes sure that the turns of these groups come no later than that, unless a group is paused. With `now`, a pause that is longer
 * than any is cut: it was stored while the clock was set wrong.
 */
export async function giveTurns(db: Db, turns: readonly Turn[], now?: Date): Promise<void> {
  const earliest = new Map<string, Turn>();
  for (const turn of turns) {
    const id = groupIdOf(turn);
    const known = earliest.get(id);
    if (known === undefined || turn.at < known.at) earliest.set(id, turn);
  }
  if (earliest.size === 0) return;
  const pause = now === undefined ? '$pausedUntil' : longestPause(now);
  const updates = [...earliest.values()].map((turn) => ({ updateOne: turnUpdate(turn, pause) }));
  await repeatOnClash(() => collection(db, 'jobGroups').bulkWrite(updates, { ordered: false }));
}

/** A group that gets a turn, and none of whose jobs is claimed before a time. */
export interface Pause extends Turn {
  readonly until: Date;
  readonly now: Date;
}

/** As `giveTurns`, and pauses the groups, in one command. A pause that lasts at `now` and is over sooner stays. */
export async function pauseGroups(db: Db, pauses: readonly Pause[]): Promise<void> {
  if (pauses.length === 0) return;
  const updates = [...Map.groupBy(pauses, groupIdOf).values()].flatMap((ofGroup) => {
    const [turn] = ofGroup;
    if (turn === undefined) return [];
    const at = earliestOf(ofGroup.map((pause) => pause.at));
    const until = earliestOf(ofGroup.map((pause) => pause.until));
    const now = earliestOf(ofGroup.map((pause) => pause.now));
    const isOverSooner = { $and: [{ $gt: ['$pausedUntil', now] }, { $lt: ['$pausedUntil', until] }] };
    return [{ updateOne: turnUpdate({ ...turn, at }, { $cond: [isOverSooner, '$pausedUntil', until] }) }];
  });
  await repeatOnClash(() => collection(db, 'jobGroups').bulkWrite(updates, { ordered: false }));
}

function earliestOf(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

function turnUpdate(turn: Turn, pausedUntil: unknown) {
  const update = [
    {
      $set: {
        type: { $literal: text(turn.type) },
        name: { $literal: text(turn.group) },
        turnAt: { $min: ['$turnAt', instant(turn.at)] },
        pausedUntil: { $ifNull: [pausedUntil, NEVER_PAUSED] },
        version: { $add: [{ $ifNull: ['$version', firstVersion()] }, 1] },
      },
    },
    { $set: { readyAt: { $max: ['$turnAt', '$pausedUntil'] } } },
  ];
  return { filter: { _id: groupIdOf(turn) }, update, upsert: true };
}

function longestPause(now: Date) {
  const latest = new Date(now.getTime() + LONGEST_PAUSE_MS);
  return { $min: [{ $ifNull: ['$pausedUntil', NEVER_PAUSED] }, latest] };
}

/** A group that was empty meanwhile must have no version that a claim under way has seen: that claim would remove its new turn. */
function firstVersion(): number {
  return Math.floor(Math.random() * 2 ** 48);
}

function groupIdOf({ type, group }: Pick<Turn, 'type' | 'group'>): string {
  return `${type}:${group}`;
}

/** Gives every group with queued jobs its turn. For the start: a process may have died between a job and the turn. */
export async function restoreTurns(db: Db): Promise<void> {
  const found = await collection(db, 'jobs')
    .aggregate<{ _id: { type: JobType; group: string }; at: Date }>([
      // Text only: those of no group have null.
      { $match: { status: 'queued', group: { $gte: '' } } },
      { $group: { _id: { type: '$type', group: '$group' }, at: { $min: '$runAt' } } },
    ])
    .toArray();
  await giveTurns(
    db,
    found.map(({ _id, at }) => ({ ..._id, at })),
    new Date(),
  );
}
