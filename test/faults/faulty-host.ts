/**
 * A standalone host for a child process that dies where it is told to. It is put together like `hosts/standalone/main.ts`,
 * from the same environment. Only the ports are watched, and the waits of the background work are short. So that what a
 * dead process leaves behind is taken up soon. It serves by the web-standard handler, which loads less than a framework.
 */

import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createLeasedJobQueue } from '../../adapters/leased-jobs/index.ts';
import { createCommentSweeper } from '../../core/engagement/challenge-data/sweep-comments.ts';
import { deliverer } from '../../core/engagement/webhooks/deliver.ts';
import { DeliveryLoop } from '../../core/engagement/webhooks/delivery-loop.ts';
import { OutboxRelay } from '../../core/engagement/webhooks/outbox-relay.ts';
import { RETRY_DELAYS_MS } from '../../core/engagement/webhooks/retry-schedule.ts';
import type { SubscriberEvent } from '../../core/engagement/webhooks/subscriber.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { WebhookTransport } from '../../core/ports/webhook-transport.ts';
import { readEnvironment } from '../../hosts/standalone/environment.ts';
import { hostConfig } from '../../hosts/standalone/host-config.ts';
import { createLogger } from '../../hosts/standalone/logger.ts';
import { ContainerModule, createCredence, provide, TOKENS } from '../../plugins/compose/index.ts';
import { PARTS } from '../../plugins/compose/tokens.ts';
import { credenceFetch } from '../../plugins/fetch/index.ts';
import { type CrashPoint, createBombs, type WatchedPorts } from './crash-point.ts';

/** What the test sends; each is answered with `{ done: kind }`. */
export type FaultyHostCommand = { readonly kind: 'arm'; readonly points: readonly (CrashPoint | null)[] };

/** One instance of the process, with workers of its own. */
export interface FaultyInstance {
  /** `STORAGE_URL` by default. */
  readonly storageUrl?: string;
  /** Where a subscriber writes what it handles; without it there is none. */
  readonly ledger?: string;
}

export type FaultyHostReport =
  | { readonly listening: readonly string[] }
  | { readonly done: string }
  /** The instance of this number has reached its point. */
  | { readonly reached: number };

const SWEEP_TAKE_OVER_MS = 1_500;

const environment = readEnvironment(process.env);
const leaseSeconds = Number(process.env.FAULTY_LEASE_SECONDS ?? '0.6');
/** How often jobs and outbox entries of other processes are looked for. */
const pollMs = Number(process.env.FAULTY_POLL_MS ?? '300');
/** Deliveries that a worker makes to one webhook at a time. */
const concurrency = Number(process.env.FAULTY_DELIVERIES ?? '8');
const instances: readonly FaultyInstance[] = JSON.parse(process.env.FAULTY_INSTANCES ?? '[{}]');
const logger = createLogger(environment.LOG_LEVEL);
const report = (message: FaultyHostReport): void => void process.send?.(message);
const bombs = createBombs((reached) => report({ reached }));

function watchedStorage(storage: Storage, ports: WatchedPorts): Storage {
  const stores = Object.entries(storage).map(([name, store]) => [
    name,
    typeof store === 'object' ? ports.watch(name, store) : store,
  ]);
  return { ...storage, ...Object.fromEntries(stores) };
}

/** Says in every webhook which worker sent it. */
function signed(transport: WebhookTransport, worker: string): WebhookTransport {
  return {
    send: (request) => transport.send({ ...request, headers: { ...request.headers, 'x-worker': worker } }),
    close: () => transport.close(),
  };
}

const faults = (worker: string, ports: WatchedPorts) =>
  new ContainerModule(({ rebind, onActivation }) => {
    onActivation<Storage>(TOKENS.storage, (_context, storage) => watchedStorage(storage, ports));
    onActivation<WebhookTransport>(TOKENS.webhookTransport, (_context, transport) =>
      ports.watch('webhookTransport', signed(transport, worker)),
    );
    const again = { bind: rebind };
    provide(
      again,
      TOKENS.jobQueue,
      { storage: TOKENS.storage, clock: TOKENS.clock, log: TOKENS.logger },
      ({ storage: { jobs }, clock, log }) =>
        createLeasedJobQueue({
          store: jobs,
          clock,
          logger: log,
          leaseSeconds,
          pollMs,
        }),
    );
    provide(
      again,
      PARTS.outboxRelay,
      {
        storage: TOKENS.storage,
        queue: TOKENS.jobQueue,
        dispatch: PARTS.dispatchEvents,
        log: TOKENS.logger,
      },
      ({ storage: { outbox }, queue, dispatch, log }) =>
        new OutboxRelay({ outbox, queue, dispatch, logger: log, intervalMs: 2 * pollMs }),
    );
    provide(
      again,
      PARTS.deliveryLoop,
      {
        storage: TOKENS.storage,
        subscribers: PARTS.subscribers,
        transport: TOKENS.webhookTransport,
        secretBox: TOKENS.secretBox,
        clock: TOKENS.clock,
        log: TOKENS.logger,
      },
      ({ log: logger, ...parts }) => {
        const retryDelays = RETRY_DELAYS_MS.map(() => pollMs);
        const deps = { ...parts, logger };
        const deliver = deliverer({ ...deps, retryDelays });
        const settings = { leaseMs: leaseSeconds * 1_000, pollMs, concurrency };
        return new DeliveryLoop({ ...deps, deliveries: deps.storage.deliveries, deliver, ...settings });
      },
    );
    provide(
      again,
      PARTS.commentSweeper,
      {
        storage: TOKENS.storage,
        platforms: TOKENS.platforms,
        queue: TOKENS.jobQueue,
        clock: TOKENS.clock,
        log: TOKENS.logger,
      },
      ({ storage: { campaigns, comments, creators }, platforms, queue, clock, log }) =>
        createCommentSweeper({
          campaigns,
          comments,
          creators,
          platforms,
          queue,
          clock,
          logger: log,
          takeOverAfterMs: SWEEP_TAKE_OVER_MS,
        }),
    );
  });

/** Writes one line for each call, in one write. */
const writingTo = (ledger: string) => ({
  async handle({ messageId, event, data }: SubscriberEvent) {
    const about = 'username' in data ? data.username : 'canary' in data ? data.canary : data.handle;
    appendFileSync(ledger, `${messageId} ${event} ${about}\n`);
  },
});

async function listen({ storageUrl, ledger }: FaultyInstance, index: number): Promise<string> {
  const ports = bombs.instance(index);
  const { config } = await hostConfig({
    ...environment,
    ...(storageUrl === undefined ? {} : { STORAGE_URL: storageUrl }),
  });
  const credence = createCredence(config, { logger, modules: [faults(`${process.pid}.${index}`, ports)] });
  if (ledger !== undefined) {
    const subscriber = ports.watch('subscriber', writingTo(ledger));
    credence.on('*', (event) => subscriber.handle(event), { name: 'ledger' });
  }
  await credence.start();
  const server = createAdaptorServer({
    fetch: credenceFetch(credence, { ipOf: () => '127.0.0.1' }),
    // A busy client must not use a connection that is just being closed.
    serverOptions: { keepAliveTimeout: 300_000 },
  });
  server.listen(0, environment.HOST);
  await once(server, 'listening');
  return `http://${environment.HOST}:${(server.address() as AddressInfo).port}`;
}

process.on('message', (command: FaultyHostCommand) => {
  bombs.arm(command.points);
  report({ done: command.kind });
});
// A test that went away leaves nobody behind.
process.on('disconnect', () => process.exit(1));

const listening = await Promise.all(instances.map(listen));
// For the hosts after this one: who is killed does not get to write it.
flushCompileCache();
report({ listening });
