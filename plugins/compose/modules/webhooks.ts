/** Webhooks, the outbox relay, and the job queue that carries them. */
import { ContainerModule } from 'inversify';
import { createBullMqJobQueue } from '../../../adapters/bullmq-jobs/index.ts';
import { createLeasedJobQueue } from '../../../adapters/leased-jobs/index.ts';
import { createWebhookTransport } from '../../../adapters/webhook-http/index.ts';
import { PER_HOST } from '../../../core/engagement/webhooks/delivery-gate.ts';
import { createOutboxRelay } from '../../../core/engagement/webhooks/outbox-relay.ts';
import { createSubscribers } from '../../../core/engagement/webhooks/subscribers.ts';
import type { JobQueue } from '../../../core/ports/job-queue.ts';
import { observedTransport } from '../observed.ts';
import { retryDelays } from '../retry-delays.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';

/** Leases after which a job that Redis does not know any more is put there again: five minutes by default. */
const RECOVERY_LEASES = 5;

export const webhooksModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.webhookTransport,
    { egress: TOKENS.webhookEgressGuard, telemetry: TOKENS.telemetry },
    ({ egress, telemetry }) =>
      observedTransport(createWebhookTransport({ egress, connectionsPerOrigin: PER_HOST }), telemetry),
  );
  provide(
    options,
    TOKENS.jobQueue,
    { config: TOKENS.config, storage: TOKENS.storage, clock: TOKENS.clock, logger: TOKENS.logger },
    ({
      config: {
        jobs: { queue, leaseSeconds },
        redisUrl,
        redisPrefix,
      },
      storage,
      clock,
      logger,
    }): JobQueue =>
      queue === 'bullmq' && redisUrl !== undefined
        ? createBullMqJobQueue({
            url: redisUrl,
            prefix: redisPrefix,
            store: storage.jobs,
            clock,
            logger,
            leaseSeconds,
            recoverAfterSeconds: RECOVERY_LEASES * leaseSeconds,
          })
        : createLeasedJobQueue({ store: storage.jobs, clock, logger, leaseSeconds }),
  );
  provide(
    options,
    TOKENS.outboxRelay,
    { storage: TOKENS.storage, queue: TOKENS.jobQueue, logger: TOKENS.logger },
    ({ storage: { attempts }, queue, logger }) => createOutboxRelay({ attempts, queue, logger }),
  );
  provide(
    options,
    TOKENS.subscribers,
    { config: TOKENS.config, storage: TOKENS.storage, clock: TOKENS.clock, logger: TOKENS.logger },
    ({ config: { jobs, webhooks }, storage: { subscribers: store }, clock, logger }) =>
      createSubscribers({
        store,
        clock,
        logger,
        leaseMs: jobs.leaseSeconds * 1_000,
        retryDelays: retryDelays(webhooks.retryScale),
      }),
  );
});
