/** What plugins about web proofs import besides the kit: cryptography and codecs, which other plugins do not wait for. */
export type { OpenedAttestation } from '../../core/web-proof/attested-values/attestation.ts';
export { GROUP_SIZE, type LeafOpening } from '../../core/web-proof/attested-values/commitment-tree.ts';
export { requestCommitment, valueCommitment } from '../../core/web-proof/attested-values/commitments.ts';
export { NO_WORD, sealSelector } from '../../core/web-proof/attested-values/program.ts';
export { VALUE_KINDS } from '../../core/web-proof/extraction/journal-value.ts';
