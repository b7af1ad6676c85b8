import { createPrivateKey } from 'node:crypto';
import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { notaryKey } from '../../../../adapters/local-notary/index.ts';
import { profileEvidence } from '../../../../core/engagement/connections/profile-evidence.ts';
import { systemClock } from '../../../../core/ports/clock.ts';
import { systemRandom } from '../../../../core/ports/random-source.ts';
import { requestCommitment } from '../../../../core/web-proof/attested-values/commitments.ts';
import { openValuesExtension } from '../../../../core/web-proof/attested-values/extension.ts';
import { createValuesExtensions } from '../../../../core/web-proof/attested-values/notary-extensions.ts';
import { notaryKeyOf } from '../../../../core/web-proof/attested-values/notary-key.ts';
import { type Attester, BY_NOTARY } from '../../../../core/web-proof/attested-values/program.ts';
import { exchangeOf, requestFactsOf, unsealableReason } from '../../../../core/web-proof/attested-values/sealable.ts';
import { createValuesSigner } from '../../../../core/web-proof/attested-values/values-signature.ts';
import { notarizationOf } from '../../../../core/web-proof/blind-extension.ts';
import type { AttestationExtensions } from '../../../../core/web-proof/notarize/notarize.ts';
import { createSecp256k1Signer } from '../../../../core/web-proof/tlsnotary/attestation-signer.ts';
import { decodePresentation } from '../../../../core/web-proof/tlsnotary/decode.ts';
import type { BlindPhase } from '../../../../plugins/blind-notary/blind-phase.ts';
import type { ServerHandshake } from '../../../../plugins/blind-notary/channel/handshake.ts';
import type { ByteChannel, MpcOutput } from '../../../../plugins/blind-notary/mpc-tls.ts';
import { createNotarizeBlind } from '../../../../plugins/blind-notary/notary/notarize-blind.ts';
import { REGISTRY } from '../../../support/platforms.ts';
import { makeHandshake } from '../../../support/proof-builder.ts';
import type { IssuedCertificate } from '../../../support/test-ca.ts';
import { createAuthority, jsonAnswer } from '../../../support/tls-origin.ts';
import { testVerifier } from '../../../support/verifier.ts';

const authority = createAuthority();
const key = notaryKey(new Uint8Array(32).fill(7));
const { certificates, decoder, verify } = testVerifier(authority.root, [key.fingerprint]);
const random = (length: number) => systemRandom.bytes(length);
const NAME = 'a.test';
const own = authority.leaf({ dns: [NAME] });
const handshakeWith = (leaf: IssuedCertificate, chain = [leaf.der, authority.intermediate.der]) =>
  makeHandshake(createPrivateKey(leaf.keyPem), chain, random);
const HANDSHAKE = handshakeWith(own);
const SENT = Buffer.from(`GET /me HTTP/1.1\r\nhost: ${NAME}\r\nauthorization: Bearer token\r\n\r\n`);
const RECEIVED = Buffer.from(jsonAnswer({ secret: 'abc', n: 1 }));
const TOKEN = SENT.indexOf('Bearer');
/** Bytes of which these ranges are shown; all of them by default. */
const all = (bytes: Uint8Array, revealed = [{ start: 0, end: bytes.length }]) => ({
  bytes: Uint8Array.from(bytes),
  revealed,
});
const now = () => Math.floor(Date.now() / 1000);

function output(change: Partial<MpcOutput> = {}): MpcOutput {
  return { serverName: NAME, time: now(), sent: all(SENT), received: all(RECEIVED), ...change };
}

/** All but the first occurrence of a text. */
function hideFirst(bytes: Buffer, text: string): MpcOutput['sent'] {
  const start = bytes.indexOf(text);
  const end = start + text.length;
  const revealed = [
    { start: 0, end: start },
    { start: end, end: bytes.length },
  ];
  return all(
    bytes,
    revealed.filter((range) => range.start < range.end),
  );
}

function verifyProof(presentation: Uint8Array | null) {
  const data = Buffer.from(presentation ?? []).toString('hex');
  return verify({ data, version: '0.1.0-alpha.12', meta: { notaryUrl: 'https://notary.test' } });
}

const closed: ByteChannel = {
  incoming: (async function* () {})(),
  send: async () => {},
  end: async () => {},
};

interface Session {
  readonly attestationExtensions?: AttestationExtensions;
  readonly verify?: () => Promise<MpcOutput>;
  readonly handshake?: ServerHandshake | Promise<ServerHandshake>;
  readonly begins?: (phase: 'online' | 'reveal') => Promise<void>;
  readonly signal?: AbortSignal;
}

const never = () => new Promise<never>(() => {});

async function notarize(change: Partial<MpcOutput> = {}, session: Session = {}) {
  const signed: Uint8Array[] = [];
  const signer = createSecp256k1Signer(key.secretKey);
  const run = createNotarizeBlind({
    signer: {
      ...signer,
      sign(header) {
        signed.push(header);
        return signer.sign(header);
      },
    },
    fingerprint: hexToBytes(key.fingerprint),
    certificates,
    decoder,
    clock: systemClock,
    random: systemRandom,
    attestationExtensions: session.attestationExtensions ?? (() => []),
    phases: { setup: 40, online: 40, reveal: 40 },
  });
  const phases: BlindPhase[] = [];
  const outcome = await run(
    {
      limits: { maxSentData: 1_024, maxRecvData: 4_096 },
      verifier: { verify: session.verify ?? (async () => output(change)), close: async () => {} },
      channel: closed,
      begins: session.begins ?? (async () => {}),
      handshake: Promise.resolve(session.handshake ?? HANDSHAKE),
    },
    session.signal ?? new AbortController().signal,
    (phase) => phases.push(phase),
  ).then(
    (presentation) => ({ presentation, reason: null }),
    (error: unknown) => ({ presentation: null, reason: error instanceof Error ? error.message : String(error) }),
  );
  return { ...outcome, signed, phases };
}

describe('what a blind notary signs', () => {
  it('is the session that the verifier reports, as a presentation of a blind notary', async () => {
    const { presentation, phases } = await notarize();
    const { body, identity, transcript } = decodePresentation(presentation ?? new Uint8Array());
    expect(identity?.name).toBe(NAME);
    expect(notarizationOf(body.extensions.map(({ value }) => value))).toBe('blind');
    expect(Buffer.from(transcript?.sent.bytes ?? [])).toEqual(SENT);
    expect(phases).toEqual(['setup', 'online', 'reveal']);
  });

  it('has no byte that was not authenticated, even if the verifier had it', async () => {
    const revealed = [
      { start: 0, end: TOKEN },
      { start: TOKEN + 12, end: SENT.length },
    ];
    const { presentation } = await notarize({ sent: { bytes: Uint8Array.from(SENT), revealed } });
    expect(Buffer.from(presentation ?? []).includes('authorization: ')).toBe(true);
    expect(Buffer.from(presentation ?? []).includes('Bearer token')).toBe(false);
  });
});

describe('the values that a blind notary signs', () => {
  const attestationExtensions = createValuesExtensions(createValuesSigner(key.secretKey));
  const message = (headers: readonly string[], body = '') =>
    Buffer.from(`POST /price HTTP/1.1\r\n${[`host: ${NAME}`, ...headers].join('\r\n')}\r\n\r\n${body}`);
  const withoutBody = message([]);
  const withBody = message(['content-length: 3'], 'a=1');
  const UNSEALABLE = { kind: 'notary', sealable: false } as const;
  const PARTLY_HIDDEN = { kind: 'delegate', notary: hexToBytes(key.fingerprint), partlyHidden: true } as const;

  it.each<[string, Partial<MpcOutput>, Attester]>([
    ['a request without more', { sent: all(withoutBody) }, BY_NOTARY],
    ['a request with a body', { sent: all(withBody) }, BY_NOTARY],
    ['a hidden part of the answer', { sent: all(withBody), received: hideFirst(RECEIVED, 'abc') }, PARTLY_HIDDEN],
    ['a header for another URL', { sent: all(message(['x-original-url: /echo'])) }, UNSEALABLE],
    [
      'such a header besides a hidden value',
      { sent: hideFirst(message(['x-original-url: /echo', 'cookie: s3cret']), 's3cret') },
      UNSEALABLE,
    ],
    ['a hidden body of the request', { sent: hideFirst(withBody, 'a=1') }, UNSEALABLE],
  ])('with %s are for the seals that say so, or for none', async (_what, change, attester) => {
    const { presentation, reason } = await notarize(change, { attestationExtensions });
    expect(reason).toBeNull();
    const proof = await verifyProof(presentation);
    const opened = openValuesExtension(proof.extensions, notaryKeyOf(proof), exchangeOf(proof));
    expect(opened?.tree.request).toBe(requestCommitment(requestFactsOf(proof), attester));
    expect(unsealableReason(proof) === null).toBe(attester !== UNSEALABLE);
  });
});

describe('a blind proof of the logged-in account', () => {
  const HOST = 'www.instagram.com';
  const CODE = 'credence-abc123';
  const handshake = handshakeWith(authority.leaf({ dns: [HOST] }));
  const target = '/api/v1/accounts/current_user/?edit=true';
  const sent = Buffer.from(
    `GET ${target} HTTP/1.1\r\nhost: ${HOST}\r\nx-credence-code: ${CODE}\r\ncookie: sessionid=s3cret\r\n\r\n`,
  );
  const received = Buffer.from(jsonAnswer({ user: { pk: '1', username: 'ada', mail: 'a@b.test' } }));

  it.each([
    ['links it with a hidden cookie', all(received), { shown: true, handle: 'ada', accountId: '1' }],
    [
      'links nothing if a part of the answer is hidden',
      hideFirst(received, 'a@b.test'),
      { shown: false, reason: expect.stringMatching(/what it hides could be another request or answer/) },
    ],
  ])('%s', async (_what, answer, expected) => {
    const change = { serverName: HOST, sent: hideFirst(sent, 'sessionid=s3cret'), received: answer };
    const { presentation, reason } = await notarize(change, { handshake });
    expect(reason).toBeNull();
    const proof = await verifyProof(presentation);
    expect(proof).toMatchObject({ notarization: 'blind', notaryTrusted: true });
    const evidence = await profileEvidence(proof, REGISTRY.describe('instagram'), { handle: null, code: CODE });
    expect(evidence).toMatchObject(expected);
  });
});

describe('a blind notary does not sign', () => {
  const hidden = (from: number, to: number) =>
    all(SENT, [
      { start: 0, end: from },
      { start: to, end: SENT.length },
    ]);
  const HOST = SENT.indexOf('host');
  const trailing = (trailer: string) =>
    Buffer.from(`GET /me HTTP/1.1\r\nhost: ${NAME}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${trailer}\r\n\r\n`);
  const other = Buffer.from(SENT.toString().replace(`host: ${NAME}`, 'host: b.test'));

  it.each<[string, Partial<MpcOutput>, RegExp]>([
    ['a session without identity', { serverName: null }, /did not show who the server is/],
    ['a server name that is none', { serverName: 'A.test' }, /not a DNS name in lower case/],
    ['a direction that is hidden altogether', { received: all(new Uint8Array(9), []) }, /whole direction/],
    ['ranges that touch', { sent: hidden(4, 4) }, /not canonical/],
    ['a range beyond the transcript', { sent: all(SENT, [{ start: 0, end: SENT.length + 1 }]) }, /ends beyond/],
    ['more sent than the session allows', { sent: all(new Uint8Array(1_025)) }, /more was sent/],
    ['more received than the session allows', { received: all(new Uint8Array(4_097)) }, /more was received/],
    ['a session of earlier', { time: now() - 60 }, /not between its beginning and its end/],
    ['a session of later', { time: now() + 60 }, /not between its beginning and its end/],
    ['a hidden Host header', { sent: hidden(HOST + 6, HOST + 10) }, /must show the Host header/],
    ['a header whose name is hidden', { sent: hidden(TOKEN - 15, TOKEN - 5) }, /names of all headers/],
    ['a request for another host of the server', { sent: all(other) }, /another host than a\.test/],
    ['another Host in a trailer', { sent: all(trailing('host: b.test')) }, /trailers behind its body/],
    ['two requests', { sent: all(Buffer.concat([SENT, SENT])) }, /Transcript parsing failed/],
  ])('%s', async (_what, change, reason) => {
    const { signed, ...outcome } = await notarize(change);
    expect(outcome.reason).toMatch(reason);
    expect(signed).toEqual([]);
  });

  const foreign = handshakeWith(authority.leaf({ dns: ['b.test'] }));
  const stranger = createAuthority();
  it.each<[string, ServerHandshake, RegExp]>([
    ['the handshake of another server', foreign, /a\.test/],
    [
      'the handshake of an authority that is not trusted',
      makeHandshake(
        createPrivateKey(own.keyPem),
        [stranger.leaf({ dns: [NAME] }).der, stranger.intermediate.der],
        random,
      ),
      /Verification failed/,
    ],
    ['a key that it did not sign', { ...HANDSHAKE, serverEphemeralKey: foreign.serverEphemeralKey }, /signature/],
    ['a signature scheme that verifiers do not know', { ...HANDSHAKE, scheme: 0 }, /scheme/],
    [
      'a certificate that has expired',
      handshakeWith(
        authority.leaf({ dns: [NAME], notBefore: new Date(Date.now() - 9e8), notAfter: new Date(Date.now() - 1e8) }),
      ),
      /expired|valid/,
    ],
  ])('with %s', async (_what, handshake, reason) => {
    const { signed, ...outcome } = await notarize({}, { handshake });
    expect(outcome.reason).toMatch(reason);
    expect(signed).toEqual([]);
  });

  it.each<[BlindPhase, Session]>([
    ['setup', { begins: never, verify: never }],
    ['online', { begins: (phase) => (phase === 'online' ? Promise.resolve() : never()), verify: never }],
    ['reveal', { verify: never }],
    ['reveal', { handshake: never() }],
  ])('after the time of the phase %s', async (phase, session) => {
    const { signed, reason } = await notarize({}, session);
    expect(reason).toContain(`The phase ${phase} of the blind session took longer than 0.04 s.`);
    expect(signed).toEqual([]);
  });

  it('when the verifier fails or the notary shuts down', async () => {
    const failing = await notarize({}, { verify: () => Promise.reject(new Error('unexpected end of file')) });
    expect(failing).toMatchObject({ reason: 'unexpected end of file', signed: [] });
    const signal = AbortSignal.abort(new Error('closing'));
    const closing = await notarize({}, { verify: never, begins: never, signal });
    expect(closing).toMatchObject({ reason: 'closing', signed: [] });
  });
});
