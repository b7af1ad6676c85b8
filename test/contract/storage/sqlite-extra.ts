/** What SQLite alone has to show: its schema, a file shared by handles, waiting for locks, an event loop that continues. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AWAITING_JOBS, AWAITING_RECHECK, OPEN } from '../../../adapters/sql/attempt-states.ts';
import { SCHEMA_VERSION } from '../../../adapters/sql/schema.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { assertNodeVersion } from '../../../adapters/sqlite/node-version.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { maintain } from '../../support/maintain.ts';
import {
  allRows,
  createAttempt,
  linkInput,
  newAttempt,
  newCampaign,
  newChallenge,
  newComment,
  newLiker,
  newLikersFetch,
  parallel,
  storedChallenge,
  T0,
} from './samples.ts';

export function sqliteExtra(): void {
  describe('SQLite alone', () => {
    let folder = '';
    let path = '';
    const opened: Storage[] = [];
    const open = async (options: { readonly path: string; readonly busyTimeoutMs?: number } = { path }) => {
      const storage = createSqliteStorage(options);
      opened.push(storage);
      await storage.open();
      return storage;
    };
    /** Looks into the file with a handle of its own. */
    const inFile = <T>(work: (db: Database.Database) => T): T => {
      const db = new Database(path);
      try {
        return work(db);
      } finally {
        db.close();
      }
    };

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'credence-sqlite-'));
      path = join(folder, 'deep', 'er', 'credence.db');
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((storage) => storage.close()));
      await rm(folder, { recursive: true, force: true });
    });

    it('validates its options', () => {
      expect(() => createSqliteStorage({ path: '' })).toThrow();
      expect(() => createSqliteStorage({ path: ':memory:', busyTimeoutMs: -1 })).toThrow();
      expect(() => createSqliteStorage({ path: ':memory:', paht: 'x' } as { path: string })).toThrow('paht');
    });

    it('refuses a Node.js on which its addon would crash, before loading it', () => {
      expect(() => assertNodeVersion('20.20.0')).toThrow('22.19 or newer; on this one, 20.20.0');
      expect(() => assertNodeVersion('22.19.0')).not.toThrow();
      expect(() => assertNodeVersion()).not.toThrow();
    });

    it('makes the folder, writes to a log that is flushed, and stamps its schema version', async () => {
      await open();
      expect(existsSync(path)).toBe(true);
      expect(inFile((db) => db.pragma('journal_mode', { simple: true }))).toBe('wal');
      expect(inFile((db) => db.pragma('user_version', { simple: true }))).toBe(SCHEMA_VERSION);
      expect(inFile((db) => db.pragma('integrity_check', { simple: true }))).toBe('ok');
    });

    it.each([
      ['unheld_attempts_awaiting_jobs', `held IS NULL AND ${AWAITING_JOBS} ORDER BY updated_at, id`],
      ['attempts_due_for_recheck', `recheck IS NOT NULL AND ${AWAITING_RECHECK} ORDER BY recheck ->> 'at', id`],
      ['open_attempts_by_deadline', `${OPEN} ORDER BY verification_deadline`],
    ])('finds attempts by their state through %s', async (index, rest) => {
      await open();
      const plan = inFile((db) => db.prepare(`EXPLAIN QUERY PLAN SELECT id FROM attempts WHERE ${rest} LIMIT 9`).all());
      expect(JSON.stringify(plan)).toContain(index);
    });

    it('all tables are strict', async () => {
      await open();
      const lax = inFile((db) =>
        db
          .prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
          )
          .all(),
      );
      expect(lax).toEqual([]);
    });

    it('refuses a file with another schema, and one of another application, and leaves them alone', async () => {
      const storage = await open();
      await storage.close();
      inFile((db) => db.pragma(`user_version = ${SCHEMA_VERSION + 1}`));
      await expect(open()).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining(`schema version ${SCHEMA_VERSION + 1}`),
      });

      path = join(folder, 'other.db');
      inFile((db) => db.exec('CREATE TABLE theirs (a)'));
      await expect(open()).rejects.toThrow('"theirs"');
      expect(inFile((db) => db.prepare('SELECT name FROM sqlite_schema').pluck().all())).toEqual(['theirs']);
    });

    it('adds what an earlier release did not have, and says what is missing', async () => {
      const storage = createSqliteStorage({ path });
      expect((await storage.missing()).length).toBeGreaterThan(50);
      expect(existsSync(path)).toBe(false);
      await (await open()).close();
      expect(await storage.missing()).toEqual([]);
      inFile((db) => db.exec('DROP TABLE usage; ALTER TABLE brands DROP COLUMN logo_url'));
      const missing = (await storage.missing()).map((statement) => statement.split(' (', 1)[0]);
      expect(missing).toEqual([
        'ALTER TABLE brands ADD COLUMN logo_url TEXT',
        'CREATE TABLE usage',
        'CREATE INDEX usage_by_period ON usage',
      ]);
      const later = await open();
      const brand = { name: 'B', slug: 'b', logoUrl: 'https://example.com/l.png', createdAt: T0 };
      expect(await later.brands.create(brand)).toMatchObject(brand);
    });

    it('refuses what is not a database, or not a file, as unavailable', async () => {
      const { writeFile } = await import('node:fs/promises');
      path = join(folder, 'text.db');
      await writeFile(path, 'this is no database, it is a text that is long enough to be one'.repeat(20));
      await expect(open()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await expect(open({ path: folder })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    });

    it('can be opened again after open() failed', async () => {
      const storage = await open();
      await storage.close();
      inFile((db) => db.pragma('user_version = 99'));
      await expect(storage.open()).rejects.toThrow('99');
      inFile((db) => db.pragma(`user_version = ${SCHEMA_VERSION}`));
      await storage.open();
      await storage.ping();
    });

    it('a failing write undoes only itself, not the others of its turn', async () => {
      const storage = await open();
      const challengeId = await storedChallenge(storage);
      const request = {
        hash: 'same',
        name: 'n',
        role: 'admin',
        externalId: null,
        brandId: null,
        quota: null,
        createdAt: T0,
        lastUsedAt: null,
        revokedAt: null,
      } as const;
      const results = await Promise.allSettled([
        storage.tokens.create(request),
        createAttempt(storage.attempts, newAttempt(challengeId, 1, { updatedAt: new Date(Number.NaN) }), []),
        storage.tokens.create(request),
        // The campaign is written before its challenge fails.
        storage.campaigns.create(newCampaign(), newChallenge({ instructionText: null as unknown as string })),
        storage.creators.link(linkInput()),
      ]);
      const outcomes = ['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'];
      expect(results.map((result) => result.status)).toEqual(outcomes);
      expect((await storage.campaigns.list({ page: 1, limit: 10 })).total).toBe(1);
      expect((await storage.tokens.list({})).items).toHaveLength(1);
      expect(await storage.attempts.find({ challengeId: challengeId, userId: 1 })).toBeNull();
      expect(await allRows(storage)).toHaveLength(1);
    });

    it('waits for another process without holding the event loop, and gives up in time', async () => {
      const storage = await open();
      const impatient = await open({ path, busyTimeoutMs: 100 });
      const holder = new Database(path);
      holder.exec('BEGIN IMMEDIATE');
      let turns = 0;
      let done = false;
      const waiting = storage.creators.link(linkInput()).then((linked) => {
        done = true;
        return linked.outcome;
      });
      await expect(impatient.creators.link(linkInput())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      // Readers are not held up by a writer.
      expect(await allRows(impatient)).toEqual([]);
      for (; turns < 20; turns++) await nextTurn();
      expect(done).toBe(false);
      holder.exec('ROLLBACK');
      holder.close();
      expect(await waiting).toBe('created');
    });

    it('a fetch whose campaign is gone gets no more likers, also before the fetch is removed', async () => {
      const storage = await open();
      const { campaign, challenge } = await storage.campaigns.create(newCampaign(), newChallenge());
      const { id } = await storage.likers.createFetch(newLikersFetch(challenge.id, { status: 'running' }));
      inFile((db) => db.prepare('DELETE FROM challenges WHERE campaign_id = ?').run(campaign.id));
      expect(await storage.likers.insertNew(id, [newLiker()])).toBe(0);
      expect((await storage.likers.page(id, { page: 1, limit: 5 })).total).toBe(0);
    });

    it.each(['the next start', 'a process that continues'])(
      'takes up a purge that a crash cut short, in %s',
      async (by) => {
        const storage = await open();
        const gone = await storage.campaigns.create(newCampaign(), newChallenge());
        await storage.comments.insertNew(gone.challenge.id, [newComment(), newComment()], T0);
        const kept = await storedChallenge(storage);
        await storage.comments.insertNew(kept, [newComment()], T0);
        if (by === 'the next start') await storage.close();
        inFile((db) => {
          db.pragma('foreign_keys = ON');
          db.prepare('DELETE FROM campaigns WHERE id = ?').run(gone.campaign.id);
          db.prepare("INSERT INTO purges VALUES ('challenge', ?)").run(gone.challenge.id);
        });
        if (by === 'the next start') await storage.open();
        else expect(await maintain(storage)).toBe(2);
        const left = inFile((db) => db.prepare('SELECT challenge_id FROM comments').pluck().all());
        expect(left).toEqual([kept]);
        expect(inFile((db) => db.prepare('SELECT count(*) FROM purges').pluck().get())).toBe(0);
      },
    );

    it('the event loop turns while thousands of comments are stored', async () => {
      const storage = await open();
      const challengeId = await storedChallenge(storage);
      const comments = Array.from({ length: 5_000 }, () => newComment());
      let turns = 0;
      let storing = true;
      const counting = (async () => {
        while (storing) {
          await nextTurn();
          turns += 1;
        }
      })();
      expect(await storage.comments.insertNew(challengeId, comments, T0)).toBe(5_000);
      storing = false;
      await counting;
      // A turn for every 1,000 at least: a quick machine stores so many together.
      expect(turns).toBeGreaterThanOrEqual(5);
    });

    it('many writes of one turn share their commits', async () => {
      const storage = await open();
      const frames = () => inFile((db) => Number(db.pragma('data_version', { simple: true })));
      expect(frames()).toBeGreaterThan(0);
      const watcher = new Database(path);
      const version = () => Number(watcher.pragma('data_version', { simple: true }));
      version();
      let changes = 0;
      let last = version();
      let writing = true;
      const watching = (async () => {
        while (writing) {
          await nextTurn();
          const now = version();
          if (now !== last) changes += 1;
          last = now;
        }
      })();
      await parallel(500, () => storage.creators.link(linkInput()));
      writing = false;
      await watching;
      watcher.close();
      expect(await allRows(storage)).toHaveLength(500);
      expect(changes).toBeLessThan(250);
    });
  });
}
