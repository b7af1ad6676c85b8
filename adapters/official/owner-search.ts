/** Which connected account of a brand owns a post. */
import { DomainError } from '../../core/errors.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { OfficialAccount, OfficialAccounts, OfficialPost } from '../../core/ports/official-api.ts';
import type { CallTime } from '../scraping/index.ts';
import type { Ask, OfficialDialect } from './dialect.ts';

/** A post that is none of an account's is not looked for again so soon. */
const MISSING_MS = 600_000;
const MAX_MISSING = 10_000;

export interface Owned {
  readonly account: OfficialAccount;
  readonly post: OfficialPost;
}

/** @throws DomainError `NOT_SUPPORTED` for a post of somebody else */
export type OwnerSearch = (post: PostRef, brandId: number | undefined, time: CallTime) => Promise<Owned>;

export function createOwnerSearch(
  dialect: OfficialDialect,
  accounts: OfficialAccounts,
  askAs: (account: OfficialAccount, time: CallTime) => Ask,
): OwnerSearch {
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
    const [oldest] = missing.keys();
    if (missing.size >= MAX_MISSING && oldest !== undefined) missing.delete(oldest);
    missing.set(key, performance.now());
    return null;
  }

  /** The account that owns the post. One that fails is no reason to say that nobody does. */
  return async ({ contentId }, brandId, time) => {
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
