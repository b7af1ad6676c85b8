import type Database from 'better-sqlite3';
import { DomainError } from '../../core/errors.ts';
import { STATE_INDEXES } from './attempt-states.ts';
import { MIGRATIONS } from './migrations.ts';
import { SCHEMA } from './schema.ts';

/**
 * Brings the schema to the newest version, in one transaction that other processes wait for. A blank file gets the whole
 * schema; it takes a quarter of the time of all migrations. Forward only: version n is entry n of `MIGRATIONS`, and what has
 * been released never changes.
 *
 * @throws DomainError `SERVICE_UNAVAILABLE` when the file was written by a newer Credence, or by something else.
 */
export function migrate(db: Database.Database): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const version = currentVersion(db);
    if (version > MIGRATIONS.length) {
      throw new DomainError(
        'SERVICE_UNAVAILABLE',
        `The SQLite file has schema version ${version}, this Credence knows ${MIGRATIONS.length}: ` +
          'it was used by a newer release. Run that release, or give another file.',
      );
    }
    if (version === 0) db.exec(SCHEMA);
    applyMigrations(db, version === 0 ? MIGRATIONS.length : version);
    const record = db.prepare('INSERT INTO schema_migrations (version, applied_at) VALUES (?, ?)');
    for (let applied = version + 1; applied <= MIGRATIONS.length; applied += 1) record.run(applied, Date.now());
    db.exec('COMMIT');
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Runs the migrations after `version`. Indexes over attempt states follow the table of states. */
export function applyMigrations(db: Database.Database, version: number): void {
  for (const statements of MIGRATIONS.slice(version)) db.exec(statements);
  refreshStateIndexes(db);
}

/** Makes those indexes again whose conditions are not what queries repeat. */
function refreshStateIndexes(db: Database.Database): void {
  const stored = db
    .prepare<[string], string>("SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?")
    .pluck();
  for (const [name, definition] of Object.entries(STATE_INDEXES)) {
    const wanted = `CREATE INDEX ${name} ${definition}`;
    if (stored.get(name)?.replace(/\s+/g, ' ') === wanted) continue;
    db.exec(`DROP INDEX IF EXISTS ${name}; ${wanted}`);
  }
}

function currentVersion(db: Database.Database): number {
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all() as {
    name: string;
  }[];
  if (tables.length === 0) {
    db.exec('CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT');
    return 0;
  }
  if (!tables.some((table) => table.name === 'schema_migrations')) {
    throw new DomainError(
      'SERVICE_UNAVAILABLE',
      `The SQLite file is not Credence's: it holds the table "${tables[0]?.name}" but no schema_migrations. Give another file.`,
    );
  }
  const row = db.prepare('SELECT coalesce(max(version), 0) AS version FROM schema_migrations').get() as {
    version: number;
  };
  return row.version;
}
