import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { MpcOutput } from '../../../../plugins/blind-notary/mpc-tls.ts';
import type { BlindNotaryOptions } from '../../../../plugins/blind-notary/options.ts';
import {
  type BlindSetup,
  joinedSession,
  joinSession,
  NOTARY_TOKEN,
  openedSession,
  setUpBlindNotary,
} from '../../../support/blind-notary.ts';
import { createFakeProver, createFakeVerifier } from '../../../support/fake-mpc.ts';
import { createRecordedVerifier, GOODBYE, OPENING, RECORDED, runsOf } from '../../../support/stock-prover/recorded.ts';
import { createAuthority } from '../../../support/tls-origin.ts';

const authority = createAuthority();
/** What the verifier of the next session says. */
let alter: (output: MpcOutput) => MpcOutput;
beforeEach(() => {
  alter = (output) => output;
});

const setUp = (options: BlindNotaryOptions = {}) =>
  setUpBlindNotary(
    authority,
    {
      verifier: createFakeVerifier(),
      prover: () => createFakeProver(authority.root.pem),
      stockVerifier: createRecordedVerifier((output) => alter(output)),
    },
    { concurrency: 1, ...options },
  );
/** Without the version. */
const addressOf = ({ url }: BlindSetup) => url.replace(/\/v0[^/]*$/, '');

const notary = await setUp();
const address = addressOf(notary);

afterAll(() => notary[Symbol.asyncDispose]());

const BODY = { clientType: 'Websocket', maxSentData: 256, maxRecvData: 512 };
const open = (body: unknown = BODY, headers: Record<string, string> = { 'x-api-key': NOTARY_TOKEN }, base = address) =>
  fetch(`${base}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const opened = async (base = address) =>
  (await openedSession<{ readonly sessionId: string }>(() => open(BODY, undefined, base))).sessionId;
const join = (path: string) => joinSession(`${address}${path}`);
const joined = (path: string) => joinedSession(`${address}${path}`);

/** Says the prover's part of the recording; resolves to what the notary said when the connection is closed. */
async function speak(path: string): Promise<Buffer> {
  const socket = await joined(path);
  const heard: Buffer[] = [];
  const said = Buffer.concat(
    RECORDED.filter(({ from }) => from === 'verifier').map(({ length }) => Buffer.alloc(16 + length)),
  );
  let length = 0;
  const closed = once(socket, 'close');
  socket.on('message', (data: Buffer) => {
    heard.push(data);
    length += data.length;
    // The attestation is more than the verifier said: the prover is content, and leaves.
    if (length > said.length) socket.close();
  });
  socket.send(OPENING);
  let expected = 0;
  for (const { from, bytes } of runsOf(RECORDED)) {
    if (from === 'prover') socket.send(bytes);
    else {
      expected += bytes.length;
      while (length < expected && socket.readyState === WebSocket.OPEN)
        await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await closed;
  return Buffer.concat(heard).subarray(said.length);
}

describe('a notary for stock provers of TLSNotary', () => {
  it('says its version and its public key, with the version in the address and without', async () => {
    for (const base of [address, notary.url]) {
      const info = (await (await fetch(`${base}/info`)).json()) as { version: string; publicKey: string };
      expect(info).toMatchObject({ version: '0.1.0-alpha.12', gitCommitHash: expect.stringMatching(/^credence\/\d/) });
      expect(createPublicKey(info.publicKey).asymmetricKeyDetails).toEqual({ namedCurve: 'secp256k1' });
    }
  });

  it.each([
    ['without a token', {}, BODY, 401],
    ['with a token that is not of the notary', { 'x-api-key': 'not-a-token-of-the-notary' }, BODY, 401],
    ['over TCP', undefined, { ...BODY, clientType: 'Tcp' }, 400],
    ['for a client that is neither', undefined, { clientType: 'Smoke' }, 400],
    ['for more than the notary takes', undefined, { ...BODY, maxRecvData: 4_097 }, 400],
    ['for nothing', undefined, { ...BODY, maxSentData: 0 }, 400],
  ])('opens no session %s', async (_what, headers, body, status) => {
    expect((await open(body, headers)).status).toBe(status);
  });

  it.each(['', '/v0.1.0-alpha.12'])('signs a session that is opened below "%s"', async (base) => {
    const sessionId = await opened(`${address}${base}`);
    const answer = await speak(`${base}/notarize?sessionId=${sessionId}`);
    expect(answer.length).toBeGreaterThan(300);
    expect(answer.includes(GOODBYE)).toBe(false);
  });

  it('closes the connection without an attestation if the prover reveals its server', async () => {
    alter = (output) => ({ ...output, serverName: 'a.test' });
    expect(await speak(`/notarize?sessionId=${await opened()}`)).toHaveLength(0);
  });

  it.each([
    ['text', (socket: WebSocket) => socket.send('hello')],
    ['two main streams', (socket: WebSocket) => socket.send(Buffer.concat([OPENING, OPENING]))],
    ['nothing, and leaves', (socket: WebSocket) => socket.terminate()],
  ])('frees the place of a prover that sends %s', async (_what, send) => {
    const socket = await joined(`/notarize?sessionId=${await opened()}`);
    send(socket);
    await once(socket, 'close');
    (await joined(`/notarize?sessionId=${await opened()}`)).terminate();
  });

  it('lets a session be joined once, and only where its protocol is spoken', async () => {
    const sessionId = await opened();
    expect(await join(`/v0.1.0-alpha.12/sessions/${sessionId}`)).toBe(401);
    expect(await join(`/notarize?sessionId=${'0'.repeat(32)}`)).toBe(404);
    expect(await join('/notarize')).toBe(404);
    const socket = await joined(`/notarize?sessionId=${sessionId}`);
    expect(await join(`/notarize?sessionId=${sessionId}`)).toBe(404);
    socket.terminate();
  });

  it('gives the place to others if the request for the WebSocket is none', async () => {
    const sessionId = await opened();
    const broken = request(`${address}/notarize?sessionId=${sessionId}`, {
      headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'short' },
    });
    broken.end();
    const [response] = await once(broken, 'response');
    expect(response.statusCode).toBe(400);
    (await joined(`/notarize?sessionId=${await opened()}`)).terminate();
  });

  it('counts sessions by outcome, their phases and bytes, for its tokens only', async () => {
    await speak(`/notarize?sessionId=${await opened()}`);
    expect((await fetch(`${address}/metrics`)).status).toBe(401);
    await opened();
    const answer = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${NOTARY_TOKEN}` } });
    const text = await answer.text();
    expect(text).toMatch(/credence_blind_sessions_total\{protocol="tlsnotary",outcome="signed"\} \d/);
    expect(text).toMatch(/credence_blind_phase_duration_seconds_count\{protocol="tlsnotary",phase="online"\} \d/);
    expect(text).toMatch(/credence_blind_bytes_total\{protocol="tlsnotary",direction="received"\} \d{4}/);
    expect(text).toMatch(/^credence_blind_sessions 1$/m);
  });

  it('lets anyone in if the operator says so, and nobody if it is off', async () => {
    await using anyone = await setUp({ stockProvers: 'anyone', concurrency: 2 });
    const ask = async (headers?: Record<string, string>) => (await open(BODY, headers, addressOf(anyone))).status;
    expect([await ask({}), await ask({})]).toEqual([200, 503]);
    expect(await ask({ 'x-api-key': 'not-a-token-of-the-notary' })).toBe(401);
    expect(await ask(), 'strangers have left a place to a token').toBe(200);
    await using nobody = await setUp({ stockProvers: 'off' });
    expect((await open(BODY, undefined, addressOf(nobody))).status).toBe(404);
  });
});
