import type { Condition, Db } from 'mongodb';
import { isRewarded, statesWhere } from '../../core/engagement/attempts/states.ts';
import type {
  Creator,
  CreatorListRow,
  CreatorTotals,
  LinkedCreator,
  SocialAccount,
} from '../../core/engagement/creators/creator.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { CreatorSearch, CreatorStore } from '../../core/ports/creator-store.ts';
import { type Page, type PageRequest, pageWindow } from '../../core/ports/paging.ts';
import { rangesOf, type TextRange } from '../../core/ports/search-text.ts';
import type { Connection } from './database.ts';
import { type AccountDocument, collection, toAccount, withId } from './documents.ts';
import { linkAccounts } from './link-accounts.ts';
import { link } from './link-creator.ts';
import { readPage } from './pages.ts';
import { personalDataStore } from './personal-data.ts';
import { instant, integer, near, text, texts } from './values.ts';

const NO_TOTALS: CreatorTotals = { totalAttempts: 0, totalVerified: 0, totalRewarded: 0, totalPoints: 0 };

export function createCreatorStore(connection: Connection): CreatorStore {
  return {
    link: (input) => connection.run((db) => link(db, input)),
    ...linkAccounts(connection),
    ...personalDataStore(connection),

    disconnect: (target, now) =>
      connection.run(async (db): Promise<SocialAccount | null> => {
        const creator = await collection(db, 'creators').findOne({ externalId: text(target.externalId) });
        if (creator === null) return null;
        const account = await collection(db, 'socialAccounts').findOneAndUpdate(
          {
            creatorId: creator._id,
            platform: { $eq: target.platform },
            platformUsername: text(target.handle),
            disconnectedAt: null,
          },
          { $set: { disconnectedAt: instant(now), rememberedAccountId: null } },
          { returnDocument: 'after' },
        );
        return account === null ? null : toAccount(account);
      }),

    find: (which) =>
      connection.run(async (db) => {
        const filter = typeof which === 'number' ? { _id: integer(which) } : { externalId: text(which.externalId) };
        const creator = await collection(db, 'creators').findOne(filter);
        return creator === null ? null : withId(creator);
      }),

    search: (search) => connection.run((db) => searchCreators(db, search)),

    accountsOf: (creatorId) =>
      connection.run(async (db) => {
        const found = collection(db, 'socialAccounts')
          .find({ creatorId: integer(creatorId) })
          .sort({ _id: 1 });
        return (await found.toArray()).map(toAccount);
      }),

    findByHandle: (platform, handle, { ended = false } = {}) =>
      connection.run(async (db) => {
        const accounts = await collection(db, 'socialAccounts')
          .find({
            platformUsername: text(handle),
            ...(ended ? {} : { disconnectedAt: null }),
            ...(platform === null ? {} : { platform: { $eq: platform } }),
          })
          .sort({ creatorId: 1, _id: 1 })
          .toArray();
        return withCreators(db, accounts);
      }),

    activeLinks: (platform, afterCreator, limit) =>
      connection.run(async (db) => {
        const linksOf = (creatorId: Condition<number>) =>
          collection(db, 'socialAccounts')
            .find({ platform: { $eq: platform }, disconnectedAt: null, creatorId })
            .sort({ creatorId: 1, _id: 1 });
        const most = integer(limit);
        const near = await linksOf({ $gt: integer(afterCreator), $lte: afterCreator + most }).toArray();
        if (near.length > 0) return withCreators(db, near);
        const [next] = await linksOf({ $gt: afterCreator }).limit(1).toArray();
        if (next === undefined) return [];
        return withCreators(db, await linksOf({ $gte: next.creatorId, $lt: next.creatorId + most }).toArray());
      }),

    listPage: (request) =>
      connection.run(async (db) => {
        const { items, total } = await activeOn(db, request);
        return { items: await toListRows(db, items), total };
      }),

    sharedHandles: (platform, handles) =>
      connection.run(async (db) => {
        const rows = await collection(db, 'socialAccounts')
          .aggregate<{ _id: string }>([
            {
              $match: { platformUsername: { $in: texts(handles) }, platform: { $eq: platform }, disconnectedAt: null },
            },
            { $group: { _id: '$platformUsername', links: { $sum: 1 } } },
            { $match: { links: { $gt: 1 } } },
          ])
          .toArray();
        return new Set(rows.map(({ _id }) => _id));
      }),

    replaceProfile: (accountId, profileData, avatarUrl) =>
      connection.run(async (db) => {
        const account = await collection(db, 'socialAccounts').findOneAndUpdate(
          { _id: integer(accountId) },
          { $set: { profileData: JSON.stringify(profileData) } },
        );
        if (account === null) return false;
        await collection(db, 'creators').updateOne({ _id: account.creatorId }, { $set: { avatarUrl } });
        return true;
      }),
  };
}

async function searchCreators(
  db: Db,
  { text: words, platform, email = false, limit }: CreatorSearch,
): Promise<Creator[]> {
  const within = ({ from, to }: TextRange) => ({ $gte: text(from), $lt: text(to) });
  const most = integer(limit);
  const fields = email ? ['externalId', 'displayName', 'email'] : ['externalId', 'displayName'];
  // One field a query: each walks its own index.
  const byField = fields.flatMap((field) =>
    rangesOf(text(words)).map((range) =>
      collection(db, 'creators')
        .find({ [field]: within(range) })
        .limit(most)
        .project<{ _id: number }>({ _id: 1 })
        .toArray(),
    ),
  );
  const [handle] = rangesOf(normaliseHandle(words));
  const accounts =
    handle === undefined || handle.from === ''
      ? []
      : await collection(db, 'socialAccounts')
          .find({
            platformUsername: within(handle),
            ...(platform === undefined ? {} : { platform: text(platform) }),
          })
          .limit(most)
          .project<{ creatorId: number }>({ creatorId: 1 })
          .toArray();
  const found = (await Promise.all(byField)).flat().map(({ _id }) => _id);
  const ids = [...new Set([...found, ...accounts.map(({ creatorId }) => creatorId)])].sort((a, b) => a - b);
  const creators = await collection(db, 'creators')
    .find({ _id: { $in: ids.slice(0, most) } })
    .sort({ _id: 1 })
    .toArray();
  return creators.map(withId);
}

/** Active accounts by creator and id. */
function activeAfter(db: Db, after: Pick<AccountDocument, '_id' | 'creatorId'>, limit: number) {
  const active = { disconnectedAt: null };
  const beyond = {
    creatorId: { $gte: after.creatorId },
    $or: [{ creatorId: { $gt: after.creatorId } }, { creatorId: after.creatorId, _id: { $gt: after._id } }],
  };
  return collection(db, 'socialAccounts')
    .find({ ...active, ...beyond })
    .sort({ creatorId: 1, _id: 1 })
    .limit(limit);
}

/** Active accounts of a page, in the same order; none after an account that is not there. */
async function activeOn(db: Db, request: PageRequest): Promise<Page<AccountDocument>> {
  const accounts = collection(db, 'socialAccounts');
  const active = { disconnectedAt: null };
  const { after } = request;
  if (after === undefined) return readPage(accounts, active, { direction: 1, by: 'creatorId' }, request);
  const { limit } = pageWindow(request);
  const _id = integer(after.id);
  const [total, items] = await Promise.all([
    accounts.countDocuments(active),
    accounts.findOne({ _id }).then((last) => (last === null ? [] : activeAfter(db, last, limit).toArray())),
  ]);
  return { items, total };
}

async function toListRows(db: Db, accounts: readonly AccountDocument[]): Promise<CreatorListRow[]> {
  const totals = await totalsOf(db, [...new Set(accounts.map((account) => account.creatorId))]);
  const linked = await withCreators(db, accounts);
  return linked.map((row) => ({ ...row, ...(totals.get(row.creator.id) ?? NO_TOTALS) }));
}

/** The accounts with their creators, in the order given. */
async function withCreators(db: Db, accounts: readonly AccountDocument[]): Promise<LinkedCreator[]> {
  const ids = [...new Set(accounts.map((account) => account.creatorId))];
  const creators = await creatorsById(db, ids);
  return accounts.flatMap((account) => {
    const creator = creators.get(account.creatorId);
    return creator === undefined ? [] : [{ creator, account: toAccount(account) }];
  });
}

/** Creators by their ids; ids without a creator are left out. */
export async function creatorsById(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Creator>> {
  if (ids.length === 0) return new Map();
  const found = await collection(db, 'creators')
    .find({ _id: near(ids) })
    .toArray();
  return new Map(found.map((creator) => [creator._id, withId(creator)]));
}

async function totalsOf(db: Db, userIds: readonly number[]): Promise<ReadonlyMap<number, CreatorTotals>> {
  const rows = await collection(db, 'attempts')
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
