/** By which account of the platform a link is known: proven, remembered, or seen under another handle. */
import { atMost } from '../../core/bulk.ts';
import { knownAccountId, type SocialAccount } from '../../core/engagement/creators/creator.ts';
import type { CreatorStore, LinkInput, RenamedAccount } from '../../core/ports/creator-store.ts';
import type { Connection, Sql } from './database.ts';
import { ACCOUNTS } from './tables.ts';
import { millis } from './values.ts';

/** Most links in one call of `rememberAccounts`. */
const MAX_LINKS = 1_000;

const UNKNOWN = `WHERE id = ? AND disconnected_at IS NULL AND platform_account_id IS NULL
  AND remembered_account_id IS NULL`;

export function linkAccounts(connection: Connection): Pick<CreatorStore, 'rememberAccounts' | 'followHandle'> {
  return {
    async rememberAccounts(seen) {
      const known = await connection.writeMany(atMost(seen, MAX_LINKS, 'links'), (sql, some) =>
        some.flatMap(({ linkId, accountId }) => {
          ACCOUNTS.update(sql, { rememberedAccountId: accountId }, UNKNOWN, linkId);
          const link = ACCOUNTS.find(sql, 'WHERE id = ? AND disconnected_at IS NULL', linkId);
          const known = link && knownAccountId(link);
          return known === null ? [] : [[linkId, known] as const];
        }),
      );
      return new Map(known);
    },

    followHandle: (renamed) => connection.write((sql) => followHandle(sql, renamed)),
  };
}

/** The other link that was proven for this account is proven no more, and remembers the account. */
export function releaseRival(sql: Sql, creatorId: number, input: LinkInput, accountId: string): void {
  const { platform, handle, now } = input;
  const rival = ACCOUNTS.find(
    sql,
    'WHERE platform = ? AND platform_account_id = ? AND NOT (creator_id = ? AND handle = ?)',
    platform,
    accountId,
    creatorId,
    handle,
  );
  if (rival === null) return;
  ACCOUNTS.change(sql, rival, {
    platformAccountId: null,
    ownershipProven: false,
    rememberedAccountId: accountId,
    disconnectedAt: rival.platformUsername === handle ? rival.disconnectedAt : (rival.disconnectedAt ?? now),
  });
}

function followHandle(sql: Sql, { link, accountId, handle, seenAt, now }: RenamedAccount): SocialAccount | null {
  const { creatorId, platform } = link;
  const former = ACCOUNTS.find(
    sql,
    `WHERE id = ? AND creator_id = ? AND platform = ? AND platform_account_id = ? AND ownership_proven = 1
      AND disconnected_at IS NULL AND connected_at <= ? AND handle <> ?`,
    link.id,
    creatorId,
    platform,
    accountId,
    millis(seenAt),
    handle,
  );
  const own = ACCOUNTS.find(sql, 'WHERE creator_id = ? AND platform = ? AND handle = ?', creatorId, platform, handle);
  if (former === null || (own !== null && (knownAccountId(own) ?? accountId) !== accountId)) return null;
  const ended = {
    ownershipProven: false,
    platformAccountId: null,
    rememberedAccountId: accountId,
    disconnectedAt: now,
  };
  ACCOUNTS.change(sql, former, ended);
  const proven = { ownershipProven: true, platformAccountId: accountId, rememberedAccountId: null };
  const linked = { ...proven, connectedAt: seenAt, disconnectedAt: null };
  if (own !== null) return ACCOUNTS.change(sql, own, linked);
  const { profileData } = former;
  return ACCOUNTS.insert(sql, { creatorId, platform, platformUsername: handle, profileData, ...linked });
}
