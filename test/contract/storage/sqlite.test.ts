import Database from 'better-sqlite3';
import { createTestStorage } from '../../support/storage.ts';
import { TABLES } from './sql-tables.ts';
import { sqliteExtra } from './sqlite-extra.ts';
import { storageContract } from './suite.ts';
import type { StorageWorld, WriteFault } from './world.ts';

/** Written with these: the note of what is left to purge. */
const NOTES = 'purges';

/** The table takes no write any more. */
function refusing(path: string, table: string, certain: boolean): WriteFault {
  const change = (text: (operation: string) => string) => {
    const db = new Database(path);
    try {
      db.exec(['INSERT', 'UPDATE', 'DELETE'].map(text).join(';'));
    } finally {
      db.close();
    }
  };
  return {
    name: `no write to ${table}`,
    certain,
    async arm() {
      change(
        (operation) =>
          `CREATE TRIGGER refuse_${operation} BEFORE ${operation} ON ${table} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      );
      return async () => change((operation) => `DROP TRIGGER refuse_${operation}`);
    },
  };
}

async function createWorld(): Promise<StorageWorld> {
  const made = await createTestStorage('sqlite');
  const path = made.url.slice('sqlite:'.length);
  return {
    async open() {
      const storage = made.create();
      await storage.open();
      return storage;
    },
    async count(kind) {
      const db = new Database(path, { readonly: true });
      try {
        return Number(db.prepare(`SELECT count(*) FROM ${TABLES[kind]}`).pluck().get());
      } finally {
        db.close();
      }
    },
    faults: (kinds) => [
      ...kinds.map((kind) => refusing(path, TABLES[kind], true)),
      // Only what is deleted is noted.
      refusing(path, NOTES, false),
    ],
    close: () => made.close(),
  };
}

storageContract({ name: 'SQLite', create: createWorld, extra: sqliteExtra });
