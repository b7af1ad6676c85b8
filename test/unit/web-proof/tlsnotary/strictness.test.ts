/** One fault at a time: what must fail to decode, and what must decode and fail to verify. */
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { isDomainError } from '../../../../core/errors.ts';
import type { CertificateChecker } from '../../../../core/ports/certificate-checker.ts';
import {
  type AttestationSigner,
  createSecp256k1Signer,
} from '../../../../core/web-proof/tlsnotary/attestation-signer.ts';
import { decodePresentation } from '../../../../core/web-proof/tlsnotary/decode.ts';
import { encodePresentation } from '../../../../core/web-proof/tlsnotary/encode.ts';
import { LIMITS } from '../../../../core/web-proof/tlsnotary/limits.ts';
import type { HashCommitment, Presentation, RevealedSide } from '../../../../core/web-proof/tlsnotary/presentation.ts';
import { certificateOpeningHash } from '../../../../core/web-proof/tlsnotary/struct-hash.ts';
import { notaryKeyFingerprint } from '../../../../core/web-proof/tlsnotary/verify-attestation.ts';
import { verifyPresentation } from '../../../../core/web-proof/tlsnotary/verify-presentation.ts';
import {
  inBody,
  inBodyProof,
  inConnection,
  inEncoding,
  inHashOpenings,
  inHeader,
  inIdentity,
  inOpenings,
  inTranscript,
  inTree,
} from '../../../support/changed-proof.ts';
import { createEthereumSigner, createP256Signer } from '../../../support/foreign-signers.ts';
import { assembleProof, type ProofSpec, seededRandom, signAgain } from '../../../support/proof-builder.ts';
import * as example from '../../../support/worked-example.ts';

/** Certificates are tested elsewhere. */
const trusting = { check: () => Promise.resolve({ ok: true } as const) };
const key = (byte: number) => new Uint8Array(32).fill(byte);

function spec(changes: Partial<ProofSpec> = {}): ProofSpec {
  return {
    handshake: example.handshake,
    sent: example.sent,
    received: example.received,
    time: example.time,
    hashes: [{ direction: 'sent', ranges: example.revealed.sent }],
    encodings: [
      { direction: 'received', ranges: [{ start: 0, end: 10 }] },
      { direction: 'received', ranges: [{ start: 10, end: 15 }], opened: false },
      { direction: 'received', ranges: [{ start: 15, end: 21 }] },
    ],
    random: seededRandom(9).bytes,
    ...changes,
  };
}

async function outcome(presentation: Presentation): Promise<string> {
  try {
    await verifyPresentation(decodePresentation(encodePresentation(presentation)), trusting);
    return 'accepted';
  } catch (error) {
    if (!isDomainError(error, 'INVALID_PRESENTATION', 'INTERNAL_SERVER_ERROR')) throw error;
    return `${error.code === 'INVALID_PRESENTATION' ? 'decode' : 'verify'}: ${error.message}`;
  }
}

type Opening = NonNullable<Presentation['identity']>['opening'];

const inSide = (side: 'sent' | 'received', change: (shown: RevealedSide) => Partial<RevealedSide>) =>
  inTranscript((t) => ({ [side]: { ...t[side], ...change(t[side]) } }));
const inOpening = (change: Partial<Opening>) => inIdentity(({ opening }) => ({ opening: { ...opening, ...change } }));
/** The second commitment of the proof, which is one by hash. */
const inCommitment = (change: (value: HashCommitment) => Partial<HashCommitment>) =>
  inBody(({ transcriptCommitments }) => ({
    transcriptCommitments: transcriptCommitments.map(({ id, value }) => ({
      id,
      value: value.kind === 'hash' ? { ...value, ...change(value) } : value,
    })),
  }));
const withEphemeralKey = (change: (key: Uint8Array) => Uint8Array) =>
  inBody(({ serverEphemeralKey: { id, value } }) => ({ serverEphemeralKey: { id, value: change(value) } }));
const withCertificate = (value: Uint8Array) =>
  inBody(({ certificateCommitment: { id, value: known } }) => ({
    certificateCommitment: { id, value: { ...known, value } },
  }));
const withName = (change: (name: string) => string) => inIdentity(({ name }) => ({ name: change(name) }));
/** What is shown first of the received bytes, in two pieces. */
const TOUCHING = [
  { start: 0, end: 5 },
  { start: 5, end: 10 },
];
const EMPTY = { id: new Uint8Array(1), value: new Uint8Array() };
const flip = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte, i) => (i === 0 ? byte ^ 1 : byte));

/** What the refusal says, and the fault: a change to a sound proof, which the notary then signs again. */
type Faults = Record<string, readonly [string, (presentation: Presentation) => Presentation]>;

const NOT_DECODED: Faults = {
  'ranges out of order': ['not sorted', inSide('sent', (shown) => ({ ranges: [...shown.ranges].reverse() }))],
  'ranges that touch': [
    'not sorted',
    inSide('received', ({ ranges }) => ({ ranges: [...TOUCHING, ...ranges.slice(1)] })),
  ],
  'an empty opening': ['are empty', inOpenings(() => ({ ranges: [] }))],
  'an empty hash opening': [
    'opening ranges are empty',
    // The other one is long enough that both could be there.
    inTranscript((t) => {
      const long = Array.from({ length: 5 }, (_, i) => ({ start: 2 * i, end: 2 * i + 1 }));
      return { hashOpenings: t.hashOpenings.flatMap((each) => [[], long].map((ranges) => ({ ...each, ranges }))) };
    }),
  ],
  'an empty commitment': ['commitment ranges are empty', inCommitment(() => ({ ranges: [] }))],
  'fewer bytes than ranges': ['differ in length', inSide('sent', (shown) => ({ bytes: shown.bytes.subarray(1) }))],
  'a range beyond the total': ['beyond the sent total', inSide('sent', () => ({ total: 40 }))],
  'a single range beyond the total': [
    'beyond the sent total',
    inSide('sent', ({ bytes }) => ({ bytes: bytes.subarray(0, 8), ranges: [{ start: 0, end: 8 }], total: 7 })),
  ],
  'a huge total': ['more than 1048576', inSide('received', () => ({ total: 2 ** 40 }))],
  'a leaf opened twice': ['opened twice', inOpenings(() => ({ leaf: 0 }))],
  'too many leaves': ['more than 1048576 leaves', inTree(() => ({ leafCount: 2 ** 20 + 1 }))],
  'too many extensions': [
    'limit of 64',
    inBody(() => ({ extensions: Array.from({ length: 65 }, (_, id) => ({ id, value: EMPTY })) })),
  ],
  'an unknown scheme': ['signature scheme 12', inOpening({ scheme: 12 })],
  'a long server name': ['limit of 253', withName(() => 'a'.repeat(254))],
  'too many certificates': ['limit of 8', inOpening({ certificates: new Array(9).fill(Uint8Array.of(1)) })],
};

const NOT_VERIFIED: Faults = {
  'another attestation version': ['version 1', inHeader(() => ({ version: 1 }))],
  'TLS 1.3': ['TLS 1.2', inConnection(() => ({ tlsVersion: 1 }))],
  'field ids that skip': [
    'numbered',
    inBody((body) => ({ serverEphemeralKey: { ...body.serverEphemeralKey, id: 9 } })),
  ],
  'a body proof of another algorithm': ['different hash', inBodyProof(() => ({ algorithm: 2 }))],
  'a body proof with more leaves': ['exactly the fields', inBodyProof(() => ({ leafCount: 99 }))],
  'a body proof with a hash': ['exactly the fields', inBodyProof(() => ({ hashes: [new Uint8Array(32)] }))],
  'an unopened commitment of an unknown algorithm': [
    'transcript commitment: hash algorithm 9',
    inCommitment(({ hash }) => ({ hash: { ...hash, algorithm: 9 } })),
  ],
  'a certificate commitment that is too short': ['the hash is not 32 bytes', withCertificate(new Uint8Array(31))],
  'a compressed ephemeral key': ['uncompressed', withEphemeralKey((key) => key.subarray(0, 33))],
  'an ephemeral key of another form': ['uncompressed', withEphemeralKey(flip)],
  'another ephemeral key': ['not the attested one', withEphemeralKey((key) => Uint8Array.from(key).fill(1, 1))],
  'a server name with a trailing dot': ['without a trailing dot', withName((name) => `${name}.`)],
  'a server name in upper case': ['the server name is not a DNS name in lower case', withName(() => 'A.test')],
  'no certificate': [
    'there is no server certificate',
    (p) => {
      const bare = inOpening({ certificates: [] })(p);
      const { algorithm } = p.body.certificateCommitment.value;
      const value = bare.identity ? certificateOpeningHash(algorithm, bare.identity.opening) : new Uint8Array();
      return withCertificate(value)(bare);
    },
  ],
  'a commitment beyond the end': ['ends beyond', inCommitment(() => ({ ranges: [{ start: 0, end: 42 }] }))],
  'other handshake data': ['handshake data', inOpening({ clientRandom: new Uint8Array(32) })],
  'another length than attested': ['attested length', inConnection(() => ({ sentLength: 42 }))],
  'a changed byte': ['matches no commitment', inSide('sent', (shown) => ({ bytes: flip(shown.bytes) }))],
  'a changed encoded byte': [
    'encoding proof does not match',
    inSide('received', ({ bytes }) => ({ bytes: flip(bytes) })),
  ],
  'bytes that no opening covers': ['not exactly the sent bytes', inTranscript(() => ({ hashOpenings: [] }))],
  'openings of bytes that are not shown': [
    '(not exactly|matches no commitment)',
    inTranscript((t) => ({ sent: { bytes: t.sent.bytes.subarray(0, 8), ranges: [{ start: 0, end: 8 }], total: 41 } })),
  ],
  'an encoding proof that opens nothing': ['opens nothing', inEncoding(() => ({ openings: [] }))],
  'an encoding proof of another algorithm': ['different hash', inTree(() => ({ algorithm: 2 }))],
  'an encoding proof with a hash too many': [
    'does not match',
    inTree(({ hashes }) => ({ hashes: [...hashes, new Uint8Array(32)] })),
  ],
  'a leaf beyond the tree': ['does not match', inOpenings(({ leaf }) => ({ leaf: leaf + 2 }))],
  'an opening beyond the end': ['opening ends beyond', inHashOpenings(() => ({ ranges: [{ start: 0, end: 99 }] }))],
  'two encoding commitments': [
    'more than one encoding',
    (p) => {
      const [first] = p.body.transcriptCommitments;
      const extra = first === undefined ? [] : [{ id: 6, value: first.value }];
      const transcriptCommitments = [...p.body.transcriptCommitments, ...extra];
      return { ...p, body: { ...p.body, transcriptCommitments }, bodyProof: { ...p.bodyProof, leafCount: 7 } };
    },
  ],
};

describe('a proof with one fault', () => {
  const sound = assembleProof(spec());
  const refusal = (stage: string, reason: string) => new RegExp(`^${stage}: .*${reason}`);

  it('is accepted without it', async () => {
    expect(await outcome(await assembleProof(spec()))).toBe('accepted');
  });

  it.each(Object.entries(NOT_DECODED))('is not decoded with %s', async (_title, [reason, change]) => {
    expect(await outcome(await signAgain(change(await sound)))).toMatch(refusal('decode', reason));
  });

  it.each(Object.entries(NOT_VERIFIED))('is not verified with %s', async (_title, [reason, change]) => {
    expect(await outcome(await signAgain(change(await sound)))).toMatch(refusal('verify', reason));
  });
});

describe('what the server signed', () => {
  it('is both randoms and the parameters of its key exchange, on the curve secp256r1', async () => {
    const messages: Uint8Array[] = [];
    const check: CertificateChecker['check'] = async ({ keyExchange }) => {
      messages.push(keyExchange.message);
      return { ok: true };
    };
    await verifyPresentation(await assembleProof(spec()), { check });
    const { clientRandom, serverRandom, serverEphemeralKey } = example.handshake;
    const signed = [...clientRandom, ...serverRandom, 0x03, 0x00, 0x17, 0x41, ...serverEphemeralKey];
    expect(messages).toEqual([Uint8Array.from(signed)]);
  });
});

describe('the root in the signed header', () => {
  it('is the hash of the body, by a known algorithm', async () => {
    const proof = await assembleProof(spec());
    const withRoot = (root: Presentation['header']['root']) => outcome({ ...proof, header: { ...proof.header, root } });
    const { algorithm, value } = proof.header.root;
    expect(await withRoot({ algorithm: 9, value })).toMatch(/^verify: .*header root: hash algorithm 9/);
    expect(await withRoot({ algorithm, value: flip(value) })).toMatch(/^verify: .*body does not match the root/);
  });
});

describe('the notary signature', () => {
  const sign = (signer: AttestationSigner) => assembleProof(spec({ signer }));
  const withSignature = (p: Presentation, data: Uint8Array) => ({ ...p, signature: { ...p.signature, data } });
  const highS = (data: Uint8Array, order: bigint) => {
    const s = BigInt(`0x${Buffer.from(data.subarray(32, 64)).toString('hex')}`);
    const twin = Uint8Array.from(data);
    twin.set(Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex'), 32);
    return twin;
  };

  it('with high s is refused on secp256k1 and accepted on P-256', async () => {
    for (const signer of [createSecp256k1Signer(key(3)), createEthereumSigner(key(3))]) {
      const proof = await sign(signer);
      expect(await outcome(proof)).toBe('accepted');
      const twin = highS(proof.signature.data, secp256k1.Point.Fn.ORDER);
      expect(await outcome(withSignature(proof, twin))).toMatch(/notary signature/);
    }
    const proof = await sign(createP256Signer(key(3)));
    expect(await outcome(proof)).toBe('accepted');
    expect(await outcome(withSignature(proof, highS(proof.signature.data, p256.Point.Fn.ORDER)))).toBe('accepted');
  });

  it('needs the right length, kind of key, numbers in range, and a recovery byte of 27 or 28', async () => {
    const proof = await sign(createSecp256k1Signer(key(3)));
    const { data } = proof.signature;
    expect(await outcome(withSignature(proof, data.subarray(1)))).toMatch(/not 64 bytes/);
    expect(await outcome(withSignature(proof, new Uint8Array(64)))).toMatch(/notary signature/);
    expect(await outcome(withSignature(proof, new Uint8Array(64).fill(0xff)))).toMatch(/notary signature/);
    expect(await outcome({ ...proof, signature: { algorithm: 2, data } })).toMatch(/different kinds/);
    expect(await outcome({ ...proof, signature: { algorithm: 4, data } })).toMatch(/algorithm 4 is not supported/);
    const ethereum = await sign(createEthereumSigner(key(3)));
    for (const recovery of [0, 1, 26, 29]) {
      const changed = Uint8Array.from(ethereum.signature.data);
      changed[64] = recovery;
      expect(await outcome(withSignature(ethereum, changed))).toMatch(/notary signature/);
    }
  });

  it('may have either recovery byte, but only the one that leads to its key', async () => {
    const seen = new Set<number | undefined>();
    for (let byte = 1; byte <= 8; byte++) {
      const proof = await sign(createEthereumSigner(key(byte)));
      expect(await outcome(proof)).toBe('accepted');
      const { data } = proof.signature;
      seen.add(data[64]);
      const other = Uint8Array.of(...data.subarray(0, 64), data[64] === 27 ? 28 : 27);
      expect(await outcome(withSignature(proof, other))).toMatch(/notary signature/);
    }
    expect([...seen].sort()).toEqual([27, 28]);
  });

  it('may be of an uncompressed key, with the fingerprint of the compressed one', async () => {
    for (const [create, curve] of [
      [createSecp256k1Signer, secp256k1],
      [createP256Signer, p256],
    ] as const) {
      const signer = create(key(3));
      const long = { ...signer.verifyingKey, data: curve.getPublicKey(key(3), false) };
      expect(await outcome(await sign({ ...signer, verifyingKey: long }))).toBe('accepted');
      expect(notaryKeyFingerprint(long)).toBe(bytesToHex(sha256(signer.verifyingKey.data)));
    }
  });

  it('needs a key that is a point of its curve', async () => {
    const signer = createSecp256k1Signer(key(3));
    for (const data of [
      new Uint8Array(),
      new Uint8Array(33),
      new Uint8Array(33).fill(0xff),
      new Uint8Array(65).fill(4),
    ]) {
      expect(await outcome(await sign({ ...signer, verifyingKey: { algorithm: 1, data } }))).toMatch(/not a point/);
    }
    const unknown = { ...signer, verifyingKey: { ...signer.verifyingKey, algorithm: 7 } };
    expect(await outcome(await sign(unknown))).toMatch(/type 7 is unknown|different kinds/);
  });
});

it('signs with low s, the same again for the same header, under a compressed key', async () => {
  const signer = createSecp256k1Signer(key(3));
  expect(signer.verifyingKey.data).toHaveLength(33);
  for (let i = 0; i < 12; i++) {
    const signature = await signer.sign(Uint8Array.of(i));
    expect(signature).toHaveLength(64);
    expect(await signer.sign(Uint8Array.of(i))).toEqual(signature);
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`);
    expect(s <= secp256k1.Point.Fn.ORDER / 2n).toBe(true);
  }
});

describe('hostile sizes', () => {
  it('are refused before anything is allocated', async () => {
    const bytes = encodePresentation(await assembleProof(spec()));
    const view = new DataView(bytes.buffer);
    const before = process.memoryUsage();
    for (const huge of [2n ** 64n - 1n, 2n ** 53n, 2n ** 32n, 10_000_000n]) {
      for (let at = 0; at + 8 <= bytes.length; at++) {
        const original = view.getBigUint64(at, true);
        view.setBigUint64(at, huge, true);
        // Times, randoms and hashes may hold any bytes; counts and lengths may not.
        try {
          decodePresentation(bytes);
        } catch (error) {
          expect(isDomainError(error, 'INVALID_PRESENTATION')).toBe(true);
        }
        view.setBigUint64(at, original, true);
      }
    }
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(8 * 1024 * 1024);
  });

  it('cannot be larger than the limit altogether', () => {
    expect(() => decodePresentation(new Uint8Array(LIMITS.presentation + 1))).toThrow(/larger than/);
    expect(() => decodePresentation(new Uint8Array())).toThrow(/empty/);
  });
});
