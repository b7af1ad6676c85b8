/** The configured sources of each platform: our own reader, a data provider, or one after the other. */
import { createDataProviderPlatform } from '../../adapters/data-provider/index.ts';
import { createInstagramPlatform, instagramOwnership } from '../../adapters/instagram/index.ts';
import type { LimiterConnection } from '../../adapters/scraping/index.ts';
import { createTikTokPlatform, tiktokOwnership } from '../../adapters/tiktok/index.ts';
import type { OwnershipRulebook } from '../../core/platforms/ownership-rules.ts';
import { createPlatformChain } from '../../core/platforms/platform-chain.ts';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import type { Platforms } from '../../core/platforms/platforms.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Platform } from '../../core/ports/platform.ts';
import type { RandomSource } from '../../core/ports/random-source.ts';
import type { ResolvedConfig } from './config.ts';

export interface PlatformDeps {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: Logger;
  readonly limiterConnection?: LimiterConnection | undefined;
}

/** What shows ownership of a profile, platform by platform. */
export const OWNERSHIP_RULES: OwnershipRulebook = { instagram: instagramOwnership, tiktok: tiktokOwnership };

type PlatformsConfig = ResolvedConfig['platforms'];
type SourceName = PlatformsConfig['instagram']['sources'][number];

/** Opens nothing; a platform with one source is that source, with several a chain of them. */
export function createPlatforms(config: PlatformsConfig, deps: PlatformDeps): Platforms {
  const { pacing, proxyUrl, userAgent, transport, dataProvider } = config;
  const { sources: instagramSources, ...instagram } = config.instagram;
  const { sources: tiktokSources, ...tiktok } = config.tiktok;
  const shared = { pacing, ...deps };
  const browser = { proxyUrl, userAgent, transport };

  function provider(platform: PlatformName): Platform {
    if (dataProvider === undefined) throw new TypeError('The source `provider` needs platforms.dataProvider.');
    // Never through the scraping proxy: its operator would read the key's requests.
    return createDataProviderPlatform({ ...shared, ...dataProvider, platform });
  }

  function chained(sources: readonly SourceName[], platform: PlatformName, own: () => Platform): Platform {
    const members = sources.map((name) => ({ name, platform: name === 'own' ? own() : provider(platform) }));
    const [only] = members;
    return members.length === 1 && only !== undefined ? only.platform : createPlatformChain(members, deps);
  }

  const all = [
    chained(instagramSources, 'instagram', () =>
      createInstagramPlatform({ ...shared, ...browser, ...given(instagram) }),
    ),
    chained(tiktokSources, 'tiktok', () => createTikTokPlatform({ ...shared, ...browser, ...given(tiktok) })),
  ];
  return new Map(all.map((platform) => [platform.name, platform]));
}

/** Without the fields that are not set, which would hide what all platforms share. */
function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
