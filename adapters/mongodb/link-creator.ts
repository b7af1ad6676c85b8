import { noConnectionRequest } from '../../core/engagement/connections/connection.ts';
import { type Creator, type SocialAccount, unprovenFor } from '../../core/engagement/creators/creator.ts';
import type { EventEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { LinkInput, LinkResult } from '../../core/ports/creator-store.ts';
import type { Database } from './items.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { repeatOnClash } from './repeat.ts';
import { equals, instant, text } from './values.ts';

/**
 * Registers, links or reconnects (`CreatorStore.link`): the unique indexes and single updates decide who was first. A proof
 * is written after the link, so that what fails in between leaves a link that is only asserted.
 */
export async function link(db: Database, input: LinkInput): Promise<LinkResult> {
  const { platformAccountId, ownershipProven } = input;
  for (;;) {
    const linked = await oneAtATime(db, `link ${input.externalId}`, () => linkHandle(db, input));
    if (!ownershipProven) return linked;
    const proven = platformAccountId === undefined ? linked.account.id : `${input.platform} ${platformAccountId}`;
    const account = await oneAtATime(db, `proof ${proven}`, () => prove(db, linked, input));
    // Null: somebody disconnected it in between.
    if (account !== null) return { ...linked, account };
  }
}

async function prove(db: Database, { creator, account }: LinkResult, input: LinkInput): Promise<SocialAccount | null> {
  const { platformAccountId } = input;
  const known = platformAccountId !== undefined && {
    platformAccountId: { $literal: text(platformAccountId) },
    rememberedAccountId: null,
    // What an app knew the account by belongs to the account that was known before.
    scopedAccountId: { $cond: [isOther(platformAccountId), '$$REMOVE', '$scopedAccountId'] },
  };
  const entry = input.announce?.({ creator, account });
  const announced = entry && withEntry(entry, input.now);
  const write = async () => {
    if (platformAccountId !== undefined) await releaseRival(db, account.id, input, platformAccountId);
    const proven = [{ $set: { ownershipProven: true, ...known, ...announced } }];
    return await db.socialAccounts.change({ _id: account.id, disconnectedAt: null }, proven);
  };
  // Another link may be proven for the account after its rivals were released: that one is the rival then.
  return repeatOnClash(write, undefined, Number.POSITIVE_INFINITY);
}

/** The link was known to be another account's. */
function isOther(accountId: string) {
  const known = { $ifNull: ['$platformAccountId', '$rememberedAccountId', { $literal: accountId }] };
  return { $ne: [known, { $literal: accountId }] };
}

/** What waits under the id of the entry already stays as it is. */
function withEntry(entry: EventEntry, now: Date) {
  const isThere = { $in: [entry.id, '$outbox.id'] };
  const added = { $concatArrays: ['$outbox', [{ $literal: entry }]] };
  return { outbox: { $cond: [isThere, '$outbox', added] }, outboxAt: { $ifNull: ['$outboxAt', instant(now)] } };
}

/** The other link that was proven for this account is proven no more, and remembers the account. */
async function releaseRival(db: Database, id: number, input: LinkInput, platformAccountId: string): Promise<void> {
  const { platform, handle, now } = input;
  const rival = await db.socialAccounts.find({ _id: { $ne: id }, ...equals({ platform, platformAccountId }) });
  if (rival === null) return;
  const stays = rival.platformUsername === text(handle) || rival.disconnectedAt !== null;
  const $set = { ...unprovenFor(platformAccountId), ...(!stays && { disconnectedAt: now }) };
  await db.socialAccounts.update({ _id: rival.id, platformAccountId }, { $set });
}

/** Links the handle as an asserted one. */
async function linkHandle(db: Database, input: LinkInput): Promise<LinkResult> {
  const { requestId } = input;
  if (requestId !== undefined && !(await db.connectionRequests.exists({ _id: text(requestId) })))
    throw noConnectionRequest();
  const creator = await findOrInsertCreator(db, input);
  const { socialAccounts: accounts } = db;
  const { platform, handle, now } = input;
  const profileData = JSON.stringify(input.profileData);
  const triple = equals({ creatorId: creator.id, platform, platformUsername: handle });
  for (;;) {
    const stored = await accounts.find(triple);
    if (stored === null) {
      const [made] = await accounts.insertNew([{ ...ASSERTED, ...triple, profileData, connectedAt: now }]);
      if (made !== undefined) return { outcome: 'created', creator, account: accounts.toItem(made) };
    } else if (stored.disconnectedAt !== null) {
      // A reconnecting caller that knows nothing of the profile does not wipe what is known.
      const known = Object.keys(input.profileData).length > 0 && { profileData };
      const $set = { disconnectedAt: null, connectedAt: now, ...known };
      const account = await accounts.change({ _id: stored.id, disconnectedAt: { $ne: null } }, { $set });
      if (account !== null) return { outcome: 'reconnected', creator, account };
    } else {
      return { outcome: 'existing', creator, account: stored };
    }
    // Another caller was first: look at what it left.
  }
}

/** What a new link is before it is proven. */
export const ASSERTED = {
  ownershipProven: false,
  platformAccountId: null,
  rememberedAccountId: null,
  disconnectedAt: null,
  outbox: [],
};

async function findOrInsertCreator({ creators }: Database, input: LinkInput): Promise<Creator> {
  const { externalId, email, displayName, profileData, now } = input;
  const own = { externalId: text(externalId) };
  const stored = await creators.find(own);
  if (stored !== null) return stored;
  const avatarUrl = profileData.profile_pic_url ?? null;
  const [made] = await creators.insertNew([{ ...own, email, displayName, avatarUrl, createdAt: now }]);
  if (made !== undefined) return creators.toItem(made);
  const winner = await creators.find(own);
  if (winner === null) throw new Error('A creator that was just inserted is missing.');
  return winner;
}
