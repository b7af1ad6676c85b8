/** ioredis, loaded by the first part that talks to Redis. In a file of its own, which nobody's types lead to. */
import type { Redis } from 'ioredis';
import { connectTo, type RedisPlace, reconnecting } from './options.ts';

/** A client whose commands fail after a while. The first of them opens its connection. */
export async function createRedis(place: RedisPlace, commandTimeout: number): Promise<Redis> {
  const options = { ...reconnecting(), lazyConnect: true, commandTimeout, maxRetriesPerRequest: 1 };
  const client = (await connectTo(place, options)) as Redis;
  // Without a listener Node would treat a lost connection as a crash.
  client.on('error', () => undefined);
  return client;
}

/** Makes a command of a script over one key that answers with numbers. */
export function defineScript(client: Redis, name: string, lua: string) {
  client.defineCommand(name, { lua, numberOfKeys: 1 });
  const run = Reflect.get(client, name) as (key: string, ...values: readonly number[]) => Promise<readonly number[]>;
  return run.bind(client);
}
