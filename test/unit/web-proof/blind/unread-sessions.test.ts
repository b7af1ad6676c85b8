/** A prover or a notary that stops reading does not hold the other one up without end. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { createZlibContentDecoder } from '../../../../adapters/zlib-decoder/index.ts';
import { notarizeRequestSchema } from '../../../../core/web-proof/prove-request.ts';
import type { MpcProverSession, MpcRequest, MpcVerifier } from '../../../../plugins/blind-notary/mpc-tls.ts';
import { createBlindRun } from '../../../../plugins/blind-notary/notary/blind-run.ts';
import type { Place } from '../../../../plugins/blind-notary/notary/session-places.ts';
import type { SessionRun } from '../../../../plugins/blind-notary/notary/session-run.ts';
import { createStockRun } from '../../../../plugins/blind-notary/notary/stock-run.ts';
import { createProveBlind } from '../../../../plugins/blind-notary/prover/prove-blind.ts';
import { type BlindSetup, NOTARY_TOKEN, setUpBlindNotary } from '../../../support/blind-notary.ts';
import { createFakeProver } from '../../../support/fake-mpc.ts';
import { GOODBYE, OPENING } from '../../../support/stock-prover/recorded.ts';
import { createAuthority } from '../../../support/tls-origin.ts';

const authority = createAuthority();
const MIB = Buffer.alloc(1024 * 1024);
const open: (BlindSetup | WebSocket)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const each of open.splice(0).reverse()) {
    if (each instanceof WebSocket) each.terminate();
    else await each[Symbol.asyncDispose]();
  }
});

/** Says more than a connection holds, and fails. */
const talkative: MpcVerifier = {
  async open() {
    return {
      async verify(channel) {
        const talk = async () => {
          for (let said = 0; said < 64; said += 1) await channel.send(MIB);
        };
        talk().catch(() => {});
        await sleep(200);
        throw new Error('the prover is silent');
      },
      async close() {},
    };
  },
  async close() {},
};

/** Takes what is sent, and never says that more can be taken. */
class UnreadSocket extends EventEmitter {
  readonly isPaused = false;
  send(): void {}
  pause(): void {}
  resume(): void {}
  close(): void {}
  terminate(): void {}
}

const PLACE: Pick<Place, 'limits' | 'verifier'> = {
  limits: { maxSentData: 1_024, maxRecvData: 4_096 },
  verifier: Promise.resolve({ verify: () => new Promise<never>(() => {}), close: async () => {} }),
};

const HEADERS = { authorization: `Bearer ${NOTARY_TOKEN}`, 'content-type': 'application/json' };
const post = (notary: BlindSetup) => fetch(`${notary.url}/sessions`, { method: 'POST', headers: HEADERS, body: '{}' });

describe('a prover that reads nothing', () => {
  it('does not keep the place of its session when that has failed', async () => {
    const prover = () => createFakeProver(authority.root.pem);
    const notary = await setUpBlindNotary(authority, { verifier: talkative, prover });
    open.push(notary);
    const { data } = (await (await post(notary)).json()) as { data: { sessionId: string } };
    const address = `${notary.url.replace('http', 'ws')}/sessions/${data.sessionId}`;
    const socket = new WebSocket(address, { headers: HEADERS });
    open.push(socket);
    await once(socket, 'open');
    socket.pause();
    // One caller gets at most half of the two places.
    expect((await post(notary)).status).toBe(503);
    await expect.poll(async () => (await post(notary)).status, { timeout: 10_000 }).toBe(201);
  });

  it.each<[string, SessionRun]>([
    ['its proof', createBlindRun(async () => new Uint8Array(9))],
    [
      'its attestation',
      createStockRun(async ({ channel }) => {
        await channel.incoming[Symbol.asyncIterator]().next();
        await channel.send(GOODBYE);
        return new Uint8Array(9);
      }),
    ],
  ])('is not waited for without end when it has %s', async (_what, run) => {
    vi.useFakeTimers();
    const socket = new UnreadSocket();
    const ended = run(PLACE, socket as unknown as WebSocket, new AbortController().signal, () => {});
    socket.emit('message', Buffer.from(OPENING), true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await Promise.race([ended, 'still waits'])).toMatchObject({
      outcome: 'failed',
      error: { message: 'The prover did not read the last message of the session in time.' },
    });
  });
});

const bytes = (text: string) => new TextEncoder().encode(text);

/** Makes a blind proof with an engine that answers so, and a notary that reads nothing of what is revealed. */
function proveWith(answer: () => Promise<Uint8Array>) {
  const notary = {
    announce: async (phase: string) => phase === 'reveal' && new Promise(() => {}),
    failed: new Promise<never>(() => {}),
    carried: { sent: 0, received: 0 },
    close() {},
  };
  const engine = {
    setup: async () => {},
    request: async ({ method, target, headers }: MpcRequest) => ({
      sent: bytes(`${method} ${target} HTTP/1.1\r\n${headers.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n`),
      received: await answer(),
    }),
    close: async () => {},
  };
  const prove = createProveBlind({
    decoder: createZlibContentDecoder(),
    verify: () => Promise.reject(new Error('nothing to verify')),
    connect: async () => async () => ({ channel: {}, handshake: () => ({}), close() {} }) as never,
    prover: { open: async () => engine as unknown as MpcProverSession, close: async () => {} },
    openSession: async () => notary as never,
    limits: { maxSentData: 1_024, maxRecvData: 4_096 },
    phases: { setup: 5_000, online: 5_000, reveal: 50 },
    fingerprint: '',
    clockTolerance: 0,
    now: () => 0,
  });
  return prove(notarizeRequestSchema.parse({ url: 'https://origin.test/' }), AbortSignal.timeout(5_000));
}

it('a notary that reads nothing ends the proof in its time', { timeout: 5_000 }, async () => {
  const answer = async () => bytes('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
  await expect(proveWith(answer)).rejects.toMatchObject({
    message: 'The phase reveal of the blind session took longer than 0.05 s.',
  });
});

it('a server that only roots of this host vouch for is named as the reason', async () => {
  // In the words of TLSNotary's engine.
  const refuse = () => Promise.reject(new Error('tls connection failed: invalid peer certificate: UnknownIssuer'));
  await expect(proveWith(refuse)).rejects.toMatchObject({
    code: 'INTERNAL_SERVER_ERROR',
    message: expect.stringMatching(/trusts roots of its own only.* Use an attesting notary\.$/),
  });
});
