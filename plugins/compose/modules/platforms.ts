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
import { creditFigures } from '../health-notes.ts';
import { createLookupPools } from '../lookup-pools.ts';
import { observedPlatform } from '../observed.ts';
import { provide } from '../token.ts';
import { LENT, named, PARTS, TOKENS } from '../tokens.ts';

const READS = ['resolveShortLink', 'getPost', 'getComments', 'getReplies', 'getLikers', 'getProfile', 'close'] as const;

export const platformsModule = new ContainerModule((options) => {
  provide(options, PARTS.platformAdapters, { config: TOKENS.config }, ({ config }) => config.platformAdapters);
  provide(
    options,
    PARTS.officialApis,
    { adapters: PARTS.platformAdapters },
    ({ adapters }) => new Map(adapters.flatMap(({ official }) => (official ? [[official.platform, official]] : []))),
  );
  provide(
    options,
    PARTS.officialAccounts,
    { ...named('storage', 'secretBox', 'officialApis'), relay: PARTS.outboxRelay, ...LENT },
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
      ...named('limiterConnection', 'officialAccounts', 'storage', 'telemetry'),
      adapters: PARTS.platformAdapters,
      ...LENT,
      counter: PARTS.readCounter,
    },
    ({ adapters, telemetry, counter, storage, ...context }) =>
      createPlatforms(
        adapters.map(({ descriptor }) => descriptor),
        adapters.map((adapter) =>
          observedPlatform(
            madeBy<Platform>('platforms', READS, adapter.create({ ...context, usage: storage.usage })),
            telemetry,
            counter,
          ),
        ),
      ),
  );
  provide(
    options,
    TOKENS.metrics,
    { platforms: TOKENS.platforms },
    ({ platforms }) =>
      async () =>
        creditFigures(platforms),
  );
  provide(options, PARTS.lookupPools, { adapters: PARTS.platformAdapters }, ({ adapters }) =>
    createLookupPools(adapters),
  );
  provide(options, PARTS.resolvePost, { platforms: TOKENS.platforms }, resolvePost);
  provide(
    options,
    TOKENS.engagementRoutes,
    { ...named('platforms', 'resolvePost', 'clock', 'usage'), pools: PARTS.lookupPools },
    ({ platforms, usage, ...deps }) =>
      createLookupRoutes({ lookups: createLookups({ platforms, ...deps }), platforms, usage }),
  );
});
