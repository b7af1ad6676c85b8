/** Jobs that this process has claimed before it has slots for them. */
import type { RunningJob } from './running-jobs.ts';

export interface WaitingRoom {
  readonly size: number;
  add(job: RunningJob): void;
  /** The next job to run: groups take turns, and each is first come, first served. */
  next(): RunningJob | undefined;
  /** Takes all of them out. */
  clear(): readonly RunningJob[];
}

export function createWaitingRoom(): WaitingRoom {
  // In the order of their turns. Jobs of no group are one of them.
  const groups = new Map<string | null, RunningJob[]>();
  let size = 0;
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
    next() {
      const [first] = groups;
      if (first === undefined) return undefined;
      const [name, group] = first;
      const job = group.shift();
      groups.delete(name);
      if (group.length > 0) groups.set(name, group);
      size -= 1;
      return job;
    },
    clear() {
      const all = [...groups.values()].flat();
      groups.clear();
      size = 0;
      return all;
    },
  };
}
