import type {
  Creator,
  CreatorListRow,
  CreatorTotals,
  LinkedCreator,
  SocialAccount,
} from '../../core/engagement/creators/creator.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { CreatorSearch, CreatorStore, LinkInput, LinkResult } from '../../core/ports/creator-store.ts';
import { pageWindow } from '../../core/ports/paging.ts';
import { rangesOf } from '../../core/ports/search-text.ts';
import { REWARDED } from './attempt-states.ts';
import type { Connection, Sql } from './database.ts';
import { linkAccounts, releaseRival } from './link-accounts.ts';
import { appendOutbox } from './outbox.ts';
import { type OrderedList, readPage } from './pages.ts';
import { personalDataStore } from './personal-data.ts';
import { ACCOUNTS, CREATORS } from './tables.ts';
import { integer, type Value } from './values.ts';

const ACTIVE = { where: 'disconnected_at IS NULL', values: [] };
const BY_CREATOR: OrderedList<SocialAccount> = { table: ACCOUNTS, order: ['creator_id', 'id'], direction: 'ASC' };

/** Up to the last creator of the next links, each with all of its links. */
const ACTIVE_LINKS = `WHERE platform = ? AND disconnected_at IS NULL AND creator_id > ? AND creator_id <= (
    SELECT max(creator_id) FROM (SELECT creator_id FROM social_accounts
      WHERE platform = ? AND disconnected_at IS NULL AND creator_id > ? ORDER BY creator_id LIMIT ?))
  ORDER BY creator_id, id`;

const NO_TOTALS: CreatorTotals = { totalAttempts: 0, totalVerified: 0, totalRewarded: 0, totalPoints: 0 };

export function createCreatorStore(connection: Connection): CreatorStore {
  return {
    ...linkAccounts(connection),
    ...personalDataStore(connection),

    link: (input) =>
      connection.write((sql) => {
        const linked = link(sql, input);
        if (input.ownershipProven && input.announce !== undefined) {
          appendOutbox(sql, `socialAccounts:${linked.account.id}`, [input.announce(linked)]);
        }
        return linked;
      }),

    disconnect: ({ externalId, platform, handle }, now) =>
      connection.write((sql) => {
        const which = `WHERE creator_id = (SELECT id FROM creators WHERE external_id = ?) AND platform = ? AND handle = ?
          AND disconnected_at IS NULL`;
        const account = ACCOUNTS.find(sql, which, externalId, platform, handle);
        return account && ACCOUNTS.change(sql, account, { disconnectedAt: now, rememberedAccountId: null });
      }),

    find: (which) =>
      connection.read((sql) =>
        typeof which === 'number'
          ? CREATORS.find(sql, 'WHERE id = ?', which)
          : CREATORS.find(sql, 'WHERE external_id = ?', which.externalId),
      ),

    search: (search) => connection.read((sql) => searchCreators(sql, search)),

    accountsOf: (creatorId) =>
      connection.read((sql) => ACCOUNTS.select(sql, 'WHERE creator_id = ? ORDER BY id', creatorId)),

    findByHandle: (platform, handle, { ended = false } = {}) =>
      connection.read((sql) => {
        const isMeant = ended ? '' : 'AND disconnected_at IS NULL';
        const which = `WHERE handle = ? AND platform = ifnull(?, platform) ${isMeant} ORDER BY creator_id, id`;
        return withCreators(sql, ACCOUNTS.select(sql, which, handle, platform));
      }),

    activeLinks: (platform, afterCreator, limit) =>
      connection.read((sql) => {
        const place = [platform, integer(afterCreator)];
        return withCreators(sql, ACCOUNTS.select(sql, ACTIVE_LINKS, ...place, ...place, integer(limit)));
      }),

    listPage: (request) =>
      connection.read((sql) => {
        if (request.after === undefined) {
          const { items, total } = readPage(sql, BY_CREATOR, ACTIVE, request);
          return { items: withTotals(sql, items), total };
        }
        pageWindow(request);
        const last = ACCOUNTS.find(sql, 'WHERE id = ?', request.after.id);
        const accounts = last === null ? [] : accountsAfter(sql, last, request.limit);
        return { items: withTotals(sql, accounts), total: ACCOUNTS.count(sql, ACTIVE.where) };
      }),

    sharedHandles: (platform, handles) =>
      connection.read((sql) => {
        const rows = sql.all<{ handle: string }>(
          `SELECT handle FROM social_accounts WHERE handle IN (SELECT value FROM json_each(?)) AND platform = ?
            AND disconnected_at IS NULL GROUP BY handle HAVING count(*) > 1`,
          JSON.stringify(handles),
          platform,
        );
        return new Set(rows.map(({ handle }) => handle));
      }),

    replaceProfile: (accountId, profileData, avatarUrl) =>
      connection.write((sql) => {
        if (ACCOUNTS.update(sql, { profileData }, 'WHERE id = ?', accountId) === 0) return false;
        const ofAccount = 'WHERE id = (SELECT creator_id FROM social_accounts WHERE id = ?)';
        return CREATORS.update(sql, { avatarUrl }, ofAccount, accountId) > 0;
      }),
  };
}

function searchCreators(sql: Sql, { text, platform, email = false, limit }: CreatorSearch): readonly Creator[] {
  const ids = new Set<number>();
  const find = (from: string, ...values: readonly Value[]) => {
    for (const { id } of sql.all<{ id: number }>(`${from} LIMIT ?`, ...values, integer(limit))) ids.add(id);
  };
  for (const { from, to } of rangesOf(text)) {
    find('SELECT id FROM creators WHERE external_id >= ? AND external_id < ?', from, to);
    find('SELECT id FROM creators WHERE display_name >= ? AND display_name < ?', from, to);
    if (email) find('SELECT id FROM creators WHERE email >= ? AND email < ?', from, to);
  }
  const [handle] = rangesOf(normaliseHandle(text));
  if (handle !== undefined && handle.from !== '') {
    const which = 'handle >= ? AND handle < ? AND platform = ifnull(?, platform)';
    find(
      `SELECT DISTINCT creator_id AS id FROM social_accounts WHERE ${which}`,
      handle.from,
      handle.to,
      platform ?? null,
    );
  }
  const list = JSON.stringify([...ids]);
  return CREATORS.select(sql, 'WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?', list, limit);
}

/** The whole of `CreatorStore.link`; the write lock makes it one step. */
function link(sql: Sql, input: LinkInput): LinkResult {
  const { externalId, email, displayName, platform, handle, profileData, ownershipProven, now } = input;
  const creator =
    CREATORS.find(sql, 'WHERE external_id = ?', externalId) ??
    CREATORS.insert(sql, {
      externalId,
      email,
      displayName,
      avatarUrl: profileData.profile_pic_url ?? null,
      createdAt: now,
    });
  const accountId = ownershipProven ? (input.platformAccountId ?? null) : null;
  if (accountId !== null) releaseRival(sql, creator.id, input, accountId);
  const proof = accountId === null ? {} : { platformAccountId: accountId, rememberedAccountId: null };
  const which = 'WHERE creator_id = ? AND platform = ? AND handle = ?';
  const stored = ACCOUNTS.find(sql, which, creator.id, platform, handle);
  if (stored === null) {
    const made = {
      creatorId: creator.id,
      platform,
      platformUsername: handle,
      profileData,
      ownershipProven,
      connectedAt: now,
    };
    return { outcome: 'created', creator, account: ACCOUNTS.insert(sql, { ...made, ...proof }) };
  }
  if (stored.disconnectedAt === null) {
    const account = ownershipProven ? ACCOUNTS.change(sql, stored, { ownershipProven, ...proof }) : stored;
    return { outcome: 'existing', creator, account };
  }
  const account = ACCOUNTS.change(sql, stored, {
    disconnectedAt: null,
    connectedAt: now,
    // A reconnecting caller that knows nothing of the profile does not wipe what is known.
    profileData: Object.keys(profileData).length === 0 ? stored.profileData : profileData,
    ownershipProven: stored.ownershipProven || ownershipProven,
    ...proof,
  });
  return { outcome: 'reconnected', creator, account };
}

function accountsAfter(sql: Sql, last: SocialAccount, limit: number): readonly SocialAccount[] {
  const text = `WHERE ${ACTIVE.where} AND (creator_id, id) > (?, ?) ORDER BY creator_id, id LIMIT ?`;
  return ACCOUNTS.select(sql, text, last.creatorId, last.id, limit);
}

function withCreators(sql: Sql, accounts: readonly SocialAccount[]): readonly LinkedCreator[] {
  const found = CREATORS.select(sql, 'WHERE id IN (SELECT value FROM json_each(?))', creatorIds(accounts));
  const creators = new Map(found.map((creator) => [creator.id, creator]));
  return accounts.flatMap((account) => {
    const creator = creators.get(account.creatorId);
    return creator === undefined ? [] : [{ creator, account }];
  });
}

const creatorIds = (accounts: readonly SocialAccount[]) =>
  JSON.stringify([...new Set(accounts.map(({ creatorId }) => creatorId))]);

function withTotals(sql: Sql, accounts: readonly SocialAccount[]): readonly CreatorListRow[] {
  const rows = sql.all<CreatorTotals & { readonly userId: number }>(
    `SELECT user_id AS userId, count(*) AS totalAttempts, count(verified_at) AS totalVerified,
        count(*) FILTER (WHERE ${REWARDED}) AS totalRewarded, sum(points_awarded) AS totalPoints
      FROM attempts WHERE user_id IN (SELECT value FROM json_each(?)) GROUP BY user_id`,
    creatorIds(accounts),
  );
  const totals = new Map<number, CreatorTotals>(rows.map(({ userId, ...counts }) => [userId, counts]));
  return withCreators(sql, accounts).map((row) => ({ ...row, ...(totals.get(row.creator.id) ?? NO_TOTALS) }));
}
