/** How the stores ask a database: SQLite answers at once, a server later. The same steps serve both. */

/** What a column holds. */
export type Cell = string | number | null;

/** Values for `IN (?)`. A class, as no list that a caller sends may stand for one. */
export class Among {
  readonly values: readonly (string | number)[];

  constructor(values: readonly (string | number)[]) {
    if (values.some((value) => !['string', 'number'].includes(typeof value)))
      throw new TypeError('Texts or numbers are needed here.');
    this.values = values;
  }
}

/** What a statement takes. */
export type Value = Cell | Among;

/** Steps that read and write: `const row = yield* sql.get(…)`. What a server has yet to answer is waited for. */
export type Work<T> = Iterable<Promise<unknown>, T, unknown>;

/**
 * Statements in the SQL that SQLite and PostgreSQL share. What one of them writes differently is translated: locks of rows
 * (`FOR UPDATE`), `least`, `greatest`, `instr`, `IN (?)` and `json_each(?)` over a list, and `->>`.
 */
export interface Sql {
  /** The first row, or undefined. */
  get<Row>(text: string, ...values: readonly Value[]): Work<Row | undefined>;
  /** Every row. */
  all<Row>(text: string, ...values: readonly Value[]): Work<Row[]>;
  /** @returns how many rows it changed */
  run(text: string, ...values: readonly Value[]): Work<number>;
  /** A row was given this id: ids of new rows are greater. */
  idTaken(table: string, column: string, id: number): Work<unknown>;
  /** From here on, until the transaction ends, no other one with this name continues. */
  oneAtATime(name: string): Work<unknown>;
}

/** An open database. */
export interface SqlConnection {
  /** Runs `work` without a transaction: each of its statements sees what is committed. */
  read<T>(work: (sql: Sql) => Work<T>): Promise<T>;
  /** As `write`, for work that is one statement: a server needs no more for it. */
  statement<T>(work: (sql: Sql) => Work<T>): Promise<T>;
  /** Runs `work` in a transaction; resolves once it is on the disk. It may run several times, and changes nothing but through `sql`. */
  write<T>(work: (sql: Sql) => Work<T>): Promise<T>;
  /** Tells processes that watch this database of work that is stored: types of jobs, or `deliveries`. */
  tell?(work: readonly string[]): void;
}
