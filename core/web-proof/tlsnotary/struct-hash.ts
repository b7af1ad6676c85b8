import { blake3 } from './blake3.ts';
import { hashFunction } from './hash-algorithms.ts';
import type { AttestationBody, AttestationHeader, CertificateOpening } from './presentation.ts';
import {
  writeCertificateOpening,
  writeConnectionInfo,
  writeEphemeralKey,
  writeExtension,
  writeHeader,
  writeTranscriptCommitment,
  writeTypedHash,
  writeVerifyingKey,
} from './structures.ts';
import { Writer } from './writer.ts';

/** First 16 bytes of BLAKE3 of the type's name: hashes of different structures never mean the same thing. */
export function typeId(name: string): Uint8Array {
  return blake3(new TextEncoder().encode(name)).subarray(0, 16);
}

const TYPE_ID = {
  verifyingKey: typeId('VerifyingKey'),
  connectionInfo: typeId('ConnectionInfo'),
  serverEphemeralKey: typeId('ServerEphemKey'),
  certificateCommitment: typeId('ServerCertCommitment'),
  extension: typeId('Extension'),
  transcriptCommitment: typeId('TranscriptCommitment'),
  certificateOpening: typeId('ServerCertOpening'),
} as const;

/**
 * Hash of a structure: the algorithm over type id and BCS bytes.
 * @throws RangeError for a hash number that nobody assigned; callers check the number first.
 */
function structHash<T>(
  algorithm: number,
  id: Uint8Array,
  write: (out: Writer, value: T) => void,
  value: T,
): Uint8Array {
  const hash = hashFunction(algorithm);
  if (hash === undefined) throw new RangeError(`Hash algorithm ${algorithm} is not known`);
  const out = new Writer('bcs').raw(id);
  write(out, value);
  return hash(out.bytes());
}

/** The value of the certificate commitment that the opening belongs to. */
export function certificateOpeningHash(algorithm: number, opening: CertificateOpening): Uint8Array {
  return structHash(algorithm, TYPE_ID.certificateOpening, writeCertificateOpening, opening);
}

/** The leaves of the body's Merkle tree, in the order of the field ids. */
export function bodyLeaves(algorithm: number, body: AttestationBody): Uint8Array[] {
  return [
    structHash(algorithm, TYPE_ID.verifyingKey, writeVerifyingKey, body.verifyingKey.value),
    structHash(algorithm, TYPE_ID.connectionInfo, writeConnectionInfo, body.connectionInfo.value),
    structHash(algorithm, TYPE_ID.serverEphemeralKey, writeEphemeralKey, body.serverEphemeralKey.value),
    structHash(algorithm, TYPE_ID.certificateCommitment, writeTypedHash, body.certificateCommitment.value),
    ...body.extensions.map((field) => structHash(algorithm, TYPE_ID.extension, writeExtension, field.value)),
    ...body.transcriptCommitments.map((field) =>
      structHash(algorithm, TYPE_ID.transcriptCommitment, writeTranscriptCommitment, field.value),
    ),
  ];
}

/** The 54 bytes that the notary signs. */
export function signedHeader(header: AttestationHeader): Uint8Array {
  const out = new Writer('bcs');
  writeHeader(out, header);
  return out.bytes();
}
