/** A connection that notes its statements: how many run in each turn of the event loop, and how many rows each gives. */
import type { Connection, Sql } from '../../../adapters/sqlite/database.ts';

export interface RunStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Rows that it gave, or changed. */
  readonly rows: number;
}

export interface WatchedConnection extends Connection {
  /** The statements of each piece of work, so far. */
  readonly works: readonly (readonly RunStatement[])[];
}

export function watchedConnection(connection: Connection): WatchedConnection {
  const works: RunStatement[][] = [];
  const watched =
    <T>(work: (sql: Sql) => T) =>
    (sql: Sql) => {
      const ran: RunStatement[] = [];
      works.push(ran);
      return work({
        get: <Row>(text: string, ...values: Parameters<Sql['get']>[1][]) => {
          const row = sql.get<Row>(text, ...values);
          ran.push({ text, values, rows: row === undefined ? 0 : 1 });
          return row;
        },
        all: <Row>(text: string, ...values: Parameters<Sql['all']>[1][]) => {
          const rows = sql.all<Row>(text, ...values);
          ran.push({ text, values, rows: rows.length });
          return rows;
        },
        run(text, ...values) {
          const done = sql.run(text, ...values);
          ran.push({ text, values, rows: done.changes });
          return done;
        },
      });
    };
  return {
    ...connection,
    works,
    read: (work) => connection.read(watched(work)),
    lookUp: (work) => connection.lookUp(watched(work)),
    write: (work) => connection.write(watched(work)),
    writeSoon: (work) => connection.writeSoon(watched(work)),
  };
}
