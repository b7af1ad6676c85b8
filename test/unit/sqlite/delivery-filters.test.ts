import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConnection } from '../../../adapters/sqlite/database.ts';
import { createDeliveryStore } from '../../../adapters/sqlite/delivery-store.ts';
import { createPages } from '../../../adapters/sqlite/pages.ts';
import { SCHEMA } from '../../../adapters/sqlite/schema.ts';
import { stepsOf } from '../../support/queries/sqlite-plans.ts';
import { type WatchedConnection, watchedConnection } from '../../support/queries/watched-connection.ts';

let connection: WatchedConnection;

beforeEach(async () => {
  connection = watchedConnection(createConnection({ path: ':memory:', busyTimeoutMs: 1_000 }));
  await connection.open();
  await connection.write((sql) => {
    sql.run("INSERT INTO brands (id, name, slug, created_at) VALUES (1, 'b', 'b', 0)");
    sql.run(`INSERT INTO webhooks (id, brand_id, url, events, active, sealed_secret, created_at)
      VALUES (1, 1, 'https://x.example/', '[]', 1, 's', 0)`);
    sql.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO deliveries (message_id, webhook_id, brand_id, attempt_id, event, body, status, tries, created_at)
        SELECT 'm' || i, 1, 1, i, 'reward.issued', '{}', iif(i % 500 = 0, 'failed', 'succeeded'), '[]', 0 FROM n`);
  });
});
afterEach(() => connection.close());

describe('deliveries filtered by several fields', () => {
  it('are looked for in windows of an index, for each page and with their total', async () => {
    const store = createDeliveryStore(connection, createPages(connection));
    const filter = { status: 'failed', event: 'reward.issued' } as const;
    const list = async (page: Parameters<typeof store.listByWebhook>[1]) => {
      const { items, total } = await store.listByWebhook(1, page, filter);
      return [items.map(({ id }) => id), total];
    };
    const before = connection.works.length;
    expect(await list({ page: 1, limit: 3 })).toEqual([[5_000, 4_500, 4_000], 10]);
    const works = connection.works.slice(before);
    // Five full windows, an empty one, and the rows of the page.
    expect(works.map((ran) => ran.map(({ rows }) => rows))).toEqual([
      [2, 1],
      [2, 1],
      [2, 1],
      [2, 1],
      [2, 1],
      [0, 0],
      [3],
    ]);
    expect(stepsOf(SCHEMA, works[0]?.map(({ text }) => text) ?? [])).toEqual([
      'CO-ROUTINE (subquery-1)',
      'SEARCH deliveries USING INDEX deliveries_by_event (webhook_id=? AND event=? AND id<?)',
      'SCAN (subquery-1)',
      'SEARCH deliveries USING COVERING INDEX deliveries_by_event (webhook_id=? AND event=? AND id<?)',
    ]);
    expect(await list({ page: 4, limit: 3 })).toEqual([[500], 10]);
    expect(await list({ page: 5, limit: 3 })).toEqual([[], 10]);
    expect(await list({ page: 1, limit: 2, after: { id: 4_000 } })).toEqual([[3_500, 3_000], 10]);
    await expect(list({ page: 0, limit: 3 })).rejects.toThrow(RangeError);
  });
});
