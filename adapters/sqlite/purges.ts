/**
 * Removing what hangs on a deleted campaign or webhook can mean tens of thousands of rows: too many for one turn of the
 * event loop. The deletion itself notes a purge in its transaction; the rows, which nothing can reach any more, follow in
 * pieces. A purge that a crash cut short is taken up by the next `open()`, or by the removal of leftovers.
 */
import type { PurgeStep } from '../../core/ports/retention-store.ts';
import type { Connection, Sql } from './database.ts';
import { BULK_ROWS } from './values.ts';

export type PurgeKind = 'challenge' | 'webhook';

export interface Purges {
  /** Notes the purge, inside the transaction that deletes its target. */
  note(sql: Sql, kind: PurgeKind, target: number): void;
  run(kind: PurgeKind, target: number): Promise<void>;
  /** Takes up what was noted and not finished. */
  resume(): Promise<void>;
}

const FETCHES = 'SELECT id FROM likers_fetches WHERE challenge_id = ?';

/** Each statement removes a piece of at most `BULK_ROWS`; in this order nothing is left that only a later one could find. */
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

function piece(table: string, key: string, condition: string): string {
  const columns = key.replaceAll(/[()]/g, '');
  return `DELETE FROM ${table} WHERE ${key} IN (SELECT ${columns} FROM ${table} WHERE ${condition} LIMIT ${BULK_ROWS})`;
}

/** Removes one piece of a noted purge, inside a transaction; the note goes when nothing is left. */
export function purgePiece(sql: Sql): PurgeStep {
  const noted = sql.get<{ kind: PurgeKind; target: number }>('SELECT kind, target FROM purges LIMIT 1');
  if (noted === undefined) return { removed: 0, next: null };
  const { kind, target } = noted;
  for (const statement of STATEMENTS[kind]) {
    const { changes } = sql.run(statement, target);
    if (changes > 0) return { removed: changes, next: 0 };
  }
  sql.run(DONE, kind, target);
  return { removed: 0, next: 0 };
}

const DONE = 'DELETE FROM purges WHERE kind = ? AND target = ?';

export function createPurges(connection: Connection): Purges {
  async function run(kind: PurgeKind, target: number): Promise<void> {
    for (const statement of STATEMENTS[kind]) {
      while ((await connection.write((sql) => sql.run(statement, target).changes)) > 0);
    }
    await connection.write((sql) => sql.run(DONE, kind, target));
  }

  return {
    note(sql, kind, target) {
      sql.run('INSERT INTO purges (kind, target) VALUES (?, ?) ON CONFLICT DO NOTHING', kind, target);
    },
    run,
    async resume() {
      const noted = await connection.read((sql) =>
        sql.all<{ kind: PurgeKind; target: number }>('SELECT kind, target FROM purges'),
      );
      for (const { kind, target } of noted) await run(kind, target);
    },
  };
}
