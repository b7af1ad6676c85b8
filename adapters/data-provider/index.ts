/** A paid provider of platform data (ScrapeCreators, HikerAPI) as a source of Instagram or TikTok. */
import { checkOptions } from '../../core/configuration-error.ts';
import { DomainError, isDomainError } from '../../core/errors.ts';
import { parseHandleOf, parsePostUrlOf } from '../../core/platforms/descriptor.ts';
import { isShortLink, type PostRef } from '../../core/platforms/post-url.ts';
import type { PlatformSourceAdapter } from '../../core/platforms/with-sources.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { CommentPage, Platform } from '../../core/ports/platform.ts';
import {
  type CallTime,
  createScrapingClient,
  decodeCursor,
  encodeCursor,
  type JsonObject,
  lentOptions,
  type ScrapingContext,
  type Verdict,
} from '../scraping/index.ts';
import { isAboutAccount, type Reading, readAnswer } from './answers.ts';
import { Credits } from './credits.ts';
import { type CommentList, type ProviderDialect, type Question, SOURCE } from './dialect.ts';
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
  const { platform } = settings;
  const dialect = dialectOf(settings);
  const { descriptor } = dialect;
  const { client, ask, credits } = createApi(settings, dialect);

  function checkPost(post: PostRef): void {
    if (post.platform === platform && dialect.isPost(post)) return;
    throw new DomainError('INVALID_REQUEST', `This is no reference to a post on ${descriptor.label}.`);
  }

  async function page(
    time: CallTime,
    post: PostRef,
    list: { readonly of: string; readonly parentId: string | null; readonly cursor: string | null },
  ): Promise<CommentPage> {
    const { parentId } = list;
    const cursor = list.cursor === null ? null : decodeCursor(list.cursor, list.of);
    const { comments, replies } = dialect.questions;
    const question = parentId === null ? comments(post, cursor) : replies(post, parentId, cursor);
    const { next, ...page } = await ask<CommentList>(time, question, 'post', (body) =>
      dialect.readComments(body, { parentId, isLater: cursor !== null }, post),
    );
    return { ...page, nextCursor: next === null ? null : encodeCursor(list.of, next), source: SOURCE };
  }

  return {
    name: platform,
    supports: { likers: dialect.readLikers !== undefined, replies: true },

    async resolveShortLink(url) {
      const parsed = parsePostUrlOf(descriptor, url);
      if (parsed === null) throw new DomainError('INVALID_REQUEST', `This is no link of ${descriptor.label}.`);
      if (!isShortLink(parsed)) return parsed.canonicalUrl;
      throw new DomainError('NOT_SUPPORTED', 'The data provider does not follow short links; send the full post URL.');
    },

    getPost: (post, call) =>
      client.within(call, post.contentId, (time) => {
        checkPost(post);
        return ask(time, dialect.questions.post(post), 'post', (body, reading) =>
          dialect.readPost(body, post, reading),
        );
      }),

    getComments: (post, cursor, call) =>
      client.within(call, post.contentId, (time) => {
        checkPost(post);
        return page(time, post, { of: post.contentId, parentId: null, cursor });
      }),

    getReplies: (post, commentId, cursor, call) =>
      client.within(call, post.contentId, (time) => {
        checkPost(post);
        if (!dialect.commentId.test(commentId)) {
          throw new DomainError('INVALID_REQUEST', `This cannot be the id of a comment on ${descriptor.label}.`);
        }
        return page(time, post, { of: `${post.contentId}/${commentId}`, parentId: commentId, cursor });
      }),

    getLikers: (post, maxCount, call) =>
      client.within(call, post.contentId, async (time) => {
        const { questions, readLikers } = dialect;
        if (questions.likers === undefined || readLikers === undefined) {
          throw new DomainError('NOT_SUPPORTED', 'The data provider does not say who liked a post.');
        }
        checkPost(post);
        const result = await ask(time, questions.likers(post), 'post', readLikers);
        return { ...result, likers: result.likers.slice(0, Math.max(0, maxCount)) };
      }),

    getProfile: (handle, call) =>
      client.within(call, `@${handle}`, (time) => {
        const asked = parseHandleOf(descriptor, handle);
        if (asked === null) throw new DomainError('INVALID_REQUEST', `This cannot be a handle on ${descriptor.label}.`);
        return ask(time, dialect.questions.profile(asked), 'profile', (body, reading) =>
          dialect.readProfile(body, asked, reading),
        );
      }),

    credits: () => credits.figures(),
    close: () => client.close(),
  };
}

/** @throws TypeError for a platform that the provider does not read */
function dialectOf({ name, platform }: DataProviderSettings): ProviderDialect {
  const dialect = PROVIDERS[name].dialects[platform];
  if (dialect === undefined) throw new TypeError(`${name} does not read ${platform}.`);
  return dialect;
}

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
    const reading: Reading = { platform, subject, clock, accountStatuses };
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
