/**
 * Durable webhooks against a bare loop: events wait in the outbox, and every one is dispatched, recorded, signed, sent,
 * recorded again. The loop sends such bodies as fast as it can and remembers nothing.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMongoStorage } from '../../../adapters/mongodb/index.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { eventBody } from '../../../core/engagement/webhooks/event-body.ts';
import type { OutboxEntry } from '../../../core/engagement/webhooks/outbox.ts';
import { createWebhookSecret, WEBHOOK_SECRET_CONTEXT } from '../../../core/engagement/webhooks/secret.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createSecretBox } from '../../../core/security/secret-box.ts';
import { createCredence } from '../../../plugins/compose/index.ts';
import { type Bench, type BenchRow, EVENTS_PER_SECOND, type Unit } from '../bench.ts';
import { type Child, startChild } from '../child.ts';
import { countCommands } from '../command-counter.ts';
import { mongoDatabase } from '../mongo.ts';
import { alone, sideBySide } from '../rounds.ts';
import { storeCampaign } from '../seed.ts';
import type { AllReceived, Expect, ReceiverReady } from './protocol.ts';
import { CONNECTIONS, type Message, sendBare, startDurablePeer } from './senders.ts';

const KEY = new Uint8Array(32).fill(5);
const NOW = new Date('2026-03-01T12:00:00Z');

type EventEntry = Extract<OutboxEntry, { kind: 'event' }>;

/** How long the receiver takes, what of the signing loop is aimed at, the events of a round (about a second), and rounds. */
const RECEIVERS = [
  { delayMs: 10, atLeast: 0.8, many: 2_000, rounds: 5 },
  { delayMs: 0, atLeast: 0, many: 10_000, rounds: 11 },
];
/** The same on MongoDB, where commands are counted. Without ratio: its server is slow in some places. */
const ON_MONGO = [
  { delayMs: 0, many: 2_000 },
  { delayMs: 10, many: 2_000 },
  { delayMs: 100, many: 800 },
];
const FEW = 30;
const COMMANDS_PER_EVENT: Unit = { name: 'commands/event', better: 'lower' };

type Send = (url: string, events: number) => Promise<AsyncDisposable>;

export const webhooksBench: Bench = {
  name: 'webhooks',
  title: 'Durable webhooks on SQLite against a loop that signs and sends, and a durable queue; commands on MongoDB',
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
      const aim = { of: 'ratio', atLeast: 1 } as const;
      rows.push(await sideBySide({ ...shared, name: `${name}, durable`, reference: queue, aim }));
    }
    await using server = await mongoDatabase();
    if (!server.available) {
      skip('MongoDB', server.reason);
      return rows;
    }
    for (const { delayMs, many } of ON_MONGO) {
      const name = `MongoDB, receiver answers ${delayMs === 0 ? 'at once' : `after ${delayMs} ms`}`;
      progress(name);
      const commands = await commandsOnMongo(receiver, { expected: quick ? FEW : many, delayMs });
      rows.push(alone({ name, unit: COMMANDS_PER_EVENT, aim: { of: 'figure', atMost: 6 } }, [commands]));
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

/** The same, from a file of its own. */
async function sendDurably(url: string, events: number): Promise<AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
  const path = join(directory, 'credence.db');
  await storeEvents(createSqliteStorage({ path }), url, events);
  const sender = await startSender(`sqlite:${path}`);
  return {
    async [Symbol.asyncDispose]() {
      await sender[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A whole instance, which finds the events in the outbox of its database. */
async function startSender(storageUrl: string): Promise<AsyncDisposable> {
  const credence = createCredence({
    storage: { url: storageUrl },
    adminToken: 'the-admin-token-of-the-benchmark',
    secrets: { key: KEY },
    egress: { allow: ['127.0.0.0/8'] },
  });
  await credence.start();
  return { [Symbol.asyncDispose]: () => credence.stop() };
}

/** Commands for an event, without those of a start. */
async function commandsOnMongo(receiver: Child<ReceiverReady>, expect: Expect): Promise<number> {
  await using server = await mongoDatabase();
  if (!server.available) throw new Error(server.reason);
  await using counter = await countCommands(server.url);
  const during = async (work: () => Promise<void>) => {
    const before = counter.commands();
    await work();
    return counter.commands() - before;
  };
  const startAndStop = async () => {
    await using _sender = await startSender(counter.url);
  };
  // The first start makes the collections.
  await startAndStop();
  const ofStart = await during(startAndStop);
  await storeEvents(createMongoStorage({ url: server.url }), receiver.ready.url, expect.expected);
  const done = allReceived(receiver.process, expect);
  const all = await during(async () => {
    await using _sender = await startSender(counter.url);
    await done;
  });
  return (all - ofStart) / expect.expected;
}

/** A webhook, and the events in the outbox. */
async function storeEvents(storage: Storage, url: string, events: number): Promise<void> {
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
