/** Jobs that this process has claimed before it has slots for them. */
import type { RunningJob } from './running-jobs.ts';

export interface WaitingRoom {
  readonly size: number;
  add(job: RunningJob): void;
  /**
   * Takes a job back to its place in its group, and lets the group rest until then, in milliseconds of `performance.now()`. False,
   * and nothing changes, if the room is full or the group has rested for too long without a job that got through.
   */
  takeBack(job: RunningJob, until: number): boolean;
  /** A job of this group got through. */
  gotThrough(group: string | null): void;
  /**
   * The next job to run: groups take turns, and each is first come, first served. None of a group that rests, unless the room is
   * more than full: then its jobs are tried, and go back to the storage.
   */
  next(): RunningJob | undefined;
  /** The time at which the first resting group is ready, on the clock of `takeBack`. Undefined if none rests. */
  readyAt(): number | undefined;
  /** Takes all of them out. */
  clear(): readonly RunningJob[];
}

/** A group rests here for so long, while nothing gets through. Then its jobs wait in the storage, where any process finds them. */
const LONGEST_REST_MS = 2_000;

interface Rest {
  readonly since: number;
  until: number;
}

/** @param most jobs with which the room is full; those that are claimed may be more */
export function createWaitingRoom(most: number, now: () => number = () => performance.now()): WaitingRoom {
  // In the order of their turns. Jobs of no group are one of them.
  const groups = new Map<string | null, RunningJob[]>();
  const rests = new Map<string | null, Rest>();
  let size = 0;

  function isReady(group: string | null): boolean {
    const rest = rests.get(group);
    return size > most || rest === undefined || rest.until <= now();
  }

  /** A job that was tried after its rest would have come back, or got through. */
  function forgetOld(): void {
    for (const [group, { until }] of rests) {
      if (!groups.has(group) && now() - until >= LONGEST_REST_MS) rests.delete(group);
    }
  }

  return {
    get size() {
      return size;
    },
    add(job) {
      const group = groups.get(job.job.group);
      if (group === undefined) groups.set(job.job.group, [job]);
      else group.push(job);
      size += 1;
    },
    takeBack(job, until) {
      const { group, id } = job.job;
      if (size >= most) return false;
      forgetOld();
      const rest = rests.get(group) ?? { since: now(), until };
      if (now() - rest.since >= LONGEST_REST_MS) return false;
      rest.until = Math.max(rest.until, until);
      rests.set(group, rest);
      const waiting = groups.get(group) ?? [];
      groups.set(group, waiting);
      const behind = waiting.findIndex((each) => each.job.id > id);
      waiting.splice(behind < 0 ? waiting.length : behind, 0, job);
      size += 1;
      return true;
    },
    gotThrough: (group) => void rests.delete(group),
    next() {
      for (const [name, group] of groups) {
        if (!isReady(name)) continue;
        const job = group.shift();
        groups.delete(name);
        if (group.length > 0) groups.set(name, group);
        size -= 1;
        return job;
      }
      return undefined;
    },
    readyAt() {
      let first: number | undefined;
      for (const name of groups.keys()) {
        const until = rests.get(name)?.until;
        if (until !== undefined) first = Math.min(until, first ?? until);
      }
      return first;
    },
    clear() {
      const all = [...groups.values()].flat();
      groups.clear();
      rests.clear();
      size = 0;
      return all;
    },
  };
}
