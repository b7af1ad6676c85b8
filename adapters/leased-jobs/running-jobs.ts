/** The jobs that this process runs at the moment, and the heartbeat that keeps their leases. */
import type { Clock } from '../../core/ports/clock.ts';
import type { ClaimedJob, JobStore } from '../../core/ports/job-store.ts';
import type { Logger } from '../../core/ports/logger.ts';

export interface RunningJob {
  /** Under its newest lease. */
  job: ClaimedJob;
  /** As `NewJob.inHand`, of a job that this process enqueued itself. */
  readonly inHand: unknown;
  readonly controller: AbortController;
  leaseUntil: Date;
  /** Set when another process may have taken the job: nothing may be written for it any more. */
  lost: boolean;
  /** The handler has returned: its end is being written, and a lease that is gone by then was given up by that. */
  ended: boolean;
  /** The storage has counted this run: if the process dies now, the job has used it up. */
  isCounted: boolean;
  /** Only its outcome is still to be written: its slot is free for another job. */
  leftSlot: boolean;
}

export interface RunningJobs {
  /**
   * Undefined for a job that runs here already. Its lease ran out, since the clock was set forward or the process stood still, and
   * was taken again: the run continues under it.
   */
  add(job: ClaimedJob, inHand?: unknown): RunningJob | undefined;
  remove(running: RunningJob): void;
  has(running: RunningJob): boolean;
  all(): readonly RunningJob[];
  /** Takes back that these runs are counted, until they begin. @throws what the storage throws */
  uncount(waiting: readonly RunningJob[]): Promise<void>;
  /** Counts a run that begins. False if its lease is lost. @throws what the storage throws */
  count(each: RunningJob): Promise<boolean>;
  /** Lengthens every lease; a job whose lease is gone, or can no longer be known to hold, is aborted. Never rejects. */
  beat(): Promise<void>;
}

export function createRunningJobs(deps: {
  readonly store: JobStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
}): RunningJobs {
  const running = new Set<RunningJob>();

  function lose(each: RunningJob): void {
    if (each.ended || !running.has(each)) return;
    each.lost = true;
    deps.logger.warn({ jobId: each.job.id, type: each.job.type }, 'lease of a job lost; its run is aborted');
    each.controller.abort(new Error('The lease of this job is lost.'));
  }

  return {
    add(job, inHand) {
      const { leaseUntil } = job;
      // Only a job that was claimed before can run already.
      const former =
        job.lease > 1 ? [...running].find((one) => one.job.id === job.id && !one.lost && !one.ended) : undefined;
      if (former !== undefined) {
        Object.assign(former, { job, leaseUntil, isCounted: true });
        return undefined;
      }
      const each: RunningJob = {
        job,
        inHand,
        controller: new AbortController(),
        leaseUntil,
        lost: false,
        ended: false,
        isCounted: true,
        leftSlot: false,
      };
      running.add(each);
      return each;
    },
    remove: (each) => void running.delete(each),
    has: (each) => running.has(each),
    all: () => [...running],
    async uncount(waiting) {
      if (waiting.length === 0) return;
      const jobs = waiting.map(({ job }) => job);
      const held = new Set(await deps.store.recount(jobs, -1));
      for (const each of waiting) if (held.has(each.job.id)) each.isCounted = false;
    },
    async count(each) {
      const held = await deps.store.recount([each.job], 1);
      each.isCounted = held.length > 0;
      return each.isCounted;
    },
    async beat() {
      const held = [...running].filter(({ lost }) => !lost);
      if (held.length === 0) return;
      const leaseUntil = new Date(deps.clock.now().getTime() + deps.leaseMs);
      const jobs = held.map(({ job }) => job);
      try {
        const kept = new Set(await deps.store.extend(jobs, leaseUntil));
        for (const [at, each] of held.entries()) {
          if (kept.has(each.job.id)) each.leaseUntil = leaseUntil;
          // Unless it was claimed again here meanwhile.
          else if (each.job === jobs[at]) lose(each);
        }
      } catch (error) {
        deps.logger.warn({ err: error }, 'leases could not be lengthened');
        const now = deps.clock.now();
        for (const each of held) if (each.leaseUntil <= now) lose(each);
      }
    },
  };
}
