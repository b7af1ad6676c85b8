/** A MongoDB server for the benchmarks that want one. */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { MongoMemoryServer } from 'mongodb-memory-server';

export type MongoDatabase = AsyncDisposable &
  ({ readonly available: true; readonly url: string } | { readonly available: false; readonly reason: string });

/** An empty database of a server of its own. None where mongod would have to be downloaded first: that takes a minute. */
export async function mongoDatabase(): Promise<MongoDatabase> {
  if (!isInstalled()) {
    const reason = 'no mongod: name one in MONGOMS_SYSTEM_BINARY, or run the tests once, which fetch it';
    return { available: false, reason, [Symbol.asyncDispose]: async () => {} };
  }
  const server = await MongoMemoryServer.create();
  return {
    available: true,
    url: server.getUri('bench'),
    async [Symbol.asyncDispose]() {
      await server.stop();
    },
  };
}

function isInstalled(): boolean {
  if (process.env.MONGOMS_SYSTEM_BINARY !== undefined) return true;
  const caches = [
    join(homedir(), '.cache', 'mongodb-binaries'),
    join('node_modules', '.cache', 'mongodb-memory-server'),
  ];
  return caches.some((path) => {
    try {
      return readdirSync(path).some((name) => name.startsWith('mongod'));
    } catch {
      return false;
    }
  });
}
