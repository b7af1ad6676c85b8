/**
 * The one PostgreSQL server of a run of the tests (`globalSetup`), of the binaries that this machine has. It starts when the first
 * test file asks for it, and stops after the last file. It vacuums nothing: the next connection writes a file, which a full disk refuses.
 */
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createPostgresStorage } from '../../adapters/postgres/index.ts';
import { openDoor } from './door.ts';
import { inDatabase, WITH_TABLES } from './postgres.ts';
import { startPostgres } from './postgres-server.ts';
import { TEMPORARY_FOLDER } from './temporary-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test file asks for the server: answers `StartedPostgres` as JSON. */
    readonly postgresDoor: string;
  }
}

export type StartedPostgres = { readonly url: string } | { readonly reason: string };

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let stop = async (): Promise<unknown> => undefined;

  async function start(): Promise<StartedPostgres> {
    try {
      const settings = '-c fsync=off -c max_connections=400 -c autovacuum=off';
      const server = await startPostgres(join(TEMPORARY_FOLDER, 'postgres'), settings);
      stop = server.stop;
      await inDatabase(server.url, `CREATE DATABASE ${WITH_TABLES}`);
      const storage = createPostgresStorage({ url: new URL(WITH_TABLES, server.url).href });
      await storage.open();
      await storage.close();
      return { url: server.url };
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 300);
      if (process.env.CREDENCE_REQUIRE_POSTGRES !== '1') {
        const line = '='.repeat(100);
        console.warn(`\n${line}\n  NO POSTGRESQL SERVER: the PostgreSQL tests are SKIPPED.\n  ${reason}\n${line}\n`);
      }
      return { reason };
    }
  }

  const door = await openDoor(start);
  provide('postgresDoor', door.url);
  return async () => {
    await door.close();
    await stop();
  };
}
