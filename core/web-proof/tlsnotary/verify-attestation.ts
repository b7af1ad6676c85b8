import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { SignatureVerifier } from '../../ports/signature-verifier.ts';
import { KEY, SIGNATURE } from './attestation-signer.ts';
import { HASH_LENGTH, hashFunction } from './hash-algorithms.ts';
import { javascriptSignatures } from './javascript-signatures.ts';
import { merkleRoot } from './merkle.ts';
import type { AttestationBody, Presentation, TypedHash, VerifyingKey } from './presentation.ts';
import { bodyLeaves, signedHeader } from './struct-hash.ts';
import { demand, sameBytes } from './verification-error.ts';

/**
 * Checks what the notary signed: versions, algorithms, that the body has exactly the fields under the header's root, and
 * the signature. Whether the key is a trusted one is for the caller.
 * @returns the fingerprint of the key that signed.
 * @throws DomainError `INTERNAL_SERVER_ERROR` naming the failed check.
 */
export function verifyAttestation(
  presentation: Presentation,
  signatures: SignatureVerifier = javascriptSignatures,
): { notaryKeyFingerprint: string } {
  const { header, body, bodyProof } = presentation;
  demand(header.version === 0, `attestation version ${header.version} is not supported`);
  demand(body.connectionInfo.value.tlsVersion === 0, 'only TLS 1.2 sessions are supported');
  checkHash(header.root, 'header root');
  checkHash(body.certificateCommitment.value, 'certificate commitment');
  for (const { value } of body.transcriptCommitments) {
    checkHash(value.kind === 'encoding' ? value.root : value.hash, 'transcript commitment');
  }
  const key = body.serverEphemeralKey.value;
  demand(key.length === 65 && key[0] === 0x04, 'the server ephemeral key is not an uncompressed P-256 point');

  const ids = fieldIds(body);
  demand(
    ids.every((id, index) => id === index),
    'the fields of the body are not numbered in order',
  );
  demand(bodyProof.algorithm === header.root.algorithm, 'body proof and header root name different hash algorithms');
  demand(
    bodyProof.leafCount === ids.length && bodyProof.hashes.length === 0,
    'the body proof does not cover exactly the fields of the body',
  );
  const hash = hashFunction(header.root.algorithm);
  demand(hash !== undefined, 'unknown hash algorithm');
  const root = merkleRoot(hash, bodyLeaves(header.root.algorithm, body));
  demand(sameBytes(root, header.root.value), 'the body does not match the root in the signed header');
  const point = compressedPoint(body.verifyingKey.value);
  demand(signatureHolds(presentation, point, signatures), 'the notary signature does not hold');
  return { notaryKeyFingerprint: fingerprintOf(point) };
}

/** Lower-case hex SHA-256 of the compressed SEC1 key. @throws DomainError when the key is not a point of its curve. */
export function notaryKeyFingerprint(key: VerifyingKey): string {
  return fingerprintOf(compressedPoint(key));
}

function fingerprintOf(point: Uint8Array): string {
  return bytesToHex(sha256(point));
}

function fieldIds(body: AttestationBody): number[] {
  return [
    body.verifyingKey,
    body.connectionInfo,
    body.serverEphemeralKey,
    body.certificateCommitment,
    ...body.extensions,
    ...body.transcriptCommitments,
  ].map((field) => field.id);
}

function checkHash(hash: TypedHash, what: string): void {
  demand(hashFunction(hash.algorithm) !== undefined, `${what}: hash algorithm ${hash.algorithm} is not supported`);
  demand(hash.value.length === HASH_LENGTH, `${what}: the hash is not ${HASH_LENGTH} bytes long`);
}

function compressedPoint(key: VerifyingKey): Uint8Array {
  demand(key.algorithm === KEY.secp256k1 || key.algorithm === KEY.p256, `notary key type ${key.algorithm} is unknown`);
  const Point = key.algorithm === KEY.secp256k1 ? secp256k1.Point : p256.Point;
  let point: Uint8Array | undefined;
  try {
    const parsed = Point.fromBytes(key.data);
    parsed.assertValidity();
    point = parsed.toBytes(true);
  } catch {
    point = undefined;
  }
  demand(point !== undefined, 'the notary key is not a point of its curve');
  return point;
}

function signatureHolds(
  { signature, header, body }: Presentation,
  point: Uint8Array,
  signatures: SignatureVerifier,
): boolean {
  const { algorithm, data } = signature;
  const key = body.verifyingKey.value;
  demand(
    algorithm === SIGNATURE.secp256k1 || algorithm === SIGNATURE.p256 || algorithm === SIGNATURE.secp256k1Ethereum,
    `notary signature algorithm ${algorithm} is not supported`,
  );
  demand(
    key.algorithm === (algorithm === SIGNATURE.p256 ? KEY.p256 : KEY.secp256k1),
    'notary key and notary signature are of different kinds',
  );
  const length = algorithm === SIGNATURE.secp256k1Ethereum ? 65 : 64;
  demand(data.length === length, `the notary signature is not ${length} bytes long`);
  const message = signedHeader(header);
  switch (algorithm) {
    case SIGNATURE.secp256k1:
      return hasLowS(data) && signatures.verifyEcdsa('secp256k1', point, message, data);
    case SIGNATURE.p256:
      // Notaries of this kind sign with either s: to refuse the high one would refuse half of their proofs.
      return signatures.verifyEcdsa('p256', point, message, data);
    default:
      return ethereumSignatureHolds(data, message, point);
  }
}

/** Of both values that s can have, only the lower one: or a proof could be altered. */
function hasLowS(signature: Uint8Array): boolean {
  return BigInt(`0x${bytesToHex(signature.subarray(32))}`) <= secp256k1.Point.Fn.ORDER / 2n;
}

/** The last byte is 27 or 28, whichever leads to the key: only one of both, or a proof could be altered. */
function ethereumSignatureHolds(data: Uint8Array, message: Uint8Array, point: Uint8Array): boolean {
  const compact = data.subarray(0, 64);
  const digest = keccak_256(message);
  if (!secp256k1.verify(compact, digest, point, { prehash: false, lowS: true })) return false;
  const recoverable = Uint8Array.of((data[64] ?? 0) - 27, ...compact);
  return (
    [27, 28].includes(data[64] ?? 0) &&
    sameBytes(secp256k1.recoverPublicKey(recoverable, digest, { prehash: false }), point)
  );
}
