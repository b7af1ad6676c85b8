/** Webhooks, the outbox relay, and the job queue that carries them. */
import { ContainerModule } from 'inversify';
import { bullmq } from '../../../adapters/bullmq-jobs/index.ts';
import { leased } from '../../../adapters/leased-jobs/index.ts';
import { nodeHmac } from '../../../adapters/node-signatures/hmac.ts';
import { createWebhookTransport } from '../../../adapters/webhook-http/index.ts';
import { createDeliveryGate, PER_HOST } from '../../../core/engagement/webhooks/delivery-gate.ts';
import { createDirectDeliveries } from '../../../core/engagement/webhooks/direct-deliveries.ts';
import { dispatchEvents } from '../../../core/engagement/webhooks/dispatch-event.ts';
import { createOutboxRelay } from '../../../core/engagement/webhooks/outbox-relay.ts';
import { createSubscribers } from '../../../core/engagement/webhooks/subscribers.ts';
import type { JobQueueAdapter } from '../../../core/ports/adapter-values.ts';
import type { JobQueue } from '../../../core/ports/job-queue.ts';
import { madeBy } from '../adapter-values.ts';
import type { ResolvedConfig } from '../config.ts';
import { observedTransport } from '../observed.ts';
import { retryDelays } from '../retry-delays.ts';
import { provide } from '../token.ts';
import { PARTS, TOKENS } from '../tokens.ts';

/** The queue that options describe. */
function queueOf({ jobs, redisUrl, redisPrefix }: ResolvedConfig): JobQueueAdapter {
  return jobs.queue === 'bullmq' && redisUrl !== undefined ? bullmq({ url: redisUrl, prefix: redisPrefix }) : leased();
}

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
    {
      config: TOKENS.config,
      storage: TOKENS.storage,
      clock: TOKENS.clock,
      random: TOKENS.random,
      logger: TOKENS.logger,
    },
    ({ config, storage, ...context }) =>
      madeBy<JobQueue>(
        'jobs',
        ['enqueue', 'start', 'stop'],
        (config.adapters.jobQueue ?? queueOf(config)).create({
          ...context,
          store: storage.jobs,
          leaseSeconds: config.jobs.leaseSeconds,
        }),
      ),
  );
  provide(
    options,
    PARTS.outboxRelay,
    {
      storage: TOKENS.storage,
      queue: TOKENS.jobQueue,
      subscribers: PARTS.subscribers,
      direct: PARTS.directDeliveries,
      clock: TOKENS.clock,
      logger: TOKENS.logger,
    },
    ({ storage, queue, subscribers, direct, clock, logger }) =>
      createOutboxRelay({
        attempts: storage.attempts,
        creators: storage.creators,
        queue,
        logger,
        direct,
        dispatch: dispatchEvents({ storage, queue, clock, wakeSubscribers: subscribers.wake }),
      }),
  );
  provide(options, PARTS.deliveryGate, { clock: TOKENS.clock }, createDeliveryGate);
  provide(
    options,
    PARTS.directDeliveries,
    {
      config: TOKENS.config,
      storage: TOKENS.storage,
      queue: TOKENS.jobQueue,
      gate: PARTS.deliveryGate,
      transport: TOKENS.webhookTransport,
      secretBox: TOKENS.secretBox,
      clock: TOKENS.clock,
      logger: TOKENS.logger,
    },
    ({ config: { webhooks }, ...deps }) => {
      const leases = deps.storage.attempts.outboxLeases;
      return leases === undefined
        ? undefined
        : createDirectDeliveries({ ...deps, leases, hmac: nodeHmac, retryDelays: retryDelays(webhooks.retryScale) });
    },
  );
  provide(
    options,
    PARTS.subscribers,
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
