/**
 * The platforms that are registered by default, and their fields of the configuration. No other file of the plugins names a
 * platform.
 */
import { z } from 'zod';
import { type DataProviderSourceOptions, dataProvider } from '../../adapters/data-provider/index.ts';
import { instagram, instagramOptionsSchema } from '../../adapters/instagram/index.ts';
import type { ScrapedPlatformOptions } from '../../adapters/scraping/index.ts';
import { tiktok, tiktokOptionsSchema } from '../../adapters/tiktok/index.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import { withSources } from '../../core/platforms/with-sources.ts';

const instagramFields = instagramOptionsSchema.shape;
const docIds = instagramFields.docIds.unwrap().shape;
const tiktokFields = tiktokOptionsSchema.shape;

export type { SignRequest } from '../../adapters/tiktok/index.ts';

/** Who is asked about a platform, in order; the next one when one fails. */
export const platformSources = z
  .array(z.enum(['own', 'provider']))
  .min(1, 'must name at least one of own, provider')
  .refine((sources) => new Set(sources).size === sources.length, 'must name each source once');

const sourcesOf = (label: string, variable: string) =>
  platformSources.default(['own']).meta({
    variable,
    description: `Who is asked about ${label}: own, provider, or both in order.`,
  });

const baseUrlOf = <S extends z.ZodType>(schema: S, label: string, variable: string): S =>
  schema.meta({ variable, shown: 'endpoint', description: `Where ${label} is read from.` });

const id = { shown: 'plain' } as const;

/** The fields of `platforms` that are named after a platform. */
export const builtInPlatformFields = {
  instagram: z
    .strictObject({
      baseUrl: baseUrlOf(instagramFields.baseUrl, 'Instagram', 'INSTAGRAM_BASE_URL'),
      sessionIds: instagramFields.sessionIds.meta({
        variable: 'INSTAGRAM_SESSION_IDS',
        shown: 'secret',
        description: 'sessionid cookies for what Instagram hides from visitors (likers, replies).',
      }),
      docIds: z
        .strictObject({
          post: docIds.post.meta({ ...id, description: "doc_ids of Instagram's query for a post, tried in order." }),
          olderPost: docIds.olderPost.meta({
            ...id,
            description: "doc_id of Instagram's query for a post by shortcode; tried after those.",
          }),
          comments: docIds.comments.meta({ ...id, description: "doc_id of Instagram's query for comments." }),
          profile: docIds.profile.meta({
            ...id,
            description: "doc_id of Instagram's query for a profile, asked with a session.",
          }),
        })
        .meta({ description: 'Ids of GraphQL queries; they change every few weeks.' })
        .prefault({}),
      sources: sourcesOf('Instagram', 'INSTAGRAM_SOURCES'),
    })
    .meta({ description: 'How Instagram is read.' })
    .prefault({}),
  tiktok: z
    .strictObject({
      baseUrl: baseUrlOf(tiktokFields.baseUrl, 'TikTok', 'TIKTOK_BASE_URL'),
      sign: tiktokFields.sign.meta({
        type: 'SignRequest',
        shown: 'code',
        description: "Signs the requests to TikTok's API; see `SignRequest`.",
      }),
      sources: sourcesOf('TikTok', 'TIKTOK_SOURCES'),
    })
    .meta({ description: 'How TikTok is read.' })
    .prefault({}),
};

type Fields = { readonly [K in keyof typeof builtInPlatformFields]: z.output<(typeof builtInPlatformFields)[K]> };

/** The fields of `platforms` that say how the built-in platforms are read. */
export type BuiltInPlatformsConfig = Fields &
  Pick<ScrapedPlatformOptions, 'proxyUrl' | 'userAgent' | 'transport'> & {
    /** `safe` or `off`, for all of them. */
    readonly pacing: 'safe' | 'off';
    /** The account of the source `provider`. */
    readonly dataProvider?: Omit<DataProviderSourceOptions, 'platform'> | undefined;
  };

/** Whether some platform is read through the data provider. */
export function needsDataProvider(config: Fields): boolean {
  const names = Object.keys(builtInPlatformFields) as (keyof Fields)[];
  return names.some((name) => config[name].sources.includes('provider'));
}

/** The built-in platforms as values, each read by our own reader, the data provider, or one after the other. Opens nothing. */
export function builtInPlatforms(config: BuiltInPlatformsConfig): readonly PlatformAdapter[] {
  const { pacing, proxyUrl, userAgent, transport } = config;
  const shared = { pacing, proxyUrl, userAgent, transport };
  const { sources: instagramSources, ...instagramOptions } = config.instagram;
  const { sources: tiktokSources, ...tiktokOptions } = config.tiktok;

  function read(
    platform: keyof Fields,
    own: PlatformAdapter,
    sources: readonly ('own' | 'provider')[],
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
    read('instagram', instagram({ ...shared, ...instagramOptions }), instagramSources),
    read('tiktok', tiktok({ ...shared, ...tiktokOptions }), tiktokSources),
  ];
}
