import type { Db, Filter } from 'mongodb';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import type { ParticipantFilter, ParticipantRow } from '../../core/ports/attempt-store.ts';
import type { Page, PageRequest } from '../../core/ports/paging.ts';
import { toAttempt } from './attempt-documents.ts';
import { creatorsById } from './creator-store.ts';
import { type AttemptDocument, collection } from './documents.ts';
import { type ListOrder, readPage } from './pages.ts';
import { integer, integers, text } from './values.ts';

/** `AttemptStore.participants`: a page of attempts, then their creators and handles in two queries. */
export async function participants(
  db: Db,
  challengeId: number,
  platform: PlatformName,
  { state, userIds: among, sort = 'id' }: ParticipantFilter,
  page: PageRequest,
): Promise<Page<ParticipantRow>> {
  const chosen: Filter<AttemptDocument> = {
    challengeId: integer(challengeId),
    ...(state === undefined ? {} : { state: { $eq: state } }),
    ...(among === undefined ? {} : { userId: { $in: integers(among) } }),
  };
  const attempts = collection(db, 'attempts');
  const order: ListOrder<'updatedAt'> = {
    direction: sort.startsWith('-') ? -1 : 1,
    ...(sort.endsWith('updatedAt') && { by: 'updatedAt' }),
  };
  const { items: found, total } = await readPage(attempts, chosen, order, page);
  const userIds = found.map((attempt) => attempt.userId);
  const [creators, handles] = await Promise.all([creatorsById(db, userIds), latestHandles(db, userIds, platform)]);
  const items = found.map((attempt): ParticipantRow => {
    const creator = creators.get(attempt.userId);
    return {
      attempt: toAttempt(attempt),
      externalId: creator?.externalId ?? '',
      displayName: creator?.displayName ?? null,
      platform,
      platformUsername: handles.get(attempt.userId) ?? null,
    };
  });
  return { items, total };
}

/** Each creator's most recently connected handle, active ones before disconnected ones. */
async function latestHandles(
  db: Db,
  creatorIds: readonly number[],
  platform: PlatformName,
): Promise<ReadonlyMap<number, string>> {
  if (creatorIds.length === 0) return new Map();
  const accounts = await collection(db, 'socialAccounts')
    .find({ creatorId: { $in: [...creatorIds] }, platform: text(platform) as PlatformName })
    .sort({ connectedAt: 1, _id: 1 })
    .toArray();
  const active = accounts.filter((account) => account.disconnectedAt === null);
  return new Map([...accounts, ...active].map((account) => [account.creatorId, account.platformUsername]));
}
