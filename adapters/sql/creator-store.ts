import { atMost } from '../../core/bulk.ts';
import { noConnectionRequest } from '../../core/engagement/connections/connection.ts';
import {
  type Creator,
  type CreatorListRow,
  type CreatorTotals,
  knownAccountId,
  type LinkedCreator,
  type SocialAccount,
} from '../../core/engagement/creators/creator.ts';
import { splitKeys } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { CreatorSearch, CreatorStore, LinkInput, LinkResult } from '../../core/ports/creator-store.ts';
import { rangesOf } from '../../core/ports/search-text.ts';
import { REWARDED } from './attempt-states.ts';
import { linkAccounts, releaseRival } from './link-accounts.ts';
import { appendOutbox } from './outbox.ts';
import { readPage, when } from './pages.ts';
import { personalDataStore } from './personal-data.ts';
import { ACCOUNTS, CONNECTION_REQUESTS, CREATORS } from './tables.ts';
import { integer } from './values.ts';
import { Among, type Sql, type SqlConnection, type Value, type Work } from './work.ts';

const ACTIVE = when('disconnected_at IS NULL');

/** Up to the last creator of the next links, each with all of its links. */
const ACTIVE_LINKS = `WHERE platform = ? AND disconnected_at IS NULL AND creator_id > ? AND creator_id <= (
    SELECT max(creator_id) FROM (SELECT creator_id FROM social_accounts
      WHERE platform = ? AND disconnected_at IS NULL AND creator_id > ? ORDER BY creator_id LIMIT ?) AS next)
  ORDER BY creator_id, id`;

const linksOf = (ended: boolean) => `WHERE ${ended ? '' : 'disconnected_at IS NULL AND'} id IN (
    SELECT id FROM social_accounts WHERE handle IN (?) AND platform = ?
    UNION SELECT id FROM social_accounts WHERE scoped_account_id IN (?) AND platform = ?)
  ORDER BY creator_id, id`;

const NO_TOTALS: CreatorTotals = { totalAttempts: 0, totalVerified: 0, totalRewarded: 0, totalPoints: 0 };

export function createCreatorStore(connection: SqlConnection): CreatorStore {
  const byId = CREATORS.finder(connection, 'id');
  return {
    ...linkAccounts(connection),
    ...personalDataStore(connection),

    link: (input) =>
      connection.write(function* (sql) {
        const { requestId } = input;
        const linked = yield* link(sql, input);
        // After the creator's lock: an erasure is over, or comes later and finds the link.
        if (requestId !== undefined && !(yield* CONNECTION_REQUESTS.holds(sql, 'id = ?', requestId)))
          throw noConnectionRequest();
        if (input.ownershipProven && input.announce !== undefined) {
          const owner = `socialAccounts:${linked.account.id}` as const;
          yield* appendOutbox(sql, { owner, entries: [input.announce(linked)] });
        }
        return linked;
      }),

    disconnect: ({ externalId, platform, handle }, now) =>
      connection.write(function* (sql) {
        const which = `WHERE creator_id = (SELECT id FROM creators WHERE external_id = ?) AND platform = ? AND handle = ?
          AND disconnected_at IS NULL FOR UPDATE`;
        const account = yield* ACCOUNTS.find(sql, which, externalId, platform, handle);
        if (account === null) return null;
        yield* forgetScoped(sql, account);
        const { scopedAccountId, ...rest } = account;
        return yield* ACCOUNTS.change(sql, rest, { disconnectedAt: now, rememberedAccountId: null });
      }),

    find: async (which) => {
      if (typeof which === 'number') return (await byId(which))[0] ?? null;
      return connection.read((sql) => CREATORS.find(sql, 'WHERE external_id = ?', which.externalId));
    },

    search: (search) => connection.read((sql) => searchCreators(sql, search)),

    accountsOf: ACCOUNTS.finder(connection, 'creator_id'),

    findByHandle: (platform, handle, { ended = false } = {}) =>
      connection.read(function* (sql) {
        const isMeant = ended ? '' : 'AND disconnected_at IS NULL';
        const which = `WHERE handle = ? AND platform = coalesce(?, platform) ${isMeant} ORDER BY creator_id, id`;
        return yield* withCreators(sql, yield* ACCOUNTS.select(sql, which, handle, platform));
      }),

    linksOf: (platform, authors, { ended = false } = {}) =>
      connection.read(function* (sql) {
        const { handles, scoped } = splitKeys(atMost(authors, 'handles or ids'));
        const keys = [new Among(handles), platform, new Among(scoped), platform];
        const found = yield* ACCOUNTS.select(sql, linksOf(ended), ...keys);
        return yield* withCreators(sql, found);
      }),

    activeLinks: (platform, afterCreator, limit) =>
      connection.read(function* (sql) {
        const place = [platform, integer(afterCreator)];
        const links = yield* ACCOUNTS.select(sql, ACTIVE_LINKS, ...place, ...place, integer(limit));
        return yield* withCreators(sql, links);
      }),

    listPage: ({ after, ...request }) =>
      connection.read(function* (sql) {
        const last = after && (yield* ACCOUNTS.find(sql, 'WHERE id = ?', after.id));
        // Nothing comes after an account that is not there.
        const place = after && { id: after.id, by: last?.creatorId ?? Number.MAX_SAFE_INTEGER };
        const { items, total } = yield* readPage(sql, ACCOUNTS, 'creatorId', ACTIVE, { ...request, after: place });
        return { items: yield* withTotals(sql, items), total };
      }),

    replaceProfile: (accountId, profileData, avatarUrl) =>
      connection.write(function* (sql) {
        const known = yield* ACCOUNTS.find(sql, 'WHERE id = ?', accountId);
        // The creator first, as an erasure locks them.
        if (known === null || !(yield* CREATORS.holds(sql, 'id = ?', known.creatorId))) return false;
        const isActive = 'WHERE id = ? AND disconnected_at IS NULL';
        if ((yield* ACCOUNTS.update(sql, { profileData }, isActive, accountId)) === 0) return false;
        return (yield* CREATORS.update(sql, { avatarUrl }, 'WHERE id = ?', known.creatorId)) > 0;
      }),
  };
}

function* searchCreators(sql: Sql, search: CreatorSearch): Work<readonly Creator[]> {
  const { text, platform, email = false, limit } = search;
  const ids = new Set<number>();
  const find = function* (from: string, ...values: readonly Value[]): Work<void> {
    const rows = yield* sql.all<{ id: number }>(`${from} LIMIT ?`, ...values, integer(limit));
    for (const { id } of rows) ids.add(id);
  };
  for (const { from, to } of rangesOf(text)) {
    yield* find('SELECT id FROM creators WHERE external_id >= ? AND external_id < ?', from, to);
    yield* find('SELECT id FROM creators WHERE display_name >= ? AND display_name < ?', from, to);
    if (email) yield* find('SELECT id FROM creators WHERE email >= ? AND email < ?', from, to);
  }
  const [handle] = rangesOf(normaliseHandle(text));
  if (handle !== undefined && handle.from !== '') {
    const linked = `SELECT DISTINCT creator_id AS id FROM social_accounts
      WHERE handle >= ? AND handle < ? AND platform = coalesce(?, platform)`;
    yield* find(linked, handle.from, handle.to, platform ?? null);
  }
  return yield* CREATORS.select(sql, 'WHERE id IN (?) ORDER BY id LIMIT ?', new Among([...ids]), limit);
}

/** What an app knew the account by, before it was another one's or the link ended. */
const forgetScoped = (sql: Sql, { id }: SocialAccount): Work<number> =>
  sql.run('UPDATE social_accounts SET scoped_account_id = NULL WHERE id = ? AND scoped_account_id IS NOT NULL', id);

/** The whole of `CreatorStore.link`; the creator's lock makes it one step. */
function* link(sql: Sql, input: LinkInput): Work<LinkResult> {
  const { externalId, email, displayName, platform, handle, profileData, ownershipProven, now } = input;
  const known = yield* CREATORS.find(sql, 'WHERE external_id = ? FOR UPDATE', externalId);
  const avatarUrl = profileData.profile_pic_url ?? null;
  const creator = known ?? (yield* CREATORS.insert(sql, { externalId, email, displayName, avatarUrl, createdAt: now }));
  const accountId = ownershipProven ? (input.platformAccountId ?? null) : null;
  if (accountId !== null) yield* releaseRival(sql, creator.id, input, accountId);
  const proof = accountId === null ? {} : { platformAccountId: accountId, rememberedAccountId: null };
  const which = 'WHERE creator_id = ? AND platform = ? AND handle = ? FOR UPDATE';
  const stored = known && (yield* ACCOUNTS.find(sql, which, creator.id, platform, handle));
  if (stored === null) {
    const triple = { creatorId: creator.id, platform, platformUsername: handle };
    const made = { ...triple, profileData, ownershipProven, connectedAt: now, ...proof };
    return { outcome: 'created', creator, account: yield* ACCOUNTS.insert(sql, made) };
  }
  const isOther = accountId !== null && (knownAccountId(stored) ?? accountId) !== accountId;
  if (isOther) yield* forgetScoped(sql, stored);
  if (stored.disconnectedAt === null) {
    const account = ownershipProven ? yield* ACCOUNTS.change(sql, stored, { ownershipProven, ...proof }) : stored;
    return { outcome: 'existing', creator, account };
  }
  const account = yield* ACCOUNTS.change(sql, stored, {
    disconnectedAt: null,
    connectedAt: now,
    // A reconnecting caller that knows nothing of the profile does not wipe what is known.
    profileData: Object.keys(profileData).length === 0 ? stored.profileData : profileData,
    ownershipProven: stored.ownershipProven || ownershipProven,
    ...proof,
  });
  return { outcome: 'reconnected', creator, account };
}

/** Creators by their ids; ids without a creator are left out. */
export function* creatorsById(sql: Sql, ids: readonly number[]): Work<ReadonlyMap<number, Creator>> {
  const found = yield* CREATORS.select(sql, 'WHERE id IN (?)', new Among([...new Set(ids)]));
  return new Map(found.map((creator) => [creator.id, creator]));
}

function* withCreators(sql: Sql, accounts: readonly SocialAccount[]): Work<readonly LinkedCreator[]> {
  const creators = yield* creatorsById(sql, creatorIds(accounts));
  return accounts.flatMap((account) => {
    const creator = creators.get(account.creatorId);
    return creator === undefined ? [] : [{ creator, account }];
  });
}

const creatorIds = (accounts: readonly SocialAccount[]) => accounts.map(({ creatorId }) => creatorId);

function* withTotals(sql: Sql, accounts: readonly SocialAccount[]): Work<readonly CreatorListRow[]> {
  const rows = yield* sql.all<CreatorTotals & { readonly userId: number }>(
    `SELECT user_id AS "userId", count(*) AS "totalAttempts", count(verified_at) AS "totalVerified",
        count(*) FILTER (WHERE ${REWARDED}) AS "totalRewarded", sum(points_awarded) AS "totalPoints"
      FROM attempts WHERE user_id IN (?) GROUP BY user_id`,
    new Among(creatorIds(accounts)),
  );
  const totals = new Map<number, CreatorTotals>(rows.map(({ userId, ...counts }) => [userId, counts]));
  return (yield* withCreators(sql, accounts)).map((row) => ({ ...row, ...(totals.get(row.creator.id) ?? NO_TOTALS) }));
}
