/** Something that the test files of a run share, made when the first of them asks for it. Few runs of a single file need it. */
import { createServer } from 'node:http';
import { inject } from 'vitest';
import { listen } from './listen.ts';

export interface Door {
  /** Answers what was made as JSON, or 500 with the reason as text. */
  readonly url: string;
  /** Lets no more in, and waits for what is being made. */
  close(): Promise<void>;
}

/** Asks a door of this run. @throws Error with `failure` and the reason if it could not be made */
export async function askDoor<T>(url: string, failure: string): Promise<T> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${failure}: ${await answer.text()}`);
  // Sound because what makes it and what asks for it are written as one type.
  return (await answer.json()) as T;
}

/** A server that the test files of a run share, if it could be started. */
export type SharedServer<T> =
  | ({ readonly available: true } & T)
  | { readonly available: false; readonly reason: string };

/** Returns what asks for the server behind a door, once. That throws if there is none and the environment requires it. */
export function sharedServer<T>(kind: 'mongo' | 'postgres', product: string, of: (url: string) => T) {
  const failure = `No ${product} server can be started`;
  const ask = async (): Promise<SharedServer<T>> => {
    const door = inject(`${kind}Door`);
    const started = await askDoor<{ readonly url: string } | { readonly reason: string }>(door, failure);
    if ('url' in started) return { available: true, ...of(started.url) };
    const required = `CREDENCE_REQUIRE_${kind.toUpperCase()}`;
    if (process.env[required] === '1') throw new Error(`${required}=1. ${failure}: ${started.reason}`);
    return { available: false, reason: started.reason };
  };
  let asking: ReturnType<typeof ask> | undefined;
  return () => {
    asking ??= ask();
    return asking;
  };
}

/** Opens a door on loopback. `make` runs once at most, and never if nobody asks. */
export async function openDoor(make: () => Promise<unknown>): Promise<Door> {
  let making: Promise<unknown> | undefined;
  const server = createServer(async (_request, response) => {
    making ??= make();
    try {
      response.end(JSON.stringify(await making));
    } catch (error) {
      const { stdout = '', stack = String(error) } = error as { stdout?: string; stack?: string };
      response.writeHead(500).end(`${stack}\n${stdout}`);
    }
  });
  const { url, close } = await listen(server);
  server.unref();
  return {
    url,
    async close() {
      await close();
      await making?.catch(() => undefined);
    },
  };
}
