import type Database from 'better-sqlite3';
import { additions, SCHEMA, SCHEMA_VERSION } from '../sql/index.ts';
import { unavailable } from './failures.ts';

/** The database itself refuses to rewrite an entry of the audit log. */
const FINAL_AUDIT = `
CREATE TRIGGER audit_log_is_final BEFORE UPDATE ON audit_log
  WHEN OLD.outcome <> 'unknown' OR (OLD.id, OLD.at, OLD.actor, OLD.role, OLD.operation, OLD.state_before, OLD.request_id)
    IS NOT (NEW.id, NEW.at, NEW.actor, NEW.role, NEW.operation, NEW.state_before, NEW.request_id)
BEGIN SELECT RAISE(ABORT, 'an entry of the audit log is final'); END;
`;

/** "Cred": marks files of Credence. */
const APPLICATION_ID = 0x43_72_65_64;

/**
 * Makes what the file lacks, in one transaction that other processes wait for.
 * @throws DomainError `SERVICE_UNAVAILABLE` if the file has another schema, or is another application's
 */
export function prepareSchema(db: Database.Database): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const statement of missingIn(db)) db.exec(statement);
    // SQLite begins a transaction on a file that may only be read. It refuses the first statement that writes.
    db.exec('DELETE FROM brands WHERE false');
    db.exec('COMMIT');
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** The statements that make it. */
export function missingIn(db: Database.Database): readonly string[] {
  const table = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' LIMIT 1").pluck().get();
  if (table !== undefined) assertSchema(db, String(table));
  const columns = db.prepare<[], { table: string; column: string }>(COLUMNS).all();
  const indexes = db.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'index'").all();
  const stamp = `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`;
  return [...additions(SCHEMA, columns, indexes), ...(table === undefined ? [FINAL_AUDIT, stamp] : [])];
}

const COLUMNS = `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
  WHERE t.type = 'table'`;

function assertSchema(db: Database.Database, table: string): void {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw unavailable(
      `The SQLite file holds the table "${table}" and was not made by a release of Credence. Name another file.`,
    );
  }
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version === SCHEMA_VERSION) return;
  throw unavailable(
    `The SQLite file has schema version ${version}, this Credence uses version ${SCHEMA_VERSION}. Use the release that made ` +
      'the file: run it, or copy the data to MongoDB with its `credence copy`. To begin without the data, name another file.',
  );
}
