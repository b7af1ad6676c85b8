/**
 * Durable webhooks against a bare loop: events wait in the outbox, and every one is dispatched, recorded, signed, sent,
 * recorded again. The loop sends such bodies as fast as it can and remembers nothing.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { eventBody } from '../../../core/engagement/webhooks/event-body.ts';
import type { OutboxEntry } from '../../../core/engagement/webhooks/outbox.ts';
import { createWebhookSecret, WEBHOOK_SECRET_CONTEXT } from '../../../core/engagement/webhooks/secret.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { createSecretBox } from '../../../core/security/secret-box.ts';
import { createCredence } from '../../../plugins/compose/index.ts';
import { type Bench, type BenchRow, EVENTS_PER_SECOND } from '../bench.ts';
import { startChild } from '../child.ts';
import { sideBySide } from '../rounds.ts';
import { storeCampaign } from '../seed.ts';
import type { AllReceived, Expect, ReceiverReady } from './protocol.ts';
import { CONNECTIONS, type Message, sendBare, startDurablePeer } from './senders.ts';

const KEY = new Uint8Array(32).fill(5);
const NOW = new Date('2026-03-01T12:00:00Z');

type EventEntry = Extract<OutboxEntry, { kind: 'event' }>;

/** How long the receiver takes, what of the signing loop is aimed at, the events of a round (about a second), and rounds. */
const RECEIVERS = [
  { delayMs: 10, atLeast: 0.8, many: 2_000, rounds: 5 },
  { delayMs: 1, atLeast: 0.8, many: 2_000, rounds: 11 },
  { delayMs: 0, atLeast: 0.5, many: 10_000, rounds: 11 },
];
const FEW = 30;

type Send = (url: string, events: number) => Promise<AsyncDisposable>;

export const webhooksBench: Bench = {
  name: 'webhooks',
  title: 'Durable webhooks against a loop that signs and sends, and against a durable queue (SQLite)',
  async run({ quick, progress, skip }) {
    await using receiver = await startChild<ReceiverReady>(new URL('./receiver.ts', import.meta.url), {});
    await using peer = await startDurablePeer();
    const rows: BenchRow[] = [];
    for (const { delayMs, atLeast, many, rounds } of RECEIVERS) {
      const events = quick ? FEW : many;
      const name = delayMs === 0 ? 'receiver answers at once' : `receiver answers after ${delayMs} ms`;
      progress(name);
      const measure = (send: Send) => async () => {
        const done = allReceived(receiver.process, { expected: events, delayMs });
        await using _sender = await send(receiver.ready.url, events);
        return events / ((await done) / 1_000);
      };
      const subject = measure(sendDurably);
      const bare = measure(async (url, count) => sendBare(url, messagesOf(count)));
      const loop = { name: `signing loop, ${CONNECTIONS} at a time`, measure: bare };
      const shared = { unit: EVENTS_PER_SECOND, subject, rounds: quick ? 1 : rounds };
      rows.push(await sideBySide({ ...shared, name, reference: loop, aim: { of: 'ratio', atLeast } }));
      if (delayMs > 0) continue;
      if (peer === null) {
        skip('the durable queue', 'redis-server is not installed');
        continue;
      }
      progress('against a durable queue');
      const queue = {
        name: 'BullMQ, appendfsync everysec',
        measure: measure((url, count) => peer.send(url, messagesOf(count))),
      };
      const aim = { of: 'ratio', atLeast: 1.5 } as const;
      rows.push(await sideBySide({ ...shared, name: `${name}, durable`, reference: queue, aim }));
    }
    return rows;
  },
};

function messagesOf(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index) => {
    const { id, event } = eventOf(index + 1, 1, 1);
    return { messageId: id, event: event.event, body: eventBody(event) };
  });
}

async function allReceived(receiver: ChildProcess, expect: Expect): Promise<number> {
  receiver.send(expect);
  const [message] = (await once(receiver, 'message')) as [AllReceived];
  return message.milliseconds;
}

/** A database with the events in its outbox, and a whole instance that finds them there. */
async function sendDurably(url: string, events: number): Promise<AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
  const path = join(directory, 'credence.db');
  await storeEvents(path, url, events);
  const credence = createCredence({
    storage: { url: `sqlite:${path}` },
    adminToken: 'the-admin-token-of-the-benchmark',
    secrets: { key: KEY },
    egress: { allow: ['127.0.0.0/8'] },
  });
  await credence.start();
  return {
    async [Symbol.asyncDispose]() {
      await credence.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function storeEvents(path: string, url: string, events: number): Promise<void> {
  const storage = createSqliteStorage({ path });
  await storage.open();
  const brand = await storage.brands.create({ name: 'Northtrail', slug: 'northtrail', logoUrl: null, createdAt: NOW });
  if (brand === null) throw new Error('the database is not empty');
  await storage.webhooks.create({
    brandId: brand.id,
    url,
    events: ['creator.verified'],
    active: true,
    description: null,
    sealedSecret: createSecretBox(KEY).seal(createWebhookSecret(systemRandom), WEBHOOK_SECRET_CONTEXT),
    lastTriggeredAt: null,
    createdAt: NOW,
  });
  const { challenge } = await storeCampaign(storage);
  await storage.attempts.createMany(
    Array.from({ length: events }, (_, index) => ({
      attempt: {
        userId: index + 1,
        challengeId: challenge.id,
        state: 'verified' as const,
        retryCount: 0,
        maxRetries: 3,
        lastVerificationAt: NOW,
        verificationDeadline: null,
        stateHistory: [{ state: 'verified' as const, at: NOW, reason: 'benchmark' }],
        recheck: null,
        metadata: {},
        matchedComment: null,
        pointsAwarded: 0,
        verifiedAt: NOW,
        rewardedAt: null,
        createdAt: NOW,
        updatedAt: NOW,
        revision: 0,
      },
      outbox: (attemptId: number) => [eventOf(attemptId, brand.id, challenge.id)],
    })),
  );
  await storage.close();
}

function eventOf(attemptId: number, brandId: number, challengeId: number): EventEntry {
  return {
    id: `bench-${attemptId}`,
    kind: 'event',
    event: {
      event: 'creator.verified',
      timestamp: NOW,
      brandId,
      data: {
        challengeId,
        userId: attemptId,
        externalUserId: `ext-${attemptId}`,
        username: `person.${attemptId}`,
        platform: 'tiktok',
        campaignTitle: 'Spring launch',
        attemptId,
        commentText: 'This looks great, count me in! #trailday',
      },
    },
  };
}
