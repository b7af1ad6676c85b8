/** How many commands MongoDB is sent for what one caller asks, and for what many ask at once. */
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAttemptStore } from '../../../adapters/mongodb/attempt-store.ts';
import { createAuditStore } from '../../../adapters/mongodb/audit-store.ts';
import { createCreatorStore } from '../../../adapters/mongodb/creator-store.ts';
import type { Connection } from '../../../adapters/mongodb/database.ts';
import { createDeliveryStore } from '../../../adapters/mongodb/delivery-store.ts';
import { collection } from '../../../adapters/mongodb/documents.ts';
import { createJobStore } from '../../../adapters/mongodb/job-store.ts';
import type { NewJob } from '../../../core/ports/job-queue.ts';
import { openTestStorage } from '../../support/storage.ts';
import {
  advanced,
  jobEntry,
  later,
  linkInput,
  newAttempt,
  newAuditAction,
  newDelivery,
  newWebhook,
  parallel,
  storedAttempt,
  storedChallenge,
  T0,
} from './samples.ts';

export function mongoCommands(): void {
  describe('commands', () => {
    let made: Awaited<ReturnType<typeof openTestStorage>>;
    let client: MongoClient;
    let connection: Connection;
    let sent: string[] = [];
    beforeAll(async () => {
      made = await openTestStorage('mongodb');
      client = new MongoClient(made.url, { monitorCommands: true });
      await client.connect();
      client.on(
        'commandStarted',
        ({ commandName, command }) => void sent.push(`${commandName} ${command[commandName]}`),
      );
      // One for all calls: stores join the calls of one database.
      const db = client.db();
      connection = { open: async () => {}, run: (work) => work(db), close: async () => {} };
    });
    afterAll(async () => {
      await client.close();
      await made.close();
    });
    beforeEach(() => {
      sent = [];
    });

    it('registering a creator takes seven commands, and a hundred calls at once take less than thirty', async () => {
      const creators = createCreatorStore(connection);
      const one = linkInput();
      await creators.link(one);
      expect(sent.toSorted()).toEqual([
        'find creators',
        'findAndModify counters',
        'findAndModify counters',
        'findAndModify counters',
        'insert creators',
        'insert socialAccounts',
        'update counters',
      ]);
      sent = [];
      const inputs = Array.from({ length: 50 }, () => linkInput());
      // Twice each: of two calls for one creator, one registers it.
      const linked = await Promise.all([...inputs, ...inputs].map((input) => creators.link(input)));
      expect(sent.length).toBeLessThan(30);
      expect(linked.filter(({ outcome }) => outcome === 'created')).toHaveLength(50);
      expect(new Set(linked.map(({ creator }) => creator.id)).size).toBe(50);
      expect(new Set(linked.map(({ account }) => account.id)).size).toBe(50);
    });

    it('opening attempts takes two commands at a challenge that has some, for one creator and for many', async () => {
      const attempts = createAttemptStore(connection);
      const challengeId = await storedChallenge(made.storage);
      const other = await storedChallenge(made.storage);
      for (const id of [challengeId, other]) await attempts.create(newAttempt(id, 1), []);
      // The first call after the one that made it sees that the challenge can no longer be deleted.
      for (const id of [challengeId, other]) await attempts.create(newAttempt(id, 2), []);
      sent = [];
      await attempts.create(newAttempt(challengeId, 3), []);
      expect(sent).toEqual(['findAndModify counters', 'insert attempts']);
      sent = [];
      const users = Array.from({ length: 40 }, (_, index) => 3 + (index % 20));
      const results = await Promise.all([
        ...users.map((user) => attempts.create(newAttempt(challengeId, user), [])),
        attempts.create(newAttempt(other, 3), []),
        attempts.create(newAttempt(999_999, 3), []),
      ]);
      expect(sent.length).toBeLessThan(14);
      const kinds = results.map(({ kind }) => kind);
      // User 3 had one; each of the others is named twice.
      expect(kinds.slice(0, 40).filter((kind) => kind === 'created')).toHaveLength(19);
      expect(kinds.slice(40)).toEqual(['created', 'challenge-gone']);
      expect(await attempts.findByCreator(challengeId, 22)).toMatchObject({ userId: 22, challengeId });
    });

    it('an attempt that cannot be stored fails alone', async () => {
      const attempts = createAttemptStore(connection);
      const challengeId = await storedChallenge(made.storage);
      const wrong = newAttempt(challengeId, 2, { updatedAt: new Date(Number.NaN) });
      const [good, bad] = await Promise.allSettled([
        attempts.create(newAttempt(challengeId, 1), []),
        attempts.create(wrong, []),
      ]);
      expect(good).toMatchObject({ status: 'fulfilled', value: { kind: 'created' } });
      expect(bad).toMatchObject({ status: 'rejected' });
    });

    it('entries of the audit log that come at once are stored and concluded together, each once', async () => {
      const audit = createAuditStore(connection);
      const actions = Array.from({ length: 30 }, () => newAuditAction());
      const ids = await Promise.all(actions.map((action) => audit.append(action)));
      expect(sent).toEqual(['findAndModify counters', 'insert auditLog']);
      sent = [];
      const conclude = (id: number, after: unknown) =>
        audit.conclude(id, { target: 'campaign:1', outcome: 'succeeded', error: null, after });
      const [first = 0, second = 0, ...rest] = ids;
      expect(await conclude(first, 'before')).toBe(true);
      const told = await Promise.all([conclude(first, 'again'), conclude(second, 1), conclude(second, 1)]);
      expect(told).toEqual([false, true, false]);
      expect(await Promise.all(rest.map((id) => conclude(id, { id })))).toEqual(rest.map(() => true));
      expect(sent).toEqual(['update auditLog', 'update auditLog', 'find auditLog', 'update auditLog']);
    });

    it('storing deliveries takes three commands, one more if a webhook of them is gone', async () => {
      const deliveries = createDeliveryStore(connection);
      const { id } = await made.storage.webhooks.create(newWebhook(1));
      const stored = await deliveries.createMany([newDelivery(id), newDelivery(id)]);
      expect(stored).toHaveLength(2);
      const commands = ['findAndModify counters', 'insert deliveries', 'aggregate deliveries'];
      expect(sent).toEqual(commands);
      sent = [];
      expect(await deliveries.createMany([newDelivery(id), newDelivery(999_999)])).toHaveLength(1);
      expect(sent).toEqual([...commands, 'delete deliveries']);
    });

    it('leases are renewed in one command, and a lost one is told apart', async () => {
      const jobs = createJobStore(connection);
      const rewards = Array.from({ length: 20 }, (_, attemptId): NewJob => {
        return { type: 'issue-reward', key: `renewed:${attemptId}`, payload: { attemptId } };
      });
      await jobs.enqueue(rewards, T0);
      const claimed = await jobs.claim(['issue-reward'], 20, T0, later(60));
      expect(sent.slice(-3)).toEqual(['aggregate jobs', 'update jobs', 'find jobs']);
      sent = [];
      expect(await jobs.extend(claimed, later(90))).toHaveLength(20);
      expect(sent).toEqual(['update jobs']);
      const [lost, ...held] = claimed.map(({ id }) => id);
      await collection(client.db(), 'jobs').updateOne({ _id: lost ?? 0 }, { $inc: { lease: 1 } });
      expect(await jobs.extend(claimed, later(95))).toEqual(held);
    });

    it('a claim from many groups takes the same commands as one from a few', async () => {
      const jobs = createJobStore(connection);
      const deliveries = Array.from({ length: 30 }, (_, deliveryId): NewJob => {
        return {
          type: 'deliver-webhook',
          key: `grouped:${deliveryId}`,
          payload: { deliveryId },
          group: `${deliveryId % 15}`,
        };
      });
      await jobs.enqueue(deliveries, T0);
      sent = [];
      expect(await jobs.claim(['deliver-webhook'], 20, T0, later(60))).toHaveLength(20);
      // What is due, the fronts of the groups, the claim, and the next turns.
      const turns = ['update jobGroups', 'delete jobGroups'];
      expect(sent).toEqual(['aggregate jobs', 'aggregate jobs', 'update jobs', 'find jobs', ...turns]);
    });

    it('entries of many outboxes are acknowledged in one command, in two if one has others, which stay', async () => {
      const attempts = createAttemptStore(connection);
      const challengeId = await storedChallenge(made.storage);
      const acknowledge = async (kept: number) => {
        const own = await parallel(3, (index) => storedAttempt(made.storage, challengeId, 100 + 10 * kept + index));
        const entries = own.map(({ id }) => [jobEntry(id), jobEntry(id)] as const);
        for (const [index, attempt] of own.entries()) {
          await attempts.transition(attempt, advanced(attempt, {}), entries[index] ?? []);
        }
        sent = [];
        await attempts.acknowledgeOutbox(
          own.map(({ id }, index) => ({
            attemptId: id,
            entryIds: (entries[index] ?? []).slice(index === 0 ? kept : 0).map((entry) => entry.id),
          })),
        );
        const commands = [...sent];
        return { commands, pending: await attempts.pendingOutbox(10), id: own[0]?.id, first: entries[0]?.[0] };
      };
      expect(await acknowledge(0)).toMatchObject({ commands: ['update attempts'], pending: [] });
      const { commands, pending, id, first } = await acknowledge(1);
      expect(commands).toEqual(['update attempts', 'update attempts']);
      expect(pending).toEqual([{ attemptId: id, entries: [first] }]);
    });
  });
}
