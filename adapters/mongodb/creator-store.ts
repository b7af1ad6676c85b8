import { atMost } from '../../core/bulk.ts';
import { isRewarded, statesWhere } from '../../core/engagement/attempts/states.ts';
import type {
  Creator,
  CreatorListRow,
  CreatorTotals,
  LinkedCreator,
  SocialAccount,
} from '../../core/engagement/creators/creator.ts';
import { splitKeys } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { CreatorSearch, CreatorStore } from '../../core/ports/creator-store.ts';
import { rangesOf, type TextRange } from '../../core/ports/search-text.ts';
import type { Database } from './items.ts';
import { linkAccounts } from './link-accounts.ts';
import { link } from './link-creator.ts';
import { personalDataStore } from './personal-data.ts';
import { equals, instant, integer, near, text } from './values.ts';

const NO_TOTALS: CreatorTotals = { totalAttempts: 0, totalVerified: 0, totalRewarded: 0, totalPoints: 0 };

const BY_CREATOR = { sort: { creatorId: 1, _id: 1 } } as const;
const ACTIVE = { disconnectedAt: null };
/** Where many links are read: for some servers `null` in a filter makes the whole search slow. */
const isActive = ({ disconnectedAt }: SocialAccount) => disconnectedAt === null;

export function createCreatorStore(db: Database): CreatorStore {
  const { creators, socialAccounts: accounts } = db;
  const byId = creators.finderById();
  const accountsOf = accounts.finder('creatorId');
  return {
    link: (input) => link(db, input),
    ...linkAccounts(db),
    ...personalDataStore(db),

    async disconnect({ externalId, platform, handle }, now) {
      const creator = await creators.find(equals({ externalId }));
      if (creator === null) return null;
      const active = { ...equals({ creatorId: creator.id, platform, platformUsername: handle }), ...ACTIVE };
      return accounts.change(active, {
        $set: { disconnectedAt: instant(now), rememberedAccountId: null },
        $unset: { scopedAccountId: '' },
      });
    },

    async find(which) {
      return typeof which === 'number' ? byId(which) : creators.find({ externalId: text(which.externalId) });
    },

    search: (search) => searchCreators(db, search),

    accountsOf: async (creatorId) => (await accountsOf(creatorId)).map((found) => accounts.toItem(found)),

    async findByHandle(platform, handle, { ended = false } = {}) {
      const chosen = equals({ platformUsername: handle }, { platform: platform ?? undefined });
      return withCreators(db, await accounts.list({ ...chosen, ...(ended ? {} : ACTIVE) }, BY_CREATOR));
    },

    async linksOf(platform, authors, { ended = false } = {}) {
      const { handles, scoped } = splitKeys(atMost(authors, 'handles or ids'));
      const ofPlatform = equals({ platform });
      const byHandle = { ...ofPlatform, platformUsername: { $in: [...handles] } };
      const byId = { ...ofPlatform, scopedAccountId: { $in: [...scoped] } };
      const found = await accounts.list({ $or: [byHandle, byId] }, BY_CREATOR);
      return withCreators(db, ended ? found : found.filter(isActive));
    },

    async activeLinks(platform, afterCreator, limit) {
      const ofPlatform = equals({ platform });
      const upTo = async (last: number) => {
        const range = { $gt: integer(afterCreator), $lte: last };
        return (await accounts.list({ ...ofPlatform, creatorId: range }, BY_CREATOR)).filter(isActive);
      };
      const found = await upTo(afterCreator + integer(limit));
      if (found.length >= limit / 4) return withCreators(db, found);
      // Few of these creators have a link there: the range is as long as the next links need it.
      const after = { ...ofPlatform, ...ACTIVE, creatorId: { $gt: afterCreator } };
      const last = (await accounts.list(after, { ...BY_CREATOR, limit })).at(-1);
      return last === undefined ? [] : withCreators(db, await upTo(last.creatorId));
    },

    async listPage({ after, ...request }) {
      const last = after && (await accounts.find({ _id: integer(after.id) }));
      // Nothing comes after an account that is not there.
      const place = after && { id: after.id, by: last?.creatorId ?? Number.MAX_SAFE_INTEGER };
      const { items, total } = await accounts.page(ACTIVE, 'creatorId', { ...request, after: place });
      return { items: await toListRows(db, items), total };
    },

    async replaceProfile(accountId, profileData, avatarUrl) {
      const profile = { $set: { profileData: JSON.stringify(profileData) } };
      const account = await accounts.change({ _id: integer(accountId), ...ACTIVE }, profile);
      if (account === null) return false;
      // One that was erased meanwhile gets no picture.
      const creator = { _id: account.creatorId, externalId: { $not: new RegExp(`^erased-${account.creatorId}-`) } };
      await creators.update(creator, { $set: { avatarUrl } });
      return true;
    },
  };
}

async function searchCreators(
  { creators, socialAccounts }: Database,
  { text: words, platform, email = false, limit }: CreatorSearch,
): Promise<Creator[]> {
  const within = ({ from, to }: TextRange) => ({ $gte: text(from), $lt: text(to) });
  const most = integer(limit);
  const fields = email ? ['externalId', 'displayName', 'email'] : ['externalId', 'displayName'];
  // One field a query: each walks its own index.
  const found = fields.flatMap((field) =>
    rangesOf(text(words)).map((range) => creators.ids({ [field]: within(range) }, { limit: most })),
  );
  const [handle] = rangesOf(normaliseHandle(words));
  if (handle !== undefined && handle.from !== '') {
    const linked = socialAccounts.list(
      { platformUsername: within(handle), ...equals({}, { platform }) },
      { limit: most },
    );
    found.push(linked.then((accounts) => accounts.map(({ creatorId }) => creatorId)));
  }
  const ids = [...new Set((await Promise.all(found)).flat())].sort((a, b) => a - b);
  return creators.list({ _id: { $in: ids.slice(0, most) } }, { sort: { _id: 1 } });
}

async function toListRows(db: Database, accounts: readonly SocialAccount[]): Promise<CreatorListRow[]> {
  const totals = await totalsOf(db, [...new Set(accounts.map((account) => account.creatorId))]);
  const linked = await withCreators(db, accounts);
  return linked.map((row) => ({ ...row, ...(totals.get(row.creator.id) ?? NO_TOTALS) }));
}

/** The accounts with their creators, in the order given. */
async function withCreators(db: Database, accounts: readonly SocialAccount[]): Promise<LinkedCreator[]> {
  const creators = await creatorsById(db, [...new Set(accounts.map((account) => account.creatorId))]);
  return accounts.flatMap((account) => {
    const creator = creators.get(account.creatorId);
    return creator === undefined ? [] : [{ creator, account }];
  });
}

/** Creators by their ids; ids without a creator are left out. */
export async function creatorsById(db: Database, ids: readonly number[]): Promise<ReadonlyMap<number, Creator>> {
  if (ids.length === 0) return new Map();
  return new Map((await db.creators.list({ _id: near(ids) })).map((creator) => [creator.id, creator]));
}

async function totalsOf(
  { attempts }: Database,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, CreatorTotals>> {
  const rows = await attempts.raw
    .aggregate<CreatorTotals & { _id: number }>([
      { $match: { userId: { $in: userIds } } },
      {
        $group: {
          _id: '$userId',
          totalAttempts: { $sum: 1 },
          totalVerified: { $sum: { $cond: [{ $ne: ['$verifiedAt', null] }, 1, 0] } },
          totalRewarded: { $sum: { $cond: [{ $in: ['$state', statesWhere(isRewarded)] }, 1, 0] } },
          totalPoints: { $sum: '$pointsAwarded' },
        },
      },
    ])
    .toArray();
  return new Map(rows.map(({ _id, ...totals }) => [_id, totals]));
}
