/** Apart from what users see the types of: those of ioredis are nowhere if it is not installed. */
import type { Redis } from 'ioredis';
import { loadPackage } from '../package-loader/index.ts';
import { reconnecting } from './options.ts';

/** A client whose commands fail after a while. The first of them opens its connection. */
export function createRedis(url: string, commandTimeout: number): Redis {
  const { Redis: Client } = loadPackage('ioredis', 'Redis');
  const client = new Client(url, { ...reconnecting(), lazyConnect: true, commandTimeout, maxRetriesPerRequest: 1 });
  // Every command says itself what became of it; without a listener Node would treat a lost connection as a crash.
  client.on('error', () => undefined);
  return client;
}

/** Makes a command of a script over one key that answers with numbers. */
export function defineScript(client: Redis, name: string, lua: string) {
  client.defineCommand(name, { lua, numberOfKeys: 1 });
  const run = Reflect.get(client, name) as (key: string, ...values: readonly number[]) => Promise<readonly number[]>;
  return run.bind(client);
}
