/**
 * `npm run generate:schema`: writes the schema that a blank SQLite file gets, from all migrations. A test fails while the file is
 * not what this writes.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { applyMigrations } from '../adapters/sqlite/migrate.ts';

export const SCHEMA_FILE = fileURLToPath(new URL('../adapters/sqlite/schema.ts', import.meta.url));

const HEAD = `/**
 * The whole schema after all migrations, written by \`npm run generate:schema\`. Do not edit: append to \`MIGRATIONS\` and run it again.
 */
`;

/** The text of `adapters/sqlite/schema.ts`: every definition in the order of its making, then the rows that migrations insert. */
export function sqliteSchema(): string {
  const db = new Sqlite(':memory:');
  try {
    applyMigrations(db, 0);
    const definitions = db
      .prepare<[], string>(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
      )
      .pluck()
      .all();
    return `${HEAD}export const SCHEMA = \`\n${[...definitions, ...rowsOf(db)].map((one) => `${one};\n`).join('')}\`;\n`;
  } finally {
    db.close();
  }
}

function rowsOf(db: Sqlite.Database): string[] {
  const list = (sql: string) => db.prepare<[], string>(sql).pluck().all();
  return list("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").flatMap((table) => {
    const columns = list(`SELECT name FROM pragma_table_info('${table}')`);
    const values = columns.map((column) => `quote(${column})`).join(" || ', ' || ");
    return list(`SELECT ${values} FROM ${table}`).map(
      (row) => `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${row})`,
    );
  });
}

if (import.meta.main) await writeFile(SCHEMA_FILE, sqliteSchema());
