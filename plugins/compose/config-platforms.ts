/** The options of platforms; see `config-schema.ts`. */
import { z } from 'zod';
import { dataProviderOptionsSchema } from '../../adapters/data-provider/index.ts';
import { browserUserAgent, scrapingTransport, webUrl } from '../../adapters/scraping/index.ts';
import { builtInPlatformFields, sourceProblems } from './built-in-platforms.ts';
import { platformAdapter } from './platform-list.ts';

const dataProvider = dataProviderOptionsSchema.shape;

export const platforms = z
  .strictObject({
    pacing: z.enum(['safe', 'off']).default('safe').meta({
      variable: 'SCRAPER_PACING',
      description: 'safe keeps to careful rates; off is for simulators.',
    }),
    proxyUrl: webUrl.optional().meta({
      variable: 'SCRAPER_PROXY_URL',
      shown: 'endpoint',
      description:
        'HTTP proxy for requests to the platforms; {session} in it becomes a key of the identity, for sticky addresses.',
    }),
    userAgent: browserUserAgent.optional().meta({
      shown: 'plain',
      description: 'User agent of a desktop browser; its client hints follow from it. A current Chrome by default.',
    }),
    transport: scrapingTransport.optional().meta({
      type: 'SendRequest | ScrapingTransport',
      shown: 'code',
      description: 'Sends the requests to the platforms instead of the built-in client; see `SendRequest`.',
    }),
    profileWaitMs: z.int().min(0).max(30_000).default(1_500).meta({
      description: 'How long registering a creator waits for the profile, in milliseconds; 0 leaves the profile out.',
    }),
    ...builtInPlatformFields,
    extra: z.array(platformAdapter).default([]).meta({
      shown: 'count',
      description: 'Platforms besides those that are registered by default, as values.',
    }),
    dataProvider: z
      .strictObject({
        name: dataProvider.name.meta({
          variable: 'DATA_PROVIDER',
          description: 'scrapecreators, or hikerapi: fewer platforms, and likers.',
        }),
        key: dataProvider.key.meta({
          variable: 'DATA_PROVIDER_KEY',
          shown: 'secret',
          description: 'API key of the data provider, which takes a credit for each answer.',
        }),
        baseUrl: dataProvider.baseUrl.meta({
          shown: 'endpoint',
          description: 'Where the data provider is asked; its own address when unset.',
        }),
        dailyCredits: dataProvider.dailyCredits.meta({
          variable: 'DATA_PROVIDER_DAILY_CREDITS',
          description: 'Most requests to it a day (UTC), by all processes together; no limit when unset.',
        }),
      })
      .meta({ typeName: 'DataProviderOptions', description: 'The paid account behind the source `provider`.' })
      .optional(),
  })
  .superRefine((given, context) => {
    for (const { path, message } of sourceProblems(given)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .meta({
    typeName: 'PlatformsOptions',
    orType: 'readonly PlatformAdapter[]',
    description: 'How the default platforms are read.',
  })
  .prefault({})
  .meta({
    description: `The registered platforms, as a list: values of \`credence/adapters/<platform>\` and \`PlatformAdapter\`s of your own. An
object instead of a list sets how the default platforms are read.
@example
\`\`\`ts
import { createCredence, type PlatformAdapter } from 'credence';

declare function toy(options: { readonly apiKey: string }): PlatformAdapter;
createCredence({ platforms: [toy({ apiKey: 'secret' })] });
\`\`\``,
  });
