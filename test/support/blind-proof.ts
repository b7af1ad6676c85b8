/** Proofs of a blind notary without MPC: what the verifier reports is given, and Credence's own notary signs it. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { notaryKeyFingerprint } from '../../core/web-proof/tlsnotary/verify-attestation.ts';
import { PHASE_LIMITS } from '../../plugins/blind-notary/blind-phase.ts';
import { createNotarizeBlind } from '../../plugins/blind-notary/notary/notarize-blind.ts';
import { makeHandshake, testSigner, type WholeProofSpec } from './proof-builder.ts';
import type { IssuedCertificate } from './test-ca.ts';

interface BlindProofSpec extends Omit<WholeProofSpec, 'seed' | 'time'> {
  /** What the leaf chains to. */
  readonly root: IssuedCertificate;
  /** Is hidden where it first stands, in the request or the answer. */
  readonly hidden: string;
}

/** The web proof, as it travels. @throws DomainError if the notary would not sign the session */
export async function blindProof(spec: BlindProofSpec) {
  const { root, leaf, serverName, hidden } = spec;
  const time = Math.floor(Date.now() / 1000);
  const notarize = createNotarizeBlind({
    signer: testSigner,
    fingerprint: hexToBytes(notaryKeyFingerprint(testSigner.verifyingKey)),
    certificates: createX509CertificateChecker({ extraRoots: [root.pem], nodeRoots: false }),
    decoder: createZlibContentDecoder(),
    clock: { now: () => new Date(time * 1000) },
    random: systemRandom,
    attestationExtensions: () => [],
    phases: PHASE_LIMITS,
  });
  const output = { serverName, time, sent: shown(spec.sent, hidden), received: shown(spec.received, hidden) };
  const presentation = await notarize(
    {
      limits: { maxSentData: 1_024, maxRecvData: 4_096 },
      verifier: { verify: async () => output, close: async () => {} },
      channel: { incoming: (async function* () {})(), send: async () => {}, end: async () => {} },
      begins: async () => {},
      handshake: Promise.resolve(makeHandshake(leaf.privateKey, [leaf.der], (length) => systemRandom.bytes(length))),
    },
    new AbortController().signal,
    () => {},
  );
  return {
    data: bytesToHex(presentation),
    version: '0.1.0-alpha.12' as const,
    meta: { notaryUrl: 'https://notary.test/v0.1.0-alpha.12' },
  };
}

function shown(bytes: Uint8Array, hidden: string) {
  const start = Buffer.from(bytes).indexOf(hidden);
  const end = start + hidden.length;
  const whole = [{ start: 0, end: bytes.length }];
  const around = [
    { start: 0, end: start },
    { start: end, end: bytes.length },
  ];
  return { bytes, revealed: start === -1 ? whole : around };
}
