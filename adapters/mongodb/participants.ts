import type { PlatformName } from '../../core/platforms/platform-name.ts';
import type { ParticipantFilter, ParticipantRow } from '../../core/ports/attempt-store.ts';
import type { Page, PageRequest } from '../../core/ports/paging.ts';
import { creatorsById } from './creator-store.ts';
import type { Database } from './items.ts';
import { equals, integers } from './values.ts';

/** `AttemptStore.participants`: a page of attempts, then their creators and handles in two queries. */
export async function participants(
  db: Database,
  challengeId: number,
  platform: PlatformName,
  { state, signal, held, userIds: among, sort = 'id' }: ParticipantFilter,
  page: PageRequest,
): Promise<Page<ParticipantRow>> {
  const chosen = {
    ...equals({ challengeId }, { state, signals: signal, 'held.why': held }),
    ...(among && { userId: { $in: integers(among) } }),
  };
  const { items, total } = await db.attempts.page(chosen, sort, page);
  const userIds = items.map(({ userId }) => userId);
  const [creators, handles] = await Promise.all([creatorsById(db, userIds), latestHandles(db, userIds, platform)]);
  const toRow = (attempt: (typeof items)[number]): ParticipantRow => {
    const { externalId = '', displayName = null } = creators.get(attempt.userId) ?? {};
    return { attempt, externalId, displayName, platform, platformUsername: handles.get(attempt.userId) ?? null };
  };
  return { items: items.map(toRow), total };
}

/** Each creator's most recently connected handle, active ones before disconnected ones. */
async function latestHandles(
  db: Database,
  creatorIds: readonly number[],
  platform: PlatformName,
): Promise<ReadonlyMap<number, string>> {
  const those = { creatorId: { $in: [...creatorIds] }, ...equals({ platform }) };
  const accounts = await db.socialAccounts.list(those, { sort: { connectedAt: 1, _id: 1 } });
  const active = accounts.filter((account) => account.disconnectedAt === null);
  return new Map([...accounts, ...active].map((account) => [account.creatorId, account.platformUsername]));
}
