import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type WebSocket from 'ws';
import { createEgressGuard } from '../../../../adapters/egress-guard/index.ts';
import { createX509CertificateChecker } from '../../../../adapters/x509/index.ts';
import { createZlibContentDecoder } from '../../../../adapters/zlib-decoder/index.ts';
import { systemClock } from '../../../../core/ports/clock.ts';
import { systemRandom } from '../../../../core/ports/random-source.ts';
import { type BlindProveOptions, describeProgress, proveBlind } from '../../../../hosts/cli/blind-prove.ts';
import { PHASE_LIMITS } from '../../../../plugins/blind-notary/blind-phase.ts';
import { mpcNotary } from '../../../../plugins/blind-notary/index.ts';
import type { MpcOutput } from '../../../../plugins/blind-notary/mpc-tls.ts';
import {
  joinedSession,
  joinSession,
  NOTARY_TOKEN,
  openedSession,
  setUpBlindNotary,
} from '../../../support/blind-notary.ts';
import { createFakeProver, createFakeVerifier } from '../../../support/fake-mpc.ts';
import { createRecordingLogger } from '../../../support/recording-logger.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../../../support/tls-origin.ts';

const authority = createAuthority();
const prover = () => createFakeProver(authority.root.pem);
/** What the verifier of the next sessions says. */
let alter: (output: MpcOutput) => MpcOutput | Promise<MpcOutput>;
beforeEach(() => {
  alter = (output) => output;
});

const origin = await startOrigin(authority, { answer: jsonAnswer({ secret: 'hidden-from-all', n: 1 }) });
const notary = await setUpBlindNotary(authority, {
  verifier: createFakeVerifier((output) => alter(output)),
  prover,
});

afterAll(async () => {
  await notary[Symbol.asyncDispose]();
  await origin[Symbol.asyncDispose]();
});

const REDACTED = {
  headers: ['X-Key: s3cret-t0ken'],
  redaction: [{ request: { headers: ['x-key'], url_query: ['key'] } }, { response: { json_body: ['secret'] } }],
};

const post = (body: unknown = {}, token = NOTARY_TOKEN) =>
  fetch(`${notary.url}/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const opened = async () =>
  (await openedSession<{ readonly data: { readonly sessionId: string } }>(() => post())).data.sessionId;
const placeOf = (sessionId: string, token = NOTARY_TOKEN) =>
  [`${notary.url}/sessions/${sessionId}`, { authorization: `Bearer ${token}` }] as const;
const join = (sessionId: string, token?: string) => joinSession(...placeOf(sessionId, token));
const joined = (sessionId: string) => joinedSession(...placeOf(sessionId));

describe('a proof by a blind notary', () => {
  it('shows what the prover reveals, and says how it was made', async () => {
    const proof = await notary.prove({ url: origin.url('/?key=k3y-of-mine'), ...REDACTED });
    expect(proof.meta).toEqual({ notaryUrl: notary.url, mode: 'blind' });
    const verified = await notary.verify(proof);
    expect(verified).toMatchObject({ notarization: 'blind', hostConfirmed: true, notaryTrusted: true });
    expect(verified.request.target).toBe('/?key=XXXXXXXXXXX');
    expect(verified.response.text).toBe('{"secret":"XXXXXXXXXXXXXXX","n":1}');
    expect(origin.requests.at(-1)?.head).toContain('x-key: s3cret-t0ken');
  });

  it('carries a JSON body', async () => {
    const proof = await notary.prove({ url: origin.url('/'), method: 'POST', body: '{ "b": [1, null], "a": "x" }' });
    expect(JSON.parse((await notary.verify(proof)).request.text ?? '')).toEqual({ a: 'x', b: [1, null] });
  });

  it.each([
    ['a method that MPC-TLS cannot make', { method: 'PATCH', body: '{}' }, /method PATCH/],
    ['a body that would change', { method: 'POST', body: '{"order":9007199254740993}' }, /9007199254740993 would be/],
    ['a header twice', { headers: ['X-A: 1', 'X-A: 2'] }, /header x-a is there twice/],
    ['a hidden Host', { redaction: [{ request: { headers: ['host'] } }] }, /Host header is hidden/],
    [
      'a hidden value that its body shows',
      { ...REDACTED, method: 'POST', body: '{"key":"s3cret-t0ken"}' },
      /x-key also appears in the request body/,
    ],
    ['a request that is too long', { headers: [`X-A: ${'a'.repeat(1_100)}`] }, /at most 1024/],
  ])('is refused for %s, before a connection is made', async (_what, body, reason) => {
    const before = origin.connections();
    await expect(notary.prove({ url: origin.url('/'), ...body })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(reason),
    });
    expect(origin.connections()).toBe(before);
  });

  it.each([
    ['offers TLS 1.3 only', { minVersion: 'TLSv1.3' as const }, /offers no TLS 1\.2/],
    ['offers AES-256 only', { ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' }, /no cipher suite with AES-128-GCM/],
    ['demands client certificates', { requestCert: true }, /demands a client certificate, which no proof can show/],
  ])('is refused for a server that %s, before a session is opened', async (_what, tls, reason) => {
    await using other = await startOrigin(authority, { tls });
    // No notary is at this address, so a session cannot have been asked for.
    const client = notary.client({ url: 'http://127.0.0.1:9/' });
    const message = expect.stringMatching(reason);
    await expect(notary.prove({ url: other.url('/') }, client)).rejects.toMatchObject({ message });
  });

  it('is refused for an address that the guard of the client forbids', async () => {
    const guard = createEgressGuard({ lookup: async () => [{ address: '127.0.0.1' }] });
    await expect(notary.prove({ url: 'https://origin.test/' }, notary.client({ guard }))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });

  it.each<[string, (output: MpcOutput) => MpcOutput | Promise<MpcOutput>, RegExp]>([
    ['the engine of the notary fails', () => Promise.reject(new Error('unexpected end of file')), /broke the protocol/],
    [
      'the notary signs other bytes than were revealed',
      ({ received, ...output }) => ({
        ...output,
        received: { ...received, bytes: received.bytes.map((byte) => (byte === 0x31 ? 0x32 : byte)) },
      }),
      /does not show exactly what was revealed of the received bytes|Transcript/,
    ],
  ])('fails if %s', async (_what, how, reason) => {
    alter = how;
    await expect(notary.prove({ url: origin.url('/'), ...REDACTED })).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: expect.stringMatching(reason),
    });
  });

  it('fails in time if the notary hangs', async () => {
    alter = () => new Promise(() => {});
    const client = notary.client({ phases: { ...PHASE_LIMITS, reveal: 100 } });
    await expect(notary.prove({ url: origin.url('/') }, client)).rejects.toMatchObject({
      message: 'The phase reveal of the blind session took longer than 0.1 s.',
    });
  });
});

describe('a blind session', () => {
  it('is opened with a token, within the limits of the notary', async () => {
    expect((await post({}, 'not-a-token-of-the-notary')).status).toBe(401);
    expect(await (await post({ maxRecvData: 4_097 })).json()).toMatchObject({
      error: { code: 'INVALID_REQUEST', message: 'maxRecvData: this blind notary takes at most 4096 bytes.' },
    });
    expect((await post({ maxRecvData: -1 })).status).toBe(400);
  });

  it('is joined once, by the caller who opened it', async () => {
    const sessionId = await opened();
    expect(await join(sessionId, 'not-a-token-of-the-notary')).toBe(401);
    expect(await join(sessionId, notary.otherToken)).toBe(404);
    expect(await join('0'.repeat(32))).toBe(404);
    const socket = await joined(sessionId);
    expect(await join(sessionId)).toBe(404);
    socket.terminate();
    await freePlace();
  });

  it.each([
    ['a message that is not of the protocol', (socket: WebSocket) => socket.send('{"type":"sign-this"}')],
    ['text that is not JSON', (socket: WebSocket) => socket.send('hello')],
    ['a handshake that is none', (socket: WebSocket) => socket.send('{"type":"handshake","handshake":{}}')],
    [
      'bytes after their end',
      (socket: WebSocket) => {
        socket.send('{"type":"end"}');
        socket.send(Buffer.from('more'));
      },
    ],
  ])('ends with %s, and its place is free', async (_what, send) => {
    const socket = await joined(await opened());
    send(socket);
    await once(socket, 'close');
    await freePlace();
  });
});

describe('a host with a blind notary', () => {
  it('logs phase, seconds and bytes of a proof, and nothing of its request', async () => {
    const logger = createRecordingLogger();
    const certificates = createX509CertificateChecker({ extraRoots: [authority.root.pem], nodeRoots: false });
    const { url, fingerprint, verify } = notary;
    const blind = await mpcNotary({ url, token: NOTARY_TOKEN, fingerprint }).create({
      clock: systemClock,
      random: systemRandom,
      logger,
      verify,
      certificates,
      decoder: createZlibContentDecoder(),
      guard: createEgressGuard({ lookup: async () => [{ address: '127.0.0.1' }] }),
      extraRoots: [],
    });
    // Loopback is refused after the first phase has begun, so no engine is started.
    const body = { url: origin.url('/?key=k3y-of-mine'), ...REDACTED };
    await expect(notary.prove(body, blind)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await blind.close();
    const bytes = { sentBytes: 0, receivedBytes: 0 };
    expect(logger.lines.map(({ fields }) => fields)).toEqual([
      { notaryUrl: url, phase: 'probe', seconds: expect.any(Number), ...bytes },
    ]);
    for (const secret of ['k3y-of-mine', 's3cret-t0ken', NOTARY_TOKEN]) expect(logger.text()).not.toContain(secret);
  });
});

describe('credence prove --blind', () => {
  const options = (change: Partial<BlindProveOptions> = {}): BlindProveOptions => ({
    notary: { url: notary.url, token: NOTARY_TOKEN },
    fingerprint: notary.fingerprint,
    roots: [authority.root.pem],
    allow: ['127.0.0.0/8', '::1/128'],
    onProgress: () => {},
    signal: AbortSignal.timeout(20_000),
    prover: prover(),
    ...change,
  });

  it('makes the proof in its own process and tells phase, seconds and bytes', async () => {
    await freePlace();
    await using local = await startOrigin(authority, {
      certificate: authority.leaf({ dns: ['localhost'] }),
      answer: jsonAnswer({ secret: 'hidden-from-all', n: 1 }),
    });
    const lines: string[] = [];
    const body = { url: `https://localhost:${local.port}/?key=k3y-of-mine`, ...REDACTED };
    const onProgress: BlindProveOptions['onProgress'] = (progress) => lines.push(describeProgress(progress));
    const verified = await notary.verify(await proveBlind(body, options({ onProgress })));
    expect(verified).toMatchObject({ notarization: 'blind', serverName: 'localhost' });
    expect(lines.map((line) => line.split(' ', 1)[0])).toEqual(['probe', 'setup', 'online', 'reveal', 'done']);
    expect(lines.at(-1)).toMatch(/^done +\d+\.\d s {2}0\.0 MiB sent, 0\.0 MiB received$/);
  });

  it.each<[string, object, Partial<BlindProveOptions>, RegExp]>([
    ['a token', {}, { notary: { url: 'http://127.0.0.1:9', token: undefined } }, /Give a token of the notary/],
    ['a fingerprint', {}, { fingerprint: undefined }, /Give the fingerprint/],
    ['a request that can be proven', { url: 'http://localhost/' }, {}, /only https URLs/],
    ['an address that may be reached', {}, { allow: [] }, /localhost/],
  ])('asks for %s', async (_what, body, change, reason) => {
    await expect(proveBlind({ url: 'https://localhost/', ...body }, options(change))).rejects.toThrow(reason);
  });
});

/** Resolves when a session can be opened and joined again. */
async function freePlace(): Promise<void> {
  (await joined(await opened())).terminate();
}
