/** The route table, the dispatcher, and the life of the instance. */

import type { Identify } from '../../http/access.ts';
import { createAnswerOnce } from '../../http/dispatch/answer-once.ts';
import { createDispatcher } from '../../http/dispatcher.ts';
import type { Route } from '../../http/route.ts';
import { createServiceRoutes } from '../../http/routes/service.ts';
import { webhookOperations } from '../../http/webhook-events.ts';
import { ensureAdminToken } from '../admin-token.ts';
import type { ResolvedConfig } from '../config.ts';
import { ContainerModule, type ModuleOptions } from '../container.ts';
import { reportCanaries, reportConnections, reportSessions } from '../health-notes.ts';
import { Lifecycle } from '../lifecycle.ts';
import { observedHandlers } from '../observed.ts';
import { checkSecrets } from '../sealed-secrets.ts';
import { all, provide, type Token } from '../token.ts';
import { named, PARTS, TOKENS } from '../tokens.ts';
import { packageVersion } from '../version.ts';

export function httpModule(identify: Identify | undefined): ContainerModule {
  return new ContainerModule((options) => {
    options.bind(PARTS.identify as Token<unknown>).toConstantValue(identify);
    provideRouteTable(options);
    provideLifecycle(options);
    provideDispatcher(options, identify);
  });
}

function provideRouteTable(options: ModuleOptions): void {
  provide(
    options,
    PARTS.routeTable,
    {
      ...named('lifecycle', 'config', 'platforms', 'telemetry'),
      engagement: all(TOKENS.engagementRoutes),
      others: all(TOKENS.routes),
      metrics: all(TOKENS.metrics),
    },
    ({ engagement, others, metrics, lifecycle, config, platforms, telemetry }) => {
      const groups = config.services.includes('engagement') ? [...engagement, ...others] : others;
      const table: Route[] = groups.flat();
      table.push(
        ...createServiceRoutes({
          health: () => lifecycle.health(),
          metrics: async () => {
            const added = await Promise.all(metrics.map((figures) => figures().catch(() => '')));
            const { contentType, text } = await telemetry.metrics();
            return { contentType, text: [text, ...added].join('\n') };
          },
          openApiDocument: async () => {
            // Loaded by the first reader of the document only.
            const { createOpenApiDocument } = await import('../../http/openapi.ts');
            return createOpenApiDocument(table, {
              version: packageVersion(),
              serverUrl: config.publicUrl,
              platforms: platforms.names,
              ...(config.services.includes('engagement') ? { webhooks: webhookOperations() } : {}),
            });
          },
        }),
      );
      return table;
    },
  );
}

function provideLifecycle(options: ModuleOptions): void {
  provide(
    options,
    PARTS.lifecycle,
    {
      ...named('config', 'storage', 'secretBox', 'subscribers', 'platforms', 'canaries', 'telemetry'),
      ...named('queue', 'relay', 'sweeper', 'clock', 'random', 'logger'),
      deliveries: PARTS.deliveryLoop,
      handlers: all(TOKENS.jobHandlers),
      periodic: all(TOKENS.periodic),
      openedAtStart: all(PARTS.openedAtStart),
      warmUps: all(PARTS.warmUp),
      closeables: all(TOKENS.closeable),
    },
    ({ config, storage, platforms, canaries, handlers, secretBox, clock, random, logger, telemetry, ...parts }) =>
      new Lifecycle({
        ...parts,
        storage,
        handlers: handlers.map((each) => observedHandlers(each, telemetry)),
        notes: async ({ isStorageReachable }) => ({
          ...reportSessions(platforms),
          ...(isStorageReachable ? { ...(await reportCanaries(canaries)), ...(await reportConnections(storage)) } : {}),
        }),
        runJobs: config.jobs.run,
        bootWarnings: () => bootWarnings(config),
        checkSecrets: checkSecrets({
          storage,
          secretBox,
          logger,
          replaced: config.secrets.replaced,
        }),
        ensureAdminToken: ensureAdminToken({ storage, clock, random }, config.adminToken),
        clock,
        logger,
      }),
  );
}

function provideDispatcher(options: ModuleOptions, identify: Identify | undefined): void {
  provide(
    options,
    PARTS.dispatcher,
    {
      ...named('config', 'authenticate', 'requireOwn', 'access', 'storage', 'secretBox', 'limiter'),
      ...named('clock', 'logger', 'telemetry'),
    },
    ({ config: { publicUrl }, access, storage, secretBox, clock, ...parts }) =>
      createDispatcher({
        ...parts,
        publicUrl,
        audit: access.audit.record,
        answerOnce: createAnswerOnce({
          store: storage.idempotency,
          secretBox,
          limiter: parts.limiter,
          clock,
          logger: parts.logger,
        }),
        ...(identify ? { identify } : {}),
      }),
  );
}

/** What an operator should hear when an instance starts, not when a request first meets it. */
async function bootWarnings({ services, platforms, adapters }: ResolvedConfig): Promise<readonly string[]> {
  const aboutProver = services.includes('zk-prover') ? await adapters.zkProver?.warning?.() : null;
  const isPacingOff = services.includes('engagement') && platforms.pacing === 'off';
  const aboutPacing =
    isPacingOff && process.env.NODE_ENV === 'production'
      ? 'SCRAPER_PACING=off: requests to platforms have no rate limit, which gets addresses and sessions blocked. Use it for simulators only.'
      : null;
  return [aboutProver, aboutPacing].filter((warning) => typeof warning === 'string');
}
