/** The platforms that are read, and the lookups over them. */
import { ContainerModule } from 'inversify';
import { readBatch } from '../../../core/lookups/read-batch.ts';
import { readComments } from '../../../core/lookups/read-comments.ts';
import { readPost } from '../../../core/lookups/read-post.ts';
import { readProfile } from '../../../core/lookups/read-profile.ts';
import { readThumbnail } from '../../../core/lookups/read-thumbnail.ts';
import { resolvePost } from '../../../core/lookups/resolve-post.ts';
import { createLookupRoutes } from '../../http/routes/lookups.ts';
import { createLookupPools } from '../lookup-pools.ts';
import { observedPlatform } from '../observed.ts';
import { createPlatforms, OWNERSHIP_RULES } from '../platform-sources.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';

export const platformsModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.platforms,
    {
      config: TOKENS.config,
      clock: TOKENS.clock,
      random: TOKENS.random,
      logger: TOKENS.logger,
      limiterConnection: TOKENS.limiterConnection,
      telemetry: TOKENS.telemetry,
    },
    ({ config, clock, random, logger, limiterConnection, telemetry }) => {
      const platforms = createPlatforms(config.platforms, { clock, random, logger, limiterConnection });
      return new Map([...platforms].map(([name, platform]) => [name, observedPlatform(platform, telemetry)]));
    },
  );
  provide(options, TOKENS.ownershipRules, {}, () => OWNERSHIP_RULES);
  provide(options, TOKENS.lookupPools, { config: TOKENS.config }, ({ config: { platforms } }) =>
    createLookupPools(platforms.pacing),
  );
  provide(options, TOKENS.resolvePost, { platforms: TOKENS.platforms }, ({ platforms }) => resolvePost(platforms));
  provide(
    options,
    TOKENS.engagementRoutes,
    {
      platforms: TOKENS.platforms,
      resolve: TOKENS.resolvePost,
      pools: TOKENS.lookupPools,
      clock: TOKENS.clock,
      usage: TOKENS.usage,
    },
    ({ platforms, resolve, pools, clock, usage }) => {
      const read = readPost({ platforms, resolvePost: resolve });
      return createLookupRoutes({
        readPost: read,
        readBatch: readBatch({ readPost: read, pools, clock }),
        readComments: readComments({ platforms, resolvePost: resolve }),
        readProfile: readProfile(platforms),
        readThumbnail: readThumbnail(platforms),
        usage,
      });
    },
  );
});
