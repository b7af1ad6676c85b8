import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Connection } from '../../../adapters/sqlite/database.ts';
import { acknowledge, createOutboxLeases } from '../../../adapters/sqlite/outbox-leases.ts';
import type { LeasedOutbox } from '../../../core/ports/attempt-store.ts';
import { openWithChallenge } from './one-challenge.ts';

const ATTEMPTS = 5;

let connection: Connection;
beforeEach(async () => {
  connection = await openWithChallenge();
  await connection.write((sql) => {
    for (let id = 1; id <= ATTEMPTS; id += 1) {
      const text = `INSERT INTO attempts (id, user_id, challenge_id, state, retry_count, max_retries, state_history, metadata,
        points_awarded, created_at, updated_at, revision) VALUES (?, ?, 1, 'available', 0, 3, '[]', '{}', 0, 0, 0, 0)`;
      sql.run(text, id, id);
    }
  });
});
afterEach(() => connection.close());

/** An entry as a plain model has it. */
interface Entry {
  readonly id: string;
  readonly attemptId: number;
  leasedUntil: number | undefined;
}

type Step =
  | { readonly do: 'append'; readonly attemptId: number; readonly count: number }
  | { readonly do: 'oldest'; readonly limit: number; readonly leaseMs: number }
  | { readonly do: 'ofAttempts'; readonly attemptIds: readonly number[]; readonly leaseMs: number }
  | { readonly do: 'giveBack' | 'acknowledge'; readonly picks: readonly number[] }
  | { readonly do: 'wait'; readonly ms: number };

const attemptId = fc.integer({ min: 1, max: ATTEMPTS });
const leaseMs = fc.integer({ min: 1, max: 20 });
const picks = fc.array(fc.nat(30), { maxLength: 4 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('append' as const), attemptId, count: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constant('oldest' as const), limit: fc.integer({ min: 1, max: 6 }), leaseMs }),
    fc.record({ do: fc.constant('ofAttempts' as const), attemptIds: fc.uniqueArray(attemptId), leaseMs }),
    fc.record({ do: fc.constantFrom('giveBack' as const, 'acknowledge' as const), picks }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 15 }) }),
  ),
  { maxLength: 40 },
);

it('leases of entries, many in one row, are as if each entry had its own', async () => {
  const leases = createOutboxLeases(connection);
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await connection.write((sql) => {
        for (const table of ['attempt_outbox', 'outbox_leases']) sql.run(`DELETE FROM ${table}`);
      });
      let entries: Entry[] = [];
      let [now, made] = [1_000, 0];
      const isDue = ({ leasedUntil }: Entry) => leasedUntil === undefined || leasedUntil <= now;
      const outcome = (taken: readonly LeasedOutbox[]) =>
        taken.map(({ attemptId, entries, isAgain }) => ({ attemptId, ids: entries.map(({ id }) => id), isAgain }));
      const expected = (due: readonly Entry[]) =>
        [...Map.groupBy(due, ({ attemptId }) => attemptId)].map(([attemptId, own]) => ({
          attemptId,
          ids: own.map(({ id }) => id),
          isAgain: own.some(({ leasedUntil }) => leasedUntil !== undefined),
        }));
      const take = async (which: Parameters<typeof leases.take>[0], due: readonly Entry[], ms: number) => {
        expect(outcome(await leases.take(which, new Date(now), new Date(now + ms)))).toEqual(expected(due));
        for (const entry of due) entry.leasedUntil = now + ms;
      };
      const picked = (which: readonly number[]) => entries.filter((_, index) => which.includes(index));
      const handed = (some: readonly Entry[]) => some.map(({ attemptId, id }) => ({ attemptId, entryIds: [id] }));

      for (const step of all) {
        if (step.do === 'wait') now += step.ms;
        if (step.do === 'append') {
          const added = Array.from({ length: step.count }, () => ({
            id: `"${++made}"`,
            attemptId: step.attemptId,
            leasedUntil: undefined,
          }));
          entries.push(...added);
          await connection.write((sql) => {
            for (const { id, attemptId } of added) {
              const text = 'INSERT INTO attempt_outbox (attempt_id, entry_id, entry) VALUES (?, ?, ?)';
              sql.run(text, attemptId, id, JSON.stringify({ id, kind: 'job' }));
            }
          });
        }
        if (step.do === 'oldest')
          await take({ limit: step.limit }, entries.filter(isDue).slice(0, step.limit), step.leaseMs);
        if (step.do === 'ofAttempts') {
          const due = entries.filter((entry) => step.attemptIds.includes(entry.attemptId) && isDue(entry));
          await take({ attemptIds: step.attemptIds }, due, step.leaseMs);
        }
        if (step.do === 'giveBack') {
          await leases.giveBack(handed(picked(step.picks)));
          for (const entry of picked(step.picks)) entry.leasedUntil = 0;
        }
        if (step.do === 'acknowledge') {
          const gone = picked(step.picks);
          await connection.write((sql) => acknowledge(sql, handed(gone)));
          entries = entries.filter((entry) => !gone.includes(entry));
        }
      }
      // Rows of leases do not outlive their entries.
      await connection.write((sql) => acknowledge(sql, handed(entries)));
      expect(await leases.take({ limit: 1 }, new Date(now + 1_000), new Date(now + 2_000))).toEqual([]);
      const left = await connection.read((sql) => sql.all('SELECT * FROM outbox_leases'));
      expect(left).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
