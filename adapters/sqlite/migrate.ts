import type Database from 'better-sqlite3';
import { DomainError } from '../../core/errors.ts';
import { SCHEMA, SCHEMA_VERSION } from '../sql/index.ts';

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
 * Makes the schema in a blank file, in one transaction that other processes wait for. A file that has it stays as it is.
 * @throws DomainError `SERVICE_UNAVAILABLE` if the file has another schema, or is another application's
 */
export function prepareSchema(db: Database.Database): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const table = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' LIMIT 1").pluck().get();
    if (table === undefined)
      db.exec(
        `${SCHEMA} ${FINAL_AUDIT} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`,
      );
    else assertSchema(db, String(table));
    db.exec('COMMIT');
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function assertSchema(db: Database.Database, table: string): void {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new DomainError(
      'SERVICE_UNAVAILABLE',
      `The SQLite file holds the table "${table}" and was not made by a release of Credence. Name another file.`,
    );
  }
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version === SCHEMA_VERSION) return;
  throw new DomainError(
    'SERVICE_UNAVAILABLE',
    `The SQLite file has schema version ${version}, this Credence uses version ${SCHEMA_VERSION}. Use the release that made ` +
      'the file: run it, or copy the data to MongoDB with its `credence copy`. To begin without the data, name another file.',
  );
}
