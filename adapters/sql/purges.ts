/**
 * Removing what hangs on a deleted campaign or webhook can mean tens of thousands of rows: too many for one turn of the
 * event loop. The deletion itself notes a purge in its transaction; the rows, which nothing can reach any more, follow in
 * pieces. A purge that a crash cut short is taken up by the next `open()`, or by the removal of leftovers.
 */
import type { PurgeStep } from '../../core/ports/retention-store.ts';
import { BULK_ROWS } from './values.ts';
import type { Sql, SqlConnection, Work } from './work.ts';

export type PurgeKind = 'challenge' | 'webhook';

/** Notes the purge, inside the transaction that deletes its target. */
export function notePurge(sql: Sql, kind: PurgeKind, target: number): Work<number> {
  return sql.run('INSERT INTO purges (kind, target) VALUES (?, ?) ON CONFLICT DO NOTHING', kind, target);
}

/** Removes all that was noted. */
export async function finishPurges(connection: SqlConnection): Promise<void> {
  while ((await connection.write(purgePiece)).next !== null);
}

const FETCHES = 'SELECT id FROM likers_fetches WHERE challenge_id = ?';

/** In this order nothing is left that only a later one could find. */
const STATEMENTS: Readonly<Record<PurgeKind, readonly string[]>> = {
  challenge: [
    piece('comments', 'id', 'challenge_id = ?'),
    piece('metrics', 'seq', 'challenge_id = ?'),
    piece('likers', 'id', `fetch_id IN (${FETCHES})`),
    piece('likers_fetches', 'id', 'challenge_id = ?'),
    piece('sweeps', 'challenge_id', 'challenge_id = ?'),
  ],
  webhook: [piece('deliveries', 'id', 'target = ?')],
};

/** A statement that removes a piece of what meets the condition. */
export function piece(table: string, key: string, condition: string, locks = ''): string {
  return `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${BULK_ROWS} ${locks})`;
}

/** Removes one piece of a noted purge, inside a transaction; the note goes when nothing is left. One at a time has the note. */
export function* purgePiece(sql: Sql): Work<PurgeStep> {
  const noted = yield* sql.get<{ kind: PurgeKind; target: number }>(
    'SELECT kind, target FROM purges LIMIT 1 FOR UPDATE',
  );
  if (noted === undefined) return { removed: 0, next: null };
  const { kind, target } = noted;
  for (const statement of STATEMENTS[kind]) {
    const changes = yield* sql.run(statement, target);
    if (changes > 0) return { removed: changes, next: 0 };
  }
  yield* sql.run('DELETE FROM purges WHERE kind = ? AND target = ?', kind, target);
  return { removed: 0, next: 0 };
}
