/** By which account of the platform a link is known: proven, remembered, or seen under another handle. */
import { atMost } from '../../core/bulk.ts';
import type { SocialAccount } from '../../core/engagement/creators/creator.ts';
import type { CreatorStore, LinkInput, RenamedAccount } from '../../core/ports/creator-store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, toAccount } from './creator-rows.ts';
import type { Connection, Sql } from './database.ts';
import { millis } from './values.ts';

/** Most links in one call of `rememberAccounts`. */
const MAX_LINKS = 1_000;

const REMEMBER = `UPDATE social_accounts SET remembered_account_id = ?
  WHERE id = ? AND disconnected_at IS NULL AND platform_account_id IS NULL AND remembered_account_id IS NULL`;
const KNOWN = `SELECT coalesce(platform_account_id, remembered_account_id) AS accountId FROM social_accounts
  WHERE id = ? AND disconnected_at IS NULL`;

export function linkAccounts(connection: Connection): Pick<CreatorStore, 'rememberAccounts' | 'followHandle'> {
  return {
    async rememberAccounts(seen) {
      const known = await connection.writeMany(atMost(seen, MAX_LINKS, 'links'), (sql, some) =>
        some.flatMap(({ linkId, accountId }) => {
          sql.run(REMEMBER, accountId, linkId);
          const row = sql.get<{ readonly accountId: string | null }>(KNOWN, linkId);
          return row?.accountId == null ? [] : [[linkId, row.accountId] as const];
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
  sql.run(
    `UPDATE social_accounts
        SET platform_account_id = NULL, ownership_proven = 0, remembered_account_id = platform_account_id,
          disconnected_at = CASE WHEN handle = ? THEN disconnected_at ELSE coalesce(disconnected_at, ?) END
      WHERE platform = ? AND platform_account_id = ? AND NOT (creator_id = ? AND handle = ?)`,
    handle,
    millis(now),
    platform,
    accountId,
    creatorId,
    handle,
  );
}

function followHandle(sql: Sql, { link, accountId, handle, seenAt, now }: RenamedAccount): SocialAccount | null {
  const { creatorId, platform } = link;
  const at = millis(seenAt);
  const former = sql.get<{ readonly profileData: string }>(
    `SELECT profile_data AS profileData FROM social_accounts WHERE id = ? AND creator_id = ? AND platform = ? AND platform_account_id = ?
      AND ownership_proven = 1 AND disconnected_at IS NULL AND connected_at <= ? AND handle <> ?`,
    link.id,
    creatorId,
    platform,
    accountId,
    at,
    handle,
  );
  const own = sql.get<{ readonly id: number; readonly accountId: string | null }>(
    `SELECT id, coalesce(platform_account_id, remembered_account_id) AS accountId FROM social_accounts
      WHERE creator_id = ? AND platform = ? AND handle = ?`,
    creatorId,
    platform,
    handle,
  );
  if (former === undefined || (own !== undefined && own.accountId !== null && own.accountId !== accountId)) return null;
  sql.run(
    `UPDATE social_accounts SET platform_account_id = NULL, ownership_proven = 0, remembered_account_id = ?,
      disconnected_at = ? WHERE id = ?`,
    accountId,
    millis(now),
    link.id,
  );
  const row = sql.get<AccountRow>(
    `INSERT INTO social_accounts (creator_id, platform, handle, profile_data, ownership_proven, platform_account_id,
        connected_at) VALUES (?, ?, ?, ?, 1, ?, ?)
      ON CONFLICT (creator_id, platform, handle) DO UPDATE SET ownership_proven = 1, platform_account_id = excluded.platform_account_id,
        remembered_account_id = NULL, connected_at = excluded.connected_at, disconnected_at = NULL
      RETURNING ${ACCOUNT_COLUMNS}`,
    creatorId,
    platform,
    handle,
    former.profileData,
    accountId,
    at,
  );
  return row === undefined ? null : toAccount(row);
}
