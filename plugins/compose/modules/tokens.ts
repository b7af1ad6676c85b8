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
  provide(options, TOKENS.authenticate, [TOKENS.config, TOKENS.storage], ({ adminToken }, { tokens }) =>
    withConfiguredToken(adminToken, authenticate({ tokens })),
  );
  provide(options, TOKENS.usage, [TOKENS.storage, TOKENS.clock], ({ usage }, clock) => createUsageMeter(usage, clock));
  provide(options, TOKENS.routes, [TOKENS.storage, TOKENS.clock, TOKENS.random], ({ tokens }, clock, random) =>
    createTokenRoutes({
      createToken: createToken({ tokens, clock, random }),
      listTokens: listTokens({ tokens }),
      revokeToken: revokeToken({ tokens, clock }),
    }),
  );
  provide(options, TOKENS.routes, [TOKENS.usage], createUsageRoutes);
});
