/** Statements of one handle. */
import type Database from 'better-sqlite3';
import type { Value } from './values.ts';

/** Statements by their text, prepared once. `Row` is what the text selects. */
export interface Sql {
  get<Row>(text: string, ...values: readonly Value[]): Row | undefined;
  all<Row>(text: string, ...values: readonly Value[]): Row[];
  run(text: string, ...values: readonly Value[]): { readonly changes: number; readonly id: number };
}

/** The addon would spread a list over the places that follow, and take an object for named ones. */
function plain(values: readonly Value[]): readonly Value[] {
  for (const value of values) {
    if (typeof value === 'object' && value !== null) throw new TypeError('Text, a number or null is needed here.');
  }
  return values;
}

/**
 * SQLite plans a statement again for every bound value that could lead to a better plan: in joins, and if an index gives the
 * order. That takes 5 to 10 µs, and without statistics it always finds the same plan. A plus hides the value and
 * changes nothing else.
 */
function plannedOnce(text: string): string {
  return text.replaceAll('?', '+?');
}

export function createSql(db: Database.Database): Sql {
  const prepared = new Map<string, Database.Statement>();
  const statement = (text: string): Database.Statement => {
    let known = prepared.get(text);
    if (known === undefined) {
      known = db.prepare(plannedOnce(text));
      prepared.set(text, known);
    }
    return known;
  };
  return {
    get: <Row>(text: string, ...values: readonly Value[]) => statement(text).get(...plain(values)) as Row | undefined,
    all: <Row>(text: string, ...values: readonly Value[]) => statement(text).all(...plain(values)) as Row[],
    run(text, ...values) {
      const { changes, lastInsertRowid } = statement(text).run(...plain(values));
      return { changes, id: Number(lastInsertRowid) };
    },
  };
}
