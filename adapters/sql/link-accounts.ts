/** By which account of the platform a link is known: proven, remembered, or seen under another handle. */
import { atMost } from '../../core/bulk.ts';
import { knownAccountId, provenFor, type SocialAccount, unprovenFor } from '../../core/engagement/creators/creator.ts';
import { areOtherAccounts } from '../../core/platforms/author-key.ts';
import type { CreatorStore, LinkInput, RenamedAccount } from '../../core/ports/creator-store.ts';
import { ACCOUNTS, CREATORS } from './tables.ts';
import { millis, text, writeMany } from './values.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

const ACTIVE = 'WHERE id IN (?) AND disconnected_at IS NULL ORDER BY id FOR UPDATE';

/** The link with the account it was seen with, if none was known. An id of another app says nothing about this one, and gives way. */
function noteSeen(link: SocialAccount, accountId: string, which: 'scoped' | undefined): SocialAccount {
  if (which === undefined) return knownAccountId(link) === null ? { ...link, rememberedAccountId: accountId } : link;
  const { scopedAccountId: known } = link;
  return known === accountId || areOtherAccounts(known, accountId) ? link : { ...link, scopedAccountId: accountId };
}

export function linkAccounts(connection: SqlConnection): Pick<CreatorStore, 'rememberAccounts' | 'followHandle'> {
  return {
    async rememberAccounts(seen, which) {
      const links = atMost(seen, 'links');
      const known = await writeMany(connection, links, function* (sql, some): Work<(readonly [number, string])[]> {
        // Of several accounts for one link, the first stands.
        const accountIds = new Map(some.toReversed().map(({ linkId, accountId }) => [linkId, text(accountId)]));
        const links = yield* ACCOUNTS.select(sql, ACTIVE, new Among([...accountIds.keys()]));
        const noted = links.map((link) => noteSeen(link, accountIds.get(link.id) ?? '', which));
        const changed = noted.filter((link, index) => link !== links[index]);
        yield* ACCOUNTS.replace(sql, changed);
        const idOf = (link: SocialAccount) => (which === undefined ? knownAccountId(link) : link.scopedAccountId) ?? '';
        return noted.map((link) => [link.id, idOf(link)]);
      });
      return new Map(known);
    },

    followHandle: (renamed) => connection.write((sql) => followHandle(sql, renamed)),
  };
}

/** The other link that was proven for this account is proven no more, and remembers the account. */
export function* releaseRival(sql: Sql, creatorId: number, input: LinkInput, accountId: string): Work<void> {
  const { platform, handle, now } = input;
  const rival = yield* ACCOUNTS.find(
    sql,
    'WHERE platform = ? AND platform_account_id = ? AND NOT (creator_id = ? AND handle = ?) FOR UPDATE',
    platform,
    accountId,
    creatorId,
    handle,
  );
  if (rival === null) return;
  yield* ACCOUNTS.change(sql, rival, {
    ...unprovenFor(accountId),
    disconnectedAt: rival.platformUsername === handle ? rival.disconnectedAt : (rival.disconnectedAt ?? now),
  });
}

function* followHandle(sql: Sql, renamed: RenamedAccount): Work<SocialAccount | null> {
  const { link, accountId, handle, seenAt, now } = renamed;
  const { creatorId, platform } = link;
  // First of all: an erasure locks its rows in this order.
  yield* CREATORS.holds(sql, 'id = ?', creatorId);
  const former = yield* ACCOUNTS.find(
    sql,
    `WHERE id = ? AND creator_id = ? AND platform = ? AND platform_account_id = ? AND ownership_proven = 1
      AND disconnected_at IS NULL AND connected_at <= ? AND handle <> ? FOR UPDATE`,
    link.id,
    creatorId,
    platform,
    accountId,
    millis(seenAt),
    handle,
  );
  const which = 'WHERE creator_id = ? AND platform = ? AND handle = ? FOR UPDATE';
  const own = yield* ACCOUNTS.find(sql, which, creatorId, platform, handle);
  if (former === null || (own !== null && (knownAccountId(own) ?? accountId) !== accountId)) return null;
  yield* ACCOUNTS.change(sql, former, { ...unprovenFor(accountId), disconnectedAt: now });
  const { scopedAccountId } = former;
  const scoped = scopedAccountId === undefined ? {} : { scopedAccountId };
  const linked = { ...provenFor(accountId), ...scoped, connectedAt: seenAt, disconnectedAt: null };
  if (own !== null) return yield* ACCOUNTS.change(sql, own, linked);
  const { profileData } = former;
  return yield* ACCOUNTS.insert(sql, { creatorId, platform, platformUsername: handle, profileData, ...linked });
}
