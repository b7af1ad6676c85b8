/**
 * Durable webhooks against a loop that signs and sends and remembers nothing, and against a durable queue. Events wait in the
 * outbox, and every one is dispatched, recorded, signed, sent, recorded again.
 */
import { randomUUID } from 'node:crypto';
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
import { type Bench, type BenchContext, type BenchRow, sideBySide, type Unit } from './measure.ts';
import { onEachStorage, type Place, type StorageName, startChild, storeCampaign } from './support.ts';
import {
  CONNECTIONS,
  type DurablePeer,
  type Message,
  sendBare,
  startBullMq,
  startGraphileWorker,
} from './webhook-senders.ts';

const EVENTS_PER_SECOND: Unit = { name: 'events/s', better: 'higher' };
const KEY = new Uint8Array(32).fill(5);
const NOW = new Date('2026-03-01T12:00:00Z');

type EventEntry = Extract<OutboxEntry, { kind: 'event' }>;

/** How long the receiver takes, what of the signing loop is aimed at, the events of a round (some seconds at most), and rounds. */
const RECEIVERS = [
  { delayMs: 10, atLeast: 0.8, many: 1_000, rounds: 5 },
  { delayMs: 0, atLeast: 0, many: 3_000, rounds: 7 },
];
const FEW = 30;

/** The durable queues that people run with such a storage. */
const PEERS: Readonly<Record<StorageName, ((url: string) => Promise<DurablePeer | null>) | null>> = {
  SQLite: startBullMq,
  PostgreSQL: startGraphileWorker,
  MongoDB: null,
};

/** Forget what came before and wait for this many distinct messages, each answered after `delayMs`. */
interface Expect {
  readonly expected: number;
  readonly delayMs: number;
}

type Send = (url: string, events: number) => Promise<AsyncDisposable>;

export const webhooksBench: Bench = {
  title: 'Durable webhooks against a loop that signs and sends, and against a durable queue',
  async run(context) {
    await using receiver = await startChild<string>(new URL(import.meta.url), {});
    /** Events a second, from the first request to the last. */
    const rateOf = async (send: Send, expected: number, delayMs: number) => {
      receiver.process.send({ expected, delayMs } satisfies Expect);
      const received = once(receiver.process, 'message');
      await using _sender = await send(receiver.ready, expected);
      const [milliseconds] = (await received) as [number];
      return expected / (milliseconds / 1_000);
    };
    return await onEachStorage(context, async (name, open) => {
      await using place = await open();
      await using peer = (await PEERS[name]?.(place.url)) ?? null;
      if (name === 'SQLite' && peer === null) context.skip('BullMQ', 'redis-server is not installed');
      return await rowsOf(name, place, peer, rateOf, context);
    });
  },
};

async function rowsOf(
  storage: StorageName,
  place: Place,
  peer: DurablePeer | null,
  rateOf: (send: Send, expected: number, delayMs: number) => Promise<number>,
  { quick, progress }: BenchContext,
): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { delayMs, atLeast, many, rounds } of RECEIVERS) {
    const name = `${storage}, ${delayMs === 0 ? 'receiver answers at once' : `receiver takes ${delayMs} ms`}`;
    progress(name);
    const measure = (send: Send) => () => rateOf(send, quick ? FEW : many, delayMs);
    const subject = measure((url, events) => sendDurably(place, url, events));
    const shared = { name, unit: EVENTS_PER_SECOND, subject, rounds: quick ? 1 : rounds };
    const loop = {
      name: `signing loop, ${CONNECTIONS} at a time`,
      measure: measure(async (url, count) => sendBare(url, messagesOf(count))),
    };
    rows.push(await sideBySide({ ...shared, reference: loop, aim: { of: 'ratio', atLeast } }));
    if (delayMs > 0 || peer === null) continue;
    const queue = { name: peer.name, measure: measure((url, count) => peer.send(url, messagesOf(count))) };
    rows.push(await sideBySide({ ...shared, reference: queue, aim: { of: 'ratio', atLeast: 1 } }));
  }
  return rows;
}

function messagesOf(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index) => {
    const { id, event } = eventOf(index + 1, 1, 1);
    return { messageId: id, event: event.event, body: eventBody(event) };
  });
}

/** A whole instance, which finds the events in the outbox of its database. */
async function sendDurably({ storage, url: storageUrl }: Place, url: string, events: number): Promise<AsyncDisposable> {
  await storeEvents(storage, url, events);
  const credence = createCredence({
    storage: { url: storageUrl },
    adminToken: 'the-admin-token-of-the-benchmark',
    secrets: { key: KEY },
    egress: { allow: ['127.0.0.0/8'] },
  });
  await credence.start();
  return { [Symbol.asyncDispose]: () => credence.stop() };
}

/** A webhook of a new brand, and its events in the outbox. */
async function storeEvents(storage: Storage, url: string, events: number): Promise<void> {
  const slug = `brand-${randomUUID()}`;
  const brand = await storage.brands.create({ name: 'Northtrail', slug, logoUrl: null, createdAt: NOW });
  if (brand === null) throw new Error('two brands have the same name');
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
  process.once('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
  });
}

if (import.meta.main) receive();
