/** Three standalone hosts over one MongoDB and one Redis; the first of them reaches both through proxies. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import type { ApiClient } from '../support/client.ts';
import { startReceiver } from '../support/receiver.ts';
import { startRedis } from '../support/redis.ts';
import { openTestStorage } from '../support/storage.ts';
import { clientOf } from './claim.ts';
import { type HostProcess, hostEnvironment, startStandaloneHost } from './host-process.ts';
import { createTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export const QUEUES = ['leased', 'bullmq'] as const;
export type Queue = (typeof QUEUES)[number];

/** In the answer with which a job of this kind is handed to a host. */
const REWARD_TAKEN: Readonly<Record<Queue, string>> = {
  leased: 'live:issue-reward:',
  bullmq: '"key":"issue-reward:',
};

const proxyTo = (url: URL) => createTcpProxy({ host: url.hostname, port: Number(url.port) });

function through(proxy: TcpProxy, url: URL): string {
  const detour = new URL(url);
  detour.port = String(proxy.port);
  return detour.href;
}

/** Starts everything, side by side; leases are as short as they can be. */
export async function openCluster(queue: Queue) {
  const folder = await mkdtemp(join(tmpdir(), 'credence-faults-'));
  const [simulator, receiver, redis, { storage, url, close }] = await Promise.all([
    createPlatformSimulator(),
    startReceiver(),
    startRedis(),
    openTestStorage('mongodb'),
  ]);
  const [mongoProxy, redisProxy] = await Promise.all([proxyTo(new URL(url)), proxyTo(new URL(redis.url))]);
  const env = {
    ...hostEnvironment(url, folder, simulator),
    REDIS_URL: redis.url,
    JOB_QUEUE: queue,
    JOB_LEASE_SECONDS: '1',
  };
  const detours = {
    STORAGE_URL: through(mongoProxy, new URL(url)),
    REDIS_URL: through(redisProxy, new URL(redis.url)),
  };
  const hosts: readonly HostProcess[] = await Promise.all([
    startStandaloneHost({ ...env, ...detours }),
    startStandaloneHost(env),
    startStandaloneHost(env),
  ]);
  const [doomed, ...others] = hosts as [HostProcess, HostProcess, HostProcess];
  return {
    world: simulator.world,
    receiver,
    redis,
    storage,
    /** The one behind proxies. */
    doomed,
    others,
    /** From now on the doomed host goes silent with the next reward it takes up; resolves then. */
    freezeOnReward: () => (queue === 'leased' ? mongoProxy : redisProxy).freezeOn(REWARD_TAKEN[queue]),
    async close() {
      await Promise.all(hosts.map((host) => host.kill()));
      await Promise.all([mongoProxy.close(), redisProxy.close(), receiver.close(), simulator.close()]);
      await close();
      await redis.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Cluster = Awaited<ReturnType<typeof openCluster>>;

/** Gives out the hosts in turn. */
export function turns(hosts: readonly HostProcess[]): () => ApiClient {
  const clients = hosts.map(({ baseUrl }) => clientOf(baseUrl));
  let next = 0;
  return () => clients[next++ % clients.length] as ApiClient;
}
