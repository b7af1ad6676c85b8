/** How the rows of a table are objects of the domain: names in camel case, dates as milliseconds, flags as 0 and 1, lists as JSON. */

import { pieces } from '../../core/bulk.ts';
import { gathered } from '../../core/gather.ts';
import { remembered } from '../../core/keep-newest.ts';
import { type Column, camelCase, fromColumn, KINDS, toColumn, toValue } from './columns.ts';
import { integer } from './values.ts';
import { Among, type Cell, type Sql, type SqlConnection, type Value, type Work } from './work.ts';

/** What the columns do not say of a table. */
interface TableOptions {
  /** How many of the first columns are the primary key; 1 by default. */
  readonly key?: number;
  /** Columns with a default, a reference or the like, as SQLite declares them. */
  readonly declared?: Readonly<Record<string, string>>;
  /** No two rows have the same values in these columns. */
  readonly unique?: string;
  /** Rows are stored within the primary key's index. */
  readonly withoutRowid?: true;
}

export type Row = Readonly<Record<string, Cell>>;
type Fields = Readonly<Record<string, unknown>>;

/** Rows that one statement inserts. */
export const ROWS_A_STATEMENT = 50;

export class Table<Item extends object, Hidden extends object = object> {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly Column[];
  readonly #options: TableOptions;
  readonly #shown: readonly Column[];
  readonly #list: string;

  /**
   * @param columns as in TypeScript: `name:kind`, `name:kind|null`, `name?:kind`; text has no kind. `name=field` for a field with
   * another name, `-name` for what objects of the domain do not show.
   */
  constructor(name: string, columns: string, options: TableOptions = {}) {
    this.name = name;
    this.columns = columns.trim().split(/\s+/).map(toColumn);
    this.key = this.columns.slice(0, options.key ?? 1);
    this.#options = options;
    this.#shown = this.columns.filter(({ isHidden }) => !isHidden);
    this.#list = this.columns.map((column) => column.name).join(', ');
  }

  /** The statement that makes the table in SQLite. */
  create(): string {
    const { declared, unique, withoutRowid } = this.#options;
    const lines = this.columns.map((column) => `${column.name} ${declared?.[column.name] ?? this.#declare(column)}`);
    if (this.key.length > 1) lines.push(`PRIMARY KEY (${this.key.map((column) => column.name).join(', ')})`);
    if (unique !== undefined) lines.push(`UNIQUE (${unique})`);
    return `CREATE TABLE ${this.name} (\n  ${lines.join(',\n  ')}\n) STRICT${withoutRowid ? ', WITHOUT ROWID' : ''};`;
  }

  #declare(column: Column): string {
    const { type } = KINDS[column.kind];
    if (column.kind === 'serial') return `${type} PRIMARY KEY AUTOINCREMENT`;
    if (this.key.length === 1 && this.key[0] === column) return `${type} PRIMARY KEY`;
    return column.isNullable ? type : `${type} NOT NULL`;
  }

  *select(sql: Sql, rest: string, ...values: readonly Value[]): Work<Item[]> {
    const rows = yield* sql.all<Row>(this.#selecting(rest), ...values);
    return rows.map((row) => this.toItem(row));
  }

  /** The same text for the same rest: a new one would be hashed for each call, to find its statement. */
  readonly #selecting = remembered(
    (rest: string) => `SELECT ${this.#list} FROM ${this.name} ${rest}`,
    Number.POSITIVE_INFINITY,
  );

  *find(sql: Sql, rest: string, ...values: readonly Value[]): Work<Item | null> {
    const row = yield* sql.get<Row>(this.#selecting(rest), ...values);
    return row === undefined ? null : this.toItem(row);
  }

  /** Finds rows by the number in a column, in the order of their key. What callers of one moment look for is one statement. */
  finder(connection: SqlConnection, name: string): (value: number) => Promise<readonly Item[]> {
    const field = camelCase(name) as keyof Item;
    const rest = `WHERE ${name} IN (?) ORDER BY ${this.key.map((one) => one.name).join()}`;
    const find = gathered(async (values: readonly number[]) => {
      const items = await connection.read((sql) => this.select(sql, rest, new Among(values)));
      return Map.groupBy(items, (item) => item[field] as number);
    }, setImmediate);
    return async (value) => (await find(integer(value))) ?? [];
  }

  *count(sql: Sql, where: string, ...values: readonly Value[]): Work<number> {
    const counted = yield* sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${this.name} WHERE ${where}`, ...values);
    return counted?.n ?? 0;
  }

  /** Whether there is such a row. It stays until the transaction ends. */
  *holds(sql: Sql, where: string, ...values: readonly Value[]): Work<boolean> {
    const text = `SELECT 1 FROM ${this.name} WHERE ${where} LIMIT 1 FOR KEY SHARE`;
    return (yield* sql.get(text, ...values)) !== undefined;
  }

  /** @returns what is stored, with the id that it got */
  *insert(sql: Sql, item: Partial<Item & Hidden>): Work<Item> {
    const [stored] = yield* this.#insert(sql, [item], '');
    if (stored === undefined) throw new Error(`A row that was just inserted into ${this.name} is missing.`);
    return stored;
  }

  /** Inserts the rows that have others in the unique columns than those that are there. @returns what is new, in their order */
  *insertNew(sql: Sql, items: readonly Partial<Item & Hidden>[], unique: string): Work<Item[]> {
    const stored: Item[] = [];
    for (const some of pieces(items, ROWS_A_STATEMENT)) {
      stored.push(...(yield* this.#insert(sql, some, `ON CONFLICT ${unique} DO NOTHING`)));
    }
    return stored;
  }

  /** Stores all columns of rows: new ones, and those that are there and that this transaction has locked. */
  *replace(sql: Sql, items: readonly (Item & Hidden)[]): Work<void> {
    const key = this.key.map(({ name }) => name).join(', ');
    const set = this.columns.map(({ name }) => `${name} = excluded.${name}`).join(', ');
    for (const some of pieces(items, ROWS_A_STATEMENT)) {
      yield* this.#insert(sql, some as readonly Fields[], `ON CONFLICT (${key}) DO UPDATE SET ${set}`);
    }
  }

  *#insert(sql: Sql, items: readonly Fields[], conflict: string): Work<Item[]> {
    const given = this.columns.filter(({ field }) => items.some((item) => item[field] !== undefined));
    const names = given.map(({ name }) => name).join(', ');
    const row = `(${given.map(() => '?').join(', ')})`;
    const values = items.flatMap((item) => given.map(({ field, kind }) => toValue(item[field] ?? null, kind)));
    const places = items.map(() => row).join(', ');
    const text = `INSERT INTO ${this.name} (${names}) VALUES ${places} ${conflict} RETURNING ${this.#list}`;
    return (yield* sql.all<Row>(text, ...values)).map((each) => this.toItem(each));
  }

  /** Sets the given fields, if there are any. @returns how many rows it changed */
  *update(sql: Sql, item: Partial<Item & Hidden>, rest: string, ...others: readonly Value[]): Work<number> {
    const given = this.columns.filter(({ field }) => (item as Fields)[field] !== undefined);
    if (given.length === 0) return 0;
    const values = given.map(({ field, kind }) => toValue((item as Fields)[field], kind));
    const set = given.map(({ name }) => `${name} = ?`).join(', ');
    return yield* sql.run(`UPDATE ${this.name} SET ${set} ${rest}`, ...values, ...others);
  }

  /** Sets fields of a row that this transaction has read. @returns what is stored then */
  *change(sql: Sql, stored: Item & { readonly id: number }, fields: Partial<Item & Hidden>): Work<Item> {
    yield* this.update(sql, fields, 'WHERE id = ?', stored.id);
    return { ...stored, ...fields };
  }

  /** The column that holds a field. */
  columnOf(field: string): string {
    const column = this.columns.find((one) => one.field === field);
    if (column === undefined) throw new RangeError(`${this.name} has no ${field}.`);
    return column.name;
  }

  toItem(row: Row): Item {
    return toFields(row, this.#shown) as Item;
  }

  /** With what objects of the domain do not show. */
  toWhole(row: Row): Item & Hidden {
    return toFields(row, this.columns) as Item & Hidden;
  }
}

/** Sound because the table's definition says which fields an item has. */
function toFields(row: Row, columns: readonly Column[]): object {
  const fields: Record<string, unknown> = {};
  for (const { name, field, kind, isOptional } of columns) {
    const value = row[name] ?? null;
    if (value !== null || !isOptional) fields[field] = fromColumn(value, kind);
  }
  return fields;
}
