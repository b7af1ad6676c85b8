/**
 * Durable webhooks against a loop that signs and sends and remembers nothing, and against a durable queue. Events wait in the
 * outbox, and every one is dispatched, recorded, signed, sent, recorded again.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventBody } from '../../core/engagement/webhooks/event-body.ts';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import { createWebhookSecret, WEBHOOK_SECRET_CONTEXT } from '../../core/engagement/webhooks/secret.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createSecretBox } from '../../core/security/secret-box.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { newAttempt } from '../contract/storage/samples.ts';
import { type Bench, type BenchRow, sideBySide, type Unit } from './measure.ts';
import { sqlitePlace, startChild, storeCampaign } from './support.ts';
import { CONNECTIONS, type Message, sendBare, startDurablePeer } from './webhook-senders.ts';

const EVENTS_PER_SECOND: Unit = { name: 'events/s', better: 'higher' };
const KEY = new Uint8Array(32).fill(5);
const NOW = new Date('2026-03-01T12:00:00Z');

type EventEntry = Extract<OutboxEntry, { kind: 'event' }>;

/** How long the receiver takes, what of the signing loop is aimed at, the events of a round (about a second), and rounds. */
const RECEIVERS = [
  { delayMs: 10, atLeast: 0.8, many: 2_000, rounds: 5 },
  { delayMs: 0, atLeast: 0, many: 10_000, rounds: 11 },
];
const FEW = 30;

/** Forget what came before and wait for this many distinct messages, each answered after `delayMs`. */
interface Expect {
  readonly expected: number;
  readonly delayMs: number;
}

type Send = (url: string, events: number) => Promise<AsyncDisposable>;

export const webhooksBench: Bench = {
  title: 'Durable webhooks on SQLite against a loop that signs and sends, and a durable queue',
  async run({ quick, progress, skip }) {
    await using receiver = await startChild<string>(new URL(import.meta.url), {});
    await using peer = await startDurablePeer();
    /** Milliseconds from the first request to the last. */
    const allReceived = async (expect: Expect) => {
      receiver.process.send(expect);
      const [milliseconds] = (await once(receiver.process, 'message')) as [number];
      return milliseconds;
    };
    const rows: BenchRow[] = [];
    for (const { delayMs, atLeast, many, rounds } of RECEIVERS) {
      const events = quick ? FEW : many;
      const name = delayMs === 0 ? 'receiver answers at once' : `receiver answers after ${delayMs} ms`;
      progress(name);
      const measure = (send: Send) => async () => {
        const done = allReceived({ expected: events, delayMs });
        await using _sender = await send(receiver.ready, events);
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
    return rows;
  },
};

function messagesOf(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index) => {
    const { id, event } = eventOf(index + 1, 1, 1);
    return { messageId: id, event: event.event, body: eventBody(event) };
  });
}

/** A whole instance, which finds the events in the outbox of its database. */
async function sendDurably(url: string, events: number): Promise<AsyncDisposable> {
  const place = await sqlitePlace();
  await storeEvents(place.storage, url, events);
  await place.storage.close();
  const credence = createCredence({
    storage: { url: place.url },
    adminToken: 'the-admin-token-of-the-benchmark',
    secrets: { key: KEY },
    egress: { allow: ['127.0.0.0/8'] },
  });
  await credence.start();
  return {
    async [Symbol.asyncDispose]() {
      await credence.stop();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** A webhook, and the events in the outbox. */
async function storeEvents(storage: Storage, url: string, events: number): Promise<void> {
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
  await storage.attempts.create(
    Array.from({ length: events }, (_, index) => ({
      attempt: newAttempt(challenge.id, index + 1, { state: 'verified', verifiedAt: NOW }),
      outbox: (attemptId: number) => [eventOf(attemptId, brand.id, challenge.id)],
    })),
  );
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

/** The receiver, in a process of its own: takes every request and says when it has seen all of them. */
function receive(): void {
  let expect: Expect = { expected: Number.POSITIVE_INFINITY, delayMs: 0 };
  let first = 0;
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      if (seen.size === 0) first = performance.now();
      seen.add(String(request.headers['webhook-id']));
      if (seen.size === expect.expected) process.send?.(performance.now() - first);
      const answer = () => response.writeHead(204).end();
      if (expect.delayMs > 0) setTimeout(answer, expect.delayMs);
      else answer();
    });
  });
  process.on('message', (message: Expect) => {
    expect = message;
    seen.clear();
  });
  process.once('disconnect', () => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
  });
}

if (import.meta.main) receive();
