import type { z } from 'zod';
import { DomainError, isDomainError } from '../../core/errors.ts';
import { type PlatformDescriptor, parseHandleOf, parsePostUrlOf } from '../../core/platforms/descriptor.ts';
import { isShortLink, type PostRef } from '../../core/platforms/post-url.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { CommentPage, Platform } from '../../core/ports/platform.ts';
import {
  type CallTime,
  createScrapingClient,
  decodeCursor,
  encodeCursor,
  type JsonObject,
  type Verdict,
} from '../scraping/index.ts';
import { isAboutAccount, type Reading, readAnswer } from './answers.ts';
import { type CommentList, SOURCE } from './dialect.ts';
import { type DataProviderOptions, DIALECTS, dataProviderOptionsSchema, RATES } from './options.ts';
import type { Subject } from './words.ts';

/**
 * One platform through ScrapeCreators. Every answer costs a credit. Likers are `NOT_SUPPORTED`, and so are short links: the
 * provider documents neither. Trouble with the account (`details.reason` `provider-key`, `provider-credits`,
 * `provider-forbidden`, `provider-account`) is `PLATFORM_UNAVAILABLE` and an error in the log, so a chain continues to its next source.
 * @throws ZodError that names the option
 */
export function createDataProviderPlatform(options: DataProviderOptions): Platform {
  const settings = dataProviderOptionsSchema.parse(options);
  const { platform } = settings;
  const dialect = DIALECTS[platform];
  const { descriptor } = dialect;
  const { client, ask } = createApi(settings, descriptor);

  function checkPost(post: PostRef): void {
    if (post.platform === platform && dialect.isPost(post)) return;
    throw new DomainError('INVALID_REQUEST', `This is no reference to a post on ${descriptor.label}.`);
  }

  async function page(
    time: CallTime,
    path: string,
    post: PostRef,
    query: Readonly<Record<string, string>>,
    list: { readonly of: string; readonly parentId: string | null; readonly cursor: string | null },
  ): Promise<CommentPage> {
    const at: Record<string, string> = list.cursor === null ? {} : { cursor: decodeCursor(list.cursor, list.of) };
    const { next, ...page } = await ask<CommentList>(
      time,
      path,
      { url: post.canonicalUrl, ...query, ...at },
      'post',
      (body) => dialect.readComments(body, { parentId: list.parentId, isLater: list.cursor !== null }, post),
    );
    return { ...page, nextCursor: next === null ? null : encodeCursor(list.of, next), source: SOURCE };
  }

  return {
    name: platform,
    supports: { likers: false, replies: true },

    async resolveShortLink(url) {
      const parsed = parsePostUrlOf(descriptor, url);
      if (parsed === null) throw new DomainError('INVALID_REQUEST', `This is no link of ${descriptor.label}.`);
      if (!isShortLink(parsed)) return parsed.canonicalUrl;
      throw new DomainError('NOT_SUPPORTED', 'The data provider does not follow short links; send the full post URL.');
    },

    getPost: (post, call) =>
      client.within(call, post.contentId, (time) => {
        checkPost(post);
        return ask(time, dialect.paths.post, { url: post.canonicalUrl }, 'post', (body, reading) =>
          dialect.readPost(body, post, reading),
        );
      }),

    getComments: (post, cursor, call) =>
      client.within(call, post.contentId, (time) => {
        checkPost(post);
        const list = { of: post.contentId, parentId: null, cursor };
        return page(time, dialect.paths.comments, post, {}, list);
      }),

    getReplies: (post, commentId, cursor, call) =>
      client.within(call, post.contentId, (time) => {
        checkPost(post);
        if (!dialect.commentId.test(commentId)) {
          throw new DomainError('INVALID_REQUEST', `This cannot be the id of a comment on ${descriptor.label}.`);
        }
        const list = { of: `${post.contentId}/${commentId}`, parentId: commentId, cursor };
        return page(time, dialect.paths.replies, post, { comment_id: commentId }, list);
      }),

    async getLikers() {
      throw new DomainError('NOT_SUPPORTED', 'The data provider does not say who liked a post.');
    },

    getProfile: (handle, call) =>
      client.within(call, `@${handle}`, (time) => {
        const asked = parseHandleOf(descriptor, handle);
        if (asked === null) throw new DomainError('INVALID_REQUEST', `This cannot be a handle on ${descriptor.label}.`);
        return ask(time, dialect.paths.profile, { handle: asked }, 'profile', (body, reading) =>
          dialect.readProfile(body, asked, reading),
        );
      }),

    close: () => client.close(),
  };
}

/** The API of the provider with our key. */
function createApi(settings: z.output<typeof dataProviderOptionsSchema>, descriptor: PlatformDescriptor) {
  const { platform } = settings;
  const clock = settings.clock ?? systemClock;
  const logger = settings.logger ?? silentLogger;
  const client = createScrapingClient({
    ...settings,
    platform: descriptor,
    rates: RATES,
    headers: { accept: 'application/json', 'x-api-key': settings.key },
  });

  async function ask<T>(
    time: CallTime,
    path: string,
    query: Readonly<Record<string, string>>,
    subject: Subject,
    read: (body: JsonObject, reading: Reading) => Verdict<T>,
  ): Promise<T> {
    const reading: Reading = { platform, subject, clock };
    try {
      return await client.call(time, {
        endpoint: 'provider' satisfies keyof typeof RATES,
        kind: path,
        as: 'anonymous',
        request: { url: `${path}?${new URLSearchParams(query)}` },
        read: (response) => {
          const answer = readAnswer(response, reading);
          const verdict = answer.kind === 'ok' ? read(answer.value, reading) : answer;
          // What blocks the provider is its own matter: there is no identity of ours to change.
          return verdict.kind === 'blocked' ? { kind: 'unreadable', reason: verdict.reason, retries: 1 } : verdict;
        },
      });
    } catch (error) {
      if (isDomainError(error) && isAboutAccount(error)) logger.error({ platform }, error.message);
      throw error;
    }
  }

  return { client, ask };
}
