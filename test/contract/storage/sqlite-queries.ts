/** Every statement that the contract has made SQLite run is answered by an index. Runs after the contract, in its file. */
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { methodsOf } from '../../support/queries/recorder.ts';
import { plansOf, unusedIndexes } from '../../support/queries/sqlite-plans.ts';
import { openTestStorage } from '../../support/storage.ts';

const EVERYTHING = 'the whole table is asked for';
const FEW_ACCOUNTS = 'a creator has few accounts, and few creators share a handle';
const FEW_SUBSCRIPTIONS = 'the table has one row for each event of a subscriber in process';
const BY_ROW = 'goes through the table in its own order, as far as the limit';

/** Statements that may read a whole table or sort, by a part of their text; and why. */
const FEW_BRANDS = 'brands and tokens are made by people';
const OUTBOX_ORDER = 'goes through the outbox in its own order, as far as the limit, and sorts what it took';
const FEW_ENDED = 'sorts entries whose leases have ended: what a relay had when it died, or could not hand over';
const ALLOWED: Readonly<Record<string, string>> = {
  'FROM purges': 'the table has only what a crash left undone',
  'FROM social_accounts WHERE creator_id = +? ORDER BY id': FEW_ACCOUNTS,
  'FROM social_accounts WHERE creator_id = +? AND platform = +? AND disconnected_at IS NULL ORDER BY': FEW_ACCOUNTS,
  'WHERE a.handle = +?': FEW_ACCOUNTS,
  'FROM social_accounts s WHERE s.creator_id = a.user_id AND s.platform = +? ORDER BY': FEW_ACCOUNTS,
  'FROM canaries ORDER BY target': EVERYTHING,
  'FROM brands WHERE TRUE ORDER BY id ASC LIMIT': BY_ROW,
  'FROM tokens WHERE TRUE ORDER BY id ASC LIMIT': BY_ROW,
  'count(*) AS total FROM brands': FEW_BRANDS,
  'count(*) AS total FROM tokens': FEW_BRANDS,
  'WHERE a.disconnected_at IS NULL ORDER BY a.creator_id ASC, a.id ASC LIMIT':
    'in the order of the index, as far as the page',
  'FROM campaigns WHERE TRUE ORDER BY id DESC LIMIT': BY_ROW,
  'FROM campaigns WHERE (is_active = 0 OR ends_at': 'most campaigns have ended, so that the limit is soon reached',
  'FROM webhooks ORDER BY id DESC LIMIT 1': BY_ROW,
  'FROM attempt_outbox oldest': OUTBOX_ORDER,
  'FROM attempt_outbox o WHERE o.leased_until > 0 AND o.leased_until <= +? ORDER BY o.seq LIMIT': FEW_ENDED,
  'FROM outbox_leases l CROSS JOIN attempt_outbox o': FEW_ENDED,
  'FROM account_outbox oldest': OUTBOX_ORDER,
  'FROM subscriptions': FEW_SUBSCRIPTIONS,
  "FROM jobs WHERE type = +? AND status = 'running' AND due_at <= +?": 'few leases run out at once',
  "FROM jobs WHERE status = 'running' AND due_at > +?": 'the index has only running jobs, which are few',
  'SELECT DISTINCT author FROM found': 'goes through the authors that it has sought, as far as the limit',
  'FROM (SELECT value AS n FROM json_each(+?)) CROSS JOIN comments': 'sorts one comment of each part',
};

/** Declares the tests, of the statements that the contract has prepared and of the methods that it has called. */
export function sqliteQueries(statements: ReadonlySet<string>, called: ReadonlySet<string>): void {
  describe('statements and indexes (of all tests above: run the whole file)', () => {
    let made: Awaited<ReturnType<typeof openTestStorage>>;
    let db: Database.Database;
    beforeAll(async () => {
      made = await openTestStorage('sqlite');
      db = new Database(made.url.slice('sqlite:'.length), { readonly: true });
    });
    afterAll(async () => {
      db.close();
      await made.close();
    });

    it('the contract calls every method of every store', () => {
      const methods = methodsOf(createSqliteStorage({ path: ':memory:' }));
      expect(methods.filter((method) => !called.has(method))).toEqual([]);
    });

    it('no statement reads a whole table or sorts what it has read', () => {
      const slow = plansOf(db, statements).filter((plan) => plan.slow.length > 0);
      const isAllowed = (text: string) => Object.keys(ALLOWED).some((part) => text.includes(part));
      expect(slow.filter(({ text }) => !isAllowed(text)).map(({ text, slow }) => [text, ...slow])).toEqual([]);
      expect(Object.keys(ALLOWED).filter((part) => !slow.some(({ text }) => text.includes(part)))).toEqual([]);
    });

    it('no statement is planned again for the values that are bound', () => {
      const ofStores = [...statements].filter((text) => !/sqlite_schema|schema_migrations/.test(text));
      expect(ofStores.filter((text) => /(?<!\+)\?/.test(text))).toEqual([]);
    });

    it('a statement uses every index', () => {
      expect(unusedIndexes(db, plansOf(db, statements))).toEqual([]);
    });
  });
}
