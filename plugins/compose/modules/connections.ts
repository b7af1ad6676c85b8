/** Connected accounts: the ownership flow. */
import { ContainerModule } from 'inversify';
import { checkConnection, viewConnection } from '../../../core/engagement/connections/check-connection.ts';
import { listAccounts } from '../../../core/engagement/connections/list-accounts.ts';
import { startConnection } from '../../../core/engagement/connections/start-connection.ts';
import { createConnectionRoutes } from '../../http/routes/connections.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';

export const connectionsModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.engagementRoutes,
    {
      storage: TOKENS.storage,
      platforms: TOKENS.platforms,
      clock: TOKENS.clock,
      random: TOKENS.random,
      limiter: TOKENS.rateLimiter,
    },
    ({ storage: { connections, creators }, platforms, clock, random, limiter }) =>
      createConnectionRoutes({
        startConnection: startConnection({ connections, platforms, clock, random }),
        viewConnection: viewConnection({ connections, clock }),
        checkConnection: checkConnection({ connections, creators, platforms, clock, limiter }),
        listAccounts: listAccounts(creators),
        platforms,
      }),
  );
});
