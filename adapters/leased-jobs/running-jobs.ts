/** The jobs that this process runs at the moment, and the heartbeat that keeps their leases. */
import type { ClaimedJob } from '../../core/ports/job-store.ts';
import type { LeasedJobQueueOptions } from './options.ts';

export interface RunningJob {
  /** Under its newest lease. */
  job: ClaimedJob;
  readonly controller: AbortController;
  leaseUntil: Date;
  /** Set when another process may have taken the job: nothing may be written for it any more. */
  lost: boolean;
  /** The handler has returned: its end is being written, and a lease that is gone by then was given up by that. */
  ended: boolean;
}

export class RunningJobs {
  readonly #deps: Pick<LeasedJobQueueOptions, 'store' | 'clock' | 'logger'> & { readonly leaseMs: number };
  readonly #running = new Set<RunningJob>();

  constructor(deps: Pick<LeasedJobQueueOptions, 'store' | 'clock' | 'logger'> & { readonly leaseMs: number }) {
    this.#deps = deps;
  }

  /**
   * Undefined for a job that runs here already. Its lease ran out, since the clock was set forward or the process stood still, and
   * was taken again: the run continues under it.
   */
  add(job: ClaimedJob): RunningJob | undefined {
    const { leaseUntil } = job;
    const former = [...this.#running].find((one) => one.job.id === job.id && !one.lost && !one.ended);
    if (former !== undefined) {
      Object.assign(former, { job, leaseUntil });
      return undefined;
    }
    const each = { job, controller: new AbortController(), leaseUntil, lost: false, ended: false };
    this.#running.add(each);
    return each;
  }

  remove(each: RunningJob): void {
    this.#running.delete(each);
  }

  has(each: RunningJob): boolean {
    return this.#running.has(each);
  }

  all(): readonly RunningJob[] {
    return [...this.#running];
  }

  /** Lengthens every lease; a job whose lease is gone, or can no longer be known to hold, is aborted. Never rejects. */
  async beat(): Promise<void> {
    const { store, clock, logger, leaseMs } = this.#deps;
    const held = [...this.#running].filter(({ lost }) => !lost);
    if (held.length === 0) return;
    const leaseUntil = new Date(clock.now().getTime() + leaseMs);
    const jobs = held.map(({ job }) => job);
    try {
      const kept = new Set(await store.extend(jobs, leaseUntil));
      for (const [at, each] of held.entries()) {
        if (kept.has(each.job.id)) each.leaseUntil = leaseUntil;
        // Unless it was claimed again here meanwhile.
        else if (each.job === jobs[at]) this.#lose(each);
      }
    } catch (error) {
      logger.warn({ err: error }, 'leases could not be lengthened');
      const now = clock.now();
      for (const each of held) if (each.leaseUntil <= now) this.#lose(each);
    }
  }

  #lose(each: RunningJob): void {
    if (each.ended || !this.#running.has(each)) return;
    each.lost = true;
    this.#deps.logger.warn({ jobId: each.job.id, type: each.job.type }, 'lease of a job lost; its run is aborted');
    each.controller.abort(new Error('The lease of this job is lost.'));
  }
}
