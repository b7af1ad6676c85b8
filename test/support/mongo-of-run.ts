/**
 * The one MongoDB server of a run of the tests (`globalSetup`). It starts when the first test file asks for it, as few runs
 * of a single file need one, and stops after the last file.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MongoMemoryServer } from 'mongodb-memory-server';
import type { TestProject } from 'vitest/node';
import { openDoor } from './door.ts';
import { TEMPORARY_FOLDER } from './temporary-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test file asks for the server: answers `StartedMongo` as JSON. */
    readonly mongoDoor: string;
    /** A folder with a file for each database that no test uses any more; who removes the file may use it. */
    readonly mongoDatabases: string;
  }
}

export type StartedMongo = { readonly url: string } | { readonly reason: string };

/** Long enough to download mongod once; a host that cannot be reached must not delay the whole run. */
const START_MS = 45_000;

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let server: MongoMemoryServer | undefined;

  async function start(): Promise<StartedMongo> {
    // Few runs of a single file need it: only they load it.
    const creating = import('mongodb-memory-server').then((module) => module.MongoMemoryServer.create());
    const late = sleep(START_MS, undefined, { ref: false }).then(() => {
      throw new Error(`mongod could not be downloaded and started within ${START_MS / 1_000} s`);
    });
    try {
      server = await Promise.race([creating, late]);
      return { url: server.getUri() };
    } catch (error) {
      creating.then((tooLate) => tooLate.stop()).catch(() => undefined);
      const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 300);
      if (process.env.CREDENCE_REQUIRE_MONGO !== '1') {
        const line = '='.repeat(100);
        console.warn(`\n${line}\n  NO MONGODB SERVER: the MongoDB tests are SKIPPED.\n  ${reason}\n${line}\n`);
      }
      return { reason };
    }
  }

  const door = await openDoor(start);
  provide('mongoDoor', door.url);
  const databases = join(TEMPORARY_FOLDER, 'mongo-databases');
  await mkdir(databases);
  provide('mongoDatabases', databases);
  return async () => {
    await door.close();
    await server?.stop();
  };
}
