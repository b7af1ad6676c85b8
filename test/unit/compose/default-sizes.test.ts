/** The sizes that docs/decisions.md#the-http-api names, of an instance that nothing is configured for: bodies wait, so no memory is filled. */

import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import { type Caller, type Credence, createCredence, silentLogger } from '../../../plugins/compose/index.ts';
import type { HttpRequest, HttpResponse } from '../../../plugins/http/message.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Of every body. */
const FREE = 64 * KIB;
const LARGEST = new Uint8Array(32 * MIB + 1);

let credence: Credence;
let underWay: AbortController;
/** Of the answers so far. */
let statuses: number[];

beforeEach(() => {
  underWay = new AbortController();
  statuses = [];
  credence = createCredence(
    {
      storage: { url: 'sqlite::memory:' },
      services: ['engagement', 'web-prover', 'zk-prover', 'notary'],
      zkProver: fakeProver(),
      notary: { key: { secret: new Uint8Array(32).fill(7) } },
      webProofCallback: { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
    },
    {
      logger: silentLogger,
      identify: (key): Caller => ({ role: 'admin', tokenId: null, externalId: null, key: String(key) }),
    },
  );
});
afterEach(() => underWay.abort(new Error('The client has gone.')));

function routeOf(id: string): Credence['routes'][number] {
  const route = credence.routes.find((each) => each.id === id);
  if (route === undefined) throw new Error(`There is no route ${id}.`);
  return route;
}

interface Sender {
  readonly caller?: string;
  readonly ip?: string;
}

const SIGNED = { 'x-service-signature': createHmac('sha256', 'another secret').digest('base64') };

/** Sends so many bytes of a body and leaves its end out; resolves to 'held', or to the status of a refusal. */
async function send(id: string, bytes: number, { caller = 'ann', ip = '192.0.2.1' }: Sender = {}): Promise<unknown> {
  const held = Promise.withResolvers<'held'>();
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield LARGEST.subarray(0, bytes);
    // What is refused is read on for a while; its answer comes before this.
    setImmediate(() => held.resolve('held'));
    await new Promise((_resolve, reject) => {
      underWay.signal.addEventListener('abort', () => reject(underWay.signal.reason));
    });
  }
  const route = routeOf(id);
  const request: HttpRequest = {
    method: 'POST',
    params: Object.fromEntries([...route.path.matchAll(/[:{](\w+)/g)].map(([, name]) => [name, '1'])),
    query: '',
    headers: { 'content-type': 'application/json', ...SIGNED },
    ip: () => ip,
    baseUrl: () => 'http://localhost:3000',
    body: { kind: 'stream', stream: stream() },
    signal: () => underWay.signal,
    native: caller,
  };
  const answer = credence.dispatcher.dispatch(route, request);
  return Promise.race([
    held.promise,
    answer.then(({ status }: HttpResponse) => {
      statuses.push(status);
      return status;
    }),
  ]);
}

/** Bodies that count exactly so many bytes together. */
async function fill(id: string, bytes: number, largest: number, sender: Sender): Promise<void> {
  for (let left = bytes; left > 0; left -= largest - FREE) {
    expect(await send(id, FREE + Math.min(left, largest - FREE), sender)).toBe('held');
  }
}

describe('bodies of callers with a token', () => {
  const batch = (bytes: number, caller: string) => send('verifyBatch', bytes, { caller });

  it('take 64 MiB of one caller and 128 MiB of all, beyond 64 KiB of each', async () => {
    await fill('verifyBatch', 64 * MIB, 32 * MIB, { caller: 'ann' });
    expect(await batch(FREE + 1, 'ann')).toBe(503);
    expect(await batch(FREE, 'ann')).toBe('held');
    await fill('verifyBatch', 64 * MIB - 1, 32 * MIB, { caller: 'bob' });
    expect(await batch(FREE + 2, 'cid')).toBe(503);
    expect(await batch(FREE + 1, 'cid')).toBe('held');
    expect(await batch(FREE + 1, 'dan')).toBe(503);
    expect(await batch(FREE, 'dan')).toBe('held');
    // Callbacks have a budget of their own.
    expect(await send('webProofCallback', 8 * MIB)).toBe('held');
  });
});

/** Of every other route with a body: 64 KiB. */
const LARGER: Readonly<Record<string, number>> = {
  prove: 2.5 * MIB,
  notarize: 2.5 * MIB,
  attestQueries: 3 * MIB,
  verify: 3 * MIB,
  verifyV1: 3 * MIB,
  verifyBatch: 32 * MIB,
  compressWebProof: 3 * MIB,
  compressWebProofFake: 3 * MIB,
  journalDecodeHelper: 3 * MIB,
  verifyZkProof: 3 * MIB,
  verifyZkProofFake: 3 * MIB,
  webProofCallback: 8 * MIB,
  submitConnectPage: 4 * KIB,
};

it('bodies of one request are as large as their route allows, and no larger', async () => {
  const routes = credence.routes.filter(({ body }) => body !== undefined);
  expect(routes.length).toBeGreaterThan(20);
  for (const { id } of routes) {
    const largest = LARGER[id] ?? 64 * KIB;
    // Each of a caller of its own, whose budget is whole.
    expect(await send(id, largest + 1, { caller: `${id} 1` }), id).toBe(413);
    expect(await send(id, largest, { caller: id }), id).toBe('held');
    underWay.abort(new Error('The client has gone.'));
    underWay = new AbortController();
  }
});
