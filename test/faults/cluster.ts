/** Standalone hosts over one storage and one Redis; the first of them reaches both through proxies. */
import type { Storage } from '../../core/ports/storage.ts';
import type { World } from '../../hosts/platform-simulator/world.ts';
import type { ApiClient } from '../support/client.ts';
import type { Receiver } from '../support/receiver.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { clientOf } from './claim.ts';
import { type HostProcess, openGround, startStandaloneHost } from './host-process.ts';

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

export interface Cluster extends AsyncDisposable {
  readonly world: World;
  readonly receiver: Receiver;
  readonly redis: TestRedis;
  readonly storage: Storage;
  /** The one behind proxies. */
  readonly doomed: HostProcess;
  readonly others: readonly HostProcess[];
  /** From now on the doomed host goes silent with the next reward it takes up; resolves then. */
  freezeOnReward(): Promise<void>;
}

/** Starts everything, with so many hosts beside the doomed one; leases are as short as they can be. */
export async function openCluster(kind: 'mongodb' | 'postgres', queue: Queue, survivors: number): Promise<Cluster> {
  await using opened = new AsyncDisposableStack();
  const keep = <T extends { close(): Promise<unknown> }>(each: T) =>
    opened.adopt(each, async () => void (await each.close()));
  const ground = opened.use(await openGround(kind));
  const { simulator, receiver, made } = ground;
  const { storage, url } = made;
  const redis = keep(await startRedis());
  const storageProxy = keep(await proxyTo(new URL(url)));
  const redisProxy = keep(await proxyTo(new URL(redis.url)));
  const env = { ...ground.env, REDIS_URL: redis.url, JOB_QUEUE: queue, JOB_LEASE_SECONDS: '1' };
  const detours = {
    STORAGE_URL: through(storageProxy, new URL(url)),
    REDIS_URL: through(redisProxy, new URL(redis.url)),
  };
  const envs = [{ ...env, ...detours }, ...Array.from({ length: survivors }, () => env)];
  const hosts = await Promise.all(envs.map((each) => startStandaloneHost(each)));
  const [doomed, ...others] = hosts as [HostProcess, ...HostProcess[]];
  const kept = opened.move();
  return {
    ...{ world: simulator.world, receiver, redis, storage, doomed, others },
    freezeOnReward: () =>
      queue === 'leased' ? storageProxy.freezeOn(REWARD_TAKEN[kind]) : redisProxy.freezeOn(REWARD_TAKEN.bullmq),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Gives out the hosts in turn. */
export function turns(hosts: readonly HostProcess[]): () => ApiClient {
  const clients = hosts.map(({ baseUrl }) => clientOf(baseUrl));
  let next = 0;
  return () => clients[next++ % clients.length] as ApiClient;
}
