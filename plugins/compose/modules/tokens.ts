/** API tokens: who may call, and what was used. Served whatever services are on. */
import { ContainerModule } from 'inversify';
import { createAccess } from '../../../core/access/index.ts';
import { createTokenRoutes } from '../../http/routes/tokens.ts';
import { createUsageRoutes } from '../../http/routes/usage.ts';
import { withConfiguredToken } from '../admin-token.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';

export const tokensModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.access,
    { storage: TOKENS.storage, clock: TOKENS.clock, random: TOKENS.random },
    createAccess,
  );
  provide(
    options,
    TOKENS.authenticate,
    { config: TOKENS.config, access: TOKENS.access },
    ({ config: { adminToken }, access }) => withConfiguredToken(adminToken, access.authenticate),
  );
  provide(options, TOKENS.usage, { access: TOKENS.access }, ({ access }) => access.usage);
  provide(options, TOKENS.routes, { access: TOKENS.access }, ({ access }) => createTokenRoutes(access));
  provide(options, TOKENS.routes, { usage: TOKENS.usage }, ({ usage }) => createUsageRoutes(usage));
});
