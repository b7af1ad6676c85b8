import type { LeaderboardRow } from '../../core/ports/attempt-store.ts';
import { type Page, type PageRequest, pageWindow } from '../../core/ports/paging.ts';
import { creatorsById } from './creator-store.ts';
import { integer } from './values.ts';
import type { Sql, Work } from './work.ts';

type Score = Pick<LeaderboardRow, 'userId' | 'points' | 'rewards'>;

const SCORED = `FROM attempts WHERE points_awarded > 0 AND challenge_id IN (
    SELECT challenges.id FROM campaigns JOIN challenges ON campaign_id = campaigns.id WHERE brand_id = ?)`;
const SCORES = `SELECT user_id AS "userId", sum(points_awarded) AS points, count(*) AS rewards ${SCORED} GROUP BY user_id`;
const ORDER = 'ORDER BY points DESC, "userId" LIMIT ? OFFSET ?';

/** `AttemptStore.leaderboard`. */
export function* readLeaderboard(sql: Sql, brandId: number, request: PageRequest): Work<Page<LeaderboardRow>> {
  const { limit, skip } = pageWindow(request);
  const { after } = request;
  const place = after && [-integer(after.by ?? Number.NaN), integer(after.id)];
  const behind = place ? 'HAVING (-sum(points_awarded), user_id) > (?, ?)' : '';
  const values = [brandId, ...(place ?? []), limit, place ? 0 : skip];
  const scores = yield* sql.all<Score>(`${SCORES} ${behind} ${ORDER}`, ...values);
  const counted = yield* sql.get<{ n: number }>(`SELECT count(DISTINCT user_id) AS n ${SCORED}`, brandId);
  const ids = scores.map(({ userId }) => userId);
  const creators = yield* creatorsById(sql, ids);
  const items = scores.map((score) => {
    const { externalId = '', displayName = null, avatarUrl = null } = creators.get(score.userId) ?? {};
    return { ...score, externalId, displayName, avatarUrl };
  });
  return { items, total: counted?.n ?? 0 };
}
