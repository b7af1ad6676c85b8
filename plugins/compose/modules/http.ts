/** The route table, the dispatcher, and the life of the instance. */
import { ContainerModule } from 'inversify';
import type { CommentSweeper } from '../../../core/engagement/challenge-data/sweep-comments.ts';
import type { OutboxRelay } from '../../../core/engagement/webhooks/outbox-relay.ts';
import type { Subscribers } from '../../../core/engagement/webhooks/subscribers.ts';
import type { Platforms } from '../../../core/platforms/platforms.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { JobHandlers, JobQueue } from '../../../core/ports/job-queue.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { RandomSource } from '../../../core/ports/random-source.ts';
import type { SecretBox } from '../../../core/ports/secret-box.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Telemetry } from '../../../core/ports/telemetry.ts';
import type { Identify } from '../../http/access.ts';
import { createDispatcher } from '../../http/dispatcher.ts';
import { createOpenApiDocument } from '../../http/openapi.ts';
import type { Route } from '../../http/route.ts';
import { createServiceRoutes } from '../../http/routes/service.ts';
import { webhookOperations } from '../../http/webhook-events.ts';
import { ensureAdminToken } from '../admin-token.ts';
import type { ResolvedConfig } from '../config.ts';
import { type Closeable, createLifecycle, type Lifecycle, type Periodic } from '../lifecycle.ts';
import { observedHandlers } from '../observed.ts';
import { checkSecrets } from '../sealed-secrets.ts';
import { reportSessions } from '../session-report.ts';
import { all, provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';
import { packageVersion } from '../version.ts';

export function httpModule(identify: Identify | undefined): ContainerModule {
  return new ContainerModule((options) => {
    provide(
      options,
      TOKENS.routeTable,
      [
        all(TOKENS.engagementRoutes),
        all(TOKENS.routes),
        TOKENS.lifecycle,
        TOKENS.config,
        TOKENS.jobQueue,
        TOKENS.telemetry,
      ],
      (
        engagement: readonly (readonly Route[])[],
        others: readonly (readonly Route[])[],
        lifecycle: Lifecycle,
        config: ResolvedConfig,
        queue: JobQueue,
        telemetry: Telemetry,
      ) => {
        const groups = config.services.includes('engagement') ? [...engagement, ...others] : others;
        const table: Route[] = groups.flat();
        table.push(
          ...createServiceRoutes({
            health: () => lifecycle.health(),
            metrics: async () => telemetry.metrics({ jobs: await queue.stats().catch(() => null) }),
            openApiDocument: () =>
              createOpenApiDocument(table, {
                version: packageVersion(),
                serverUrl: config.publicUrl,
                ...(config.services.includes('engagement') ? { webhooks: webhookOperations() } : {}),
              }),
          }),
        );
        return table;
      },
    );
    provide(
      options,
      TOKENS.lifecycle,
      [
        TOKENS.config,
        TOKENS.storage,
        TOKENS.secretBox,
        TOKENS.jobQueue,
        TOKENS.outboxRelay,
        TOKENS.subscribers,
        TOKENS.commentSweeper,
        all(TOKENS.jobHandlers),
        all(TOKENS.periodic),
        all(TOKENS.closeable),
        TOKENS.bootWarnings,
        TOKENS.platforms,
        TOKENS.clock,
        TOKENS.random,
        TOKENS.logger,
        TOKENS.telemetry,
      ],
      (
        config: ResolvedConfig,
        storage: Storage,
        secretBox: SecretBox,
        queue: JobQueue,
        relay: OutboxRelay,
        subscribers: Subscribers,
        sweeper: CommentSweeper,
        handlers: readonly JobHandlers[],
        periodic: readonly Periodic[],
        closeables: readonly Closeable[],
        bootWarnings: () => Promise<readonly string[]>,
        platforms: Platforms,
        clock: Clock,
        random: RandomSource,
        logger: Logger,
        telemetry: Telemetry,
      ) =>
        createLifecycle({
          storage,
          queue,
          relay,
          subscribers,
          sweeper,
          handlers: handlers.map((each) => observedHandlers(each, telemetry)),
          periodic,
          closeables,
          bootWarnings,
          notes: () => reportSessions(platforms),
          runJobs: config.jobs.run,
          checkSecrets: checkSecrets({
            webhooks: storage.webhooks,
            secretBox,
            logger,
            replaced: config.secrets.replaced,
          }),
          ensureAdminToken: ensureAdminToken({ tokens: storage.tokens, clock, random }, config.adminToken),
          logger,
        }),
    );
    provide(
      options,
      TOKENS.dispatcher,
      [TOKENS.config, TOKENS.authenticate, TOKENS.rateLimiter, TOKENS.logger, TOKENS.telemetry],
      ({ publicUrl }, authenticate, limiter, logger, telemetry) =>
        createDispatcher({ authenticate, limiter, logger, telemetry, publicUrl, ...(identify ? { identify } : {}) }),
    );
  });
}
