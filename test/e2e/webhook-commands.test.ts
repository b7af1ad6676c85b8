/** What announcing events costs a database: counts of commands, which do not depend on the machine. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createWebhookSecret, WEBHOOK_SECRET_CONTEXT } from '../../core/engagement/webhooks/secret.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { createSecretBox } from '../../core/security/secret-box.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { eventEntry, newAttempt, newWebhook, storedChallenge } from '../contract/storage/samples.ts';
import { monitored, recordCommands } from '../support/queries/recorder.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createTestStorage, onMongo, type TestStorage } from '../support/storage.ts';

const EVENTS = 200;
const KEY = new Uint8Array(32).fill(5);

/** Of the driver's own keeping in touch. */
const CHATTER = ['hello', 'ismaster', 'ping', 'endSessions'];

await onMongo(() => {
  describe('commands for webhooks', () => {
    let made: TestStorage;
    let receiver: Receiver;
    beforeAll(async () => {
      made = await createTestStorage('mongodb');
      receiver = await startReceiver();
    });
    afterAll(async () => {
      await receiver.close();
      await made.close();
    });

    it('are at most 6 for each event that is dispatched, signed, sent and recorded', async () => {
      const storage = made.create();
      await storage.open();
      const challengeId = await storedChallenge(storage);
      const sealedSecret = createSecretBox(KEY).seal(createWebhookSecret(systemRandom), WEBHOOK_SECRET_CONTEXT);
      // The brand of the sample events.
      const webhook = await storage.webhooks.create(newWebhook(1, { url: receiver.url, sealedSecret }));
      await storage.attempts.createMany(
        Array.from({ length: EVENTS }, (_, index) => ({
          attempt: newAttempt(challengeId, index + 1),
          outbox: (attemptId: number) => [eventEntry(attemptId)],
        })),
      );
      const commands = new Map<string, number>();
      const ended = recordCommands(({ command }) => {
        const [name = ''] = Object.keys(command);
        const text = `${name} ${command[name]}`;
        if (!CHATTER.includes(name)) commands.set(text, (commands.get(text) ?? 0) + 1);
      });
      const credence = createCredence({
        storage: { url: monitored(made.url) },
        adminToken: 'the-admin-token-of-the-test',
        secrets: { key: KEY },
        egress: { allow: ['127.0.0.0/8'] },
      });
      try {
        await credence.start();
        commands.clear();
        await vi.waitFor(async () => {
          const { total } = await storage.deliveries.listByWebhook(webhook.id, { page: 1, limit: 1 });
          expect([total, (await storage.deliveries.pendingOf(webhook.id, 0, EVENTS)).length]).toEqual([EVENTS, 0]);
        }, 60_000);
      } finally {
        await credence.stop();
        ended();
      }
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(EVENTS);
      const total = [...commands.values()].reduce((sum, count) => sum + count, 0);
      expect(total / EVENTS, JSON.stringify([...commands])).toBeLessThanOrEqual(6);
    });
  });
});
