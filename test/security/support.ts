/** What the attacks share: an instance with every service on, and requests that fit or spoil a row of the route table. */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { credenceConsole } from '@credence/console';
import { fakeProver } from '../../adapters/fake-prover/index.ts';
import type { CredenceConfig } from '../../plugins/compose/index.ts';
import type { Route } from '../../plugins/http/route.ts';
import { listen } from '../support/listen.ts';

export const CALLBACK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

/** Every service on, so that the route table has all its rows; the prover is the quick one. */
export function everyService(): Partial<CredenceConfig> {
  return {
    services: ['engagement', 'web-prover', 'zk-prover', 'notary'],
    notary: { key: { secret: new Uint8Array(32).fill(7) } },
    zkProver: fakeProver(),
    plugins: [credenceConsole()],
    secrets: { key: randomBytes(32) },
    webProofCallback: { secret: CALLBACK_SECRET },
  };
}

/** The path of a row with `value` in the place of every placeholder. */
export function pathOf(route: Route, value = '1'): string {
  return route.path.replaceAll(/\{\w+\}/g, encodeURIComponent(value));
}

export interface Trap {
  readonly port: number;
  /** What has been asked of it: a trap is sprung by any connection. */
  readonly connections: () => number;
  readonly requests: readonly { readonly url: string; readonly headers: IncomingHttpHeaders }[];
  close(): Promise<void>;
}

/** A service of the inner network: a request that reaches it got past the guard. */
export async function setTrap(address = '127.0.0.1', port = 0): Promise<Trap> {
  let connections = 0;
  const requests: { url: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    response.end('{"inner":"secret"}');
  });
  server.on('connection', () => {
    connections += 1;
  });
  const listening = await listen(server, address, port);
  return { port: listening.port, connections: () => connections, requests, close: listening.close };
}

/** What these tests read of a zod schema. */
export interface Definition {
  /** Of a literal. */
  readonly values?: readonly unknown[];
  readonly type: string;
  readonly shape?: Readonly<Record<string, { readonly def: Definition }>>;
  readonly innerType?: { readonly def: Definition };
  readonly in?: { readonly def: Definition };
  readonly element?: { readonly def: Definition };
  readonly options?: readonly { readonly def: Definition }[];
}

/** A value of the schema's shape with `leaf` in the place of every text; numbers are 1. */
export function filled(schema: unknown, leaf: unknown): unknown {
  return fill((schema as { readonly def: Definition }).def, leaf);
}

function fill(definition: Definition, leaf: unknown): unknown {
  if (definition.shape !== undefined) {
    return Object.fromEntries(Object.entries(definition.shape).map(([name, field]) => [name, fill(field.def, leaf)]));
  }
  const inner = definition.innerType ?? definition.in ?? definition.options?.[0];
  if (inner !== undefined) return fill(inner.def, leaf);
  if (definition.element !== undefined) return [fill(definition.element.def, leaf)];
  return definition.type === 'number' || definition.type === 'int' ? 1 : leaf;
}

/** V8's own `gc`, without a flag for the process that runs the tests. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('This process cannot collect its garbage.');
  return () => void collect();
}

/**
 * Bytes by which what this process holds rose at most while `work` was done. Garbage is collected first, so that what
 * earlier work left does not count as held before and hide what this work takes. What is freed later lowers the level from
 * which the rise is measured.
 * @param options.withGarbage false: it is collected before each look, so that only what is kept counts. @default true
 */
export async function highestMemory(work: () => Promise<unknown>, { withGarbage = true } = {}): Promise<number> {
  const held = () => {
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    return arrayBuffers + heapUsed;
  };
  const collect = garbageCollector();
  collect();
  // What finalizers and other threads held goes with the second.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  let lowest = held();
  let highest = 0;
  const sample = (): void => {
    if (!withGarbage) {
      collect();
      // Another thread gives the memory of buffers back, and may be late; the next collection waits for it.
      collect();
    }
    const now = held();
    lowest = Math.min(lowest, now);
    highest = Math.max(highest, now - lowest);
  };
  // Collecting takes tens of milliseconds.
  const timer = setInterval(sample, withGarbage ? 5 : 250);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  sample();
  return highest;
}
