/**
 * One MongoDB server for the test file that imports this: started when first asked for, stopped after its last test.
 *
 * Where no mongod can be had (mongodb-memory-server downloads one, unless `MONGOMS_SYSTEM_BINARY` names it) the suites that
 * need it are skipped, and say so; with `CREDENCE_REQUIRE_MONGO=1` that is a failure.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoMemoryServer } from 'mongodb-memory-server';
import { afterAll } from 'vitest';

export type MongoServer =
  | { readonly available: true; readonly url: (database: string) => string }
  | { readonly available: false; readonly reason: string };

/** Long enough to download mongod once; a host that cannot be reached must not hold the whole run up. */
const START_MS = 45_000;

/** The first test file of a run that finds no mongod tells the others for a while; they need not try again. */
const verdict = join(tmpdir(), `credence-no-mongod-${process.ppid}`);
const VERDICT_MS = 300_000;

let starting: Promise<MongoServer> | undefined;
let running: MongoMemoryServer | undefined;

afterAll(async () => {
  await starting?.catch(() => undefined);
  await running?.stop();
});

/** The server of this test file. @throws Error when there is none and `CREDENCE_REQUIRE_MONGO=1`. */
export function mongoServer(): Promise<MongoServer> {
  starting ??= start();
  return starting;
}

async function start(): Promise<MongoServer> {
  const required = process.env.CREDENCE_REQUIRE_MONGO === '1';
  const known = required ? undefined : earlierVerdict();
  const reason = known ?? (await tryToStart());
  if (reason === undefined) {
    return { available: true, url: (database) => running?.getUri(database) ?? '' };
  }
  if (required) throw new Error(`CREDENCE_REQUIRE_MONGO=1, but no MongoDB server can be started: ${reason}`);
  if (known === undefined) {
    writeFileSync(verdict, reason);
    const line = '='.repeat(100);
    console.warn(`\n${line}\n  NO MONGODB SERVER: the MongoDB tests are SKIPPED.\n  ${reason}\n${line}\n`);
  }
  return { available: false, reason };
}

function earlierVerdict(): string | undefined {
  try {
    return Date.now() - statSync(verdict).mtimeMs < VERDICT_MS ? readFileSync(verdict, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when the server runs, else why not. */
async function tryToStart(): Promise<string | undefined> {
  const creating = MongoMemoryServer.create();
  const late = sleep(START_MS, undefined, { ref: false }).then(() => {
    throw new Error(`mongod could not be downloaded and started within ${START_MS / 1_000} s`);
  });
  try {
    running = await Promise.race([creating, late]);
    return undefined;
  } catch (error) {
    creating.then((server) => server.stop()).catch(() => undefined);
    return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 300);
  }
}
