/** What SQLite alone has to show: migrations, a file shared by handles, waiting for locks, an event loop that continues. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AWAITING_JOBS, STATE_INDEXES } from '../../../adapters/sqlite/attempt-states.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { MIGRATIONS } from '../../../adapters/sqlite/migrations.ts';
import { assertNodeVersion } from '../../../adapters/sqlite/node-version.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { SCHEMA_FILE, sqliteSchema } from '../../../tools/sqlite-schema.ts';
import { maintain } from '../../support/maintain.ts';
import {
  allRows,
  later,
  linkInput,
  newAttempt,
  newCampaign,
  newChallenge,
  newComment,
  newLiker,
  newLikersFetch,
  newWebhook,
  parallel,
  storedChallenge,
  T0,
} from './samples.ts';

/** Rows with the numbers from 1, in a query. */
const numbersTo = (last: number) =>
  `(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last}) SELECT n FROM numbers)`;

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

    /** A file as it was before the migration whose text has `marker`, with what `fill` puts into it. */
    const earlierRelease = async (marker: string, fill: (db: Database.Database) => void) => {
      const before = MIGRATIONS.findIndex((statements) => statements.includes(marker));
      await mkdir(dirname(path), { recursive: true });
      inFile((db) => {
        db.exec('CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT');
        MIGRATIONS.slice(0, before).forEach((statements, index) => {
          db.exec(statements);
          db.prepare('INSERT INTO schema_migrations VALUES (?, 0)').run(index + 1);
        });
        fill(db);
      });
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

    it('makes the folder, keeps every promise of durability, records its schema version', async () => {
      await open();
      expect(existsSync(path)).toBe(true);
      expect(inFile((db) => db.pragma('journal_mode', { simple: true }))).toBe('wal');
      const versions = inFile((db) =>
        db.prepare('SELECT version FROM schema_migrations ORDER BY version').pluck().all(),
      );
      expect(versions).toEqual(MIGRATIONS.map((_, index) => index + 1));
      expect(inFile((db) => db.pragma('integrity_check', { simple: true }))).toBe('ok');
    });

    it('keeps links of an earlier release, proven or not, and the next proof adds the account id', async () => {
      await earlierRelease('platform_account_id', (db) => {
        db.exec(`INSERT INTO creators VALUES (3, 'ext', 'a@b.test', NULL, NULL, 0), (4, 'ext-2', 'a@b.test', NULL, NULL, 0);
          INSERT INTO social_accounts VALUES (1, 3, 'instagram', 'ada', '{}', 1, 0, NULL),
            (2, 3, 'instagram', 'bob', '{}', 0, 0, NULL), (3, 4, 'instagram', 'ada', '{}', 1, 0, NULL)`);
      });
      const { creators, matching } = await open();
      expect((await matching.links('instagram', 0, 10)).map(({ number, handle }) => [number, handle])).toEqual([
        [1, 'ada'],
        [2, 'bob'],
        [3, 'ada'],
      ]);
      expect(await matching.lastLink('instagram')).toBe(3);
      expect(await creators.accountsOf(3)).toMatchObject([
        { platformUsername: 'ada', ownershipProven: true, platformAccountId: null, disconnectedAt: null },
        { platformUsername: 'bob', ownershipProven: false, platformAccountId: null, disconnectedAt: null },
      ]);
      const proof = linkInput({ externalId: 'ext', handle: 'ada', ownershipProven: true, platformAccountId: '7' });
      const { outcome, account } = await creators.link(proof);
      expect([outcome, account.id, account.platformAccountId]).toEqual(['existing', 1, '7']);
      expect(await creators.accountsOf(4)).toMatchObject([{ ownershipProven: true, platformAccountId: null }]);
    });

    it('counts the lists of an earlier release once, and again when that was cut short', async () => {
      await earlierRelease('list_totals', (db) => {
        db.exec(`INSERT INTO campaigns VALUES (1, 1, 'C', NULL, NULL, 5, 1, NULL, NULL, 0), (2, 1, 'D', NULL, NULL, 5, 1, NULL, NULL, 0);
          INSERT INTO challenges VALUES (1, 1, 'tiktok', 'post', '7', 'https://t.test/7', 'Do', 'comment');
          INSERT INTO comments VALUES (1, 1, 'a', 'u', 'u', 't', 5, 0), (2, 1, 'b', 'u', 'u', 't', 6, 0);
          INSERT INTO attempts (user_id, challenge_id, state, retry_count, max_retries, state_history, metadata,
            points_awarded, verified_at, created_at, updated_at, revision)
            VALUES (1, 1, 'rewarded', 0, 3, '[]', '{}', 5, 1, 0, 0, 1), (2, 1, 'created', 0, 3, '[]', '{}', 0, NULL, 0, 0, 1);
          CREATE TRIGGER schema_cut BEFORE INSERT ON schema_migrations BEGIN SELECT raise(ABORT, 'cut'); END;`);
      });
      // The migration goes as far as it can, and leaves nothing behind.
      await expect(open()).rejects.toThrow('cut');
      expect(
        inFile((db) => db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'list_totals'").get()),
      ).toBeUndefined();
      inFile((db) => db.exec('DROP TRIGGER schema_cut'));
      const storage = await open();
      expect(await storage.campaigns.list({ page: 1, limit: 1 })).toMatchObject({ total: 2 });
      expect(await storage.comments.page(1, { page: 2, limit: 1 })).toMatchObject({ total: 2, items: [{ id: 1 }] });
      expect(await storage.attempts.summary(1)).toEqual({
        byState: { created: 1, rewarded: 1 },
        totalAttempts: 2,
        totalVerified: 1,
        totalRewarded: 1,
        totalPointsIssued: 5,
      });
    });

    it('finds the comments of an earlier release by their authors, beside new ones', async () => {
      await earlierRelease('ADD COLUMN part', (db) => {
        db.exec(`INSERT INTO campaigns VALUES (1, 1, 'C', NULL, NULL, 5, 1, NULL, NULL, 0);
          INSERT INTO challenges VALUES (1, 1, 'tiktok', 'post', '7', 'https://t.test/7', 'Do', 'comment');
          INSERT INTO list_totals VALUES ('comments', 1, 400000, 400000);
          INSERT INTO comments VALUES (1, 1, 'a', 'Ada', 'ada', 't', 5, 0, NULL), (2, 1, 'b', 'Bob', 'bob', 't', 6, 0, NULL);`);
      });
      const { comments, matching } = await open();
      await comments.insertNew(1, [newComment({ username: 'ada' }), newComment({ username: 'cleo' })], T0);
      const handles = ['ada', 'bob', 'cleo'];
      expect(await matching.authors(1, '', 50)).toEqual(handles);
      const found = await comments.earliestByAuthors(1, handles);
      expect([...found].map(([handle, { id }]) => [handle, id])).toEqual([
        ['ada', 1],
        ['bob', 2],
        ['cleo', 4],
      ]);
    });

    it('puts the deliveries that an earlier release has queued into the groups of their webhooks', async () => {
      await earlierRelease('job_groups', (db) => {
        const delivery =
          db.prepare(`INSERT INTO deliveries (id, message_id, webhook_id, brand_id, event, body, status, tries, created_at)
          VALUES (?, ?, ?, 1, 'e', '{}', 'pending', '[]', 0)`);
        const job = db.prepare(`INSERT INTO jobs (type, key, payload, status, run_at, due_at, run, lease, created_at)
          VALUES (?, ?, ?, 'queued', ?, ?, 0, 0, 0)`);
        for (const [id, webhookId] of [
          [1, 7],
          [2, 7],
          [3, 9],
        ] as const) {
          delivery.run(id, `m${id}`, webhookId);
          job.run('deliver-webhook', `deliver:${id}`, `{"deliveryId":${id}}`, id, id);
        }
        job.run('issue-reward', 'reward:1', '{"attemptId":1}', 5, 5);
      });
      const { jobs } = await open();
      const types = ['deliver-webhook', 'issue-reward'] as const;
      expect((await jobs.nextDue(types))?.getTime()).toBe(1);
      const claimed = await jobs.claim(types, 10, T0, later(60));
      expect(claimed.map(({ key, group }) => [key, group]).sort()).toEqual([
        ['deliver:1', 'webhook:7'],
        ['deliver:2', 'webhook:7'],
        ['deliver:3', 'webhook:9'],
        ['reward:1', null],
      ]);
      expect(await jobs.claim(types, 10, T0, later(60))).toEqual([]);
    });

    it('makes an index over attempt states again if the table of states has changed', async () => {
      const definitions = () =>
        inFile((db) =>
          Object.keys(STATE_INDEXES).map((name) =>
            String(db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(name)).replace(/\s+/g, ' '),
          ),
        );
      const plan = () =>
        inFile((db) =>
          db
            .prepare(
              `EXPLAIN QUERY PLAN SELECT id FROM attempts WHERE ${AWAITING_JOBS} ORDER BY updated_at, id LIMIT 9`,
            )
            .all(),
        );
      const storage = await open();
      const wanted = definitions();
      expect(wanted).toEqual(Object.entries(STATE_INDEXES).map(([name, text]) => `CREATE INDEX ${name} ${text}`));
      expect(JSON.stringify(plan())).toContain('attempts_awaiting_jobs');
      await storage.close();
      inFile((db) =>
        db.exec(`DROP INDEX attempts_awaiting_jobs; DROP INDEX attempts_due_for_recheck;
          CREATE INDEX attempts_awaiting_jobs ON attempts (updated_at, id) WHERE state IN ('verified');`),
      );
      expect(JSON.stringify(plan())).not.toContain('attempts_awaiting_jobs');
      await open();
      expect(definitions()).toEqual(wanted);
      expect(JSON.stringify(plan())).toContain('attempts_awaiting_jobs');
    });

    it('a blank file gets at once what all migrations make (`npm run generate:schema`)', async () => {
      await expect(sqliteSchema()).toMatchFileSnapshot(SCHEMA_FILE);
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

    it('refuses a file of a newer release, and one of another application, and leaves them alone', async () => {
      const storage = await open();
      await storage.close();
      inFile((db) => db.prepare('INSERT INTO schema_migrations VALUES (?, 0)').run(MIGRATIONS.length + 1));
      await expect(open()).rejects.toThrow(`schema version ${MIGRATIONS.length + 1}`);

      path = join(folder, 'other.db');
      inFile((db) => db.exec('CREATE TABLE theirs (a)'));
      await expect(open()).rejects.toThrow('"theirs"');
      expect(inFile((db) => db.prepare('SELECT name FROM sqlite_schema').pluck().all())).toEqual(['theirs']);
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
      inFile((db) => db.prepare('INSERT INTO schema_migrations VALUES (99, 0)').run());
      await expect(storage.open()).rejects.toThrow('99');
      inFile((db) => db.prepare('DELETE FROM schema_migrations WHERE version = 99').run());
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
        storage.attempts.create(newAttempt(challengeId, 1, { updatedAt: new Date(Number.NaN) }), []),
        storage.tokens.create(request),
        // The campaign is written before its challenge fails.
        storage.campaigns.create(newCampaign(), newChallenge({ instructionText: null as unknown as string })),
        storage.creators.link(linkInput()),
      ]);
      const outcomes = ['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'];
      expect(results.map((result) => result.status)).toEqual(outcomes);
      expect((await storage.campaigns.list({ page: 1, limit: 10 })).total).toBe(1);
      expect(await storage.tokens.list()).toHaveLength(1);
      expect(await storage.attempts.findByCreator(challengeId, 1)).toBeNull();
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

    it('a job that is queued again gets the turn that its group lacks', async () => {
      const storage = await open();
      const job = { type: 'deliver-webhook', key: 'lost', payload: { deliveryId: 1 }, group: 'webhook:1' } as const;
      await storage.jobs.enqueue([job], T0);
      inFile((db) => db.exec('DELETE FROM job_groups'));
      const claim = () => storage.jobs.claim(['deliver-webhook'], 10, later(1), later(60));
      expect(await claim()).toEqual([]);
      await storage.jobs.enqueue([job], later(1));
      expect((await claim()).map(({ key }) => key)).toEqual(['lost']);
      // A running one needs none.
      await storage.jobs.enqueue([job], later(1));
      expect(inFile((db) => db.prepare('SELECT * FROM job_groups').all())).toEqual([]);
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
        else expect(await maintain(storage)).toBe(3);
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

    it('an event reads the webhooks that want it, of thousands of active ones', async () => {
      const storage = await open();
      const { id } = await storage.webhooks.create(newWebhook(1, { events: ['reward.issued', 'platform.drifted'] }));
      inFile((db) =>
        db.exec(`INSERT INTO webhooks (brand_id, url, events, active, description, sealed_secret, created_at)
          SELECT 1, 'https://example.com', '["creator.verified"]', 1, NULL, '', 0 FROM ${numbersTo(2_000)}`),
      );
      const parse = vi.spyOn(JSON, 'parse');
      const found = [
        ...(await storage.webhooks.subscribed(1, 'reward.issued')),
        ...(await storage.webhooks.subscribed(null, 'platform.drifted')),
      ];
      const parsed = parse.mock.calls.length;
      parse.mockRestore();
      expect(found.map((one) => one.id)).toEqual([id, id]);
      expect(parsed).toBe(2);
      expect(await storage.webhooks.subscribed(1, 'creator.verified')).toHaveLength(2_000);
    });

    it('finds the webhooks of an earlier release by their events', async () => {
      await earlierRelease('CREATE TABLE subscribed_webhooks', (db) =>
        db.exec(`INSERT INTO webhooks (brand_id, url, events, active, description, sealed_secret, created_at) VALUES
          (7, 'https://example.com', '["reward.issued","creator.verified"]', 1, NULL, '', 0),
          (7, 'https://example.com', '["reward.issued"]', 0, NULL, '', 0)`),
      );
      const { webhooks } = await open();
      const subscribed = async () => (await webhooks.subscribed(7, 'reward.issued')).map(({ id }) => id);
      expect(await subscribed()).toEqual([1]);
      await webhooks.update(7, 2, { active: true });
      await webhooks.update(7, 1, { events: ['creator.verified'] });
      expect(await subscribed()).toEqual([2]);
    });

    it('the event loop turns while long lists are read whole', async () => {
      const storage = await open();
      inFile((db) => {
        db.exec(
          `INSERT INTO tokens (name, role, hash, created_at) SELECT 't', 'client', 'h' || n, 0 FROM ${numbersTo(60_000)}`,
        );
        db.exec(`INSERT INTO brands (name, slug, created_at) SELECT 'b', 's' || n, 0 FROM ${numbersTo(60_000)}`);
        db.exec(`INSERT INTO webhooks (brand_id, url, events, active, description, sealed_secret, created_at)
          SELECT 1, 'https://example.com', '["creator.verified"]', 1, NULL, '', 0 FROM ${numbersTo(30_000)}`);
      });
      const { brands, tokens, webhooks } = storage;
      const lists = [
        () => tokens.list(),
        () => brands.list(),
        () => webhooks.listByBrand(1),
        () => webhooks.subscribed(1, 'creator.verified'),
        () => webhooks.subscribed(null, 'creator.verified'),
      ];
      for (const list of lists) {
        let turns = 0;
        let reading = true;
        const counting = (async () => {
          while (reading) {
            await nextTurn();
            turns += 1;
          }
        })();
        expect((await list()).length).toBeGreaterThanOrEqual(30_000);
        reading = false;
        await counting;
        expect(turns).toBeGreaterThanOrEqual(4);
      }
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
