import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { Creator, SocialAccount } from '../../core/engagement/creators/creator.ts';
import type { EventEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { LinkInput, LinkResult } from '../../core/ports/creator-store.ts';
import { reserveIds } from './counters.ts';
import { type AccountDocument, collection, toAccount, withId } from './documents.ts';
import { isClash } from './failures.ts';
import { insertMissing } from './insert-missing.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { instant, text } from './values.ts';

/**
 * Registers, links or reconnects (`CreatorStore.link`): the unique indexes and single updates decide who was first. A proof
 * is written after the link, so that what fails in between leaves a link that is only asserted.
 */
export async function link(db: Db, input: LinkInput): Promise<LinkResult> {
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

/** The pause before a further try is random up to this, doubled each time up to six times. */
const PAUSE_MS = 4;

async function prove(db: Db, { creator, account }: LinkResult, input: LinkInput): Promise<SocialAccount | null> {
  const { platformAccountId } = input;
  const known = platformAccountId !== undefined && {
    platformAccountId: { $literal: text(platformAccountId) },
    rememberedAccountId: null,
  };
  const entry = input.announce?.({ creator, account });
  const announced = entry === undefined ? {} : withEntry(entry, input.now);
  for (let tries = 1; ; tries += 1) {
    try {
      if (platformAccountId !== undefined) await releaseRival(db, account.id, input, platformAccountId);
      const proven = await collection(db, 'socialAccounts').findOneAndUpdate(
        { _id: account.id, disconnectedAt: null },
        [{ $set: { ownershipProven: true, ...known, ...announced } }],
        { returnDocument: 'after' },
      );
      return proven === null ? null : toAccount(proven);
    } catch (error) {
      // Another link was proven for the account after its rivals were released, or is being proven: that one is the rival now.
      if (!isClash(error)) throw error;
    }
    // So that the same calls do not meet again and again.
    await sleep(Math.random() * PAUSE_MS * 2 ** Math.min(tries, 6));
  }
}

/** What waits under the id of the entry already stays as it is. */
function withEntry(entry: EventEntry, now: Date) {
  const isThere = { $in: [entry.id, '$outbox.id'] };
  const added = { $concatArrays: ['$outbox', [{ $literal: entry }]] };
  return { outbox: { $cond: [isThere, '$outbox', added] }, outboxAt: { $ifNull: ['$outboxAt', instant(now)] } };
}

/** The other link that was proven for this account is proven no more, and remembers the account. */
async function releaseRival(db: Db, id: number, input: LinkInput, platformAccountId: string): Promise<void> {
  const accounts = collection(db, 'socialAccounts');
  const { platform, handle, now } = input;
  const rival = await accounts.findOne({ _id: { $ne: id }, platform, platformAccountId });
  if (rival === null) return;
  const stays = rival.platformUsername === text(handle) || rival.disconnectedAt !== null;
  await accounts.updateOne(
    { _id: rival._id, platformAccountId },
    {
      $set: {
        ownershipProven: false,
        platformAccountId: null,
        rememberedAccountId: platformAccountId,
        ...(stays ? {} : { disconnectedAt: instant(now) }),
      },
    },
  );
}

/** Links the handle as an asserted one. */
async function linkHandle(db: Db, input: LinkInput): Promise<LinkResult> {
  const creator = await findOrInsertCreator(db, input);
  const accounts = collection(db, 'socialAccounts');
  const triple = {
    creatorId: creator.id,
    platform: text(input.platform) as typeof input.platform,
    platformUsername: text(input.handle),
  };
  for (;;) {
    const stored = await accounts.findOne(triple);
    if (stored === null) {
      const account: AccountDocument = {
        _id: await reserveIds(db, 'socialAccounts'),
        ...triple,
        profileData: JSON.stringify(input.profileData),
        ownershipProven: false,
        platformAccountId: null,
        rememberedAccountId: null,
        connectedAt: input.now,
        disconnectedAt: null,
        outbox: [],
      };
      const inserted = await insertMissing(
        db,
        'socialAccounts',
        [account],
        ['creatorId', 'platform', 'platformUsername'],
      );
      if (inserted.size > 0) return { outcome: 'created', creator, account: toAccount(account) };
    } else if (stored.disconnectedAt !== null) {
      const account = await accounts.findOneAndUpdate(
        { _id: stored._id, disconnectedAt: { $ne: null } },
        {
          $set: {
            disconnectedAt: null,
            connectedAt: instant(input.now),
            // A reconnecting caller that knows nothing of the profile does not wipe what is known.
            ...(Object.keys(input.profileData).length === 0 ? {} : { profileData: JSON.stringify(input.profileData) }),
          },
        },
        { returnDocument: 'after' },
      );
      if (account !== null) return { outcome: 'reconnected', creator, account: toAccount(account) };
    } else {
      return { outcome: 'existing', creator, account: toAccount(stored) };
    }
    // Another caller was first: look at what it left.
  }
}

async function findOrInsertCreator(db: Db, input: LinkInput): Promise<Creator> {
  const externalId = text(input.externalId);
  const creators = collection(db, 'creators');
  const stored = await creators.findOne({ externalId });
  if (stored !== null) return withId(stored);
  const document = {
    _id: await reserveIds(db, 'creators'),
    externalId,
    email: input.email,
    displayName: input.displayName,
    avatarUrl: input.profileData.profile_pic_url ?? null,
    createdAt: input.now,
  };
  const inserted = await insertMissing(db, 'creators', [document], ['externalId']);
  if (inserted.size > 0) return withId(document);
  const winner = await creators.findOne({ externalId });
  if (winner === null) throw new Error('A creator that was just inserted is missing.');
  return withId(winner);
}
