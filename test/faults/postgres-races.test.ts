/**
 * Steps of two processes that PostgreSQL lets run at once, and SQLite never does. What decides waits for a lock that the test
 * holds, so the steps meet every time.
 */
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createPostgresStorage } from '../../adapters/postgres/index.ts';
import type { NewComment } from '../../core/engagement/challenge-data/comment.ts';
import type { LinkResult } from '../../core/ports/creator-store.ts';
import type { Storage } from '../../core/ports/storage.ts';
import {
  countComments,
  later,
  linkInput,
  newComment,
  newDelivery,
  parallel,
  storedChallenge,
  T0,
} from '../contract/storage/samples.ts';
import { inDatabase } from '../support/postgres.ts';
import { onPostgres, openTestStorage, type TestStorage } from '../support/storage.ts';

await onPostgres(() => {
  let made: TestStorage & { readonly storage: Storage };
  let storage: Storage;
  let other: Storage;
  beforeAll(async () => {
    made = await openTestStorage('postgres');
    storage = made.storage;
    other = made.create();
    await other.open();
  });
  afterAll(() => made.close());

  const waiting = async () => {
    const [row] = await inDatabase(
      made.url,
      "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    return Number(row?.n);
  };

  /** Runs the statement in a transaction that is open until every call waits for it; they queue up in their order. */
  async function meet<T>(statement: string, ...calls: readonly (() => Promise<T>)[]): Promise<T[]> {
    const client = new pg.Client({ connectionString: made.url });
    await client.connect();
    try {
      await client.query(`BEGIN; ${statement}`);
      const answers: Promise<T>[] = [];
      for (const call of calls) {
        answers.push(call());
        await vi.waitFor(async () => expect(await waiting()).toBe(answers.length), { timeout: 20_000, interval: 10 });
      }
      await client.query('COMMIT');
      return await Promise.all(answers);
    } finally {
      await client.end();
    }
  }

  it('two processes that purge at once leave nothing behind', async () => {
    const challengeId = await storedChallenge(storage);
    await storage.comments.insertNew(
      challengeId,
      Array.from({ length: 1_200 }, () => newComment()),
      T0,
    );
    await inDatabase(made.url, `INSERT INTO credence.purges VALUES ('challenge', ${challengeId})`);
    const purge = (by: Storage) => () => by.retention.purge('leftovers', T0, 0);
    const oldest = `SELECT 1 FROM credence.comments WHERE challenge_id = ${challengeId} ORDER BY id LIMIT 1 FOR UPDATE`;
    await meet(oldest, purge(storage), purge(other));
    while ((await storage.retention.purge('leftovers', T0, 0)).next !== null);
    expect(await countComments(storage.comments, challengeId)).toBe(0);
  });

  it('a delivery that arrives as its webhook is cancelled stays delivered', async () => {
    await storage.subscribers.subscribe([{ subscriber: 'race', event: '*' }]);
    const [delivery] = await storage.deliveries.createMany([newDelivery('race')]);
    const id = Number(delivery?.id);
    const sent = { at: T0, durationMs: 1, status: 200, error: null };
    const outcome = { status: 'succeeded' as const, nextTryAt: null, finishedAt: T0 };
    const answers = await meet<boolean | number>(
      `SELECT 1 FROM credence.deliveries WHERE id = ${id} FOR UPDATE`,
      () => storage.deliveries.recordTry(id, sent, outcome),
      () => other.deliveries.cancelPending('race', T0),
    );
    expect(answers).toEqual([true, 0]);
    expect(await storage.deliveries.find(id)).toMatchObject({ status: 'succeeded' });
  });

  it('a key that expired and is claimed again as keys are purged stays claimed', async () => {
    const claim = (lease: string, seconds: number) =>
      storage.idempotency.claim(
        { key: 'race', fingerprint: 'f', lease, leaseUntil: later(seconds + 30), expiresAt: later(seconds + 60) },
        later(seconds),
      );
    expect(await claim('first', 0)).toBeNull();
    await meet<unknown>(
      "SELECT 1 FROM credence.idempotency_keys WHERE key = 'race' FOR UPDATE",
      () => claim('second', 100),
      () => other.retention.purge('idempotency', later(100), 0),
    );
    expect(await claim('third', 101)).toEqual({ fingerprint: 'f', answer: null });
  });

  it('transactions that lock the same rows in other orders all come to their end', async () => {
    const challengeId = await storedChallenge(storage);
    const comments = Array.from({ length: 200 }, () => newComment());
    const orders = Array.from({ length: 20 }, (_, n) => comments.map((_one, at) => comments[(at * 7 + n * 41) % 200]));
    // Sooner than after a second.
    await inDatabase(made.url, `ALTER DATABASE "${new URL(made.url).pathname.slice(1)}" SET deadlock_timeout = 150`);
    const fresh = createPostgresStorage({ url: made.url, maxPoolSize: 20 });
    await fresh.open();
    const added = await parallel(20, (n) => fresh.comments.insertNew(challengeId, orders[n] as NewComment[], T0));
    expect(added.reduce((sum, some) => sum + some)).toBe(200);
    await fresh.close();
  });

  it('a link that follows a new handle, or learns its profile, as its creator is erased is no deadlock', async () => {
    // One that is noticed after an hour fails the test.
    await inDatabase(made.url, `ALTER DATABASE "${new URL(made.url).pathname.slice(1)}" SET deadlock_timeout = '1h'`);
    const fresh = createPostgresStorage({ url: made.url });
    await fresh.open();
    const follow = ({ account }: LinkResult) =>
      fresh.creators.followHandle({ link: account, accountId: '77', handle: 'new', seenAt: later(9), now: later(9) });
    const learn = ({ account }: LinkResult) =>
      fresh.creators.replaceProfile(account.id, { biography: 'late' }, 'a.jpg');
    const cases = [
      [follow, true],
      [learn, true],
      [learn, false],
    ] as const;
    for (const [n, [change, isFirst]] of cases.entries()) {
      const given = { externalId: `race-${n}`, handle: `old${n}`, ownershipProven: true, platformAccountId: '77' };
      const linked = await fresh.creators.link(linkInput(given));
      const userId = linked.creator.id;
      const calls: (() => Promise<unknown>)[] = [
        () => change(linked),
        () => fresh.creators.erase({ userId, suffix: String(n), now: later(10) }),
      ];
      const account = `SELECT 1 FROM credence.social_accounts WHERE id = ${linked.account.id} FOR UPDATE`;
      await meet(account, ...(isFirst ? calls : calls.reverse()));
      expect(await fresh.creators.find(userId)).toMatchObject({ displayName: null, avatarUrl: null });
      expect(JSON.stringify(await fresh.creators.accountsOf(userId))).not.toContain('late');
    }
    await fresh.close();
  });

  it('a job that is taken up as the clock is found set back keeps its lease', async () => {
    await storage.jobs.enqueue(
      [{ type: 'issue-reward', key: 'race', payload: { attemptId: 1 }, runAt: later(900) }],
      later(900),
    );
    await meet(
      `UPDATE credence.jobs SET status = 'running', lease = 1, due_at = ${later(960).getTime()} WHERE key = 'race'`,
      async () => storage.jobs.afterSetBack?.(T0, later(30), 900_000),
    );
    expect(await storage.jobs.claim(['issue-reward'], 1, later(40), later(99))).toEqual([]);
  });
});
