/** Totals that triggers keep, against counting: after any steps, cascades and deaths, in the database itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import { ATTEMPT_STATE_NAMES } from '../../core/engagement/attempts/states.ts';
import type { Storage } from '../../core/ports/storage.ts';
import {
  later,
  linkInput,
  newAttempt,
  newCampaign,
  newChallenge,
  newComment,
  newDelivery,
  newLiker,
  newLikersFetch,
  newSubscriberDelivery,
  newWebhook,
  storedLikersFetch,
  T0,
} from '../contract/storage/samples.ts';
import { runs } from '../support/property-runs.ts';

const WRITER = fileURLToPath(new URL('../support/list-writer.ts', import.meta.url));

const small = fc.integer({ min: 0, max: 5 });
const SOON = later(1_000);
const states = fc.constantFrom(...ATTEMPT_STATE_NAMES);

/** What one step does; numbers choose among the few campaigns, creators and texts there are. */
type Step = (storage: Storage) => Promise<unknown>;

async function challengeOf(storage: Storage, index: number): Promise<{ campaignId: number; id: number }> {
  const { items } = await storage.campaigns.list({ page: 1, limit: 6 });
  const chosen = items[index % Math.max(1, items.length)];
  const found = chosen && (await storage.campaigns.find(chosen.id));
  if (found) return { campaignId: found.campaign.id, id: found.challenge.id };
  const made = await storage.campaigns.create(newCampaign(), newChallenge());
  return { campaignId: made.campaign.id, id: made.challenge.id };
}

const comments = (values: readonly number[]) =>
  values.map((n) => newComment({ platformCommentId: `c${n}`, commentedAt: later(n) }));

const STEPS: readonly fc.Arbitrary<Step>[] = [
  fc.constant((storage) => storage.campaigns.create(newCampaign(), newChallenge())),
  small.map(
    (n): Step =>
      async (storage) =>
        storage.campaigns.delete((await challengeOf(storage, n)).campaignId),
  ),
  fc.tuple(small, fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 12 })).map(
    ([n, values]): Step =>
      async (storage) =>
        storage.comments.insertNew((await challengeOf(storage, n)).id, comments(values), T0),
  ),
  fc.tuple(small, small, states).map(
    ([n, user, state]): Step =>
      async (storage) => {
        const challenge = await challengeOf(storage, n);
        const verifiedAt = state === 'verified' || state === 'rewarded' ? T0 : null;
        return storage.attempts.create(newAttempt(challenge.id, user + 1, { state, verifiedAt }), []);
      },
  ),
  fc.tuple(small, small, states, small).map(
    ([n, user, state, points]): Step =>
      async (storage) => {
        const attempt = await storage.attempts.findByCreator((await challengeOf(storage, n)).id, user + 1);
        if (attempt === null) return;
        const after = { ...attempt, state, pointsAwarded: points, revision: attempt.revision + 1 };
        // The second one comes too late and changes nothing.
        await storage.attempts.transition(attempt, { ...after, verifiedAt: points > 2 ? T0 : null }, []);
        await storage.attempts.transition(attempt, after, []);
      },
  ),
  fc.tuple(small, fc.array(small)).map(
    ([n, likers]): Step =>
      async (storage) => {
        const challenge = await challengeOf(storage, n);
        const stored = likers.map((liker) => newLiker({ igUserId: `l${liker}` }));
        await storedLikersFetch(storage, newLikersFetch(challenge.id, { status: 'succeeded' }), stored);
      },
  ),
  small.map(
    (n): Step =>
      async (storage) => {
        const [hook] = await storage.webhooks.listByBrand(n % 2);
        if (hook) await storage.webhooks.delete(n % 2, hook.id);
      },
  ),
  fc.tuple(small, fc.array(small)).map(
    ([n, messages]): Step =>
      async (storage) => {
        const hook = await storage.webhooks.create(newWebhook(n % 2));
        await storage.deliveries.createMany(
          messages.map((m) => newDelivery(hook.id, { messageId: `m${m}`, status: m % 2 ? 'pending' : 'succeeded' })),
        );
        if (n > 3) await storage.deliveries.cancelPending(hook.id, T0);
      },
  ),
  fc.array(small).map(
    (messages): Step =>
      async (storage) => {
        await storage.subscribers.subscribe([{ subscriber: 'ledger', event: '*' }]);
        await storage.subscribers.createDeliveries(
          messages.map((m) => newSubscriberDelivery('ledger', { messageId: `m${m}` })),
        );
      },
  ),
  fc.tuple(small, small).map(
    ([n, action]): Step =>
      async (storage) => {
        const link = linkInput({ externalId: `e${n % 3}`, handle: `h${n}` });
        if (action < 3) await storage.creators.link(link);
        else await storage.creators.disconnect(link, T0);
        // A proof that takes the account from the link of another creator, and may end it.
        if (action === 1) {
          await storage.creators.link({ ...link, ownershipProven: true, platformAccountId: `${n % 2}` });
        }
      },
  ),
  fc.array(small).map(
    (keys): Step =>
      (storage) =>
        storage.jobs.enqueue(
          keys.map((key) => ({ type: 'issue-reward', key: `k${key}`, payload: { attemptId: key } })),
          T0,
        ),
  ),
  fc.tuple(small, small).map(
    ([n, outcome]): Step =>
      async (storage) => {
        for (const job of await storage.jobs.claim(['issue-reward'], n, T0, later(60))) {
          if (outcome < 2) await storage.jobs.complete(job);
          else if (outcome < 4) await storage.jobs.deadLetter(job, 'no', T0);
          else await storage.jobs.release(job, T0, null, true);
        }
      },
  ),
  fc.constantFrom('deliveries', 'subscriberDeliveries', 'jobs', 'likers', 'metrics').map(
    (kind): Step =>
      (storage) =>
        storage.retention.purge(kind as 'jobs', SOON, 0),
  ),
];

/** Kept totals that differ from what counting finds. */
function wrongTotals(path: string): unknown[] {
  const db = new Database(path, { readonly: true });
  const owners = {
    campaigns: "'all'",
    social_accounts: "'active'",
    comments: 'challenge_id',
    likers: 'fetch_id',
    deliveries: 'webhook_id',
    subscriber_deliveries: 'subscriber',
    jobs: "CASE status WHEN 'dead' THEN 'dead' ELSE 'live' END",
  };
  try {
    const lists = Object.entries(owners).flatMap(([list, owner]) => {
      const rows = list === 'social_accounts' ? `${list} WHERE disconnected_at IS NULL` : list;
      const counted = `SELECT '${list}' AS list, ${owner} AS owner, count(*) AS total FROM ${rows} GROUP BY owner`;
      const kept = `SELECT list, owner, total FROM list_totals WHERE list = '${list}' AND total <> 0`;
      return [...different(db, counted, kept)];
    });
    const counted = `SELECT challenge_id, state, count(*), count(verified_at), sum(points_awarded) FROM attempts GROUP BY 1, 2`;
    const kept = 'SELECT challenge_id, state, attempts, verified, points FROM attempt_totals WHERE attempts <> 0';
    return [...lists, ...different(db, counted, kept)];
  } finally {
    db.close();
  }
}

function different(db: Database.Database, one: string, other: string): unknown[] {
  const text = (from: string, without: string) => `SELECT * FROM (${from}) EXCEPT SELECT * FROM (${without})`;
  return [...db.prepare(text(one, other)).all(), ...db.prepare(text(other, one)).all()];
}

async function withFile(work: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'credence-totals-'));
  try {
    await work(join(folder, 'credence.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('kept totals', () => {
  it('equal a count after any steps of two processes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.oneof(...STEPS), fc.boolean()), { maxLength: 30 }), (steps) =>
        withFile(async (path) => {
          const storages = [createSqliteStorage({ path }), createSqliteStorage({ path })] as const;
          for (const storage of storages) await storage.open();
          try {
            for (const [step, isSecond] of steps) await step(storages[isSecond ? 1 : 0]);
            expect(wrongTotals(path)).toEqual([]);
          } finally {
            for (const storage of storages) await storage.close();
          }
        }),
      ),
      runs(6),
    );
  });

  it('equal a count after a process was killed amid its writes, and are what pages say', async () => {
    await withFile(async (path) => {
      const first = createSqliteStorage({ path });
      await first.open();
      const { challenge } = await first.campaigns.create(newCampaign(), newChallenge());
      await first.close();
      for (let death = 0; death < 2; death += 1) {
        const child = spawn(process.execPath, [WRITER, path, String(challenge.id), String(death)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        // The first line says that it is writing; a few rounds later it dies.
        for (let lines = 0; lines < 3 + death; lines += 1) await once(child.stdout, 'data');
        child.kill('SIGKILL');
        await once(child, 'exit');
        expect(wrongTotals(path)).toEqual([]);
      }
      const storage = createSqliteStorage({ path });
      await storage.open();
      const { total } = await storage.comments.page(challenge.id, { page: 1, limit: 1 });
      await storage.close();
      const db = new Database(path, { readonly: true });
      expect(db.prepare('SELECT count(*) AS n FROM comments').get()).toEqual({ n: total });
      expect(total).toBeGreaterThan(0);
      db.close();
    });
  });
});
