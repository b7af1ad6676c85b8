/**
 * The default `JobQueue`: leased records in a `JobStore`. Any number of processes can share the work, and no job is lost if
 * one of them dies. A process claims no more than it has free slots for; of jobs that end soon, some more.
 */
import type { z } from 'zod';
import { checkOptions } from '../../core/configuration-error.ts';
import type { JobQueueAdapter } from '../../core/ports/adapter-values.ts';
import {
  type JobHandlers,
  type JobQueue,
  type JobType,
  LONGEST_PAUSE_MS,
  type NewJob,
} from '../../core/ports/job-queue.ts';
import type { ClaimedJob } from '../../core/ports/job-store.ts';
import { claimSize, freeSlots, isCrowded, isLow, type Lane, lanesOf, roomOf } from './lane.ts';
import { type LeasedJobQueueOptions, optionsSchema } from './options.ts';
import { errorText, type RunOutcome } from './outcome.ts';
import { runJob } from './run-job.ts';
import { createRunningJobs, type RunningJob } from './running-jobs.ts';
import { createSetBackWatch, LOOK_MS } from './set-back.ts';
import { settlesWithin } from './settles-within.ts';

export { DEFAULT_CONCURRENCY, type LeasedJobQueueOptions, perType } from './options.ts';
export { isAway, type JobAge, outcomeOfFailure, type RunOutcome, reschedule } from './outcome.ts';
export { runJob, type Work, worksOf } from './run-job.ts';
export { settlesWithin } from './settles-within.ts';

/** Between two looks, so that a job which is due but not to be had is not asked for without pause. */
const LEAST_WAIT_MS = 5;

/** Slots that become free one after the other are filled together: a claim costs much the same for one job as for many. */
const REFILL_MS = 5;
const REFILL_SHARE = 1 / 4;

/**
 * A group that has no room for so long at most waits here, not in the storage. It is tried again after `RETRY_MS` at the latest: a
 * first answer may well come sooner than expected.
 */
const SHORT_REST_MS = 1_000;
const RETRY_MS = 100;

/** How long aborted handlers may take to end before their jobs are given back regardless. */
const ABORT_GRACE_MS = 1_000;

/**
 * Creates a queue. Any process may `enqueue`; one that has called `start` also works. A run is aborted through its signal
 * when the lease is lost; what it writes afterwards is fenced off. A job whose process died counts that run.
 * @throws ZodError that names the option
 */
export function createLeasedJobQueue({ store: jobStore, clock, logger, ...rest }: LeasedJobQueueOptions): JobQueue {
  const settings = optionsSchema.parse(rest);
  const leaseMs = settings.leaseSeconds * 1_000;
  const running = createRunningJobs({ store: jobStore, clock, logger, leaseMs });
  const works = new Set<Promise<void>>();
  let lanes: readonly Lane[] = [];
  let state: 'idle' | 'working' | 'stopped' = 'idle';
  let heartbeat: ReturnType<typeof setInterval> | null = null;
  let clockWatch: ReturnType<typeof setInterval> | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let pumping: Promise<void> | null = null;
  const toLookAt = new Set<Lane>();

  /** Looks for work in these lanes now; calls during a look lead to one more look, not to many. */
  function wake(which: readonly Lane[]): void {
    if (state !== 'working') return;
    for (const lane of which) toLookAt.add(lane);
    if (toLookAt.size > 0) look();
  }

  function look(): void {
    if (pumping !== null || state !== 'working') return;
    if (timer !== null) clearTimeout(timer);
    timer = null;
    pumping = pump().finally(() => {
      pumping = null;
      wake([]);
    });
  }

  async function pump(): Promise<void> {
    const now = [...toLookAt];
    toLookAt.clear();
    let wait = settings.pollMs;
    try {
      for (const lane of now) await claimFor(lane);
      if (toLookAt.size === 0) wait = await untilNextDue(now);
    } catch (error) {
      logger.warn({ err: error }, 'jobs could not be claimed');
    }
    // A poll claims nothing before it knows that something is due.
    if (state === 'working') timer = setTimeout(wait < settings.pollMs ? () => wake(lanes) : look, wait);
  }

  async function claimFor(lane: Lane): Promise<void> {
    if (lane.refill !== null) clearTimeout(lane.refill);
    lane.refill = null;
    const free = freeSlots(lane);
    lane.backlog ||= free <= 0;
    if (free <= 0 || state !== 'working') return;
    const now = clock.now();
    const limit = claimSize(lane);
    lane.isClaiming = true;
    try {
      const jobs = await jobStore.claim([lane.type], limit, now, new Date(now.getTime() + leaseMs));
      lane.backlog = jobs.length === limit;
      lane.isBehind = lane.backlog;
      const taken = jobs.flatMap((job) => running.add(job) ?? []);
      await uncountDoubtful(taken);
      // It may bring more than there are slots: `stop` has emptied the room, and waits for what runs.
      if (state !== 'working') return void (await Promise.all(taken.map(giveBack)));
      for (const each of taken) lane.room.add(each);
      if (lane.backlog && limit < free) toLookAt.add(lane);
    } finally {
      lane.isClaiming = false;
      fill(lane);
      lane.roomWait.look();
    }
  }

  /**
   * Claims count runs, since that costs nothing. But a process that dies again and again may have begun none of the jobs that waited
   * here. So from half of its runs on, a job is counted when it begins: only jobs that were running are set aside.
   */
  function isDoubtful({ job }: RunningJob): boolean {
    return job.run > settings.maxRuns / 2;
  }

  async function uncountDoubtful(taken: readonly RunningJob[]): Promise<void> {
    // If that fails, they stay counted: a job too many that is concluded is better than none that runs.
    await running.uncount(taken.filter(isDoubtful)).catch((error: unknown) => {
      logger.warn({ err: error }, 'runs of jobs that wait could not be given back');
    });
  }

  function fill(lane: Lane): void {
    while (freeSlots(lane) > 0) {
      const next = lane.room.next();
      if (next === undefined) break;
      start(lane, next);
    }
    fillAfterRest(lane);
  }

  /** Without a free slot, the end of a run looks. */
  function fillAfterRest(lane: Lane): void {
    const readyAt = freeSlots(lane) > 0 && lane.rest === null ? lane.room.readyAt() : undefined;
    if (readyAt === undefined) return;
    lane.rest = setTimeout(
      () => {
        lane.rest = null;
        fill(lane);
      },
      Math.max(1, readyAt - performance.now()),
    );
  }

  /** Gives a slot that has become free to a job: those in a crowded room and those in the storage take turns. */
  function slotIsFree(lane: Lane): void {
    lane.isStorageNext = lane.backlog && isCrowded(lane) && !lane.isStorageNext;
    const next = lane.isStorageNext || freeSlots(lane) <= 0 ? undefined : lane.room.next();
    if (next !== undefined) start(lane, next);
    else fillAfterRest(lane);
    if (lane.backlog && (lane.isStorageNext || next === undefined || isLow(lane))) refill(lane);
    lane.roomWait.look();
  }

  /** Which of these jobs may be claimed with their enqueueing. */
  function claimsFor(jobs: readonly NewJob[]): readonly { readonly lane: Lane; readonly limit: number }[] {
    if (state !== 'working') return [];
    return lanes.flatMap((lane) => {
      const limit = Math.min(roomOf(lane), jobs.filter(({ type }) => type === lane.type).length);
      return limit > 0 ? [{ lane, limit }] : [];
    });
  }

  /** @returns the types of which jobs were left to a later claim */
  async function accept(jobs: readonly NewJob[]): Promise<ReadonlySet<JobType>> {
    const claims = claimsFor(jobs);
    for (const { lane, limit } of claims) lane.coming += limit;
    const now = clock.now();
    let claimed: readonly ClaimedJob[];
    try {
      claimed = await jobStore.enqueue(jobs, now, {
        limits: new Map(claims.map(({ lane, limit }) => [lane.type, limit])),
        leaseUntil: new Date(now.getTime() + leaseMs),
      });
    } finally {
      for (const { lane, limit } of claims) lane.coming -= limit;
    }
    const inHand = new Map(jobs.map((job) => [job.key, job.inHand]));
    const taken = claimed.flatMap((job) => running.add(job, inHand.get(job.key)) ?? []);
    if (state !== 'working') await Promise.all(taken.map(giveBack));
    else for (const { lane } of claims) admit(lane, taken);
    const ahead = new Set(claimed.map(({ key }) => key));
    return new Set(jobs.filter(({ key }) => !ahead.has(key)).map(({ type }) => type));
  }

  function admit(lane: Lane, taken: readonly RunningJob[]): void {
    for (const each of taken) if (each.job.type === lane.type) lane.room.add(each);
    fill(lane);
  }

  /** Only lanes with free slots matter: the others look again when a run ends, unless they have just looked. */
  async function untilNextDue(looked: readonly Lane[]): Promise<number> {
    for (const lane of lanes) if (freeSlots(lane) === 0 && !looked.includes(lane)) lane.backlog = true;
    const open = lanes.filter((lane) => freeSlots(lane) > 0).map(({ type }) => type);
    if (open.length === 0) return settings.pollMs;
    const due = await jobStore.nextDue(open);
    if (due === null) return settings.pollMs;
    return Math.min(Math.max(due.getTime() - clock.now().getTime(), LEAST_WAIT_MS), settings.pollMs);
  }

  function start(lane: Lane, run: RunningJob): void {
    lane.busy += 1;
    const working = work(lane, run)
      .catch((error: unknown) => logger.error({ err: error, jobId: run.job.id }, 'a job could not be concluded'))
      .then((end) => {
        works.delete(working);
        if (end !== 'rests') running.remove(run);
        lane.busy -= 1;
        if (run.leftSlot) lane.ending -= 1;
        slotIsFree(lane);
      });
    works.add(working);
  }

  /** Not while a claim is under way: what it brings says whether another one is worth it. */
  function refill(lane: Lane): void {
    if (lane.isClaiming) return;
    if (freeSlots(lane) >= lane.slots * REFILL_SHARE) wake([lane]);
    else lane.refill ??= setTimeout(() => wake([lane]), REFILL_MS);
  }

  /** Writing what came of a job waits for others; meanwhile its slot is free. */
  function leaveSlot(lane: Lane, run: RunningJob): void {
    if (run.leftSlot) return;
    run.leftSlot = true;
    lane.ending += 1;
    slotIsFree(lane);
  }

  /** @returns `rests` if the job is back in the room */
  async function work(lane: Lane, run: RunningJob): Promise<'rests' | undefined> {
    // While it waited for a slot.
    if (run.lost) return undefined;
    if (!run.isCounted && !(await running.count(run))) {
      run.lost = true;
      return undefined;
    }
    const { job, inHand, controller } = run;
    const toRun = { ...job, starts: job.lease, inHand, leaveSlot: () => leaveSlot(lane, run) };
    const outcome = await runJob(lane.work, toRun, controller.signal, { clock, logger, settings });
    run.ended = true;
    // Given back by `stop`, or taken by another process: what happens to the job is no longer ours to say.
    if (run.lost || !running.has(run)) return undefined;
    if (rests(lane, run, outcome)) {
      run.ended = false;
      return 'rests';
    }
    if (outcome.kind === 'done') {
      lane.roomWait.countDone();
      leaveSlot(lane, run);
    }
    await conclude(lane, run.job, outcome);
    return undefined;
  }

  /** Puts a job that its group has no room for back into the room of the lane, unless that may take long. */
  function rests(lane: Lane, run: RunningJob, outcome: RunOutcome): boolean {
    const { group } = run.job;
    const groupAt = outcome.kind === 'again' ? outcome.groupAt : undefined;
    if (groupAt === undefined) {
      lane.room.gotThrough(group);
      return false;
    }
    const wait = groupAt.getTime() - clock.now().getTime();
    if (state !== 'working' || group === null || wait > SHORT_REST_MS) return false;
    // In the storage it waits uncounted.
    if (isDoubtful(run)) return false;
    return lane.room.takeBack(run, performance.now() + Math.min(wait, RETRY_MS));
  }

  async function conclude(lane: Lane, job: ClaimedJob, outcome: RunOutcome): Promise<void> {
    const held = outcome.kind === 'done' ? await jobStore.complete(job) : await settle(job, outcome);
    if (!held) logger.warn({ jobId: job.id, type: job.type }, 'a job ended after its lease was lost');
    // The poll would find it, but later than asked for.
    const soon = clock.now().getTime() + settings.pollMs;
    if (held && outcome.kind === 'again' && outcome.runAt.getTime() < soon) wake([lane]);
  }

  function settle(job: ClaimedJob, outcome: Exclude<RunOutcome, { kind: 'done' }>): Promise<boolean> {
    if (outcome.kind === 'dead') return jobStore.deadLetter(job, outcome.error, clock.now());
    const { runAt, error, counts, groupAt } = outcome;
    if (groupAt !== undefined && job.group !== null) {
      const now = clock.now();
      // The clock may have been set back since the handler asked for it.
      const latest = new Date(now.getTime() + LONGEST_PAUSE_MS);
      return jobStore.pause(job, groupAt < latest ? groupAt : latest, now);
    }
    return jobStore.release(job, runAt, error, counts);
  }

  /** @param byMs how far the clock was set back; 0 if that may have happened while no process ran */
  async function afterSetBack(byMs: number): Promise<void> {
    const now = clock.now();
    try {
      await jobStore.afterSetBack?.(now, new Date(now.getTime() + leaseMs), byMs);
      if (byMs === 0) return;
      logger.warn({ byMs }, 'the clock was set back; jobs that wait are brought forward');
      wake(lanes);
    } catch (error) {
      logger.warn({ err: error }, 'what a clock stored that was set back could not be corrected');
    }
  }

  async function drain(graceMs: number): Promise<void> {
    const idle = Promise.all(works);
    if (await settlesWithin(idle, graceMs)) return;
    for (const each of running.all()) each.controller.abort(new Error('The job queue stops.'));
    if (await settlesWithin(idle, ABORT_GRACE_MS)) return;
    for (const each of running.all()) {
      logger.warn({ jobId: each.job.id, type: each.job.type }, 'a job did not end when aborted; given back');
      await giveBack(each);
    }
  }

  async function giveBack(each: RunningJob): Promise<void> {
    running.remove(each);
    if (!each.lost) await jobStore.release(each.job, clock.now(), null, !each.isCounted).catch(logRelease);
  }

  function logRelease(error: unknown): void {
    logger.warn({ error: errorText(error) }, 'a job could not be given back; its lease will run out');
  }

  return {
    async enqueue(jobs: readonly NewJob[]) {
      if (jobs.length === 0) return;
      const left = await accept(jobs);
      const behind = lanes.filter(({ type }) => left.has(type));
      for (const lane of behind) lane.backlog = lane.isBehind = true;
      wake(behind);
    },
    async start(handlers: JobHandlers) {
      if (state !== 'idle') throw new Error('A job queue is started once.');
      state = 'working';
      lanes = lanesOf(handlers, settings.concurrency);
      heartbeat = setInterval(() => void running.beat(), leaseMs / 3);
      const setBackBy = createSetBackWatch(clock);
      clockWatch = setInterval(() => {
        const byMs = setBackBy();
        if (byMs > 0) void afterSetBack(byMs);
      }, LOOK_MS);
      await afterSetBack(0);
      wake(lanes);
    },
    async stop(graceMs: number) {
      const wasWorking = state === 'working';
      state = 'stopped';
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (clockWatch !== null) clearInterval(clockWatch);
      for (const { refill, rest } of lanes) for (const each of [refill, rest]) if (each !== null) clearTimeout(each);
      if (!wasWorking) return;
      await Promise.all(lanes.flatMap(({ room }) => room.clear()).map(giveBack));
      // What a look under way still claims is given back.
      await pumping;
      await drain(graceMs);
      if (heartbeat !== null) clearInterval(heartbeat);
    },
    async untilRoom(type) {
      if (state === 'working') await lanes.find((lane) => lane.type === type)?.roomWait.wait();
    },
    stats: () => jobStore.stats(clock.now()),
  };
}

const valueOptions = optionsSchema.omit({ leaseSeconds: true });

/** What `leased` takes; the instance lends the storage, the clock and the logger. */
export type LeasedOptions = z.input<typeof valueOptions>;

/**
 * The default queue as a value: jobs wait in the storage.
 *
 *     createCredence({ jobs: { queue: leased({ pollMs: 250, concurrency: { 'deliver-webhook': 16 } }), leaseSeconds: 30 } });
 *
 * @throws ConfigurationError naming every unusable option
 */
export function leased(options: LeasedOptions = {}): JobQueueAdapter {
  const settings = checkOptions('leased', valueOptions, options);
  return {
    create: ({ store, clock, logger, leaseSeconds }) =>
      createLeasedJobQueue({ ...settings, store, clock, logger, leaseSeconds }),
  };
}
