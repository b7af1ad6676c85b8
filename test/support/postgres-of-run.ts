/**
 * The one PostgreSQL server of a run of the tests (`globalSetup`), of the binaries that this machine has. It starts when the first
 * test file asks for it, and stops after the last file.
 */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { openDoor } from './door.ts';
import { freePort } from './free-port.ts';
import { TEMPORARY_FOLDER } from './temporary-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test file asks for the server: answers `StartedPostgres` as JSON. */
    readonly postgresDoor: string;
  }
}

export type StartedPostgres = { readonly url: string } | { readonly reason: string };

const run = promisify(execFile);

/** Debian keeps them out of the path. */
const DEBIAN = '/usr/lib/postgresql';

function binaries(): string {
  const versions = readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one));
  return join(DEBIAN, String(versions[0]), 'bin');
}

/** Its programs refuse to run as root. */
async function unprivileged(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let stop = async (): Promise<unknown> => undefined;

  async function start(): Promise<StartedPostgres> {
    try {
      const bin = binaries();
      const user = await unprivileged();
      const folder = join(TEMPORARY_FOLDER, 'postgres');
      await mkdir(folder);
      if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? 0);
      const data = join(folder, 'data');
      const as = { ...user, cwd: folder };
      await run(
        join(bin, 'initdb'),
        ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'],
        as,
      );
      const port = await freePort();
      const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=400`;
      const log = join(folder, 'log');
      await run(join(bin, 'pg_ctl'), ['start', '-w', '-D', data, '-l', log, '-o', settings], as);
      stop = () => run(join(bin, 'pg_ctl'), ['stop', '-m', 'immediate', '-D', data], as);
      return { url: `postgres://postgres@127.0.0.1:${port}/postgres` };
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
