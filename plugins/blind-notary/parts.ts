/** Makes the blind notary of an instance. Loaded by its first session. */
import { hexToBytes } from '@noble/hashes/utils.js';
import { createSecp256k1Signer, createValuesExtensions, createValuesSigner } from 'credence/kit/notaries';
import type { CertificateChecker, Clock, ContentDecoder, Logger, NotaryKey, RandomSource } from 'credence/ports';
import { createMpcVerifier } from './engine/engine.ts';
import { engineFiles } from './engine/package-files.ts';
import { createBlindFigures } from './figures.ts';
import { type BlindNotary, createBlindNotary } from './notary/blind-notary.ts';
import type { BlindNotarySettings } from './options.ts';

/** What an instance has of a blind notary. */
export interface BlindParts {
  readonly notary: BlindNotary;
  /** Figures in the text format of Prometheus. */
  metrics(): string;
}

export function makeBlindParts(
  settings: BlindNotarySettings,
  {
    key,
    ...parts
  }: {
    readonly key: NotaryKey;
    readonly certificates: CertificateChecker;
    readonly decoder: ContentDecoder;
    readonly clock: Clock;
    readonly random: RandomSource;
    readonly logger: Logger;
  },
): BlindParts {
  const { memoryMiB, stockProvers } = settings;
  const figures = createBlindFigures();
  const { verifier = createMpcVerifier({ memoryMiB }) } = settings;
  const { stockVerifier = createMpcVerifier({ memoryMiB }, () => engineFiles('tlsn-wasm')) } = settings;
  const notary = createBlindNotary({
    ...parts,
    settings,
    verifier,
    stockVerifier: stockProvers === 'off' ? undefined : stockVerifier,
    signer: createSecp256k1Signer(key.secretKey),
    fingerprint: hexToBytes(key.fingerprint),
    attestationExtensions: createValuesExtensions(createValuesSigner(key.secretKey), parts.random),
    // Figures only: nothing of what was sent or received.
    onSession(session) {
      parts.logger.info({ session }, 'a blind session has ended');
      figures.ended(session);
    },
  });
  return { notary, metrics: () => figures.text(notary.taken) };
}
