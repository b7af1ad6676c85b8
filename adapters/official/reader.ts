import { DomainError } from '../../core/errors.ts';
import { keepNewest } from '../../core/keep-newest.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { OfficialAccount, OfficialAccounts, OfficialPost } from '../../core/ports/official-api.ts';
import type { Platform, PlatformComment } from '../../core/ports/platform.ts';
import {
  type CallTime,
  clearRefusal,
  createReader,
  type ScrapingClient,
  type ScrapingResponse,
  textPosition,
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
  const { name } = dialect.descriptor;
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

  return {
    ...createReader({
      ...dialect,
      client,
      position: textPosition,
      async readPost(time, post) {
        const { account, post: found } = await ownerOf(post, time);
        const { accountId, handle } = account;
        const owner = { handle, accountId, secUid: null, displayName: null };
        return { owner, ...(await dialect.readPost(askAs(account, time), found)) };
      },
      async readComments(time, post, place) {
        const { account, post: found } = await ownerOf(post, time);
        const list = await dialect.readComments(askAs(account, time), { ...found, ...place });
        return { ...list, comments: distinct(list.comments), isWhole: true };
      },
      readLikers: 'The official API does not say who liked a post.',
      readProfile: 'The official API does not show profiles of others.',
    }),

    async serves(call) {
      return call?.brandId !== undefined && (await accounts.of(name, call.brandId)).length > 0;
    },

    async resolveShortLink() {
      throw new DomainError('NOT_SUPPORTED', 'The official API does not follow short links.');
    },
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
  return async ({ contentId }: PostRef, time: CallTime) => {
    const { brandId } = time;
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
