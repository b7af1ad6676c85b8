/**
 * A TLSNotary `0.1.0-alpha.12` presentation as data. The members are in the order in which they travel. Numbers of
 * algorithms are kept as they were written: which ones are supported is a matter of verification, not of decoding.
 */
import type { ByteRange } from './ranges.ts';

/** The version of TLSNotary whose presentations are read and written. */
export const FORMAT_VERSION = '0.1.0-alpha.12';

/** Seen from the prover. */
export type Direction = 'sent' | 'received';
export const DIRECTIONS: readonly Direction[] = ['sent', 'received'];

export interface TypedHash {
  /** See `hash-algorithms.ts`. */
  readonly algorithm: number;
  readonly value: Uint8Array;
}

export interface VerifyingKey {
  /** 1 secp256k1, 2 P-256. */
  readonly algorithm: number;
  /** SEC1 point, compressed or not. */
  readonly data: Uint8Array;
}

export interface Signature {
  /** 1 secp256k1 with SHA-256, 2 P-256 with SHA-256, 3 secp256k1 with Keccak-256 and a recovery byte. */
  readonly algorithm: number;
  readonly data: Uint8Array;
}

export interface AttestationHeader {
  /** 16 random bytes. */
  readonly id: Uint8Array;
  readonly version: number;
  /** Merkle root over the fields of the body. */
  readonly root: TypedHash;
}

export interface ConnectionInfo {
  /** Unix seconds by the notary's clock, before the handshake. */
  readonly time: number;
  /** 0 TLS 1.2, 1 TLS 1.3. */
  readonly tlsVersion: number;
  /** Application data bytes over the whole connection. */
  readonly sentLength: number;
  readonly receivedLength: number;
}

/** The server's ECDHE key share on secp256r1: 65 bytes, `04 ‖ x ‖ y`. */
export type EphemeralKey = Uint8Array;

export interface Extension {
  readonly id: Uint8Array;
  readonly value: Uint8Array;
}

export interface EncodingCommitment {
  readonly kind: 'encoding';
  readonly root: TypedHash;
  /** 32 bytes. */
  readonly seed: Uint8Array;
  /** 16 bytes. */
  readonly delta: Uint8Array;
}

export interface HashCommitment {
  readonly kind: 'hash';
  readonly direction: Direction;
  readonly ranges: readonly ByteRange[];
  readonly hash: TypedHash;
}

export type TranscriptCommitment = EncodingCommitment | HashCommitment;

export interface Field<T> {
  readonly id: number;
  readonly value: T;
}

export interface AttestationBody {
  readonly verifyingKey: Field<VerifyingKey>;
  readonly connectionInfo: Field<ConnectionInfo>;
  readonly serverEphemeralKey: Field<EphemeralKey>;
  readonly certificateCommitment: Field<TypedHash>;
  readonly extensions: readonly Field<Extension>[];
  readonly transcriptCommitments: readonly Field<TranscriptCommitment>[];
}

export interface MerkleProof {
  readonly algorithm: number;
  readonly leafCount: number;
  readonly hashes: readonly Uint8Array[];
}

/** The handshake data that opens the certificate commitment. */
export interface CertificateOpening {
  /** DER, the server's own first. */
  readonly certificates: readonly Uint8Array[];
  /** Variant of the signature scheme; see `signature-schemes.ts`. */
  readonly scheme: number;
  /** The server's signature over the key exchange. */
  readonly signature: Uint8Array;
  readonly clientRandom: Uint8Array;
  readonly serverRandom: Uint8Array;
  readonly serverEphemeralKey: EphemeralKey;
  readonly blinder: Uint8Array;
}

export interface ServerIdentity {
  /** As written; not covered by the notary's signature. */
  readonly name: string;
  readonly opening: CertificateOpening;
}

export interface EncodingOpening {
  readonly leaf: number;
  readonly direction: Direction;
  readonly ranges: readonly ByteRange[];
  readonly blinder: Uint8Array;
}

export interface EncodingProof {
  readonly proof: MerkleProof;
  readonly openings: readonly EncodingOpening[];
}

export interface HashOpening {
  readonly direction: Direction;
  readonly ranges: readonly ByteRange[];
  readonly algorithm: number;
  readonly blinder: Uint8Array;
}

export interface RevealedSide {
  /** The revealed pieces, one after the other. */
  readonly bytes: Uint8Array;
  readonly ranges: readonly ByteRange[];
  /** Length of the whole direction, hidden bytes included. */
  readonly total: number;
}

export interface TranscriptProof {
  readonly sent: RevealedSide;
  readonly received: RevealedSide;
  readonly encodingProof: EncodingProof | null;
  readonly hashOpenings: readonly HashOpening[];
}

export interface Presentation {
  readonly signature: Signature;
  readonly header: AttestationHeader;
  readonly body: AttestationBody;
  readonly bodyProof: MerkleProof;
  readonly identity: ServerIdentity | null;
  readonly transcript: TranscriptProof | null;
}
