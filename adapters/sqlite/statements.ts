/** Statements of one handle. */
import type Database from 'better-sqlite3';
import { remembered } from '../../core/keep-newest.ts';
import { Among, type Cell, type Sql, type Value, type Work } from '../sql/index.ts';

/** The addon would spread a list over the places that follow, and take an object for named ones. */
function plain(values: readonly Value[]): readonly Cell[] {
  return values.map((value) => {
    if (value instanceof Among) return JSON.stringify(value.values);
    if (typeof value === 'object' && value !== null) throw new TypeError('Text, a number or null is needed here.');
    return value;
  });
}

/**
 * A transaction has the whole file, so no row needs a lock of its own.
 *
 * SQLite plans a statement again for every bound value that could lead to a better plan: in joins, and if an index gives the
 * order. That takes 5 to 10 µs, and without statistics it always finds the same plan. A plus hides the value and
 * changes nothing else.
 */
function inSqlite(text: string): string {
  return text
    .replace(/ FOR (?:UPDATE|SHARE|KEY SHARE)(?: OF t)?(?: SKIP LOCKED)?/g, '')
    .replaceAll('IN (?)', 'IN (SELECT value FROM json_each(?))')
    .replaceAll('least(', 'min(')
    .replaceAll('greatest(', 'max(')
    .replaceAll('?', '+?');
}

/** It is done already: `yield*` gives the value. */
const answer = <T>(value: T): Work<T> => ({ [Symbol.iterator]: () => ({ next: () => ({ done: true, value }) }) });

/** Runs the steps to their end. */
export function resultOf<T>(work: Work<T>): T {
  const step = work[Symbol.iterator]().next();
  if (!step.done) throw new Error('SQLite never has to wait.');
  return step.value;
}

export function createSql(db: Database.Database): Sql {
  const statement = remembered((text: string) => db.prepare(inSqlite(text)), Number.POSITIVE_INFINITY);
  return {
    get: <Row>(text: string, ...values: readonly Value[]) =>
      answer(statement(text).get(...plain(values)) as Row | undefined),
    all: <Row>(text: string, ...values: readonly Value[]) => answer(statement(text).all(...plain(values)) as Row[]),
    run: (text, ...values) => answer(statement(text).run(...plain(values)).changes),
    idTaken: () => answer(undefined),
    oneAtATime: () => answer(undefined),
  };
}
