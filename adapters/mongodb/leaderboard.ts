import type { Document } from 'mongodb';
import type { LeaderboardRow } from '../../core/ports/attempt-store.ts';
import { type Page, type PageRequest, type Position, pageWindow } from '../../core/ports/paging.ts';
import { creatorsById } from './creator-store.ts';
import type { Database } from './items.ts';
import { integer } from './values.ts';

type Score = Pick<LeaderboardRow, 'userId' | 'points' | 'rewards'>;

/** `AttemptStore.leaderboard`. */
export async function readLeaderboard(
  db: Database,
  brandId: number,
  request: PageRequest,
): Promise<Page<LeaderboardRow>> {
  const { limit, skip } = pageWindow(request);
  const { after } = request;
  const challengeIds = await db.campaigns.raw.distinct('challenge.id', { brandId: integer(brandId) });
  const scores = [
    { $match: { challengeId: { $in: challengeIds }, pointsAwarded: { $gt: 0 } } },
    { $group: { _id: '$userId', points: { $sum: '$pointsAwarded' }, rewards: { $sum: 1 } } },
  ];
  const from = after === undefined ? { $skip: skip } : { $match: behind(after) };
  const named = { $project: { _id: 0, userId: '$_id', points: 1, rewards: 1 } };
  const page = [...scores, { $sort: { points: -1, _id: 1 } }, from, { $limit: limit }, named];
  const [rows, [counted]] = await Promise.all([
    db.attempts.raw.aggregate<Score>(page).toArray(),
    db.attempts.raw.aggregate<{ n: number }>([...scores, { $count: 'n' }]).toArray(),
  ]);
  const ids = rows.map(({ userId }) => userId);
  const creators = await creatorsById(db, ids);
  const items = rows.map((score) => {
    const { externalId = '', displayName = null, avatarUrl = null } = creators.get(score.userId) ?? {};
    return { ...score, externalId, displayName, avatarUrl };
  });
  return { items, total: counted?.n ?? 0 };
}

function behind({ id, by = Number.NaN }: Position): Document {
  return { $or: [{ points: { $lt: integer(by) } }, { points: integer(by), _id: { $gt: integer(id) } }] };
}
