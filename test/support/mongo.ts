/**
 * The MongoDB server that all test files of a run share; each test works in databases of its own.
 *
 * If no mongod can be started (mongodb-memory-server downloads one, unless `MONGOMS_SYSTEM_BINARY` names it) the suites that
 * need it are skipped, and say so. With `CREDENCE_REQUIRE_MONGO=1` they fail.
 */
import { inject } from 'vitest';
import { askDoor } from './door.ts';
import type { StartedMongo } from './mongo-of-run.ts';

export type MongoServer =
  | { readonly available: true; readonly url: (database: string) => string }
  | { readonly available: false; readonly reason: string };

let asking: Promise<MongoServer> | undefined;

/** The server of this run. @throws Error if there is none and `CREDENCE_REQUIRE_MONGO=1`. */
export function mongoServer(): Promise<MongoServer> {
  asking ??= ask();
  return asking;
}

async function ask(): Promise<MongoServer> {
  const started = await askDoor<StartedMongo>(inject('mongoDoor'), 'No MongoDB server can be started');
  if ('url' in started) return { available: true, url: (database) => new URL(database, started.url).href };
  if (process.env.CREDENCE_REQUIRE_MONGO === '1') {
    throw new Error(`CREDENCE_REQUIRE_MONGO=1, but no MongoDB server can be started: ${started.reason}`);
  }
  return { available: false, reason: started.reason };
}
