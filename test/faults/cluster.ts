/** Standalone hosts over one storage and one Redis; the first of them reaches both through proxies. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '../../core/ports/storage.ts';
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import type { World } from '../../hosts/platform-simulator/world.ts';
import type { ApiClient } from '../support/client.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { openTestStorage } from '../support/storage.ts';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { clientOf } from './claim.ts';
import { type HostProcess, hostEnvironment, startStandaloneHost } from './host-process.ts';

export type Queue = 'leased' | 'bullmq';

/** In the answer with which a job of this kind is handed to a host. */
const REWARD_TAKEN = {
  mongodb: 'live:issue-reward:',
  // Amid the transaction. One that enqueues is answered without this column. A length of ten is a line feed.
  postgres: /dueAt.*issue-reward:/s,
  bullmq: '"key":"issue-reward:',
};

const proxyTo = (url: URL) => createTcpProxy({ host: url.hostname, port: Number(url.port) });

function through(proxy: TcpProxy, url: URL): string {
  const detour = new URL(url);
  detour.port = String(proxy.port);
  return detour.href;
}

export interface Cluster {
  readonly world: World;
  readonly receiver: Receiver;
  readonly redis: TestRedis;
  readonly storage: Storage;
  /** The one behind proxies. */
  readonly doomed: HostProcess;
  readonly others: readonly HostProcess[];
  /** From now on the doomed host goes silent with the next reward it takes up; resolves then. */
  freezeOnReward(): Promise<void>;
  close(): Promise<void>;
}

/** Starts everything, with so many hosts beside the doomed one; leases are as short as they can be. */
export async function openCluster(kind: 'mongodb' | 'postgres', queue: Queue, survivors: number): Promise<Cluster> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  async function keep<T extends { close(): Promise<unknown> }>(opening: Promise<T>): Promise<T> {
    const opened = await opening;
    cleanups.push(() => opened.close());
    return opened;
  }
  try {
    const folder = await mkdtemp(join(tmpdir(), 'credence-faults-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const simulator = await keep(createPlatformSimulator());
    const receiver = await keep(startReceiver());
    const redis = await keep(startRedis());
    const { storage, url } = await keep(openTestStorage(kind));
    const storageProxy = await keep(proxyTo(new URL(url)));
    const redisProxy = await keep(proxyTo(new URL(redis.url)));
    const env = {
      ...hostEnvironment(url, folder, simulator),
      REDIS_URL: redis.url,
      JOB_QUEUE: queue,
      JOB_LEASE_SECONDS: '1',
    };
    const detours = {
      STORAGE_URL: through(storageProxy, new URL(url)),
      REDIS_URL: through(redisProxy, new URL(redis.url)),
    };
    const starting = [{ ...env, ...detours }, ...Array.from({ length: survivors }, () => env)].map((each) =>
      startStandaloneHost(each),
    );
    for (const host of starting) cleanups.push(() => host.then((started) => started.kill()).catch(() => undefined));
    const [doomed, ...others] = (await Promise.all(starting)) as [HostProcess, ...HostProcess[]];
    return {
      world: simulator.world,
      receiver,
      redis,
      storage,
      doomed,
      others,
      freezeOnReward: () =>
        queue === 'leased' ? storageProxy.freezeOn(REWARD_TAKEN[kind]) : redisProxy.freezeOn(REWARD_TAKEN.bullmq),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Gives out the hosts in turn. */
export function turns(hosts: readonly HostProcess[]): () => ApiClient {
  const clients = hosts.map(({ baseUrl }) => clientOf(baseUrl));
  let next = 0;
  return () => clients[next++ % clients.length] as ApiClient;
}
