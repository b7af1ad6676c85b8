/**
 * The platforms that are registered by default, and their fields of the configuration. No other file of the plugins names a
 * platform.
 */
import { z } from 'zod';
import { type DataProviderSourceOptions, dataProvider, readsPlatform } from '../../adapters/data-provider/index.ts';
import {
  instagram,
  instagramOptionsSchema,
  type OfficialInstagramOptions,
  officialInstagram,
  officialInstagramOptionsSchema,
} from '../../adapters/instagram/index.ts';
import type { ScrapedPlatformOptions } from '../../adapters/scraping/index.ts';
import {
  type OfficialTikTokOptions,
  officialTikTok,
  officialTikTokOptionsSchema,
  tiktok,
  tiktokOptionsSchema,
} from '../../adapters/tiktok/index.ts';
import { plainIssue } from '../../core/plain-issue.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import { officialSource, withSources } from '../../core/platforms/with-sources.ts';
import type { OfficialApi } from '../../core/ports/official-api.ts';

const instagramFields = instagramOptionsSchema.shape;
const docIds = instagramFields.docIds.unwrap().shape;
const tiktokFields = tiktokOptionsSchema.shape;

export type { SignRequest } from '../../adapters/tiktok/index.ts';

/** Who is asked about a platform, in order; the next one when one fails. */
export const platformSources = z
  .array(z.enum(['official', 'own', 'provider']))
  .min(1, 'must name at least one of official, own, provider')
  .refine((sources) => new Set(sources).size === sources.length, 'must name each source once');

const sourcesOf = (label: string, variable: string) =>
  platformSources.default(['own']).meta({
    variable,
    description: `Who is asked about ${label}, in order: official (first if set up), own, provider.`,
  });

/** The options of an official API in one field, checked by its own schema. */
const officialOf = <T>(schema: z.ZodType, type: string, label: string) =>
  z
    .custom<T>()
    .superRefine((value, context) => {
      for (const issue of schema.safeParse(value).error?.issues ?? []) {
        context.addIssue({ code: 'custom', path: [...issue.path], message: plainIssue(issue) });
      }
    })
    .optional()
    .meta({
      type,
      shown: 'code',
      description: `The app with which brands connect their accounts of ${label}.`,
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
      official: officialOf<OfficialInstagramOptions>(
        officialInstagramOptionsSchema,
        'OfficialInstagramOptions',
        'Instagram',
      ),
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
      official: officialOf<OfficialTikTokOptions>(officialTikTokOptionsSchema, 'OfficialTikTokOptions', 'TikTok'),
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

/** What the sources of platforms lack, by the field to set. */
export function sourceProblems(
  config: Fields & Pick<BuiltInPlatformsConfig, 'dataProvider'>,
): readonly { readonly path: readonly string[]; readonly message: string }[] {
  const { dataProvider: provider } = config;
  const asking = (source: Fields[keyof Fields]['sources'][number]) =>
    (Object.keys(builtInPlatformFields) as (keyof Fields)[]).filter((name) => config[name].sources.includes(source));
  const asked = asking('provider');
  const lacking = asking('official').find((name) => config[name].official === undefined);
  const unread = provider && asked.find((name) => !readsPlatform(provider.name ?? 'scrapecreators', name));
  return [
    ...(lacking ? [{ path: [lacking, 'official'], message: 'must be set for the source official' }] : []),
    ...(asked.length > 0 && provider === undefined
      ? [{ path: ['dataProvider', 'key'], message: 'must be set for the source provider' }]
      : []),
    ...(unread ? [{ path: [unread, 'sources'], message: `${provider.name} does not read this platform` }] : []),
  ];
}

/** The built-in platforms as values, each read by its official API, our own reader and the data provider in turn. Opens nothing. */
export function builtInPlatforms(config: BuiltInPlatformsConfig): readonly PlatformAdapter[] {
  const { pacing, proxyUrl, userAgent, transport } = config;
  const shared = { pacing, proxyUrl, userAgent, transport };
  const { sources: instagramSources, official: instagramApp, ...instagramOptions } = config.instagram;
  const { sources: tiktokSources, official: tiktokApp, ...tiktokOptions } = config.tiktok;
  const officials = {
    instagram: instagramApp && officialInstagram({ pacing, ...instagramApp }),
    tiktok: tiktokApp && officialTikTok({ pacing, ...tiktokApp }),
  };

  function read(platform: keyof Fields, own: PlatformAdapter, named: Fields[keyof Fields]['sources']): PlatformAdapter {
    const official: OfficialApi | undefined = officials[platform];
    const isFirst = official !== undefined && !named.includes('official');
    const sources = isFirst ? (['official', ...named] as const) : named;
    return withSources(
      official === undefined ? own : { ...own, official },
      sources.map((name) => {
        if (name === 'own') return { name, create: (context) => own.create(context) };
        if (name === 'official') {
          if (official === undefined)
            throw new TypeError(`The source \`official\` needs platforms.${platform}.official.`);
          return officialSource(official);
        }
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
