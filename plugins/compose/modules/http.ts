/** The route table, the dispatcher, and the life of the instance. */
import { readFileSync } from 'node:fs';
import { ContainerModule } from 'inversify';
import type { Identify } from '../../http/access.ts';
import { createDispatcher } from '../../http/dispatcher.ts';
import { createOpenApiDocument } from '../../http/openapi.ts';
import type { Route } from '../../http/route.ts';
import { createServiceRoutes } from '../../http/routes/service.ts';
import { ensureAdminToken } from '../admin-token.ts';
import type { ResolvedConfig } from '../config.ts';
import type { Lifecycle } from '../lifecycle.ts';
import { createLifecycle } from '../lifecycle.ts';
import { all, provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';

const SWEEP_OVERDUE_EVERY_MS = 60_000;

export function httpModule(identify: Identify | undefined): ContainerModule {
  return new ContainerModule((options) => {
    provide(
      options,
      TOKENS.routeTable,
      [all(TOKENS.routes), TOKENS.lifecycle, TOKENS.config],
      (groups: readonly (readonly Route[])[], lifecycle: Lifecycle, config: ResolvedConfig) => {
        const table: Route[] = groups.flat();
        table.push(
          ...createServiceRoutes({
            health: () => lifecycle.health(),
            openApiDocument: () =>
              createOpenApiDocument(table, { version: packageVersion(), serverUrl: config.publicUrl }),
          }),
        );
        return table;
      },
    );
    provide(
      options,
      TOKENS.dispatcher,
      [TOKENS.config, TOKENS.authenticate, TOKENS.rateLimiter, TOKENS.logger],
      ({ publicUrl }, authenticate, limiter, logger) =>
        createDispatcher({ authenticate, limiter, logger, publicUrl, ...(identify ? { identify } : {}) }),
    );
  });
}

function packageVersion(): string {
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version;
}
