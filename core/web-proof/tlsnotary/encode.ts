import type { Attestation } from './attestation.ts';
import type { Field, MerkleProof, Presentation, RevealedSide, TranscriptProof } from './presentation.ts';
import {
  writeCertificateOpening,
  writeConnectionInfo,
  writeDirection,
  writeEphemeralKey,
  writeExtension,
  writeHeader,
  writeRanges,
  writeTranscriptCommitment,
  writeTypedHash,
  writeVerifyingKey,
} from './structures.ts';
import { Writer } from './writer.ts';

/**
 * The bytes of a presentation (bincode). The inverse of `decodePresentation`: for all that it accepts,
 * `encodePresentation(decodePresentation(bytes))` gives the same bytes. Checks nothing.
 */
export function encodePresentation(presentation: Presentation): Uint8Array {
  const out = new Writer('bincode');
  writeAttestation(out, presentation);
  writeMerkleProof(out, presentation.bodyProof);
  out.option(presentation.identity, ({ name, opening }) => {
    out.byteString(new TextEncoder().encode(name));
    writeCertificateOpening(out, opening);
  });
  out.option(presentation.transcript, (transcript) => writeTranscript(out, transcript));
  return out.bytes();
}

/** The bytes of an attestation (bincode), as a notary hands it to a prover. */
export function encodeAttestation(attestation: Attestation): Uint8Array {
  const out = new Writer('bincode');
  writeAttestation(out, attestation);
  return out.bytes();
}

function writeAttestation(out: Writer, { signature, header, body }: Attestation): void {
  out.u8(signature.algorithm).byteString(signature.data);
  writeHeader(out, header);
  writeField(out, body.verifyingKey, writeVerifyingKey);
  writeField(out, body.connectionInfo, writeConnectionInfo);
  writeField(out, body.serverEphemeralKey, writeEphemeralKey);
  writeField(out, body.certificateCommitment, writeTypedHash);
  out.list(body.extensions, (field) => writeField(out, field, writeExtension));
  out.list(body.transcriptCommitments, (field) => writeField(out, field, writeTranscriptCommitment));
}

function writeField<T>(out: Writer, field: Field<T>, write: (out: Writer, value: T) => void): void {
  out.u32(field.id);
  write(out, field.value);
}

function writeMerkleProof(out: Writer, proof: MerkleProof): void {
  out.u8(proof.algorithm).u64(proof.leafCount);
  out.list(proof.hashes, (hash) => out.byteString(hash));
}

function writeTranscript(out: Writer, transcript: TranscriptProof): void {
  const sides: readonly RevealedSide[] = [transcript.sent, transcript.received];
  for (const side of sides) out.byteString(side.bytes);
  for (const side of sides) writeRanges(out, side.ranges);
  for (const side of sides) out.u64(side.total);
  out.option(transcript.encodingProof, ({ proof, openings }) => {
    writeMerkleProof(out, proof);
    out.list(openings, (opening) => {
      out.u64(opening.leaf);
      writeDirection(out, opening.direction);
      writeRanges(out, opening.ranges);
      out.raw(opening.blinder);
    });
  });
  out.list(transcript.hashOpenings, (opening) => {
    writeDirection(out, opening.direction);
    writeRanges(out, opening.ranges);
    out.u8(opening.algorithm).raw(opening.blinder);
  });
}
