import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCreatorStore } from '../../../adapters/sqlite/creator-store.ts';
import { createConnection } from '../../../adapters/sqlite/database.ts';
import { createPages } from '../../../adapters/sqlite/pages.ts';
import { type WatchedConnection, watchedConnection } from '../../support/queries/watched-connection.ts';

const CREATORS = 25;
const CAMPAIGNS = 4;

let connection: WatchedConnection;

beforeEach(async () => {
  connection = watchedConnection(createConnection({ path: ':memory:', busyTimeoutMs: 1_000 }));
  await connection.open();
  const numbers = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
  await connection.write((sql) => {
    sql.run("INSERT INTO brands (id, name, slug, created_at) VALUES (1, 'b', 'b', 0)");
    sql.run(`${numbers(CAMPAIGNS)} INSERT INTO campaigns (id, brand_id, title, points_reward, is_active, created_at)
      SELECT i + 1, 1, 't', 5, 1, 0 FROM n`);
    sql.run(`INSERT INTO challenges (id, campaign_id, platform, content_type, content_id, canonical_url, instruction_text,
      action) SELECT id, id, 'tiktok', 'post', '1', 'https://x.test/', 'i', 'comment' FROM campaigns`);
    sql.run(`${numbers(CREATORS)} INSERT INTO creators (id, external_id, email, created_at)
      SELECT i + 1, 'e' || i, 'e' || i, 0 FROM n`);
    sql.run(`INSERT INTO social_accounts (creator_id, platform, handle, profile_data, ownership_proven, connected_at,
      link_number) SELECT id, 'tiktok', 'h' || id, '{}', 0, 0, id FROM creators`);
    sql.run(`${numbers(CREATORS * CAMPAIGNS)} INSERT INTO attempts (user_id, challenge_id, state, retry_count, max_retries,
      state_history, metadata, points_awarded, verified_at, created_at, updated_at, revision)
      SELECT 1 + i % ${CREATORS}, 1 + i / ${CREATORS}, 'rewarded', 0, 3, '[]', '{}', 5, 1, 1, 1, 1 FROM n`);
  });
});
afterEach(() => connection.close());

it('the attempts of listed creators are added up for ten creators in a turn, on each page and in the whole list', async () => {
  const store = createCreatorStore(connection, createPages(connection));
  const totals = {
    totalAttempts: CAMPAIGNS,
    totalVerified: CAMPAIGNS,
    totalRewarded: CAMPAIGNS,
    totalPoints: 5 * CAMPAIGNS,
  };
  const whole = async () => {
    const rows = [];
    for await (const some of store.listRows()) rows.push(...some);
    return rows;
  };
  for (const list of [whole, async () => (await store.listPage({ page: 1, limit: 100 })).items]) {
    const before = connection.works.length;
    expect(await list()).toEqual(Array.from({ length: CREATORS }, () => expect.objectContaining(totals)));
    const added = connection.works
      .slice(before)
      .filter((work) => work.some(({ text }) => text.includes('points_awarded')));
    expect(added.map((work) => work.map(({ rows }) => rows))).toEqual([[10], [10], [5]]);
  }
  expect(await store.listPage({ page: 1, limit: 2, after: { id: 23 } })).toEqual({
    items: [expect.objectContaining(totals), expect.objectContaining(totals)],
    total: CREATORS,
  });
});
