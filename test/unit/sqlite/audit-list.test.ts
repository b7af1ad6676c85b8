import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuditStore } from '../../../adapters/sqlite/audit-store.ts';
import { createConnection } from '../../../adapters/sqlite/database.ts';
import { createPages } from '../../../adapters/sqlite/pages.ts';
import { SCHEMA } from '../../../adapters/sqlite/schema.ts';
import type { AuditStore } from '../../../core/ports/audit-store.ts';
import { stepsOf } from '../../support/queries/sqlite-plans.ts';
import { type WatchedConnection, watchedConnection } from '../../support/queries/watched-connection.ts';

const ENTRIES = 25_000;

let connection: WatchedConnection;
let store: AuditStore;

beforeEach(async () => {
  connection = watchedConnection(createConnection({ path: ':memory:', busyTimeoutMs: 1_000 }));
  await connection.open();
  store = createAuditStore(connection, createPages(connection));
  await connection.write((sql) =>
    sql.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES})
      INSERT INTO audit_log (at, actor, role, operation, target, outcome, request_id)
        SELECT 1000 + i / 2, 'token:1', 'admin', iif(i % 5000 = 0, 'rare', 'op'), 'creator:' || i, 'succeeded', 'r' FROM n`),
  );
});
afterEach(() => connection.close());

/** What a call runs, in each turn of the event loop. */
async function ran(call: () => Promise<unknown>) {
  const before = connection.works.length;
  await call();
  return connection.works.slice(before).map((work) => work.map(({ text }) => text));
}

const ids = async (...args: Parameters<AuditStore['list']>) => (await store.list(...args)).items.map(({ id }) => id);

describe('the list of a long audit log', () => {
  it('is counted in pieces, and once for a page far behind', async () => {
    for (const page of [1, 600]) {
      const works = await ran(async () => expect((await store.list({}, { page, limit: 20 })).total).toBe(ENTRIES));
      expect(works.flat().filter((text) => text.includes('count(*)'))).toHaveLength(1);
      const ends = works.flat().filter((text) => text.endsWith('LIMIT 1 OFFSET 9999'));
      expect(ends).toHaveLength(3);
      // A statement that looks for the end of a piece is alone in its turn, except in the last one.
      expect(works.slice(0, 3).map(({ length }) => length)).toEqual([1, 1, 2]);
    }
  });

  it('seeks a cursor and the end of its time', async () => {
    const end = new Date(1_000 + 10_000);
    const works = await ran(async () => {
      expect(await ids({ to: end }, { page: 1, limit: 2 })).toEqual([19_999, 19_998]);
      expect((await store.list({ to: end }, { page: 1, limit: 2 })).total).toBe(19_999);
      expect(await ids({ to: end }, { page: 3_001, limit: 2 })).toEqual([13_999, 13_998]);
      expect(await ids({ to: end, actor: 'token:1' }, { page: 1, limit: 2, after: { at: end, id: 5 } })).toEqual([
        19_999, 19_998,
      ]);
      expect(await ids({ to: end }, { page: 1, limit: 2, after: { at: new Date(2_000), id: 2_000 } })).toEqual([
        1_999, 1_998,
      ]);
      expect(await ids({ from: new Date(11_000) }, { page: 1, limit: 1, after: { at: end, id: 20_001 } })).toEqual([
        20_000,
      ]);
    });
    const steps = stepsOf(SCHEMA, works.flat()).filter((step) => step.includes('audit_log_by'));
    expect(new Set(steps.map((step) => step.replace(/^.*INDEX /, '')))).toEqual(
      new Set(['audit_log_by_time (at>? AND at<?)', 'audit_log_by_actor (actor=? AND at>? AND at<?)']),
    );
    expect(works.flat().filter((text) => /at < \?/.test(text))).toEqual([]);
  });

  it('is looked for in windows of an index if several fields filter it', async () => {
    const filter = { actor: 'token:1', operation: 'rare' };
    const works = await ran(async () => {
      expect((await store.list(filter, { page: 1, limit: 2 })).total).toBe(5);
      expect(await ids(filter, { page: 1, limit: 2 })).toEqual([25_000, 20_000]);
      expect(await ids(filter, { page: 3, limit: 2 })).toEqual([5_000]);
      expect(await ids(filter, { page: 4, limit: 2 })).toEqual([]);
      expect(await ids(filter, { page: 1, limit: 2, after: { at: new Date(11_000), id: 20_000 } })).toEqual([
        15_000, 10_000,
      ]);
      expect(await ids({ ...filter, to: new Date(11_000) }, { page: 1, limit: 2 })).toEqual([15_000, 10_000]);
      expect(await ids({ ...filter, from: new Date(11_000) }, { page: 1, limit: 9 })).toEqual([25_000, 20_000]);
      expect(await ids({ ...filter, target: 'creator:15000' }, { page: 1, limit: 2 })).toEqual([15_000]);
      expect(await ids({ ...filter, actor: 'nobody' }, { page: 1, limit: 2 })).toEqual([]);
    });
    // A window and its end are alone in their turn.
    expect(works.filter((work) => work.length > 2)).toEqual([]);
    const windows = works.flat().filter((text) => text.includes('LIMIT 1000'));
    const steps = stepsOf(SCHEMA, windows).filter((step) => step.includes('audit_log'));
    expect(new Set(steps)).toEqual(
      new Set([
        'SEARCH audit_log USING INDEX audit_log_by_actor (actor=? AND at>? AND at<?)',
        'SEARCH audit_log USING INDEX audit_log_by_target (target=? AND at>? AND at<?)',
      ]),
    );
  });
});
