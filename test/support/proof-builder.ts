/** Presentations of any shape, for tests: more kinds of commitments than the product makes, and unsound ones. */
import { constants, createECDH, type KeyObject, sign } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { AttestationSigner } from '../../core/web-proof/tlsnotary/attestation-signer.ts';
import { createSecp256k1Signer } from '../../core/web-proof/tlsnotary/attestation-signer.ts';
import { encodeBytes } from '../../core/web-proof/tlsnotary/byte-encoding.ts';
import { encodePresentation } from '../../core/web-proof/tlsnotary/encode.ts';
import { hashFunction } from '../../core/web-proof/tlsnotary/hash-algorithms.ts';
import { levelAbove, merkleRoot } from '../../core/web-proof/tlsnotary/merkle.ts';
import type {
  CertificateOpening,
  Direction,
  Extension,
  Presentation,
  TranscriptCommitment,
} from '../../core/web-proof/tlsnotary/presentation.ts';
import {
  type ByteRange,
  complementOfRanges,
  sliceRanges,
  unionOfRanges,
} from '../../core/web-proof/tlsnotary/ranges.ts';
import { schemeOfVariant } from '../../core/web-proof/tlsnotary/signature-schemes.ts';
import { bodyLeaves, certificateOpeningHash, signedHeader } from '../../core/web-proof/tlsnotary/struct-hash.ts';
import { keyExchangeMessage } from '../../core/web-proof/tlsnotary/verify-identity.ts';

type Hash = (bytes: Uint8Array) => Uint8Array;

/** All levels, the leaves first and the root last. */
function merkleLevels(hash: Hash, leaves: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  return leaves.length < 2 ? [leaves] : [leaves, ...merkleLevels(hash, levelAbove(hash, leaves))];
}

/** The missing siblings of the opened leaves: level by level from the leaves, left to right. */
function merkleSiblings(levels: readonly (readonly Uint8Array[])[], opened: readonly number[]): Uint8Array[] {
  const siblings: Uint8Array[] = [];
  let known = [...new Set(opened)].sort((a, b) => a - b);
  for (const level of levels) {
    const here = new Set(known);
    for (const index of known) {
      const sibling = level[index ^ 1];
      if (sibling !== undefined && !here.has(index ^ 1)) siblings.push(sibling);
    }
    known = [...new Set(known.map((index) => index >>> 1))];
  }
  return siblings;
}

export interface CommitmentSpec {
  readonly direction: Direction;
  readonly ranges: readonly ByteRange[];
  /** Of a hash commitment; encodings use the algorithm of the root. */
  readonly algorithm?: number;
  readonly opened?: boolean;
}

export interface ProofSpec {
  readonly signer?: AttestationSigner;
  readonly hashAlgorithm?: number;
  readonly time?: number;
  readonly serverName?: string;
  readonly handshake: Omit<CertificateOpening, 'blinder'>;
  readonly sent: Uint8Array;
  readonly received: Uint8Array;
  readonly hashes?: readonly CommitmentSpec[];
  readonly encodings?: readonly CommitmentSpec[];
  readonly extensions?: readonly Extension[];
  readonly identity?: boolean;
  readonly transcript?: boolean;
  readonly random: (length: number) => Uint8Array;
}

export const testSigner = createSecp256k1Signer(new Uint8Array(32).fill(7));

/** Handshake data as if a server with this key and chain had been talked to. */
export function makeHandshake(
  leafKey: KeyObject,
  certificates: readonly Uint8Array[],
  random: (length: number) => Uint8Array,
  variant = usualVariant(leafKey),
): Omit<CertificateOpening, 'blinder'> {
  const scheme = schemeOfVariant(variant);
  if (scheme === undefined) throw new Error('The scheme is not supported');
  const ephemeral = publicKeyOf(p256.utils.randomSecretKey(random(48)));
  const parts = { clientRandom: random(32), serverRandom: random(32), serverEphemeralKey: ephemeral };
  const padding =
    scheme.padding === 'pss'
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : {};
  const signature = sign(scheme.hash, keyExchangeMessage(parts), { key: leafKey, ...padding });
  return { certificates, scheme: variant, signature: Uint8Array.from(signature), ...parts };
}

/** What a server with this handshake signed, as checkers of certificates are told it. */
export function keyExchangeOf(handshake: Omit<CertificateOpening, 'blinder'>, variant = handshake.scheme) {
  const scheme = schemeOfVariant(variant);
  if (scheme === undefined) throw new Error('The scheme is not supported');
  return { scheme, message: keyExchangeMessage(handshake), signature: handshake.signature };
}

/** The uncompressed point. Native: in JavaScript it takes a multiple of the time, and tests make thousands. */
function publicKeyOf(secretKey: Uint8Array): Uint8Array {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(secretKey);
  return Uint8Array.from(pair.getPublicKey());
}

/** The presentation as data. */
export async function assembleProof(spec: ProofSpec): Promise<Presentation> {
  const { random, hashAlgorithm = 1, signer = testSigner } = spec;
  const hash = requireHash(hashAlgorithm);
  const opening = { ...spec.handshake, blinder: random(16) };
  const hashes = (spec.hashes ?? []).map((item) => {
    const { algorithm = 1, direction, ranges } = item;
    const blinder = random(16);
    const value = requireHash(algorithm)(concat(sliceRanges(spec[direction], ranges), blinder));
    const commitment: TranscriptCommitment = { kind: 'hash', direction, ranges, hash: { algorithm, value } };
    return { ...item, commitment, opening: { direction, ranges, algorithm, blinder } };
  });
  const secret = { seed: random(32), delta: random(16) };
  const leaves = (spec.encodings ?? []).map((item, leaf) => {
    const { direction, ranges } = item;
    const blinder = random(16);
    const encoded = ranges.map(({ start, end }) =>
      encodeBytes(secret, direction, start, spec[direction].subarray(start, end)),
    );
    return { ...item, value: hash(concat(...encoded, blinder)), opening: { leaf, direction, ranges, blinder } };
  });
  const levels =
    leaves.length === 0
      ? []
      : merkleLevels(
          hash,
          leaves.map((leaf) => leaf.value),
        );
  const root = levels.at(-1)?.[0];
  const encoding: TranscriptCommitment[] =
    root === undefined ? [] : [{ kind: 'encoding', root: { algorithm: hashAlgorithm, value: root }, ...secret }];
  let id = 0;
  const field = <T>(value: T) => ({ id: id++, value });
  const body = {
    verifyingKey: field(signer.verifyingKey),
    connectionInfo: field({
      time: spec.time ?? Math.floor(Date.now() / 1000),
      tlsVersion: 0,
      sentLength: spec.sent.length,
      receivedLength: spec.received.length,
    }),
    serverEphemeralKey: field(spec.handshake.serverEphemeralKey),
    certificateCommitment: field({ algorithm: hashAlgorithm, value: certificateOpeningHash(hashAlgorithm, opening) }),
    extensions: (spec.extensions ?? []).map(field),
    transcriptCommitments: [...encoding, ...hashes.map(({ commitment }) => commitment)].map(field),
  };
  const opened = [...hashes, ...leaves].filter((item) => item.opened !== false);
  const side = (direction: Direction) => {
    const ranges = unionOfRanges(opened.filter((item) => item.direction === direction).flatMap((item) => item.ranges));
    return { bytes: sliceRanges(spec[direction], ranges), ranges, total: spec[direction].length };
  };
  const shownLeaves = leaves.filter((leaf) => leaf.opened !== false).map((leaf) => leaf.opening);
  const siblings = merkleSiblings(
    levels,
    shownLeaves.map(({ leaf }) => leaf),
  );
  return signAgain(
    {
      signature: { algorithm: signer.signatureAlgorithm, data: new Uint8Array() },
      header: { id: random(16), version: 0, root: { algorithm: hashAlgorithm, value: new Uint8Array(32) } },
      body,
      bodyProof: { algorithm: hashAlgorithm, leafCount: id, hashes: [] },
      identity: spec.identity === false ? null : { name: spec.serverName ?? 'a.test', opening },
      transcript:
        spec.transcript === false
          ? null
          : {
              sent: side('sent'),
              received: side('received'),
              encodingProof:
                shownLeaves.length === 0
                  ? null
                  : {
                      proof: { algorithm: hashAlgorithm, leafCount: leaves.length, hashes: siblings },
                      openings: shownLeaves,
                    },
              hashOpenings: hashes.filter((item) => item.opened !== false).map((item) => item.opening),
            },
    },
    signer,
  );
}

interface Certified {
  readonly privateKey: KeyObject;
  readonly der: Uint8Array;
}

export interface WholeProofSpec
  extends Partial<Omit<ProofSpec, 'sent' | 'received'>>,
    Pick<ProofSpec, 'sent' | 'received'> {
  /** Of the server. */
  readonly leaf: Certified;
  /** Sent beside it. */
  readonly chain?: readonly Pick<Certified, 'der'>[];
  /** Of what is sent; nothing by default. */
  readonly hidden?: readonly ByteRange[];
  /** Proofs of one seed share their randomness. */
  readonly seed: number;
}

/** The presentation of an exchange that shows everything but `hidden`. Signed by `testSigner`. */
export async function wholePresentation({ leaf, chain = [], hidden = [], seed, ...exchange }: WholeProofSpec) {
  const { bytes: random } = seededRandom(seed);
  const shown = (direction: Direction, hidden: readonly ByteRange[] = []) => ({
    direction,
    ranges: complementOfRanges(hidden, exchange[direction].length),
  });
  return assembleProof({
    handshake: makeHandshake(leaf.privateKey, [leaf.der, ...chain.map(({ der }) => der)], random),
    hashes: [shown('sent', hidden), shown('received')].filter(({ ranges }) => ranges.length > 0),
    random,
    ...exchange,
  });
}

/** The same as a web proof, as it travels. */
export async function wholeProof(spec: WholeProofSpec) {
  return asWebProof(await wholePresentation(spec));
}

export function asWebProof(presentation: Presentation) {
  return {
    data: bytesToHex(encodePresentation(presentation)),
    version: '0.1.0-alpha.12' as const,
    meta: { notaryUrl: 'https://notary.test/v0.1.0-alpha.12' },
  };
}

/** Makes root and signature right again, after a change to the body. */
export async function signAgain(presentation: Presentation, signer = testSigner): Promise<Presentation> {
  const { algorithm } = presentation.header.root;
  const hash = requireHash(algorithm);
  const value = merkleRoot(hash, bodyLeaves(algorithm, presentation.body));
  const header = { ...presentation.header, root: { algorithm, value } };
  const data = await signer.sign(signedHeader(header));
  return { ...presentation, header, signature: { algorithm: signer.signatureAlgorithm, data } };
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

/** Repeatable randomness from a seed (mulberry32). Not for secrets. */
export function seededRandom(seed: number): { next(): number; below(n: number): number; bytes(n: number): Uint8Array } {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { next, below, bytes: (n) => Uint8Array.from({ length: n }, () => below(256)) };
}

function requireHash(algorithm: number) {
  const hash = hashFunction(algorithm);
  if (hash === undefined) throw new Error(`Hash ${algorithm} is not known`);
  return hash;
}

function usualVariant(key: KeyObject): number {
  if (key.asymmetricKeyType === 'rsa') return 8;
  return key.asymmetricKeyType === 'ed25519' ? 11 : 3;
}
