import { atMost } from '../../core/bulk.ts';
import type { StoredComment, SweepProgress } from '../../core/engagement/challenge-data/comment.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { CommentStore } from '../../core/ports/comment-store.ts';
import type { Connection, Sql } from './database.ts';
import { totalOf } from './list-totals.ts';
import { addBatch } from './matching-store.ts';
import type { OrderedList, Pages } from './pages.ts';
import { chunks, flag, fromJson, millis, pageOf, toDate } from './values.ts';

const COLUMNS = `id, challenge_id AS challengeId, platform_comment_id AS platformCommentId, username,
  comment_text AS commentText, commented_at AS commentedAt, created_at AS createdAt`;

const NEWEST_FIRST: OrderedList = {
  select: `SELECT ${COLUMNS} FROM comments`,
  from: 'comments',
  where: 'challenge_id = ?',
  order: ['commented_at', 'id'],
  direction: 'DESC',
};

/** Most handles in one call of `earliestByAuthors`. */
const MAX_HANDLES = 1_000;

interface CommentRow extends Omit<StoredComment, 'commentedAt' | 'createdAt'> {
  readonly commentedAt: number;
  readonly createdAt: number;
}

interface SweepRow
  extends Omit<SweepProgress, 'pendingReplies' | 'historyComplete' | 'confirmed' | 'startedAt' | 'updatedAt'> {
  readonly confirmed: number;
  readonly pendingReplies: string;
  readonly historyComplete: number;
  readonly startedAt: number;
  readonly updatedAt: number;
}

function toComment(row: CommentRow): StoredComment {
  return { ...row, commentedAt: toDate(row.commentedAt), createdAt: toDate(row.createdAt) };
}

function saveSweep(sql: Sql, progress: SweepProgress): void {
  sql.run(
    `INSERT OR REPLACE INTO sweeps (challenge_id, cursor, pending_replies, pages_read, total_fetched, status,
        history_complete, expected_total, unread_replies, skipped, confirmed, started_at, updated_at)
      SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM challenges WHERE id = ?`,
    progress.cursor,
    JSON.stringify(progress.pendingReplies),
    progress.pagesRead,
    progress.totalFetched,
    progress.status,
    flag(progress.historyComplete),
    progress.expectedTotal,
    progress.unreadReplies,
    progress.skipped,
    flag(progress.confirmed),
    millis(progress.startedAt),
    millis(progress.updatedAt),
    progress.challengeId,
  );
}

export function createCommentStore(connection: Connection, pages: Pages): CommentStore {
  return {
    async insertNew(challengeId, comments, now, progress) {
      const createdAt = millis(now);
      let inserted = 0;
      let stored = 0;
      for (const chunk of chunks(comments)) {
        stored += chunk.length;
        const isLast = stored === comments.length;
        inserted += await connection.write((sql) => {
          if (sql.get('SELECT 1 FROM challenges WHERE id = ?', challengeId) === undefined) return 0;
          const ids: number[] = [];
          for (const comment of chunk) {
            const { changes, id } = sql.run(
              `INSERT INTO comments (challenge_id, platform_comment_id, username, author, comment_text, commented_at,
                created_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (challenge_id, platform_comment_id) DO NOTHING`,
              challengeId,
              comment.platformCommentId,
              comment.username,
              normaliseHandle(comment.username),
              comment.commentText,
              millis(comment.commentedAt),
              createdAt,
            );
            if (changes === 1) ids.push(id);
          }
          addBatch(sql, challengeId, ids);
          if (isLast && progress !== undefined) saveSweep(sql, progress);
          return ids.length;
        });
      }
      if (comments.length === 0 && progress !== undefined) await connection.write((sql) => saveSweep(sql, progress));
      return inserted;
    },

    async page(challengeId, page) {
      const counted = (sql: Sql) => totalOf(sql, 'comments', challengeId);
      return pageOf(await pages.read<CommentRow>(NEWEST_FIRST, [challengeId], page, counted), toComment);
    },

    count: (challengeId) => connection.lookUp((sql) => totalOf(sql, 'comments', challengeId).total),

    async knownAmong(challengeId, platformCommentIds) {
      return connection.read((sql) => {
        const text = 'SELECT 1 FROM comments WHERE challenge_id = ? AND platform_comment_id = ?';
        return new Set(platformCommentIds.filter((id) => sql.get(text, challengeId, id) !== undefined));
      });
    },

    async earliestByAuthors(challengeId, handles) {
      atMost(handles, MAX_HANDLES, 'handles');
      return connection.read((sql) => {
        const found = new Map<string, StoredComment>();
        for (const handle of handles) {
          const row = sql.get<CommentRow>(
            `SELECT ${COLUMNS} FROM comments WHERE challenge_id = ? AND author = ? ORDER BY commented_at, id LIMIT 1`,
            challengeId,
            normaliseHandle(handle),
          );
          if (row !== undefined) found.set(handle, toComment(row));
        }
        return found;
      });
    },

    sweep: (challengeId) =>
      connection.lookUp((sql): SweepProgress | null => {
        const row = sql.get<SweepRow>(
          `SELECT challenge_id AS challengeId, cursor, pending_replies AS pendingReplies, pages_read AS pagesRead,
              total_fetched AS totalFetched, status, history_complete AS historyComplete,
              expected_total AS expectedTotal, unread_replies AS unreadReplies, skipped, confirmed, started_at AS startedAt,
              updated_at AS updatedAt FROM sweeps WHERE challenge_id = ?`,
          challengeId,
        );
        if (row === undefined) return null;
        return {
          ...row,
          pendingReplies: fromJson<SweepProgress['pendingReplies']>(row.pendingReplies),
          historyComplete: row.historyComplete === 1,
          confirmed: row.confirmed === 1,
          startedAt: toDate(row.startedAt),
          updatedAt: toDate(row.updatedAt),
        };
      }),

    saveSweep: (progress) => connection.write((sql) => saveSweep(sql, progress)),
  };
}
