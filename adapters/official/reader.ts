import { DomainError } from '../../core/errors.ts';
import { keepNewest } from '../../core/keep-newest.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { OfficialAccount, OfficialAccounts, OfficialPost } from '../../core/ports/official-api.ts';
import type { CommentPage, Platform, PlatformCallOptions, PlatformComment } from '../../core/ports/platform.ts';
import {
  type CallTime,
  clearRefusal,
  decodeCursor,
  encodeCursor,
  type ScrapingClient,
  type ScrapingResponse,
  type Verdict,
} from '../scraping/index.ts';
import type { Ask, OfficialDialect, Question } from './dialect.ts';
import { postGone, refusalIn } from './refusals.ts';

/** Reads the posts of connected accounts. */
export function createOfficialReader(
  dialect: OfficialDialect,
  client: ScrapingClient,
  accounts: OfficialAccounts,
): Platform {
  const { name, label } = dialect.descriptor;
  const ownerOf = createOwnerSearch(dialect, accounts, askAs);

  function askAs(account: OfficialAccount, time: CallTime): Ask {
    return async (question) => {
      try {
        return await client.call(time, {
          endpoint: question.endpoint,
          kind: question.kind ?? question.endpoint,
          as: 'anonymous',
          account: account.accountId,
          request: { url: question.url, headers: dialect.headersOf(account.accessToken) },
          read: (response) => readWhole(dialect, response, question),
        });
      } catch (error) {
        const why = refusalIn(error);
        if (why !== null && question.isOptional !== true) await accounts.refused(account, why);
        throw error;
      }
    };
  }

  function reading<T>(
    post: PostRef,
    call: PlatformCallOptions | undefined,
    task: (ask: Ask, post: OfficialPost, account: OfficialAccount) => Promise<T>,
  ): Promise<T> {
    return client.within(call, post.contentId, async (time) => {
      if (post.platform !== name || !dialect.contentId.test(post.contentId)) {
        throw new DomainError('INVALID_REQUEST', `This is no reference to a post on ${label}.`);
      }
      const { account, post: found } = await ownerOf(post, call?.brandId, time);
      return await task(askAs(account, time), found, account);
    });
  }

  async function readPage(
    post: PostRef,
    parentId: string | null,
    cursor: string | null,
    call: PlatformCallOptions | undefined,
  ): Promise<CommentPage> {
    const of = parentId === null ? post.contentId : `${post.contentId}/${parentId}`;
    const after = cursor === null ? null : decodeCursor(cursor, of);
    const list = await reading(post, call, (ask, found) => dialect.readComments(ask, { ...found, parentId, after }));
    return {
      comments: distinct(list.comments),
      skipped: list.skipped,
      nextCursor: list.next === null ? null : encodeCursor(of, list.next),
      expectedTotal: null,
      isWhole: true,
      source: dialect.source,
    };
  }

  return {
    name,
    supports: { likers: false, replies: true },

    async serves(call) {
      return call?.brandId !== undefined && (await accounts.of(name, call.brandId)).length > 0;
    },

    async resolveShortLink() {
      throw notSupported('The official API does not follow short links.');
    },

    getPost: (post, call) =>
      reading(post, call, async (ask, found, { accountId, handle }) => ({
        platform: name,
        contentType: 'post',
        contentId: post.contentId,
        postUrl: post.canonicalUrl,
        owner: { handle, accountId, secUid: null, displayName: null },
        ...(await dialect.readPost(ask, found)),
        source: dialect.source,
      })),

    getComments: async (post, cursor, call) => await readPage(post, null, cursor, call),

    async getReplies(post, commentId, cursor, call) {
      if (dialect.commentId.test(commentId)) return await readPage(post, commentId, cursor, call);
      throw new DomainError('INVALID_REQUEST', `This cannot be the id of a comment on ${label}.`);
    },

    async getLikers() {
      throw notSupported('The official API does not say who liked a post.');
    },

    async getProfile() {
      throw notSupported('The official API does not show profiles of others.');
    },

    close: () => client.close(),
  };
}

function readWhole<T>(dialect: OfficialDialect, response: ScrapingResponse, question: Question<T>): Verdict<T> {
  const { name } = dialect.descriptor;
  const answer = dialect.readAnswer(response);
  if (answer === 'gone') return question.gone ?? postGone(dialect.descriptor);
  if (answer === 'bad-parameter') {
    if (question.isLater !== true) return { kind: 'unreadable', reason: answer };
    const message = 'The cursor is no longer accepted; begin without one.';
    return clearRefusal(name, 'INVALID_REQUEST', message, 'invalid-cursor');
  }
  if (answer.kind !== 'ok') return answer;
  const verdict = question.read(answer.value);
  return verdict.kind === 'ok' ? { ...verdict, restSeconds: answer.restSeconds } : verdict;
}

function distinct(comments: readonly PlatformComment[]): readonly PlatformComment[] {
  return [...new Map(comments.map((comment) => [comment.id, comment])).values()];
}

function notSupported(message: string): DomainError {
  return new DomainError('NOT_SUPPORTED', message);
}

/** A post that is none of an account's is not looked for again so soon. */
const MISSING_MS = 600_000;
const MAX_MISSING = 10_000;

/** Finds the connected account of a brand that owns a post. */
function createOwnerSearch(
  dialect: OfficialDialect,
  accounts: OfficialAccounts,
  askAs: (account: OfficialAccount, time: CallTime) => Ask,
) {
  const { name, label } = dialect.descriptor;
  /** By account and post, when it was not found. */
  const missing = new Map<string, number>();

  async function findAt(account: OfficialAccount, contentId: string, time: CallTime): Promise<OfficialPost | null> {
    const key = `${account.accountId} ${contentId}`;
    if (performance.now() - (missing.get(key) ?? Number.NEGATIVE_INFINITY) < MISSING_MS) return null;
    const found = await dialect.find(askAs(account, time), account.accountId, contentId);
    if (found !== null) {
      await accounts.rememberPosts(name, [found]);
      return found;
    }
    keepNewest(missing, key, performance.now(), MAX_MISSING);
    return null;
  }

  /**
   * An account that fails is no reason to say that nobody owns the post.
   * @throws DomainError `NOT_SUPPORTED` for a post of somebody else
   */
  return async ({ contentId }: PostRef, brandId: number | undefined, time: CallTime) => {
    const own = brandId === undefined ? [] : await accounts.of(name, brandId);
    const known = own.length === 0 ? null : await accounts.findPost(name, { contentId });
    const candidates = known === null ? own : own.filter(({ accountId }) => accountId === known.accountId);
    const failures: unknown[] = [];
    for (const account of candidates) {
      try {
        const post = known ?? (await findAt(account, contentId, time));
        if (post !== null) return { account, post };
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    throw new DomainError('NOT_SUPPORTED', `No connected account of this brand owns the post on ${label}.`);
  };
}
