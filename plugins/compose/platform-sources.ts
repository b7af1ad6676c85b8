/** The platforms of a configuration as values: each read by our own reader, a data provider, or one after the other. */
import { dataProvider } from '../../adapters/data-provider/index.ts';
import { instagram } from '../../adapters/instagram/index.ts';
import { tiktok } from '../../adapters/tiktok/index.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import { withSources } from '../../core/platforms/with-sources.ts';
import type { ResolvedConfig } from './config.ts';

type PlatformsConfig = ResolvedConfig['platforms'];
type SourceName = PlatformsConfig['instagram']['sources'][number];

/** Opens nothing. */
export function platformAdapters(config: PlatformsConfig): readonly PlatformAdapter[] {
  const { pacing, proxyUrl, userAgent, transport } = config;
  const { sources: instagramSources, ...instagramOptions } = config.instagram;
  const { sources: tiktokSources, ...tiktokOptions } = config.tiktok;
  const shared = { pacing, proxyUrl, userAgent, transport };

  function read(
    platform: 'instagram' | 'tiktok',
    own: PlatformAdapter,
    sources: readonly SourceName[],
  ): PlatformAdapter {
    return withSources(
      own,
      sources.map((name) => {
        if (name === 'own') return { name, create: (context) => own.create(context) };
        if (config.dataProvider === undefined) {
          throw new TypeError('The source `provider` needs platforms.dataProvider.');
        }
        // Never through the scraping proxy: its operator would read the key's requests.
        return dataProvider({ platform, pacing, ...config.dataProvider });
      }),
    );
  }

  return [
    read('instagram', instagram({ ...shared, ...given(instagramOptions) }), instagramSources),
    read('tiktok', tiktok({ ...shared, ...given(tiktokOptions) }), tiktokSources),
  ];
}

/** Without the fields that are not set, which would hide what all platforms share. */
function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
