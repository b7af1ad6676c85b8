/** Makes the blind notary of an instance. Loaded by its first session. */
import { hexToBytes } from '@noble/hashes/utils.js';
import { type BlindNotary, createBlindNotary } from '../../adapters/blind-notary/index.ts';
import type { NotaryKey } from '../../adapters/local-notary/index.ts';
import { createMpcVerifier, createStockVerifier } from '../../adapters/mpc-engine/index.ts';
import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ContentDecoder } from '../../core/ports/content-decoder.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { MpcVerifier } from '../../core/ports/mpc-tls.ts';
import type { RandomSource } from '../../core/ports/random-source.ts';
import type { Telemetry } from '../../core/ports/telemetry.ts';
import { createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import { PHASE_LIMITS } from '../../core/web-proof/blind/blind-phase.ts';
import { createSecp256k1Signer } from '../../core/web-proof/tlsnotary/attestation-signer.ts';
import type { ResolvedConfig } from './config.ts';

export { publicKeyPem } from '../../adapters/local-notary/notary-key.ts';

/** TLSNotary's verifier, one process for each session. */
export function makeMpcVerifier({ notary: { sessions } }: ResolvedConfig): MpcVerifier {
  return createMpcVerifier({ memoryMiB: sessions?.memoryMiB, ready: sessions?.ready });
}

/** TLSNotary's verifier of 0.1.0-alpha.12, one process for each session. */
export function makeStockVerifier({ notary: { sessions } }: ResolvedConfig): MpcVerifier {
  return createStockVerifier({ memoryMiB: sessions?.memoryMiB });
}

export function makeBlindNotary(parts: {
  readonly config: ResolvedConfig;
  readonly key: NotaryKey;
  readonly verifier: MpcVerifier;
  readonly stockVerifier: MpcVerifier | undefined;
  readonly certificates: CertificateChecker;
  readonly decoder: ContentDecoder;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
}): BlindNotary {
  const { config, key, telemetry, ...rest } = parts;
  const { logger, random } = rest;
  const { concurrency, maxSentData, maxRecvData, readySeconds } = config.notary.sessions ?? {};
  return createBlindNotary({
    ...rest,
    concurrency,
    maxSentData,
    maxRecvData,
    ...(readySeconds !== undefined && { phases: { ...PHASE_LIMITS, ready: readySeconds * 1_000 } }),
    signer: createSecp256k1Signer(key.secretKey),
    fingerprint: hexToBytes(key.fingerprint),
    attestationExtensions: createValuesExtensions(createValuesSigner(key.secretKey), random),
    // Figures only: nothing of what was sent or received.
    onSession(session) {
      logger.info({ session }, 'a blind session has ended');
      telemetry.blindSessionEnded(session);
    },
  });
}
