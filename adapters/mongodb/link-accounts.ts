/** By which account of the platform a link is known: proven, remembered, or seen under another handle. */
import { atMost } from '../../core/bulk.ts';
import { knownAccountId, provenFor, type SocialAccount, unprovenFor } from '../../core/engagement/creators/creator.ts';
import type { AccountSeen, CreatorStore, RenamedAccount } from '../../core/ports/creator-store.ts';
import { isClash } from './failures.ts';
import type { Database } from './items.ts';
import { ASSERTED } from './link-creator.ts';
import { equals, instant, integer, text } from './values.ts';

export function linkAccounts(db: Database): Pick<CreatorStore, 'rememberAccounts' | 'followHandle'> {
  return {
    async rememberAccounts(seen, which) {
      const some = atMost(seen, 'links');
      await db.socialAccounts.writeAll(which === undefined ? some.map(remember) : some.map(rememberScoped));
      const ids = seen.map(({ linkId }) => linkId);
      const links = await db.socialAccounts.list({ _id: { $in: ids }, disconnectedAt: null });
      return new Map(
        links.flatMap((link) => {
          const accountId = which === undefined ? knownAccountId(link) : (link.scopedAccountId ?? null);
          return accountId === null ? [] : [[link.id, accountId] as const];
        }),
      );
    },

    followHandle: (renamed) => followHandle(db, renamed),
  };
}

/** Of several accounts for one link, the first that is written stands. */
function remember({ linkId, accountId }: AccountSeen) {
  const isUnknown = { platformAccountId: null, rememberedAccountId: null };
  const filter = { _id: integer(linkId), disconnectedAt: null, ...isUnknown };
  return { updateOne: { filter, update: { $set: { rememberedAccountId: text(accountId) } } } };
}

/** One of another app says nothing about this one, and gives way. */
function rememberScoped({ linkId, accountId }: AccountSeen) {
  const app = text(accountId).slice(0, accountId.indexOf('/') + 1);
  const isOfApp = { $gte: app, $lt: `${app}\uffff` };
  const filter = { _id: integer(linkId), disconnectedAt: null, scopedAccountId: { $not: isOfApp } };
  return { updateOne: { filter, update: { $set: { scopedAccountId: accountId } } } };
}

/**
 * First the new link remembers the account and which link it follows. Then the former one gives the proof up, and the new one
 * gets it. If a process dies in between, `resumeFollowed` gives the proof to the new link.
 */
async function followHandle(db: Database, renamed: RenamedAccount): Promise<SocialAccount | null> {
  const { link, accountId, handle, seenAt } = renamed;
  const now = instant(renamed.now);
  const { socialAccounts: accounts } = db;
  const isFormer = {
    ...equals({ _id: link.id, creatorId: link.creatorId, platform: link.platform, platformAccountId: accountId }),
    ownershipProven: true,
    disconnectedAt: null,
  };
  const since = { connectedAt: { $lte: seenAt }, platformUsername: { $ne: text(handle) } };
  const former = await accounts.find({ ...isFormer, ...since });
  const own = former && (await ownLink(db, former, renamed));
  if (own === null) return null;
  if (await accounts.update(isFormer, { $set: { ...unprovenFor(accountId), disconnectedAt: now } }))
    return prove(db, own, accountId);
  // Somebody proved the account again meanwhile, or ended the link: then that stands.
  await accounts.update({ _id: own.id }, FOLLOWS_NO_MORE);
  return null;
}

const FOLLOWS_NO_MORE = { $unset: { follows: '' } } as const;

/** The link gets the proof, unless it ended meanwhile, or somebody proved the account again. */
async function prove(
  { socialAccounts }: Database,
  own: SocialAccount,
  accountId: string,
): Promise<SocialAccount | null> {
  const update = { $set: provenFor(accountId), ...FOLLOWS_NO_MORE };
  try {
    return await socialAccounts.change({ _id: own.id, disconnectedAt: null }, update);
  } catch (error) {
    if (!isClash(error)) throw error;
    await socialAccounts.update({ _id: own.id }, FOLLOWS_NO_MORE);
    return own;
  }
}

/** Longer than following a handle takes: what is older was left by a process that died. */
const FOLLOWED_MS = 60_000;

/** Completes moves of a proof that a crash cut short after the former link had given it up. */
export async function resumeFollowed(db: Database): Promise<void> {
  const { socialAccounts: accounts } = db;
  const left = { 'follows.since': { $lt: new Date(Date.now() - FOLLOWED_MS) } };
  for (const { follows, ...document } of await accounts.raw.find(left).toArray()) {
    const own = accounts.toItem(document);
    const former = await accounts.find({ _id: follows?.link ?? 0 });
    const isOpen = own.platformAccountId === null && own.disconnectedAt === null;
    const { rememberedAccountId } = own;
    if (isOpen && rememberedAccountId !== null && former?.platformAccountId !== rememberedAccountId)
      await prove(db, own, rememberedAccountId);
    else await accounts.update({ _id: own.id }, FOLLOWS_NO_MORE);
  }
}

/** The creator's active link of the new handle, which is known to be of this account; null if it is of another one. */
async function ownLink(
  { socialAccounts: accounts }: Database,
  former: SocialAccount,
  { accountId, handle, seenAt }: RenamedAccount,
): Promise<SocialAccount | null> {
  const { creatorId, platform, scopedAccountId } = former;
  const triple = { creatorId, platform, platformUsername: text(handle) };
  const follows = { link: former.id, since: new Date() };
  const scoped = scopedAccountId === undefined ? {} : { scopedAccountId };
  const taken = { rememberedAccountId: accountId, ...scoped, connectedAt: seenAt, disconnectedAt: null, follows };
  for (;;) {
    const stored = await accounts.find(triple);
    if (stored === null) {
      const profileData = JSON.stringify(former.profileData);
      const [made] = await accounts.insertNew([{ ...ASSERTED, ...triple, profileData, ...taken }]);
      if (made !== undefined) return accounts.toItem(made);
      continue;
    }
    if ((knownAccountId(stored) ?? accountId) !== accountId) return null;
    const { id: _id, rememberedAccountId } = stored;
    const own = await accounts.change({ _id, platformAccountId: null, rememberedAccountId }, { $set: taken });
    if (own !== null) return own;
  }
}
