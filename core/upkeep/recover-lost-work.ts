/**
 * Work that waits for a job which is nowhere: its process died between storing the work and queueing the job, the job was
 * given up, or somebody deleted it. What waits for longer than any living job leaves it waiting gets a job again.
 */
import { deliveryJob } from '../engagement/webhooks/dispatch-event.ts';
import type { AttemptStore } from '../ports/attempt-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobQueue, NewJob } from '../ports/job-queue.ts';
import type { Logger } from '../ports/logger.ts';
import type { DeliveryStore } from '../ports/webhook-store.ts';

export interface RecoverLostWorkDeps {
  readonly attempts: Pick<AttemptStore, 'awaitingJobs'>;
  readonly deliveries: Pick<DeliveryStore, 'overdue'>;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reading a long post takes its time; a second verification beside a living one costs requests to the platform. */
const ATTEMPT_LOST_AFTER_MS = 60 * 60 * 1_000;
/** The job of a delivery is known by its key: a living one is not doubled. */
const DELIVERY_LOST_AFTER_MS = 2 * 60 * 1_000;

/** Those that wait longest come first, so that the next call sees others. */
const BATCH = 500;

/**
 * Queues the missing jobs of attempts that wait for their verification or reward, and of deliveries whose time has come.
 * To be called every now and then, by any number of processes; repeating it changes nothing, since jobs are known by their
 * keys and their handlers find out whether there is anything to do. At most 500 of each a call. Returns how many waited.
 */
export function recoverLostWork(deps: RecoverLostWorkDeps) {
  const { attempts, deliveries, queue, clock, logger } = deps;
  return async (): Promise<number> => {
    const now = clock.now().getTime();
    const [waiting, overdue] = await Promise.all([
      attempts.awaitingJobs(new Date(now - ATTEMPT_LOST_AFTER_MS), BATCH),
      deliveries.overdue(new Date(now - DELIVERY_LOST_AFTER_MS), BATCH),
    ]);
    const jobs: NewJob[] = [
      ...waiting.map(({ id, state }): NewJob => {
        const type = state === 'verified' ? 'issue-reward' : 'verify-attempt';
        return { type, key: `${type}:again:${id}`, payload: { attemptId: id } };
      }),
      ...overdue.map(deliveryJob),
    ];
    if (jobs.length === 0) return 0;
    await queue.enqueue(jobs);
    // Most of them may have a living job that is late: then nothing was queued, and the queue's figures say why.
    logger.info({ attempts: waiting.length, deliveries: overdue.length }, 'work that waits long has a job');
    return jobs.length;
  };
}
