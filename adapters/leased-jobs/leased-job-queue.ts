/** The loop of the default queue: claim up to the free slots, run, keep the leases, store the outcome. */
import { Leased, Leases } from '../../core/leases.ts';
import type { JobBoard, JobHandlers, JobQueue, JobQueueStats, JobType, NewJob } from '../../core/ports/job-queue.ts';
import type { ClaimedJob } from '../../core/ports/job-store.ts';
import { watchSetBack } from '../../core/set-back.ts';
import {
  DEFAULT_CONCURRENCY,
  type LeasedJobQueueOptions,
  type LeasedJobQueueSettings,
  optionsSchema,
} from './options.ts';
import { errorText, type RunOutcome } from './outcome.ts';
import { runJob, type Work, worksOf } from './run-job.ts';

/** Between two looks, so that a job which is due but not to be had is not asked for without pause. */
const LEAST_WAIT_MS = 5;
const RETRIED_AT_ONCE = 500;

/** The jobs of one type in this process. Each has slots of its own, so that a long backlog of one type holds no other up. */
interface Kind {
  readonly type: JobType;
  readonly work: Work;
  readonly slots: number;
  busy: number;
  /** There may be more in the storage than the free slots have asked for. */
  hasMore: boolean;
}

type RunningJob = Leased<ClaimedJob>;

const freeSlots = ({ slots, busy }: Kind) => slots - busy;

export class LeasedJobQueue implements JobQueue {
  readonly #deps: Pick<LeasedJobQueueOptions, 'store' | 'clock' | 'logger'>;
  readonly #settings: LeasedJobQueueSettings;
  readonly #leaseMs: number;
  readonly #running: Leases<RunningJob>;
  readonly #works = new Set<Promise<void>>();
  readonly #toLookAt = new Set<Kind>();
  #kinds: readonly Kind[] = [];
  #state: 'idle' | 'working' | 'stopped' = 'idle';
  #looking: Promise<void> | undefined;
  #nextLook: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #endWatch: () => void = () => undefined;

  /** @throws ZodError that names the option */
  constructor({ store, clock, logger, ...rest }: LeasedJobQueueOptions) {
    this.#deps = { store, clock, logger };
    this.#settings = optionsSchema.parse(rest);
    this.#leaseMs = this.#settings.leaseSeconds * 1_000;
    this.#running = new Leases<RunningJob>({
      leaseMs: this.#leaseMs,
      clock,
      extend: (jobs, until) => store.extend(jobs, until),
      onFailure: (err) => logger.warn({ err }, 'leases could not be lengthened'),
      onLost(each) {
        const { id: jobId, type } = each.work;
        logger.warn({ jobId, type }, 'lease of a job lost; its run is aborted');
        each.abort('The lease of this job is lost.');
      },
    });
  }

  // Members that hosts may spread, and replace some of.
  readonly enqueue = async (jobs: readonly NewJob[]): Promise<void> => {
    if (jobs.length === 0) return;
    const { store, clock } = this.#deps;
    await store.enqueue(jobs, clock.now());
    this.wake(jobs.map(({ type }) => type));
  };

  readonly wake = (types: readonly string[]): void => {
    this.#wake(this.#kinds.filter(({ type }) => types.includes(type)));
  };

  readonly start = async (handlers: JobHandlers): Promise<void> => {
    if (this.#state !== 'idle') throw new Error('A job queue is started once.');
    this.#state = 'working';
    this.#kinds = [...worksOf(handlers)].map(([type, work]) => {
      const slots = this.#settings.concurrency[type] ?? DEFAULT_CONCURRENCY[type];
      return { type, work, slots, busy: 0, hasMore: false };
    });
    this.#heartbeat = setInterval(() => void this.#running.beat(), this.#leaseMs / 3);
    this.#endWatch = watchSetBack(this.#deps.clock, (byMs) => void this.#afterSetBack(byMs));
    await this.#afterSetBack(0);
    this.#wake(this.#kinds);
  };

  readonly stop = async (graceMs: number): Promise<void> => {
    const wasWorking = this.#state === 'working';
    this.#state = 'stopped';
    clearTimeout(this.#nextLook);
    this.#endWatch();
    if (!wasWorking) return;
    // What a look under way still claims is given back.
    await this.#looking;
    await this.#drain(graceMs);
    clearInterval(this.#heartbeat);
  };

  readonly stats = (): Promise<JobQueueStats> => this.#deps.store.stats(this.#deps.clock.now());

  readonly board: JobBoard = {
    list: (filter, page) => this.#deps.store.list(filter, page, this.#deps.clock.now()),
    retry: async (which) => {
      const dead = await this.board.list({ ...which, state: 'dead' }, { page: 1, limit: RETRIED_AT_ONCE });
      // First of all: what is enqueued twice is enqueued once.
      await this.enqueue(dead.items.map(({ type, key, payload }) => ({ type, key, payload }) as NewJob));
      return this.#deps.store.removeDead(dead.items.map(({ id }) => id));
    },
  };

  /** Looks for work of these kinds now. Calls during a look lead to one more look. */
  #wake(kinds: readonly Kind[]): void {
    if (this.#state !== 'working') return;
    for (const kind of kinds) {
      kind.hasMore = true;
      this.#toLookAt.add(kind);
    }
    if (this.#toLookAt.size > 0) this.#look();
  }

  #look(): void {
    if (this.#looking !== undefined || this.#state !== 'working') return;
    clearTimeout(this.#nextLook);
    this.#looking = this.#claimAndWait().finally(() => {
      this.#looking = undefined;
      if (this.#toLookAt.size > 0) this.#look();
    });
  }

  async #claimAndWait(): Promise<void> {
    const { pollMs } = this.#settings;
    const now = [...this.#toLookAt];
    this.#toLookAt.clear();
    let wait = pollMs;
    try {
      for (const kind of now) await this.#claimFor(kind);
      if (this.#toLookAt.size === 0) wait = await this.#untilNextDue();
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'jobs could not be claimed');
    }
    if (this.#state !== 'working') return;
    // A poll claims nothing before it knows that something is due.
    this.#nextLook = setTimeout(() => (wait < pollMs ? this.#wake(this.#kinds) : this.#look()), wait);
  }

  async #claimFor(kind: Kind): Promise<void> {
    const limit = freeSlots(kind);
    if (limit <= 0 || this.#state !== 'working') return;
    const now = this.#deps.clock.now();
    const jobs = await this.#deps.store.claim([kind.type], limit, now, new Date(now.getTime() + this.#leaseMs));
    kind.hasMore = jobs.length === limit;
    const taken = jobs.flatMap((job) => this.#take(job) ?? []);
    if (this.#state !== 'working') await Promise.all(taken.map((each) => this.#giveBack(each)));
    else for (const each of taken) this.#begin(kind, each);
  }

  /** Undefined for a job that runs here already: its lease ran out, since the clock was set forward or the process stood still. */
  #take(job: ClaimedJob): RunningJob | undefined {
    const former = this.#running.held.get(job.id);
    const each: RunningJob = new Leased(job, job.leaseUntil);
    if (former === undefined || former.lost || former.ended) {
      this.#running.held.set(job.id, each);
      return each;
    }
    former.work = job;
    former.leaseUntil = job.leaseUntil;
    return undefined;
  }

  /** Only kinds with free slots matter: the others look again when a run ends. */
  async #untilNextDue(): Promise<number> {
    const { pollMs } = this.#settings;
    for (const kind of this.#kinds) if (freeSlots(kind) <= 0) kind.hasMore = true;
    const open = this.#kinds.filter((kind) => freeSlots(kind) > 0).map(({ type }) => type);
    const due = open.length === 0 ? null : await this.#deps.store.nextDue(open);
    if (due === null) return pollMs;
    return Math.min(Math.max(due.getTime() - this.#deps.clock.now().getTime(), LEAST_WAIT_MS), pollMs);
  }

  #begin(kind: Kind, each: RunningJob): void {
    kind.busy += 1;
    const working = this.#run(kind, each)
      .catch((err: unknown) => this.#deps.logger.error({ err, jobId: each.work.id }, 'a job could not be concluded'))
      .then(() => {
        this.#works.delete(working);
        this.#running.remove(each);
        kind.busy -= 1;
        if (kind.hasMore) this.#wake([kind]);
      });
    this.#works.add(working);
  }

  async #run(kind: Kind, each: RunningJob): Promise<void> {
    const { clock, logger } = this.#deps;
    const toRun = { ...each.work, starts: each.work.lease };
    const outcome = await runJob(kind.work, toRun, each.signal, { clock, logger, settings: this.#settings });
    each.ended = true;
    // Given back by `stop`, or taken by another process: what happens to the job is no longer ours to say.
    if (each.lost || !this.#running.holds(each)) return;
    const { work: job } = each;
    if (!(await this.#conclude(job, outcome))) {
      logger.warn({ jobId: job.id, type: job.type }, 'a job ended after its lease was lost');
      return;
    }
    // The poll would find it, but later than asked for.
    if (outcome.kind === 'again' && outcome.runAt.getTime() < clock.now().getTime() + this.#settings.pollMs)
      this.#wake([kind]);
  }

  /** False if the lease was lost. */
  #conclude(job: ClaimedJob, outcome: RunOutcome): Promise<boolean> {
    const { store, clock } = this.#deps;
    if (outcome.kind === 'done') return store.complete(job);
    if (outcome.kind === 'dead') return store.deadLetter(job, outcome.error, clock.now());
    return store.release(job, outcome.runAt, outcome.error, outcome.counts);
  }

  /** @param byMs how far the clock was set back; 0 if that may have happened while no process ran */
  async #afterSetBack(byMs: number): Promise<void> {
    const { store, clock, logger } = this.#deps;
    const now = clock.now();
    try {
      await store.afterSetBack?.(now, new Date(now.getTime() + this.#leaseMs), byMs);
      if (byMs === 0) return;
      logger.warn({ byMs }, 'the clock was set back; jobs that wait are brought forward');
      this.#wake(this.#kinds);
    } catch (error) {
      logger.warn({ err: error }, 'what a clock stored that was set back could not be corrected');
    }
  }

  async #drain(graceMs: number): Promise<void> {
    for (const each of await this.#running.drain(Promise.all(this.#works), graceMs, 'The job queue stops.')) {
      const { id: jobId, type } = each.work;
      this.#deps.logger.warn({ jobId, type }, 'a job did not end when aborted; given back');
      await this.#giveBack(each);
    }
  }

  async #giveBack(each: RunningJob): Promise<void> {
    this.#running.remove(each);
    if (each.lost) return;
    await this.#deps.store.release(each.work, this.#deps.clock.now(), null, false).catch((error: unknown) => {
      this.#deps.logger.warn({ error: errorText(error) }, 'a job could not be given back; its lease will run out');
    });
  }
}
