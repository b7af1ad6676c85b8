import type { Document } from 'mongodb';
import type { LeaderboardRow } from '../../core/ports/attempt-store.ts';
import { type Page, type PageRequest, type Position, pageWindow } from '../../core/ports/paging.ts';
import { creatorsById } from './creator-store.ts';
import type { Database } from './items.ts';
import { integer } from './values.ts';

interface Score {
  readonly _id: number;
  readonly points: number;
  readonly rewards: number;
}

/** `AttemptStore.leaderboard`. */
export async function readLeaderboard(
  db: Database,
  brandId: number,
  request: PageRequest,
): Promise<Page<LeaderboardRow>> {
  const { limit, skip } = pageWindow(request);
  const { after } = request;
  const campaigns = await db.campaigns.raw
    .find({ brandId: integer(brandId) }, { projection: { 'challenge.id': 1 } })
    .toArray();
  const challengeIds = campaigns.map(({ challenge }) => challenge.id);
  const scores = [
    { $match: { challengeId: { $in: challengeIds }, pointsAwarded: { $gt: 0 } } },
    { $group: { _id: '$userId', points: { $sum: '$pointsAwarded' }, rewards: { $sum: 1 } } },
  ];
  const from = after === undefined ? { $skip: skip } : { $match: behind(after) };
  const page = [...scores, { $sort: { points: -1, _id: 1 } }, from, { $limit: limit }];
  const [rows, [counted]] = await Promise.all([
    db.attempts.raw.aggregate<Score>(page).toArray(),
    db.attempts.raw.aggregate<{ n: number }>([...scores, { $count: 'n' }]).toArray(),
  ]);
  const creators = await creatorsById(
    db,
    rows.map(({ _id }) => _id),
  );
  const items = rows.map(({ _id, points, rewards }) => {
    const { externalId = '', displayName = null, avatarUrl = null } = creators.get(_id) ?? {};
    return { userId: _id, externalId, displayName, avatarUrl, points, rewards };
  });
  return { items, total: counted?.n ?? 0 };
}

function behind({ id, by = Number.NaN }: Position): Document {
  return { $or: [{ points: { $lt: integer(by) } }, { points: integer(by), _id: { $gt: integer(id) } }] };
}
