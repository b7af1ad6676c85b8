/** What the webhooks of Credence are compared with: the same signatures over as many sockets, without and with a durable queue. */
import { Queue, Worker } from 'bullmq';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { Agent } from 'undici';
import { createWebhookSecret } from '../../core/engagement/webhooks/secret.ts';
import { webhookHeaders } from '../../core/engagement/webhooks/signature.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { hasRedis, startRedis } from '../support/redis-server.ts';

/** As many as Credence keeps to one receiver. */
export const CONNECTIONS = 8;

/** An event as it is handed to a sender. */
export interface Message {
  readonly messageId: string;
  readonly event: string;
  readonly body: string;
}

/** Signs each message and sends it to `target`. */
function createSender(target: string) {
  const url = new URL(target);
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  const secret = createWebhookSecret(systemRandom);
  return {
    async send({ messageId, event, body }: Message): Promise<void> {
      const headers = webhookHeaders({ secret, messageId, at: new Date(), event, body });
      const answer = await agent.request({ origin: url.origin, path: url.pathname, method: 'POST', headers, body });
      await answer.body.dump();
    },
    close: () => agent.close(),
  };
}

/** Sends the messages in the background, as many at a time as there are sockets, and remembers nothing. */
export function sendBare(target: string, messages: readonly Message[]): AsyncDisposable {
  const sender = createSender(target);
  const waiting = messages.values();
  const work = async () => {
    for (const message of waiting) await sender.send(message);
  };
  const working = Promise.all(Array.from({ length: CONNECTIONS }, work));
  return {
    async [Symbol.asyncDispose]() {
      await working;
      await sender.close();
    },
  };
}

export interface DurablePeer extends AsyncDisposable {
  readonly name: string;
  /** Queues the messages durably, then sends them in the background. */
  send(target: string, messages: readonly Message[]): Promise<AsyncDisposable>;
}

/** Workers of the peer: as many as Credence has for deliveries. */
const WORKERS = 64;

/** BullMQ over a Redis of its own, which flushes its log every second. Null if there is no redis-server. */
export async function startBullMq(): Promise<DurablePeer | null> {
  if (!hasRedis) return null;
  const server = await startRedis({ isDurable: true });
  const { hostname: host, port } = new URL(server.url);
  const connection = { host, port: Number(port) };
  let runs = 0;
  return {
    name: 'BullMQ, appendfsync everysec',
    async send(target, messages) {
      runs += 1;
      const name = `webhooks-${runs}`;
      const queue = new Queue<Message>(name, { connection });
      const opts = { attempts: 8, backoff: { type: 'exponential', delay: 5_000 }, removeOnComplete: true };
      await queue.addBulk(
        messages.map((data) => ({ name: data.event, data, opts: { ...opts, jobId: data.messageId } })),
      );
      const sender = createSender(target);
      const worker = new Worker<Message>(name, ({ data }) => sender.send(data), { connection, concurrency: WORKERS });
      return {
        async [Symbol.asyncDispose]() {
          await worker.close();
          await queue.close();
          await sender.close();
        },
      };
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** graphile-worker in the same database, with its batches. */
export async function startGraphileWorker(connectionString: string): Promise<DurablePeer> {
  // As many connections as Credence has.
  const pgPool = new pg.Pool({ connectionString, max: 20 });
  pgPool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const logger = new Logger(() => () => undefined);
  const queue = await makeWorkerUtils({ pgPool, logger });
  await queue.migrate();
  return {
    name: 'graphile-worker',
    async send(target, messages) {
      await queue.addJobs(messages.map((payload) => ({ identifier: 'send', payload, maxAttempts: 8 })));
      const sender = createSender(target);
      const runner = await run({
        pgPool,
        logger,
        preset: { worker: { concurrentJobs: WORKERS, localQueue: { size: 500 } } },
        noHandleSignals: true,
        taskList: { send: (message) => sender.send(message as Message) },
      });
      return {
        async [Symbol.asyncDispose]() {
          await runner.stop();
          await sender.close();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await queue.release();
      await pgPool.end();
    },
  };
}
