import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAttemptStore } from '../../../adapters/sqlite/attempt-store.ts';
import { createConnection } from '../../../adapters/sqlite/database.ts';
import { createDeliveryStore } from '../../../adapters/sqlite/delivery-store.ts';
import { createPages } from '../../../adapters/sqlite/pages.ts';
import { SCHEMA } from '../../../adapters/sqlite/schema.ts';
import { stepsOf } from '../../support/queries/sqlite-plans.ts';
import { type WatchedConnection, watchedConnection } from '../../support/queries/watched-connection.ts';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

let connection: WatchedConnection;

beforeEach(async () => {
  connection = watchedConnection(createConnection({ path: ':memory:', busyTimeoutMs: 1_000 }));
  await connection.open();
});
afterEach(() => connection.close());

const fill = (...texts: string[]) => connection.write((sql) => texts.map((text) => sql.run(text)));
const series = (n: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${n})`;
const attempts = (n: number, challengeId: number, deadline: string) => `${series(n)}
  INSERT INTO attempts (user_id, challenge_id, state, retry_count, max_retries, verification_deadline, state_history, metadata,
      points_awarded, created_at, updated_at, revision)
    SELECT i, ${challengeId}, iif(i % 3 = 0, 'verification_pending', 'awaiting_claim'), 0, 3, ${deadline}, '[]', '{}', 0, 0, 0, 1
    FROM n`;
const challenge = (id: number, endsAt: number) => [
  `INSERT INTO campaigns (id, brand_id, title, points_reward, is_active, ends_at, created_at)
    VALUES (${id}, 1, 't', 1, 0, ${endsAt}, 0)`,
  `INSERT INTO challenges (id, campaign_id, platform, content_type, content_id, canonical_url, instruction_text, action)
    VALUES (${id}, ${id}, 'tiktok', 'post', '1', 'u', 'i', 'comment')`,
];

/** The most rows of one turn since the first `from` pieces of work. */
const mostRows = (from: number) =>
  Math.max(...connection.works.slice(from).map((ran) => ran.reduce((sum, { rows }) => sum + rows, 0)));

describe('what is overdue by the thousand', () => {
  it('attempts are found in pieces, by id and behind the cursor', async () => {
    const store = createAttemptStore(connection, createPages(connection));
    await fill(
      `INSERT INTO brands (id, name, slug, created_at) VALUES (1, 'b', 'b', 0)`,
      ...challenge(1, NOW - HOUR),
      ...challenge(2, NOW - 1_000),
      ...challenge(3, NOW + HOUR),
      // Of the ended campaign, of one that ended a moment ago, and past their own deadline, the last first.
      attempts(2_500, 1, `${NOW + HOUR}`),
      attempts(2_500, 2, `${NOW + HOUR}`),
      attempts(2_500, 3, `${NOW} - i / 1500 - 1`),
    );
    const from = connection.works.length;
    const found: number[] = [];
    for (let page = 0; page < 20; page += 1) {
      const some = await store.overdue(new Date(NOW), 500, found.at(-1));
      found.push(...some.map(({ id }) => id));
      if (some.length < 500) break;
    }
    // Of the younger ones, those that are being verified have some minutes more.
    const idle = (n: number) => n - Math.floor(n / 3);
    expect(found).toHaveLength(2_500 + 2 * idle(2_500));
    expect(found).toEqual(found.toSorted((one, other) => one - other));
    expect(mostRows(from)).toBeLessThanOrEqual(1_000);
    const steps = stepsOf(
      SCHEMA,
      connection.works
        .slice(from)
        .flat()
        .map(({ text }) => text),
    );
    expect(steps.filter((step) => step.startsWith('SEARCH attempts'))).toEqual([
      'SEARCH attempts USING INDEX open_attempts_by_deadline (verification_deadline=? AND rowid>?)',
      'SEARCH attempts USING INDEX open_attempts_by_deadline (verification_deadline>? AND verification_deadline<?)',
      'SEARCH attempts USING INDEX open_claims_by_challenge (challenge_id=? AND id>?)',
    ]);
  });

  it('deliveries of paused webhooks are passed over in pieces', async () => {
    const store = createDeliveryStore(connection, createPages(connection));
    await fill(
      `INSERT INTO brands (id, name, slug, created_at) VALUES (1, 'b', 'b', 0)`,
      `INSERT INTO webhooks (id, brand_id, url, events, active, sealed_secret, created_at)
        VALUES (1, 1, 'https://x.example/', '[]', 0, 's', 0), (2, 1, 'https://x.example/', '[]', 1, 's', 0)`,
      `${series(12_000)} INSERT INTO deliveries (message_id, webhook_id, brand_id, attempt_id, event, body, status, tries,
          next_try_at, created_at)
        SELECT 'm' || i, iif(i % 5000 = 0, 2, 1), 1, i, 'creator.verified', '{}', 'pending', '[]', i / 100, 0 FROM n`,
    );
    const from = connection.works.length;
    const first = await store.overdue(new Date(NOW), 1);
    const [last] = first;
    expect([...first, ...(await store.overdue(new Date(NOW), 9, last))].map(({ id }) => id)).toEqual([5_000, 10_000]);
    expect(await store.overdue(new Date(100), 9)).toMatchObject([{ id: 5_000 }]);
    expect(await store.overdue(new Date(100), 9, { id: 5_000, since: new Date(50) })).toEqual([]);
    const ran = connection.works.slice(from);
    expect(ran.length).toBeGreaterThan(4);
    const steps = stepsOf(
      SCHEMA,
      ran.flat().map(({ text }) => text),
    );
    expect(steps[0]).toBe(
      'SEARCH deliveries USING COVERING INDEX pending_deliveries (next_try_at>? AND next_try_at<?)',
    );
  });
});
