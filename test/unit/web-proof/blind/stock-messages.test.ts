import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../core/ports/clock.ts';
import { systemRandom } from '../../../../core/ports/random-source.ts';
import { createSecp256k1Signer } from '../../../../core/web-proof/tlsnotary/attestation-signer.ts';
import { decodePresentation } from '../../../../core/web-proof/tlsnotary/decode.ts';
import { verifyAttestation } from '../../../../core/web-proof/tlsnotary/verify-attestation.ts';
import type { MpcOutput } from '../../../../plugins/blind-notary/mpc-tls.ts';
import { createNotarizeSession } from '../../../../plugins/blind-notary/stock/notarize-session.ts';
import { readSessionFacts, type SessionMessage } from '../../../../plugins/blind-notary/stock/session-messages.ts';
import { SessionTap } from '../../../../plugins/blind-notary/stock/session-tap.ts';
import { createP256Signer } from '../../../support/foreign-signers.ts';
import {
  BEGIN,
  frame,
  framed,
  GOODBYE,
  MAIN,
  MAIN_NAME,
  OPENING,
  RECORDED,
  RECORDED_LENGTHS,
  runsOf,
  TYPE,
} from '../../../support/stock-prover/recorded.ts';

const KEY = new Uint8Array(32).fill(7);
const at = (index: number) => RECORDED.at(index) as SessionMessage;
const [ASKED, ENCODINGS, ROOT, SECRET, REQUEST] = [-5, -4, -3, -2, -1].map(at) as [
  SessionMessage,
  SessionMessage,
  SessionMessage,
  SessionMessage,
  SessionMessage,
];
const before = RECORDED.slice(0, -5);
const withBytes = (message: SessionMessage, hex: string): SessionMessage => {
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
  return { ...message, length: bytes.length, bytes };
};
const hexOf = ({ bytes }: SessionMessage) => Buffer.from(bytes ?? []).toString('hex');

/** Reads the recorded session as it would come in, in pieces of this size. */
function tapped(size: number) {
  const tap = new SessionTap(() => {});
  const forProver: Uint8Array[] = [];
  const pieces = (bytes: Uint8Array) =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size).subarray(0, size),
    );
  for (const piece of pieces(OPENING)) tap.fromProver(piece);
  for (const { from, bytes } of runsOf(RECORDED)) {
    for (const piece of pieces(bytes)) {
      if (from === 'prover') tap.fromProver(piece);
      else forProver.push(tap.fromVerifier(piece));
    }
  }
  for (const piece of pieces(GOODBYE)) forProver.push(tap.fromVerifier(piece));
  return { tap, forProver: Buffer.concat(forProver) };
}

describe('the tap of a session with a stock prover', () => {
  it.each([7, 997, 1 << 20])('reads the messages of the main stream from pieces of %d bytes', (size) => {
    const { tap, forProver } = tapped(size);
    expect(tap.messages).toEqual(RECORDED);
    const said = Buffer.concat(RECORDED.filter(({ from }) => from === 'verifier').map(framed));
    expect(forProver.equals(said), 'all but the goodbye').toBe(true);
  });

  it('says one more message after the goodbye of the verifier, and passes nothing else on', () => {
    const { tap } = tapped(1 << 20);
    expect(tap.fromVerifier(framed(SECRET))).toHaveLength(0);
    expect(Buffer.from(tap.compose(Uint8Array.of(1, 2, 3)))).toEqual(
      frame(TYPE.data, MAIN, Uint8Array.of(0, 0, 0, 3, 1, 2, 3)),
    );
    expect(() => tap.compose(new Uint8Array(1 << 20)), 'more than the prover takes').toThrow(/takes no message/);
    expect(() => new SessionTap(() => {}).compose(new Uint8Array(1))).toThrow(/takes no message/);
  });

  it.each<[string, Buffer[], RegExp]>([
    ['a second main stream', [frame(TYPE.data, 3, MAIN_NAME, BEGIN)], /two main streams/],
    ['a stream that begins twice', [frame(TYPE.data, MAIN, MAIN_NAME, BEGIN)], /begins twice/],
    ['a main stream that ends', [frame(TYPE.window, MAIN, 0, 4)], /ends too early/],
    ['a main stream that is reset', [frame(TYPE.data, MAIN, 0, 8)], /ends too early/],
    ['bytes of a stream that was not begun', [frame(TYPE.data, 9, MAIN_NAME)], /not begun/],
    [
      'too many streams',
      Array.from({ length: 1_100 }, (_, index) => frame(TYPE.window, 3 + 2 * index, 0, BEGIN)),
      /too many streams/,
    ],
    ['too many messages', [frame(TYPE.data, MAIN, new Uint8Array(4 * 17_000))], /too many messages/],
  ])('refuses %s', (_what, frames, reason) => {
    const tap = new SessionTap(() => {});
    tap.fromProver(OPENING);
    expect(() => {
      for (const bytes of frames) tap.fromProver(bytes);
    }).toThrow(reason);
  });
});

describe('what a notary reads of a session with a stock prover', () => {
  it('is the key of the server, the commitment and the request', () => {
    const { serverEphemeralKey, commitment, request } = readSessionFacts(RECORDED, RECORDED_LENGTHS);
    expect(hexOf(at(3))).toContain(Buffer.from(serverEphemeralKey).toString('hex'));
    expect(Buffer.concat([commitment.seed, commitment.delta]).toString('hex')).toBe(hexOf(SECRET));
    expect(commitment.root).toMatchObject({ algorithm: 2 });
    expect(request).toMatchObject({ signatureAlgorithm: 1, hashAlgorithm: 2, extensions: 0 });
  });

  const handshake = (place: number, change: (hex: string) => string) =>
    RECORDED.map((message, index) => (index === place ? withBytes(message, change(hexOf(message))) : message));
  /** Ends as recorded but for these messages. */
  const ending = ({ asked = ASKED, encodings = ENCODINGS, root = ROOT, secret = SECRET }) =>
    before.concat(asked, encodings, root, secret, REQUEST);
  it.each<[string, readonly SessionMessage[]]>([
    ['no message at all', []],
    ['no request', RECORDED.slice(0, -1)],
    ['the root after the secret', [...before, ASKED, ENCODINGS, SECRET, ROOT, REQUEST]],
    ['another message between the secret and the request', [...RECORDED.slice(0, -1), ROOT, REQUEST]],
    ['the request before the secret', [...before, ASKED, ENCODINGS, ROOT, REQUEST, SECRET]],
    ['a prover that reveals and asks for encodings', ending({ asked: withBytes(ASKED, '0001000000000000000100') })],
    ['a prover that asks for hashes too', ending({ asked: withBytes(ASKED, '000001010100000000000000') })],
    ['encodings of another transcript', ending({ encodings: { ...ENCODINGS, length: 60_688 } })],
    ['a second message that could be the secret', [SECRET, ...RECORDED]],
    ['a secret of another length', ending({ secret: withBytes(SECRET, '00'.repeat(49)) })],
    ['a root of an unknown hash', ending({ root: withBytes(ROOT, `09${hexOf(ROOT).slice(2)}`) })],
    ['a root with bytes behind it', ending({ root: withBytes(ROOT, `${hexOf(ROOT)}00`) })],
    ['a request that is cut short', [...RECORDED.slice(0, -1), withBytes(REQUEST, hexOf(REQUEST).slice(0, -2))]],
    ['server random and client random exchanged', [at(0), at(2), at(1), ...RECORDED.slice(3)]],
    ['another message in the place of the key', handshake(3, (hex) => `03${hex.slice(2)}`)],
    ['a key of another group', handshake(3, (hex) => hex.replace(/^0200000000/, '0200000001'))],
    ['a compressed key', handshake(3, (hex) => hex.replace('410000000000000004', '410000000000000002'))],
  ])('is nothing with %s', (_what, messages) => {
    expect(() => readSessionFacts(messages, RECORDED_LENGTHS)).toThrow(/^Verification failed/);
  });
});

const never = <T>() => new Promise<T>(() => {});

interface Change {
  readonly output?: Partial<MpcOutput>;
  readonly messages?: readonly SessionMessage[];
  readonly signer?: ReturnType<typeof createSecp256k1Signer>;
  readonly requested?: Promise<void>;
  readonly begins?: () => Promise<void>;
}

function notarize({ output, messages = RECORDED, signer, requested, begins }: Change = {}): Promise<Uint8Array> {
  const hidden = (length: number) => ({ bytes: new Uint8Array(length), revealed: [] });
  const { sent, received } = RECORDED_LENGTHS;
  const time = Math.floor(Date.now() / 1000);
  const run = createNotarizeSession({
    signer: signer ?? createSecp256k1Signer(KEY),
    clock: systemClock,
    random: systemRandom,
    phases: { setup: 40, online: 40, reveal: 40 },
  });
  const verified = async () => ({ serverName: null, time, sent: hidden(sent), received: hidden(received), ...output });
  return run(
    {
      limits: { maxSentData: 256, maxRecvData: 512 },
      verifier: { verify: begins === undefined ? verified : never, close: async () => {} },
      channel: { incoming: (async function* () {})(), send: async () => {}, end: async () => {} },
      begins: begins ?? (async () => {}),
      messages,
      requested: requested ?? Promise.resolve(),
    },
    new AbortController().signal,
    () => {},
  );
}

describe('the attestation for a stock prover', () => {
  it('is signed, and says time, lengths, key and commitment of the session', async () => {
    // A presentation that shows nothing: the attestation, all of its fields, no identity, no transcript.
    const proof = Buffer.from('0205000000000000000000000000000000', 'hex');
    const presentation = decodePresentation(Uint8Array.from([...(await notarize()), ...proof, 0, 0]));
    const { body } = presentation;
    const { commitment, serverEphemeralKey } = readSessionFacts(RECORDED, RECORDED_LENGTHS);
    expect(body.connectionInfo.value).toMatchObject({ sentLength: 123, receivedLength: 352 });
    expect(Buffer.from(body.serverEphemeralKey.value)).toEqual(Buffer.from(serverEphemeralKey));
    expect(body.transcriptCommitments.map(({ value }) => value)).toEqual([commitment]);
    expect(body.extensions).toEqual([]);
    expect(() => verifyAttestation(presentation)).not.toThrow();
  });

  const shown = { bytes: new Uint8Array(123), revealed: [{ start: 0, end: 1 }] };
  it.each<[string, Change, RegExp]>([
    ['the server is revealed', { output: { serverName: 'a.test' } }, /reveals something/],
    ['a byte is revealed', { output: { sent: shown } }, /reveals something/],
    ['more was sent than allowed', { output: { sent: { bytes: new Uint8Array(257), revealed: [] } } }, /more was sent/],
    ['the time is another', { output: { time: 1_700_000_000 } }, /not between its beginning and its end/],
    ['the prover asks for a key of another kind', { signer: createP256Signer(KEY) }, /algorithm 2 only/],
    [
      'the prover wants an extension signed',
      {
        messages: [
          ...RECORDED.slice(0, -1),
          withBytes(REQUEST, hexOf(REQUEST).replace(/0{16}$/, `0100000000000000${'0100000000000000aa'.repeat(2)}`)),
        ],
      },
      /no extensions/,
    ],
    ['the prover never asks for it', { requested: never() }, /phase reveal .* longer/],
    ['the prover hangs', { begins: never }, /phase setup .* longer/],
  ])('is not made if %s', async (_what, change, reason) => {
    await expect(notarize(change)).rejects.toThrow(reason);
  });
});
