/** API tokens: who may call, and what was used. Served whatever services are on. */
import { ContainerModule } from 'inversify';
import { authenticate, createToken, listTokens, revokeToken } from '../../../core/access/manage-tokens.ts';
import { createUsageMeter } from '../../../core/access/usage.ts';
import { createTokenRoutes } from '../../http/routes/tokens.ts';
import { createUsageRoutes } from '../../http/routes/usage.ts';
import { withConfiguredToken } from '../admin-token.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';

export const tokensModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.authenticate,
    { config: TOKENS.config, storage: TOKENS.storage },
    ({ config: { adminToken }, storage: { tokens } }) => withConfiguredToken(adminToken, authenticate({ tokens })),
  );
  provide(options, TOKENS.usage, { storage: TOKENS.storage, clock: TOKENS.clock }, ({ storage: { usage }, clock }) =>
    createUsageMeter(usage, clock),
  );
  provide(
    options,
    TOKENS.routes,
    { storage: TOKENS.storage, clock: TOKENS.clock, random: TOKENS.random },
    ({ storage: { tokens }, clock, random }) =>
      createTokenRoutes({
        createToken: createToken({ tokens, clock, random }),
        listTokens: listTokens({ tokens }),
        revokeToken: revokeToken({ tokens, clock }),
      }),
  );
  provide(options, TOKENS.routes, { usage: TOKENS.usage }, ({ usage }) => createUsageRoutes(usage));
});
