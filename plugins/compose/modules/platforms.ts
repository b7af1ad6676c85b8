/** The platforms that are read, and the lookups over them. */

import { createOfficialAccounts } from '../../../core/engagement/brand-connections/official-accounts.ts';
import { createLookups } from '../../../core/lookups/index.ts';
import { resolvePost } from '../../../core/lookups/resolve-post.ts';
import { ReadCounter } from '../../../core/platforms/count-reads.ts';
import { createPlatforms } from '../../../core/platforms/platforms.ts';
import type { Platform } from '../../../core/ports/platform.ts';
import { createLookupRoutes } from '../../http/routes/lookups.ts';
import { madeBy } from '../adapter-values.ts';
import { ContainerModule } from '../container.ts';
import { platformFigures } from '../figures.ts';
import { createLookupPools } from '../lookup-pools.ts';
import { observedPlatform } from '../observed.ts';
import { provide } from '../token.ts';
import { named, PARTS, TOKENS } from '../tokens.ts';

const READS = ['resolveShortLink', 'getPost', 'getComments', 'getReplies', 'getLikers', 'getProfile', 'close'] as const;

export const platformsModule = new ContainerModule((options) => {
  provide(
    options,
    PARTS.officialApis,
    named('config'),
    ({ config: { platformAdapters: adapters } }) =>
      new Map(adapters.flatMap(({ official }) => (official ? [[official.platform, official]] : []))),
  );
  provide(
    options,
    PARTS.officialAccounts,
    named('storage', 'secretBox', 'officialApis', 'relay', 'clock', 'random', 'logger'),
    ({ officialApis, ...deps }) => {
      const configured = new Map([...officialApis].map(([platform, { accounts }]) => [platform, accounts]));
      return createOfficialAccounts({ ...deps, configured });
    },
  );
  provide(options, PARTS.readCounter, named('storage', 'clock', 'logger'), (deps) => new ReadCounter(deps));
  provide(
    options,
    TOKENS.platforms,
    {
      ...named('config', 'limiterConnection', 'officialAccounts', 'storage', 'telemetry', 'readCounter'),
      ...named('clock', 'random', 'logger'),
    },
    ({ config: { platformAdapters: adapters }, telemetry, readCounter, storage, ...context }) =>
      createPlatforms(
        adapters.map(({ descriptor }) => descriptor),
        adapters.map((adapter) =>
          observedPlatform(
            madeBy<Platform>('platforms', READS, adapter.create({ ...context, usage: storage.usage })),
            telemetry,
            readCounter,
          ),
        ),
      ),
  );
  provide(options, TOKENS.metrics, named('platforms'), platformFigures);
  provide(options, PARTS.resolvePost, named('platforms'), resolvePost);
  provide(
    options,
    TOKENS.engagementRoutes,
    named('config', 'platforms', 'resolvePost', 'clock', 'access'),
    ({ config, access: { usage }, ...deps }) => {
      const lookups = createLookups({ ...deps, pools: createLookupPools(config.platformAdapters) });
      return createLookupRoutes({ lookups, platforms: deps.platforms, usage });
    },
  );
});
