/** How each structure of an attestation is written, in either encoding. */
import type {
  AttestationHeader,
  CertificateOpening,
  ConnectionInfo,
  Direction,
  EphemeralKey,
  Extension,
  TranscriptCommitment,
  TypedHash,
  VerifyingKey,
} from './presentation.ts';
import type { ByteRange } from './ranges.ts';
import type { Writer } from './writer.ts';

/** The only key type (secp256r1) and the only kind of handshake data (TLS 1.2). */
const ONLY_VARIANT = 0;

export function writeTypedHash(out: Writer, hash: TypedHash): void {
  out.u8(hash.algorithm).byteString(hash.value);
}

export function writeDirection(out: Writer, direction: Direction): void {
  out.variant(direction === 'sent' ? 0 : 1);
}

export function writeRanges(out: Writer, ranges: readonly ByteRange[]): void {
  out.list(ranges, ({ start, end }) => out.u64(start).u64(end));
}

export function writeVerifyingKey(out: Writer, key: VerifyingKey): void {
  out.u8(key.algorithm).byteString(key.data);
}

export function writeConnectionInfo(out: Writer, info: ConnectionInfo): void {
  out.u64(info.time).variant(info.tlsVersion).u32(info.sentLength).u32(info.receivedLength);
}

export function writeEphemeralKey(out: Writer, key: EphemeralKey): void {
  out.variant(ONLY_VARIANT).byteString(key);
}

export function writeExtension(out: Writer, extension: Extension): void {
  out.byteString(extension.id).byteString(extension.value);
}

export function writeTranscriptCommitment(out: Writer, commitment: TranscriptCommitment): void {
  if (commitment.kind === 'encoding') {
    out.variant(0);
    writeTypedHash(out, commitment.root);
    out.raw(commitment.seed).raw(commitment.delta);
    return;
  }
  out.variant(1);
  writeDirection(out, commitment.direction);
  writeRanges(out, commitment.ranges);
  writeTypedHash(out, commitment.hash);
}

export function writeCertificateOpening(out: Writer, opening: CertificateOpening): void {
  out.list(opening.certificates, (certificate) => out.byteString(certificate));
  out.variant(opening.scheme).byteString(opening.signature);
  out.variant(ONLY_VARIANT).raw(opening.clientRandom).raw(opening.serverRandom);
  writeEphemeralKey(out, opening.serverEphemeralKey);
  out.raw(opening.blinder);
}

export function writeHeader(out: Writer, header: AttestationHeader): void {
  out.raw(header.id).u32(header.version);
  writeTypedHash(out, header.root);
}
