/** Webhooks, the outbox relay, and the job queue that carries them. */

import { bullmq } from '../../../adapters/bullmq-jobs/index.ts';
import { leased } from '../../../adapters/leased-jobs/index.ts';
import { createWebhookTransport } from '../../../adapters/webhook-http/index.ts';
import { deliverer } from '../../../core/engagement/webhooks/deliver.ts';
import { DeliveryLoop } from '../../../core/engagement/webhooks/delivery-loop.ts';
import { dispatchEvents } from '../../../core/engagement/webhooks/dispatch-event.ts';
import { OutboxRelay } from '../../../core/engagement/webhooks/outbox-relay.ts';
import { RETRY_DELAYS_MS } from '../../../core/engagement/webhooks/retry-schedule.ts';
import { Subscribers } from '../../../core/engagement/webhooks/subscribers.ts';
import type { JobQueueAdapter } from '../../../core/ports/adapter-values.ts';
import type { JobQueue } from '../../../core/ports/job-queue.ts';
import { createJobRoutes } from '../../http/routes/jobs.ts';
import { madeBy } from '../adapter-values.ts';
import type { ResolvedConfig } from '../config.ts';
import { ContainerModule } from '../container.ts';
import { jobFigures } from '../figures.ts';
import { observedTransport } from '../observed.ts';
import { provide } from '../token.ts';
import { named, PARTS, TOKENS } from '../tokens.ts';

const REPORT_NEGLECTED_EVERY_MS = 15_000;

/** The queue that options describe. */
function queueOf({ jobs, redisUrl, redisPrefix }: ResolvedConfig): JobQueueAdapter {
  return jobs.queue === 'bullmq' && redisUrl !== undefined ? bullmq({ url: redisUrl, prefix: redisPrefix }) : leased();
}

export const webhooksModule = new ContainerModule((options) => {
  provide(options, TOKENS.webhookTransport, named('egress', 'telemetry'), ({ egress, telemetry }) =>
    observedTransport(createWebhookTransport({ egress }), telemetry),
  );
  provide(
    options,
    TOKENS.jobQueue,
    named('config', 'storage', 'clock', 'random', 'logger'),
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
  provide(options, TOKENS.metrics, named('queue'), jobFigures);
  provide(options, TOKENS.engagementRoutes, named('queue'), createJobRoutes);
  provide(
    options,
    PARTS.dispatchEvents,
    named('storage', 'clock', 'subscribers', 'deliveryLoop'),
    ({ deliveryLoop, ...deps }) => dispatchEvents({ ...deps, wakeSender: () => deliveryLoop.wake() }),
  );
  provide(
    options,
    PARTS.outboxRelay,
    named('storage', 'queue', 'dispatch', 'logger'),
    ({ storage: { outbox }, ...deps }) => new OutboxRelay({ outbox, ...deps }),
  );
  provide(options, PARTS.subscribers, named('storage', 'clock', 'logger'), (deps) => new Subscribers(deps));
  provide(options, TOKENS.periodic, named('subscribers'), ({ subscribers }) => ({
    name: 'report-neglected-events',
    everyMs: REPORT_NEGLECTED_EVERY_MS,
    run: () => subscribers.reportNeglected(),
  }));
  provide(
    options,
    PARTS.deliveryLoop,
    named('config', 'storage', 'subscribers', 'secretBox', 'transport', 'clock', 'logger'),
    ({ config: { jobs, delayScale }, ...deps }) => {
      const deliver = deliverer({
        ...deps,
        retryDelays: RETRY_DELAYS_MS.map((delay) => delay * delayScale),
      });
      const { deliveries } = deps.storage;
      return new DeliveryLoop({ ...deps, deliveries, deliver, leaseMs: jobs.leaseSeconds * 1_000 });
    },
  );
});
