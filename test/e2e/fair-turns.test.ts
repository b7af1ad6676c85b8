/** Over HTTP: one caller keeps no other from proving and compressing, and everybody gets an answer. */

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { FairQueue } from '../../adapters/fair-queue/index.ts';
import { createFakeProver } from '../../adapters/fake-prover/index.ts';
import type { ZkProver } from '../../core/ports/zk-prover.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { provingWith } from '../support/patient-prover.ts';
import { createAuthority, jsonAnswer, startOrigin, type TlsOrigin } from '../support/tls-origin.ts';

const PROVE = '/api/v2.0/prove';
const COMPRESS = '/api/v2.0/evm/compress-web-proof';

const authority = createAuthority();
const certificate = authority.leaf({ dns: ['localhost'] });
const heldProver = createHeldProver();
let origin: TlsOrigin;
let silent: TlsOrigin;
let instance: TestInstance;
let otherToken: string;
let presentation: unknown;

beforeAll(async () => {
  origin = await startOrigin(authority, { certificate, answer: jsonAnswer({ price: '3500.50' }) });
  silent = await startOrigin(authority, { certificate, answer: () => 'keepOpen' });
  instance = await startInstance({
    config: {
      services: ['engagement', 'web-prover', 'zk-prover'],
      extraRoots: [authority.root.pem],
      egress: { allow: ['127.0.0.0/8', '::1/128'] },
      notary: { key: { secret: new Uint8Array(32).fill(7) } },
    },
    options: { modules: [provingWith(heldProver)] },
  });
  otherToken = await makeToken();
  const proved = await instance.api.call('POST', PROVE, { body: { url: urlOf(origin) } });
  presentation = JSON.parse(proved.text).data;
}, 60_000);

afterAll(async () => {
  await instance?.close();
  await Promise.all([origin?.[Symbol.asyncDispose](), silent?.[Symbol.asyncDispose]()]);
});

/** A caller whose places nobody has taken yet. */
async function makeToken(): Promise<string> {
  const made = await instance.api.call('POST', '/admin/tokens', { body: { name: 'another', role: 'client' } });
  return JSON.parse(made.text).data.token;
}

interface HeldProver extends ZkProver {
  /** Callers, in the order in which their proofs began. */
  readonly turns: readonly (string | undefined)[];
  waiting(): number;
  /** Ends the proof that is held up, and each later one at once. */
  release(): void;
}

/** The queue of the real prover, so short that it is full after two proofs of a caller, with proofs that cost nothing. */
function createHeldProver(): HeldProver {
  const fake = createFakeProver({ guestId: `0x${'07'.repeat(32)}` });
  const limits = { concurrency: 1, maxQueued: 64, maxQueuedPerCaller: 1, maxWaitMs: 60_000 };
  const queue = new FairQueue({ name: 'prover', ...limits });
  const released = Promise.withResolvers<void>();
  const turns: (string | undefined)[] = [];
  return {
    ...fake,
    turns,
    waiting: () => queue.waiting,
    release: () => released.resolve(),
    prove: (statement, signal, caller) =>
      queue.run(
        async () => {
          turns.push(caller);
          await released.promise;
          return fake.prove(statement, signal, caller);
        },
        caller,
        signal,
      ),
  };
}

const urlOf = ({ port }: TlsOrigin) => `https://localhost:${port}/`;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly code: string | undefined;
}

async function ask(path: string, body: unknown, token = instance.adminToken, signal?: AbortSignal): Promise<Answer> {
  const response = await fetch(`${instance.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  const { error } = (await response.json()) as { error?: { code: string } };
  return { status: response.status, retryAfter: response.headers.get('retry-after'), code: error?.code };
}

const BUSY = { status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: expect.stringMatching(/^[1-9]\d?$/) };
const compressing = () => ({ presentation, extraction: { 'response.body': { jmespath: ['price'] } } });

it('answers 12 compressions of one caller at once, and proves for another before the second of the first', async () => {
  const answers: Answer[] = [];
  const many = Array.from({ length: 12 }, async () => answers.push(await ask(COMPRESS, compressing())));
  // One runs and one waits.
  await vi.waitFor(() => expect(answers).toHaveLength(10), 30_000);
  for (const answer of answers.splice(0)) expect(answer).toEqual(BUSY);
  const other = ask(COMPRESS, compressing(), otherToken);
  await vi.waitFor(() => expect(heldProver.waiting()).toBe(2), 30_000);
  heldProver.release();
  expect((await other).status).toBe(200);
  await Promise.all(many);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const [first, second, third] = heldProver.turns;
  expect([first === second, first === third]).toEqual([false, true]);
}, 60_000);

it('proves for one caller while 112 targets of another never answer', async () => {
  const leaving = new AbortController();
  const caller = await makeToken();
  const seen = silent.connections();
  const answers: Answer[] = [];
  const outcomes = Array.from({ length: 112 }, () =>
    ask(PROVE, { url: urlOf(silent) }, caller, leaving.signal).then(
      (answer) => answers.push(answer),
      () => undefined,
    ),
  );
  // All the places of this caller are taken, to run and to wait.
  await vi.waitFor(() => expect(answers).toHaveLength(112 - 32 - 64), 20_000);
  expect(await ask(PROVE, { url: urlOf(origin) }, otherToken)).toMatchObject({ status: 200 });
  expect(silent.connections() - seen).toBeGreaterThan(1);
  leaving.abort();
  await Promise.all(outcomes);
  for (const answer of answers) expect(answer).toEqual(BUSY);
}, 30_000);
