import type { AuditEntry } from '../../core/access/audit.ts';
import type { AuditFilter, AuditStore } from '../../core/ports/audit-store.ts';
import type { Connection, Sql } from './database.ts';
import { type Narrowing, readNarrowed } from './narrowed-list.ts';
import type { Key, OrderedList, Pages } from './pages.ts';
import { fromJson, millis, pageOf, toDate } from './values.ts';

interface AuditRow extends Omit<AuditEntry, 'at' | 'before' | 'after'> {
  readonly at: number;
  readonly before: string | null;
  readonly after: string | null;
}

const SELECT = `SELECT id, at, actor, role, operation, target, outcome, error, state_before AS before, state_after AS after,
  request_id AS requestId FROM audit_log`;
/** No entry is older. With it, each list is a range of an index. */
const FIRST = -8.64e15;
/** Index entries that are counted in one turn of the event loop, about a millisecond. */
const PIECE = 10_000;

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function toEntry(row: AuditRow): AuditEntry {
  const { at, before, after } = row;
  return {
    ...row,
    at: toDate(at),
    before: before === null ? null : fromJson(before),
    after: after === null ? null : fromJson(after),
  };
}

/** With a `start`, since `at < ?` besides would keep SQLite from seeking a later cursor. */
interface Chosen extends Narrowing {
  readonly list: OrderedList;
}

/** The column that narrows the list most comes first: its index is used. */
function chosen({ actor, operation, target, from, to }: AuditFilter): Chosen {
  const named = Object.entries({ target, actor, operation }).flatMap(([column, value]) =>
    value === undefined ? [] : [[column, value] as const],
  );
  const [[column, value] = [], ...others] = named;
  return {
    list: listOf(column),
    values: [...(value === undefined ? [] : [value]), from ? millis(from) : FIRST],
    others,
    start: to && [millis(to), 0],
  };
}

const lists = new Map<string | undefined, OrderedList>();

/** One for each index, so that their texts are made once. */
function listOf(column: string | undefined): OrderedList {
  const where = column === undefined ? 'at >= ?' : `${column} = ? AND at >= ?`;
  const list = lists.get(column) ?? {
    select: SELECT,
    from: 'audit_log',
    where,
    order: ['at', 'id'],
    direction: 'DESC',
  };
  lists.set(column, list);
  return list;
}

/** Counts the entries in pieces, once for each request: a page far behind is looked for in several turns. */
async function countOf(
  connection: Pick<Connection, 'lookUp'>,
  { list: { where }, values, start }: Chosen,
): Promise<number> {
  const after = `FROM audit_log WHERE ${where} AND (at, id) < (?, ?)`;
  const end = `SELECT at, id ${after} ORDER BY at DESC, id DESC LIMIT 1 OFFSET ${PIECE - 1}`;
  let key: Key = start ?? [Number.MAX_SAFE_INTEGER, 0];
  for (let total = 0; ; total += PIECE) {
    const counted = await connection.lookUp((sql) => {
      const last = sql.get<{ readonly at: number; readonly id: number }>(end, ...values, ...key);
      if (last === undefined)
        return sql.get<{ readonly rows: number }>(`SELECT count(*) AS rows ${after}`, ...values, ...key);
      key = [last.at, last.id];
      return undefined;
    });
    if (counted !== undefined) return total + counted.rows;
  }
}

/** Entries go at the end of the list alone, so that its positions stay until the next one comes. */
function newest(sql: Sql): number {
  return sql.get<{ id: number | null }>('SELECT max(id) AS id FROM audit_log')?.id ?? 0;
}

export function createAuditStore(connection: Connection, pages: Pages): AuditStore {
  return {
    append: ({ at, actor, role, operation, target, before, requestId }) =>
      connection.write(
        (sql) =>
          sql.run(
            `INSERT INTO audit_log (at, actor, role, operation, target, outcome, state_before, request_id)
              VALUES (?, ?, ?, ?, ?, 'unknown', ?, ?)`,
            millis(at),
            actor,
            role,
            operation,
            target,
            asJson(before),
            requestId,
          ).id,
      ),

    conclude: (id, { target, outcome, error, after }) =>
      connection.write(
        (sql) =>
          sql.run(
            `UPDATE audit_log SET target = ?, outcome = ?, error = ?, state_after = ? WHERE id = ? AND outcome = 'unknown'`,
            target,
            outcome,
            error,
            asJson(after),
            id,
          ).changes > 0,
      ),

    async list(filter, page) {
      const these = chosen(filter);
      const { list, values, others, start } = these;
      if (others.length > 0) return pageOf(await readNarrowed<AuditRow>(connection, list, these, page), toEntry);
      const total = await countOf(connection, these);
      const counted = (sql: Sql) => ({ total, changes: newest(sql) });
      return pageOf(await pages.read<AuditRow>(list, values, page, counted, { start }), toEntry);
    },
  };
}
