/** A paid provider of platform data (ScrapeCreators, HikerAPI) as a source of Instagram or TikTok. */
import { checkOptions } from '../../core/configuration-error.ts';
import { isDomainError } from '../../core/errors.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { PlatformSourceAdapter } from '../../core/platforms/with-sources.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { Platform } from '../../core/ports/platform.ts';
import {
  type CallTime,
  createReader,
  createScrapingClient,
  type JsonObject,
  lentOptions,
  type ScrapingContext,
  textPosition,
  type Verdict,
} from '../scraping/index.ts';
import { isAboutAccount, type Reading, readAnswer } from './answers.ts';
import { Credits } from './credits.ts';
import type { ProviderDialect, Question } from './dialect.ts';
import {
  type DataProviderOptions,
  type DataProviderSettings,
  type DataProviderSourceOptions,
  dataProviderOptionsSchema,
} from './options.ts';
import { PROVIDERS } from './providers.ts';
import type { Subject } from './words.ts';

export {
  type DataProviderOptions,
  type DataProviderSourceOptions,
  dataProviderKey,
  dataProviderOptionsSchema,
  readsPlatform,
} from './options.ts';

/**
 * The provider as a source for `withSources`, under the name `provider`.
 * @throws ConfigurationError that names the option
 */
export function dataProvider(options: DataProviderSourceOptions): PlatformSourceAdapter {
  checkOptions('dataProvider', dataProviderOptionsSchema, options);
  return {
    name: 'provider',
    create: (context: ScrapingContext) =>
      createDataProviderPlatform({ ...options, ...lentOptions(context), usage: context.usage }),
  };
}

/**
 * One platform through a data provider. Every answer costs a credit. Short links are `NOT_SUPPORTED`, and so are likers but for
 * HikerAPI: the providers document neither. Trouble with the account (`details.reason` `provider-key`, `provider-credits`,
 * `provider-forbidden`, `provider-account`) is `PLATFORM_UNAVAILABLE` and an error in the log, so a chain continues to its next
 * source. Spent credits of a day are `SCRAPING_RATE_LIMITED` with the reason `provider-budget`.
 * @throws ZodError that names the option; TypeError for a platform that the provider does not read
 */
export function createDataProviderPlatform(options: DataProviderOptions): Platform {
  const settings = dataProviderOptionsSchema.parse(options);
  const { name, platform } = settings;
  const dialect = PROVIDERS[name].dialects[platform];
  if (dialect === undefined) throw new TypeError(`${name} does not read ${platform}.`);
  const { questions } = dialect;
  const { client, ask, credits } = createApi(settings, dialect);

  return {
    ...createReader({
      ...dialect,
      client,
      source: 'data-provider',
      position: textPosition,
      readPost: (time, post) =>
        ask(time, questions.post(post), 'post', (body, reading) => dialect.readPost(body, post, reading)),
      readComments(time, post, place) {
        const { parentId, after } = place;
        const question = parentId === null ? questions.comments(post, after) : questions.replies(post, parentId, after);
        return ask(time, question, 'post', (body) => dialect.readComments(body, place, post));
      },
      readLikers: likersOf(dialect, ask),
      readProfile: (time, handle) =>
        ask(time, questions.profile(handle), 'profile', (body, reading) => dialect.readProfile(body, handle, reading)),
    }),
    credits: () => credits.figures(),
  };
}

function likersOf({ questions, readLikers }: ProviderDialect, ask: ReturnType<typeof createApi>['ask']) {
  const { likers: question } = questions;
  if (question === undefined || readLikers === undefined) return 'The data provider does not say who liked a post.';
  return async (time: CallTime, post: PostRef, maxCount: number) => {
    const result = await ask(time, question(post), 'post', readLikers);
    return { ...result, likers: result.likers.slice(0, Math.max(0, maxCount)) };
  };
}

/** The provider itself gives up after 29 s. */
const ATTEMPT_MS = 30_000;

/** The API of the provider with our key. */
function createApi(settings: DataProviderSettings, { descriptor }: ProviderDialect) {
  const { platform } = settings;
  const { keyHeader, accountStatuses, rate, ...provider } = PROVIDERS[settings.name];
  const clock = settings.clock ?? systemClock;
  const logger = settings.logger ?? silentLogger;
  const { name, dailyCredits, usage } = settings;
  const credits = new Credits({ platform, name, clock, dailyCredits, usage });
  const client = createScrapingClient({
    ...settings,
    baseUrl: settings.baseUrl ?? provider.baseUrl,
    attemptTimeoutMs: ATTEMPT_MS,
    platform: descriptor,
    rates: { provider: rate },
    headers: { accept: 'application/json', [keyHeader]: settings.key },
  });

  async function ask<T>(
    time: CallTime,
    [path, query]: Question,
    subject: Subject,
    read: (body: JsonObject, reading: Reading) => Verdict<T>,
  ): Promise<T> {
    const reading: Reading = { platform, subject, accountStatuses };
    try {
      return await client.call(time, {
        endpoint: 'provider',
        kind: path,
        as: 'anonymous',
        async request() {
          await credits.spend();
          return { url: `${path}?${new URLSearchParams(query)}` };
        },
        read: (response) => {
          const answer = readAnswer(response, reading);
          if (answer.kind === 'ok') credits.heed(answer.value);
          const verdict = answer.kind === 'ok' ? read(answer.value, reading) : answer;
          // The platform blocks the provider and not us: none of our identities has to be changed.
          return verdict.kind === 'blocked' ? { kind: 'unreadable', reason: verdict.reason, retries: 1 } : verdict;
        },
      });
    } catch (error) {
      if (isDomainError(error) && isAboutAccount(error)) logger.error({ platform }, error.message);
      throw error;
    }
  }

  return { client, ask, credits };
}
