/** One BullMQ queue a job type, so that each has its own share of a process, and one for dead-lettered jobs. */
import type { Job, JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { JOB_TYPES, type JobQueueStats, type JobType, type NewJob } from '../../core/ports/job-queue.ts';
import { connectTo, reconnecting } from '../redis-rate-limiter/index.ts';
import type { BullMqJobQueueSettings } from './options.ts';

/** What is kept of a job in Redis. */
export interface JobData {
  readonly key: string;
  readonly payload: unknown;
}

export type Queues = Awaited<ReturnType<typeof openQueues>>;

/** How long a caller waits for Redis before its request fails. */
const PATIENCE_MS = 5_000;

/** The last dead-lettered jobs that are kept for inspection. */
const DEAD_KEPT = 10_000;

const DEAD = 'dead';

const LIVE = ['waiting', 'delayed', 'prioritized'] as const;

/** A retry is the processor's decision (see `outcomeOfFailure`), never a count of BullMQ's. */
const JOB_OPTIONS: JobsOptions = {
  attempts: 1_000_000,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};

/** In a cluster all keys of a queue must be on one server: what is in braces says on which. */
export const prefixIn = ({ connection, prefix }: BullMqJobQueueSettings) =>
  connection?.isCluster === true ? `{${prefix}}` : prefix;

export async function openQueues(
  { Queue }: typeof import('bullmq'),
  settings: BullMqJobQueueSettings,
  onError: (error: unknown) => void,
) {
  const patience = { ...reconnecting(), commandTimeout: PATIENCE_MS, maxRetriesPerRequest: 1 };
  const connection = (await connectTo(settings, patience)) as Redis;
  connection.on('error', onError);

  function open(name: string): Queue {
    const queue = new Queue(name, {
      connection,
      prefix: prefixIn(settings),
      // Otherwise a queue made while Redis is away would fail forever.
      skipVersionCheck: true,
      skipWaitingForReady: true,
      skipMetasUpdate: true,
      streams: { events: { maxLen: 100 } },
      defaultJobOptions: JOB_OPTIONS,
    });
    queue.on('error', onError);
    return queue;
  }

  const byType = new Map<JobType, Queue>(JOB_TYPES.map((type) => [type, open(type)]));
  const dead = open(DEAD);

  return {
    /**
     * Adds what is not there yet, one round trip a type. Not a transaction over types: after a failure some may have been
     * added, and adding all again is harmless.
     */
    async add(jobs: readonly NewJob[]): Promise<void> {
      const now = Date.now();
      for (const [type, queue] of byType) {
        const own = jobs.filter((job) => job.type === type);
        if (own.length === 0) continue;
        await queue.addBulk(
          own.map(({ key, payload, runAt }) => ({
            name: type,
            data: { key, payload } satisfies JobData,
            opts: { jobId: idOf(key), delay: Math.max(0, (runAt?.getTime() ?? now) - now) },
          })),
        );
      }
    },
    /** When those of the jobs that are postponed are due, by key. About: never later than they are. */
    async dueTimes(jobs: readonly NewJob[]): Promise<ReadonlyMap<string, Date>> {
      const now = Date.now();
      const found = await Promise.all(jobs.map(({ type, key }) => byType.get(type)?.getJob(idOf(key))));
      return new Map(
        (found as readonly (Job<JobData> | undefined)[]).flatMap((job) => {
          if (!job) return [];
          // The delay counts from the end of the run that asked for it; only its begin is known.
          const due = (job.processedOn ?? job.timestamp) + job.delay;
          return due > now ? [[job.data.key, new Date(due)] as const] : [];
        }),
      );
    },
    /** Keeps a record of a dead-lettered job: one, however often it has to be repeated. */
    async deadLetter(type: JobType, { data, timestamp }: Job<JobData>, error: string): Promise<void> {
      // A key may be dead-lettered again under a later job, which gets a record of its own.
      await dead.add(type, { ...data, error }, { jobId: `${idOf(data.key)}-${timestamp}` });
      const surplus = (await dead.getWaitingCount()) - DEAD_KEPT;
      if (surplus > 0) for (const job of await dead.getWaiting(0, surplus - 1)) await job.remove();
    },
    async stats(): Promise<JobQueueStats> {
      const each = await Promise.all([...byType.values()].map((queue) => queue.getJobCounts(...LIVE, 'active')));
      const sum = (state: string) => each.reduce((total, counts) => total + (counts[state] ?? 0), 0);
      return {
        queued: LIVE.reduce((total, state) => total + sum(state), 0),
        running: sum('active'),
        dead: await dead.getWaitingCount(),
      };
    },
    async close(): Promise<void> {
      await Promise.allSettled([...byType.values(), dead].map((queue) => queue.close()));
      connection.disconnect();
    },
  };
}

/** BullMQ refuses ids with colons and ids that are numbers. */
function idOf(key: string): string {
  return `key-${encodeURIComponent(key)}`;
}
