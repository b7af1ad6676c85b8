/** Counts of an index by time, some thousand rows at a time. */
import { BUCKET_MS, type SeriesCount, type SeriesRange } from '../../core/ports/series.ts';
import { all, type Condition } from './pages.ts';
import { millis } from './values.ts';
import type { SqlConnection } from './work.ts';

/** Rows that are counted before other work of the event loop has its turn: some milliseconds. */
const PIECE_ROWS = 20_000;

export interface Counted {
  /** It has an index of what equals the values of `within`, then `time`. */
  readonly table: string;
  readonly within?: Condition;
  readonly time: string;
  /** Which rows of these. */
  readonly only: Condition;
  /** What is counted of them: aggregates by name. */
  readonly counts: Readonly<Record<string, string>>;
}

export async function countByTime(
  connection: SqlConnection,
  range: SeriesRange,
  { table, within = all(), time, only, counts }: Counted,
): Promise<readonly SeriesCount[]> {
  const rows = `FROM ${table} WHERE ${within.where} AND ${time} >= ? AND ${time} < ?`;
  const first = `SELECT ${time} AS at ${rows} ORDER BY ${time} LIMIT 1 OFFSET ?`;
  const columns = Object.entries(counts).map(([name, count]) => `${count} AS ${name}`);
  const piece = `SELECT ${columns.join(', ')} ${rows} AND ${only.where}`;
  const { by } = range;
  const end = millis(range.to);
  const found: SeriesCount[] = [];
  for (let start: number | null = millis(range.from); start !== null; ) {
    const from: number = start;
    start = await connection.read<number | null>(function* (sql) {
      const find = (since: number, until: number, skipped: number) =>
        sql.get<{ at: number }>(first, ...within.values, since, until, skipped);
      const since = (yield* find(from, end, 0))?.at;
      if (since === undefined) return null;
      const bucket = since - (since % BUCKET_MS[by]);
      const until = Math.min(bucket + BUCKET_MS[by], end);
      // Rows of one millisecond stay together.
      const next = Math.max((yield* find(since, until, PIECE_ROWS))?.at ?? until, since + 1);
      const sums = yield* sql.get<Record<string, number | null>>(piece, ...within.values, since, next, ...only.values);
      for (const [name, count] of Object.entries(sums ?? {})) {
        if (count) found.push({ at: new Date(bucket), name, count });
      }
      return next;
    });
  }
  return found;
}
