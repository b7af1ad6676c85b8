/**
 * The MongoDB server that all test files of a run share; each test works in databases of its own.
 *
 * If no mongod can be started (mongodb-memory-server downloads one, unless `MONGOMS_SYSTEM_BINARY` names it) the suites that
 * need it are skipped, and say so. With `CREDENCE_REQUIRE_MONGO=1` they fail.
 */
import { sharedServer } from './door.ts';

export const mongoServer = sharedServer('mongo', 'MongoDB', (server) => ({
  url: (database: string) => new URL(database, server).href,
}));
