import type {
  Creator,
  CreatorListRow,
  CreatorTotals,
  LinkedCreator,
  SocialAccount,
} from '../../core/engagement/creators/creator.ts';
import type { CreatorStore, LinkInput, LinkResult } from '../../core/ports/creator-store.ts';
import { accountOutbox, appendEvent } from './account-outbox.ts';
import { REWARDED } from './attempt-states.ts';
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  CREATOR_COLUMNS,
  type CreatorRow,
  LINKED_COLUMNS,
  type LinkedRow,
  toAccount,
  toCreator,
  toLinked,
} from './creator-rows.ts';
import type { Connection, Sql } from './database.ts';
import { linkAccounts, releaseRival } from './link-accounts.ts';
import { countRows, type OrderedList, readPage } from './pages.ts';
import { flag, integer, millis, window } from './values.ts';

interface TotalsRow extends CreatorTotals {
  readonly userId: number;
}

/** By the account's columns: by the creator's id, all that follow would be sorted for each chunk. */
const ACTIVE: OrderedList = {
  select: `SELECT ${LINKED_COLUMNS} FROM social_accounts a JOIN creators c ON c.id = a.creator_id`,
  from: 'social_accounts a',
  where: 'a.disconnected_at IS NULL',
  order: ['a.creator_id', 'a.id'],
  direction: 'ASC',
};

/** Up to the last creator of the next links, each with all of its links. */
const ACTIVE_LINKS = `SELECT ${LINKED_COLUMNS} FROM social_accounts a JOIN creators c ON c.id = a.creator_id
  WHERE a.platform = ? AND a.disconnected_at IS NULL AND a.creator_id > ? AND a.creator_id <= (
    SELECT max(creator_id) FROM (SELECT creator_id FROM social_accounts
      WHERE platform = ? AND disconnected_at IS NULL AND creator_id > ? ORDER BY creator_id LIMIT ?))
  ORDER BY a.creator_id, a.id`;

/** Rows of one piece of the whole list, which is made and sent in one turn of the event loop. */
const ROWS_TOGETHER = 500;

const NO_TOTALS: CreatorTotals = { totalAttempts: 0, totalVerified: 0, totalRewarded: 0, totalPoints: 0 };

export function createCreatorStore(connection: Connection): CreatorStore {
  return {
    ...accountOutbox(connection),
    ...linkAccounts(connection),

    link: (input) =>
      connection.write((sql) => {
        const linked = link(sql, input);
        if (input.ownershipProven && input.announce !== undefined) {
          appendEvent(sql, linked.account.id, input.announce(linked));
        }
        return linked;
      }),

    disconnect: (target, now) =>
      connection.write((sql): SocialAccount | null => {
        const row = sql.get<AccountRow>(
          `UPDATE social_accounts SET disconnected_at = ?, remembered_account_id = NULL
            WHERE creator_id = (SELECT id FROM creators WHERE external_id = ?) AND platform = ? AND handle = ?
              AND disconnected_at IS NULL
            RETURNING ${ACCOUNT_COLUMNS}`,
          millis(now),
          target.externalId,
          target.platform,
          target.handle,
        );
        return row === undefined ? null : toAccount(row);
      }),

    findById: (id) => connection.read((sql) => findCreator(sql, 'id', id)),
    findByExternalId: (externalId) => connection.read((sql) => findCreator(sql, 'external_id', externalId)),

    accountsOf: (creatorId) =>
      connection.read((sql) =>
        sql
          .all<AccountRow>(`SELECT ${ACCOUNT_COLUMNS} FROM social_accounts WHERE creator_id = ? ORDER BY id`, creatorId)
          .map(toAccount),
      ),

    activeAccount: (creatorId, platform) =>
      connection.read((sql): SocialAccount | null => {
        const row = sql.get<AccountRow>(
          `SELECT ${ACCOUNT_COLUMNS} FROM social_accounts
            WHERE creator_id = ? AND platform = ? AND disconnected_at IS NULL
            ORDER BY connected_at DESC, id DESC LIMIT 1`,
          creatorId,
          platform,
        );
        return row === undefined ? null : toAccount(row);
      }),

    findByHandle: (platform, handle) =>
      connection.read((sql) => {
        const select = `SELECT ${LINKED_COLUMNS} FROM social_accounts a JOIN creators c ON c.id = a.creator_id
          WHERE a.handle = ? AND a.disconnected_at IS NULL`;
        const order = 'ORDER BY c.id, a.id';
        const rows =
          platform === null
            ? sql.all<LinkedRow>(`${select} ${order}`, handle)
            : sql.all<LinkedRow>(`${select} AND a.platform = ? ${order}`, handle, platform);
        return rows.map(toLinked);
      }),

    everLinked: (platform, handle) =>
      connection.read((sql) =>
        sql
          .all<LinkedRow>(
            `SELECT ${LINKED_COLUMNS} FROM social_accounts a JOIN creators c ON c.id = a.creator_id
              WHERE a.handle = ? AND a.platform = ? ORDER BY c.id, a.id`,
            handle,
            platform,
          )
          .map(toLinked),
      ),

    activeLinks: (platform, afterCreator, limit) =>
      connection.read((sql) => {
        const place = [platform, integer(afterCreator)];
        return sql.all<LinkedRow>(ACTIVE_LINKS, ...place, ...place, integer(limit)).map(toLinked);
      }),

    async *listRows() {
      for (let last: LinkedCreator | undefined; ; ) {
        const after = last;
        const rows = await connection.read((sql) =>
          withTotals(sql, linksAfter(sql, after?.creator.id ?? 0, after?.account.id ?? 0, ROWS_TOGETHER)),
        );
        last = rows.at(-1);
        if (last === undefined) return;
        yield rows;
      }
    },

    listPage: (request) =>
      connection.read((sql) => {
        const { after, limit } = request;
        if (after === undefined) {
          const { rows, total } = readPage<LinkedRow>(sql, ACTIVE, [], request);
          return { items: withTotals(sql, rows.map(toLinked)), total };
        }
        window(request);
        const last = sql.get<{ readonly creatorId: number }>(
          'SELECT creator_id AS creatorId FROM social_accounts WHERE id = ?',
          after.id,
        );
        const links = last === undefined ? [] : linksAfter(sql, last.creatorId, after.id, limit);
        return { items: withTotals(sql, links), total: countRows(sql, ACTIVE, []) };
      }),

    replaceProfile: (accountId, profileData, avatarUrl) =>
      connection.write((sql) => {
        const profile = JSON.stringify(profileData);
        const { changes } = sql.run('UPDATE social_accounts SET profile_data = ? WHERE id = ?', profile, accountId);
        if (changes === 0) return false;
        sql.run(
          'UPDATE creators SET avatar_url = ? WHERE id = (SELECT creator_id FROM social_accounts WHERE id = ?)',
          avatarUrl,
          accountId,
        );
        return true;
      }),
  };
}

function findCreator(sql: Sql, column: 'id' | 'external_id', value: string | number): Creator | null {
  const row = sql.get<CreatorRow>(`SELECT ${CREATOR_COLUMNS} FROM creators WHERE ${column} = ?`, value);
  return row === undefined ? null : toCreator(row);
}

/** The whole of `CreatorStore.link`; the write lock makes it one step. */
function link(sql: Sql, input: LinkInput): LinkResult {
  const creator = findCreator(sql, 'external_id', input.externalId) ?? insertCreator(sql, input);
  const accountId = provenAccountId(input);
  if (accountId !== null) releaseRival(sql, creator.id, input, accountId);
  const stored = sql.get<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM social_accounts WHERE creator_id = ? AND platform = ? AND handle = ?`,
    creator.id,
    input.platform,
    input.handle,
  );
  if (stored === undefined) return { outcome: 'created', creator, account: insertAccount(sql, creator.id, input) };
  if (stored.disconnectedAt !== null) {
    // A reconnecting caller that knows nothing of the profile does not wipe what is known.
    const known = Object.keys(input.profileData).length === 0 ? stored.profileData : JSON.stringify(input.profileData);
    const row = sql.get<AccountRow>(
      `UPDATE social_accounts
          SET disconnected_at = NULL, connected_at = ?, profile_data = ?, ownership_proven = max(ownership_proven, ?),
            platform_account_id = coalesce(?, platform_account_id),
            remembered_account_id = CASE WHEN ? IS NULL THEN remembered_account_id END
        WHERE id = ? RETURNING ${ACCOUNT_COLUMNS}`,
      millis(input.now),
      known,
      flag(input.ownershipProven),
      accountId,
      accountId,
      stored.id,
    );
    return { outcome: 'reconnected', creator, account: toAccount(row ?? stored) };
  }
  if (input.ownershipProven) {
    const row = sql.get<AccountRow>(
      `UPDATE social_accounts SET ownership_proven = 1, platform_account_id = coalesce(?, platform_account_id),
          remembered_account_id = CASE WHEN ? IS NULL THEN remembered_account_id END
        WHERE id = ? RETURNING ${ACCOUNT_COLUMNS}`,
      accountId,
      accountId,
      stored.id,
    );
    return { outcome: 'existing', creator, account: toAccount(row ?? stored) };
  }
  return { outcome: 'existing', creator, account: toAccount(stored) };
}

function provenAccountId({ ownershipProven, platformAccountId }: LinkInput): string | null {
  return ownershipProven ? (platformAccountId ?? null) : null;
}

function insertCreator(sql: Sql, input: LinkInput): Creator {
  const { id } = sql.run(
    'INSERT INTO creators (external_id, email, display_name, avatar_url, created_at) VALUES (?, ?, ?, ?, ?)',
    input.externalId,
    input.email,
    input.displayName,
    input.profileData.profile_pic_url ?? null,
    millis(input.now),
  );
  const creator = findCreator(sql, 'id', id);
  if (creator === null) throw new Error('A creator that was just inserted is missing.');
  return creator;
}

function insertAccount(sql: Sql, creatorId: number, input: LinkInput): SocialAccount {
  const row = sql.get<AccountRow>(
    `INSERT INTO social_accounts (creator_id, platform, handle, profile_data, ownership_proven, platform_account_id,
        connected_at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING ${ACCOUNT_COLUMNS}`,
    creatorId,
    input.platform,
    input.handle,
    JSON.stringify(input.profileData),
    flag(input.ownershipProven),
    provenAccountId(input),
    millis(input.now),
  );
  if (row === undefined) throw new Error('An account that was just inserted is missing.');
  return toAccount(row);
}

function linksAfter(sql: Sql, afterCreator: number, afterAccount: number, limit: number): LinkedCreator[] {
  return sql
    .all<LinkedRow>(
      `${ACTIVE.select} WHERE ${ACTIVE.where} AND (a.creator_id, a.id) > (?, ?) ORDER BY a.creator_id, a.id LIMIT ?`,
      afterCreator,
      afterAccount,
      limit,
    )
    .map(toLinked);
}

function withTotals(sql: Sql, links: readonly LinkedCreator[]): CreatorListRow[] {
  const rows = sql.all<TotalsRow>(
    `SELECT user_id AS userId, count(*) AS totalAttempts, count(verified_at) AS totalVerified,
        count(*) FILTER (WHERE ${REWARDED}) AS totalRewarded, sum(points_awarded) AS totalPoints
      FROM attempts WHERE user_id IN (SELECT value FROM json_each(?)) GROUP BY user_id`,
    JSON.stringify([...new Set(links.map((row) => row.creator.id))]),
  );
  const totals = new Map<number, CreatorTotals>(rows.map(({ userId, ...counts }) => [userId, counts]));
  return links.map((row) => ({ ...row, ...(totals.get(row.creator.id) ?? NO_TOTALS) }));
}
