import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConnection } from '../../../adapters/sqlite/database.ts';
import { createMatchingStore } from '../../../adapters/sqlite/matching-store.ts';
import { SCHEMA } from '../../../adapters/sqlite/schema.ts';
import { stepsOf } from '../../support/queries/sqlite-plans.ts';
import { type WatchedConnection, watchedConnection } from '../../support/queries/watched-connection.ts';

let connection: WatchedConnection;

beforeEach(async () => {
  connection = watchedConnection(createConnection({ path: ':memory:', busyTimeoutMs: 1_000 }));
  await connection.open();
});
afterEach(() => connection.close());

const series = (n: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${n})`;

describe('matching among very many', () => {
  it('counts links in pieces', async () => {
    await connection.write((sql) => {
      sql.run(
        `${series(25_000)} INSERT INTO creators (id, external_id, email, created_at) SELECT i, 'c' || i, '', 0 FROM n`,
      );
      sql.run(`${series(25_000)} INSERT INTO social_accounts (creator_id, platform, handle, profile_data, ownership_proven, connected_at, link_number)
        SELECT i, 'tiktok', 'h' || i, '{}', 0, 0, i FROM n`);
    });
    const store = createMatchingStore(connection);
    for (const [atMost, pieces] of [
      [100_000, [10_000, 10_000, 10_000]],
      [12_000, [10_000, 2_000]],
      [10_000, [10_000, 0]],
      [0, [0]],
    ] as const) {
      const before = connection.works.length;
      expect(await store.countLinks('tiktok', 0, atMost)).toBe(Math.min(atMost, 25_000));
      const ran = connection.works.slice(before).flat();
      expect(ran.map(({ values }) => values.at(-1))).toEqual(pieces);
    }
  });

  it('seeks authors, however many comments each has written', async () => {
    const store = createMatchingStore(connection);
    const before = connection.works.length;
    await store.authors(1, '', 2);
    const steps = stepsOf(
      SCHEMA,
      connection.works
        .slice(before)
        .flat()
        .map(({ text }) => text),
    );
    const seeks = steps.filter((step) => step.includes('comments'));
    const last = 'SEARCH comments USING COVERING INDEX comments_by_author (challenge_id=?)';
    const seek = 'SEARCH comments USING COVERING INDEX comments_by_author (challenge_id=? AND part=? AND author>?)';
    const byNumber =
      'SEARCH comments USING COVERING INDEX comments_by_author_id (challenge_id=? AND part=? AND author_id>?)';
    expect(seeks).toEqual([last, byNumber, byNumber, seek, seek]);
  });
});
