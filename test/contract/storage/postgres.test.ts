import { describe } from 'vitest';
import { inDatabase, postgresServer } from '../../support/postgres.ts';
import { createTestStorage } from '../../support/storage.ts';
import { postgresExtra } from './postgres-extra.ts';
import { TABLES } from './sql-tables.ts';
import { storageContract } from './suite.ts';
import type { StorageWorld, WriteFault } from './world.ts';

/** The table takes no write any more. */
function refusing(url: string, table: string, certain: boolean): WriteFault {
  return {
    name: `no write to ${table}`,
    certain,
    async arm() {
      await inDatabase(
        url,
        `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
          CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON credence.${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
      );
      return async () => {
        await inDatabase(url, `DROP TRIGGER refuse ON credence.${table}`);
      };
    },
  };
}

async function createWorld(): Promise<StorageWorld> {
  const made = await createTestStorage('postgres');
  return {
    async open() {
      const storage = made.create();
      await storage.open();
      return storage;
    },
    async count(kind) {
      const [row] = await inDatabase(made.url, `SELECT count(*) AS n FROM credence.${TABLES[kind]}`);
      return Number(row?.n);
    },
    faults: (kinds) => [
      ...kinds.map((kind) => refusing(made.url, TABLES[kind], true)),
      // Only what is deleted is noted.
      refusing(made.url, 'purges', false),
    ],
    close: () => made.close(),
  };
}

const server = await postgresServer();
const name = server.available ? 'PostgreSQL' : `PostgreSQL (SKIPPED: ${server.reason})`;
describe.skipIf(!server.available)(name, () => {
  storageContract({ name: 'PostgreSQL', create: createWorld, extra: postgresExtra });
});
