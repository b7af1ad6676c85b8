/** By which account of the platform a link is known: proven, remembered, or seen under another handle. */
import type { Db } from 'mongodb';
import { atMost } from '../../core/bulk.ts';
import { knownAccountId, type SocialAccount } from '../../core/engagement/creators/creator.ts';
import type { AccountSeen, CreatorStore, RenamedAccount } from '../../core/ports/creator-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { type AccountDocument, collection, toAccount } from './documents.ts';
import { isClash } from './failures.ts';
import { insertMissing } from './insert-missing.ts';
import { instant, integer, text } from './values.ts';
import { writeBulk } from './write-bulk.ts';

/** Most links in one call of `rememberAccounts`. */
const MAX_LINKS = 1_000;

export function linkAccounts(connection: Connection): Pick<CreatorStore, 'rememberAccounts' | 'followHandle'> {
  return {
    rememberAccounts: (seen) =>
      connection.run(async (db) => {
        if (seen.length === 0) return new Map();
        await writeBulk(collection(db, 'socialAccounts'), atMost(seen, MAX_LINKS, 'links').map(remember));
        const ids = seen.map(({ linkId }) => linkId);
        const links = await collection(db, 'socialAccounts')
          .find({ _id: { $in: ids }, disconnectedAt: null })
          .toArray();
        return new Map(
          links.flatMap((link) => {
            const accountId = knownAccountId(link);
            return accountId === null ? [] : [[link._id, accountId] as const];
          }),
        );
      }),

    followHandle: (renamed) => connection.run((db) => followHandle(db, renamed)),
  };
}

/** Of several accounts for one link, the first that is written stands. */
function remember({ linkId, accountId }: AccountSeen) {
  const isUnknown = { platformAccountId: null, rememberedAccountId: null };
  const filter = { _id: integer(linkId), disconnectedAt: null, ...isUnknown };
  return { updateOne: { filter, update: { $set: { rememberedAccountId: text(accountId) } } } };
}

/**
 * First the new link remembers the account and which link it follows. Then the former one gives the proof up, and the new one
 * gets it. If a process dies in between, `resumeFollowed` gives the proof to the new link.
 */
async function followHandle(
  db: Db,
  { link, accountId, handle, seenAt, now }: RenamedAccount,
): Promise<SocialAccount | null> {
  const accounts = collection(db, 'socialAccounts');
  const endedAt = instant(now);
  const isFormer = {
    _id: integer(link.id),
    creatorId: integer(link.creatorId),
    platform: text(link.platform),
    platformAccountId: text(accountId),
    ownershipProven: true,
    disconnectedAt: null,
  };
  const former = await accounts.findOne({
    ...isFormer,
    connectedAt: { $lte: instant(seenAt) },
    platformUsername: { $ne: text(handle) },
  });
  if (former === null) return null;
  const own = await ownLink(db, former, { accountId, handle, seenAt: instant(seenAt) });
  if (own === null) return null;
  const released = await accounts.updateOne(isFormer, {
    $set: {
      ownershipProven: false,
      platformAccountId: null,
      rememberedAccountId: accountId,
      disconnectedAt: endedAt,
    },
  });
  if (released.matchedCount === 1) return prove(db, own, accountId);
  // Somebody proved the account again meanwhile, or ended the link: then that stands.
  await accounts.updateOne({ _id: own._id }, { $unset: { follows: '' } });
  return null;
}

/** The link gets the proof, unless it ended meanwhile, or somebody proved the account again. */
async function prove(db: Db, own: AccountDocument, platformAccountId: string): Promise<SocialAccount | null> {
  const accounts = collection(db, 'socialAccounts');
  try {
    const proven = await accounts.findOneAndUpdate(
      { _id: own._id, disconnectedAt: null },
      { $set: { platformAccountId, ownershipProven: true, rememberedAccountId: null }, $unset: { follows: '' } },
      { returnDocument: 'after' },
    );
    return proven === null ? null : toAccount(proven);
  } catch (error) {
    if (!isClash(error)) throw error;
    await accounts.updateOne({ _id: own._id }, { $unset: { follows: '' } });
    return toAccount(own);
  }
}

/** Longer than following a handle takes: what is older was left by a process that died. */
const FOLLOWED_MS = 60_000;

/** Completes moves of a proof that a crash cut short after the former link had given it up. */
export async function resumeFollowed(db: Db): Promise<void> {
  const accounts = collection(db, 'socialAccounts');
  const left = { 'follows.since': { $lt: new Date(Date.now() - FOLLOWED_MS) } };
  for (const own of await accounts.find(left).toArray()) {
    const { _id, rememberedAccountId, platformAccountId, disconnectedAt, follows } = own;
    const former = await accounts.findOne({ _id: follows?.link ?? 0 });
    const isOpen = platformAccountId === null && disconnectedAt === null;
    if (isOpen && rememberedAccountId !== null && former?.platformAccountId !== rememberedAccountId)
      await prove(db, own, rememberedAccountId);
    else await accounts.updateOne({ _id }, { $unset: { follows: '' } });
  }
}

/** The creator's active link of the new handle, which is known to be of this account; null if it is of another one. */
async function ownLink(
  db: Db,
  former: AccountDocument,
  { accountId, handle, seenAt }: Pick<RenamedAccount, 'accountId' | 'handle' | 'seenAt'>,
): Promise<AccountDocument | null> {
  const accounts = collection(db, 'socialAccounts');
  const { creatorId, platform, profileData } = former;
  const triple = { creatorId, platform, platformUsername: text(handle) };
  const follows = { link: former._id, since: new Date() };
  for (;;) {
    const stored = await accounts.findOne(triple);
    if (stored !== null) {
      const known = knownAccountId(stored);
      if (known !== null && known !== accountId) return null;
      const isAsFound = {
        _id: stored._id,
        platformAccountId: null,
        rememberedAccountId: stored.rememberedAccountId,
      };
      const taken = await accounts.findOneAndUpdate(
        isAsFound,
        { $set: { rememberedAccountId: accountId, connectedAt: seenAt, disconnectedAt: null, follows } },
        { returnDocument: 'after' },
      );
      if (taken !== null) return taken;
      continue;
    }
    const made: AccountDocument = {
      _id: await reserveIds(db, 'socialAccounts'),
      ...triple,
      profileData,
      ownershipProven: false,
      platformAccountId: null,
      rememberedAccountId: accountId,
      connectedAt: seenAt,
      disconnectedAt: null,
      outbox: [],
      follows,
    };
    const inserted = await insertMissing(db, 'socialAccounts', [made], ['creatorId', 'platform', 'platformUsername']);
    if (inserted.size > 0) return made;
  }
}
