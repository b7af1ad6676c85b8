/** One BullMQ queue a job type, so that each has its own share of a process, and one for dead-lettered jobs. */
import type { Job, JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { JobQueueStats, JobType, NewJob } from '../../core/ports/job-queue.ts';
import { connectTo, type RedisConnection, reconnecting } from '../redis-rate-limiter/index.ts';

/** What is kept of a job in Redis. */
export interface JobData {
  readonly key: string;
  readonly payload: unknown;
}

export interface Queues {
  /**
   * Adds what is not there yet, one round trip a type. Not a transaction over types: after a failure some may have been
   * added, and adding all again is harmless.
   */
  add(jobs: readonly NewJob[]): Promise<void>;
  /** When those of the jobs that are postponed are due, by key. About: never later than they are. */
  dueTimes(jobs: readonly NewJob[]): Promise<ReadonlyMap<string, Date>>;
  /** Keeps a record of a dead-lettered job: one, however often it has to be repeated. */
  deadLetter(type: JobType, job: Pick<Job<JobData>, 'data' | 'timestamp'>, error: string): Promise<void>;
  stats(): Promise<JobQueueStats>;
  close(): Promise<void>;
}

type BullMq = typeof import('bullmq');

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

interface QueuesPlace {
  readonly url?: string | undefined;
  readonly connection?: RedisConnection | undefined;
  readonly prefix: string;
}

/** In a cluster all keys of a queue must be on one server: what is in braces says on which. */
export const prefixIn = ({ connection, prefix }: QueuesPlace) =>
  connection?.isCluster === true ? `{${prefix}}` : prefix;

export async function openQueues(
  { Queue }: BullMq,
  settings: QueuesPlace,
  types: readonly JobType[],
  onError: (error: unknown) => void,
): Promise<Queues> {
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

  const byType = new Map(types.map((type) => [type, open(type)]));
  const dead = open(DEAD);

  return {
    async add(jobs) {
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
    async dueTimes(jobs) {
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
    async deadLetter(type, { data, timestamp }, error) {
      // A key may be dead-lettered again under a later job, which gets a record of its own.
      await dead.add(type, { ...data, error }, { jobId: `${idOf(data.key)}-${timestamp}` });
      const surplus = (await dead.getWaitingCount()) - DEAD_KEPT;
      if (surplus > 0) for (const job of await dead.getWaiting(0, surplus - 1)) await job.remove();
    },
    async stats() {
      const each = await Promise.all([...byType.values()].map((queue) => queue.getJobCounts(...LIVE, 'active')));
      const sum = (state: string) => each.reduce((total, counts) => total + (counts[state] ?? 0), 0);
      return {
        queued: LIVE.reduce((total, state) => total + sum(state), 0),
        running: sum('active'),
        dead: await dead.getWaitingCount(),
      };
    },
    async close() {
      await Promise.allSettled([...byType.values(), dead].map((queue) => queue.close()));
      connection.disconnect();
    },
  };
}

/** BullMQ refuses ids with colons and ids that are numbers. */
function idOf(key: string): string {
  return `key-${encodeURIComponent(key)}`;
}
