import type { MetricsSnapshot } from '../../core/engagement/challenge-data/comment.ts';
import type { MetricsStore } from '../../core/ports/metrics-store.ts';
import type { Connection } from './database.ts';
import { millis, toDate } from './values.ts';

interface MetricsRow extends Omit<MetricsSnapshot, 'fetchedAt'> {
  readonly fetchedAt: number;
}

export function createMetricsStore(connection: Connection): MetricsStore {
  return {
    add: (snapshot) =>
      connection.write((sql) => {
        sql.run(
          `INSERT INTO metrics (challenge_id, like_count, comment_count, share_count, view_count, thumbnail_url, fetched_at)
            SELECT id, ?, ?, ?, ?, ?, ? FROM challenges WHERE id = ?`,
          snapshot.likeCount,
          snapshot.commentCount,
          snapshot.shareCount,
          snapshot.viewCount,
          snapshot.thumbnailUrl,
          millis(snapshot.fetchedAt),
          snapshot.challengeId,
        );
      }),

    latest: (challengeId) =>
      connection.read((sql): MetricsSnapshot | null => {
        const row = sql.get<MetricsRow>(
          `SELECT challenge_id AS challengeId, like_count AS likeCount, comment_count AS commentCount,
              share_count AS shareCount, view_count AS viewCount, thumbnail_url AS thumbnailUrl, fetched_at AS fetchedAt
            FROM metrics WHERE challenge_id = ? ORDER BY fetched_at DESC, seq DESC LIMIT 1`,
          challengeId,
        );
        return row === undefined ? null : { ...row, fetchedAt: toDate(row.fetchedAt) };
      }),
  };
}
