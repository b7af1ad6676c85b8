/** What PostgreSQL alone has to show: its schema, the host's own pool, rights, connections that are cut. */
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresStorage, type PostgresStorageOptions } from '../../../adapters/postgres/index.ts';
import { AWAITING_JOBS, AWAITING_RECHECK, OPEN } from '../../../adapters/sql/attempt-states.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { inDatabase, postgresServer } from '../../support/postgres.ts';
import { allRows, linkInput, parallel } from './samples.ts';

const CUT =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

export function postgresExtra(): void {
  describe('PostgreSQL alone', () => {
    let url = '';
    const opened: Storage[] = [];
    const open = async (options: PostgresStorageOptions = { url }) => {
      const storage = createPostgresStorage(options);
      opened.push(storage);
      await storage.open();
      return storage;
    };

    beforeEach(async () => {
      const server = await postgresServer();
      if (server.available) url = await server.createDatabase('nothing');
    });
    afterEach(() => Promise.all(opened.splice(0).map((storage) => storage.close())));

    it('validates its options', () => {
      const refused = (options: object, message: string) =>
        expect(() => createPostgresStorage(options as PostgresStorageOptions)).toThrow(message);
      refused({}, 'either url or pool');
      refused({ url: 'postgres://db/x', pool: new pg.Pool() }, 'either url or pool');
      refused({ pool: {} }, 'must be a Pool');
      refused({ pool: new pg.Pool(), maxPoolSize: 5 }, 'a pool has its own');
      refused({ url: 'postgres://db/x', schema: 'a"; DROP SCHEMA b' }, 'small letters');
      refused({ url: 'mysql://db/x' }, 'postgres://');
      refused({ url: 'postgres://user:se cret@[::1/x' }, 'cannot read the URL');
    });

    it.each([
      ['unheld_attempts_awaiting_jobs', `held IS NULL AND ${AWAITING_JOBS} ORDER BY updated_at, id`],
      [
        'attempts_due_for_recheck',
        `recheck IS NOT NULL AND ${AWAITING_RECHECK} ORDER BY substring(recheck from '"at":"([^"]*)"'), id`,
      ],
      ['open_attempts_by_deadline', `${OPEN} ORDER BY verification_deadline`],
    ])('finds attempts by their state through %s', async (index, rest) => {
      await open();
      const explain = `SET enable_seqscan = off; EXPLAIN SELECT id FROM credence.attempts WHERE ${rest} LIMIT 9`;
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const plan: unknown = await client.query(explain);
      await client.end();
      expect(JSON.stringify(plan)).toContain(index);
    });

    it('refuses a schema of another version, and one of another application, and leaves them alone', async () => {
      await open();
      await inDatabase(url, 'UPDATE credence.schema_version SET version = 99');
      await expect(open()).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining('version 99'),
      });
      await inDatabase(url, 'CREATE SCHEMA theirs CREATE TABLE brands (a int)');
      await expect(open({ url, schema: 'theirs' })).rejects.toThrow('holds the table "brands"');
      const left = await inDatabase(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'theirs'");
      expect(left).toEqual([{ tablename: 'brands' }]);
    });

    it('adds what an earlier release did not have, and says what is missing', async () => {
      const storage = createPostgresStorage({ url });
      expect((await storage.missing())[1]).toContain('CREATE SCHEMA');
      await (await open()).close();
      expect(await storage.missing()).toEqual([]);
      await inDatabase(
        url,
        'DROP TABLE credence.usage; DROP INDEX credence.dead_jobs; ALTER TABLE credence.brands DROP COLUMN logo_url',
      );
      const missing = await storage.missing();
      expect(missing.slice(2, -1).map((statement) => statement.split(' (', 1)[0])).toEqual([
        'ALTER TABLE brands ADD COLUMN logo_url TEXT COLLATE "C"',
        'CREATE INDEX dead_jobs ON jobs',
        'CREATE TABLE usage',
        'CREATE INDEX usage_by_period ON usage',
      ]);
      await expect(open({ url, migrate: 'never' })).rejects.toThrow(/lacks .*ALTER TABLE brands.*credence migrate/s);
      const later = await open();
      await open({ url, migrate: 'never' });
      const brand = { name: 'B', slug: 'b', logoUrl: 'https://example.com/l.png', createdAt: new Date() };
      expect(await later.brands.create(brand)).toMatchObject(brand);
    });

    it('schemas stand side by side', async () => {
      const [one, other] = [await open(), await open({ url, schema: 'second' })];
      await one.creators.link(linkInput());
      expect(await allRows(one)).toHaveLength(1);
      expect(await allRows(other)).toEqual([]);
    });

    it("uses the host's own pool, whatever the host reads numbers as, and leaves it open", async () => {
      const types = { getTypeParser: () => () => 'of the host' };
      const pool = new pg.Pool({ connectionString: url, max: 2, types: types as unknown as pg.CustomTypesConfig });
      const storage = await open({ pool });
      // An idle connection is cut, and nobody else listens.
      const cut = new Promise((resolve) => pool.once('remove', resolve));
      await inDatabase(url, CUT);
      await cut;
      const linked = await parallel(20, () => storage.creators.link(linkInput()));
      expect(new Set(linked.map(({ creator }) => creator.id)).size).toBe(20);
      await storage.close();
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 'of the host' }]);
      expect(pool.idleCount).toBe(pool.totalCount);
      expect(pool.listenerCount('error')).toBe(0);
      await pool.end();
    });

    it('a user without rights to create starts once the schema is there, and is told before', async () => {
      const role = `app_${Date.now()}`;
      await inDatabase(url, `CREATE ROLE ${role} LOGIN`);
      const theirs = new URL(url);
      theirs.username = role;
      await expect(open({ url: theirs.href })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await open();
      await expect(open({ url: theirs.href })).rejects.toThrow(/42501: grant its user the right/);
      await inDatabase(
        url,
        `GRANT USAGE ON SCHEMA credence TO ${role};
          GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA credence TO ${role}`,
      );
      const storage = await open({ url: theirs.href });
      expect((await storage.creators.link(linkInput())).outcome).toBe('created');
    });

    it('continues after its connections were cut, idle ones and those amid a transaction', async () => {
      const storage = await open();
      const cut = () => inDatabase(url, CUT);
      await parallel(8, () => storage.creators.link(linkInput()));
      await cut();
      const racing = Promise.allSettled(Array.from({ length: 60 }, () => storage.creators.link(linkInput())));
      await cut();
      const failed = (await racing).flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
      expect(new Set([...failed, 'SERVICE_UNAVAILABLE'])).toEqual(new Set(['SERVICE_UNAVAILABLE']));
      expect((await storage.creators.link(linkInput())).outcome).toBe('created');
      await storage.ping();
    });

    it('a server that is not there is unavailable, and is found when it is', async () => {
      const gone = new URL(url);
      gone.port = '1';
      await expect(open({ url: gone.href, connectTimeoutMs: 500 })).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
      });
    });
  });
}
