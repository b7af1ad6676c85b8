/** API tokens: who may call, and what was used; and the settings. Served whatever services are on. */

import { createAccess } from '../../../core/access/index.ts';
import { requireOwn } from '../../../core/engagement/brands/own-brand.ts';
import { createAuditLogRoutes } from '../../http/routes/audit-log.ts';
import { createCallerRoutes } from '../../http/routes/caller.ts';
import { createSettingsRoutes } from '../../http/routes/settings.ts';
import { createTokenRoutes } from '../../http/routes/tokens.ts';
import { createUsageRoutes } from '../../http/routes/usage.ts';
import { withConfiguredToken } from '../admin-token.ts';
import { ContainerModule } from '../container.ts';
import { settingsOf } from '../settings.ts';
import { provide } from '../token.ts';
import { named, PARTS, TOKENS } from '../tokens.ts';

export const tokensModule = new ContainerModule((options) => {
  provide(options, PARTS.access, named('storage', 'clock', 'random', 'logger'), createAccess);
  provide(options, PARTS.authenticate, named('config', 'access'), ({ config: { adminToken }, access }) =>
    withConfiguredToken(adminToken, access.authenticate),
  );
  provide(options, PARTS.requireOwn, named('storage'), requireOwn);
  provide(options, TOKENS.routes, named('access'), ({ access }) => createTokenRoutes(access));
  provide(options, TOKENS.routes, named('access'), ({ access }) => createAuditLogRoutes(access));
  provide(options, TOKENS.routes, {}, createCallerRoutes);
  provide(options, TOKENS.routes, named('config'), ({ config }) => createSettingsRoutes(settingsOf(config)));
  provide(options, TOKENS.routes, named('access'), ({ access }) => createUsageRoutes(access.usage));
});
