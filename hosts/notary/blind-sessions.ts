/** The sessions that a notary offers to provers who hide from it, as its variables say. */
import { type BlindNotary, type BlindNotaryOptions, createBlindNotary } from '../../adapters/blind-notary/index.ts';
import { createMpcVerifier, createStockVerifier } from '../../adapters/mpc-engine/index.ts';
import { isInstalled, missingPackage } from '../../adapters/package-loader/index.ts';
import type { MpcVerifier } from '../../core/ports/mpc-tls.ts';
import { PHASE_LIMITS } from '../../core/web-proof/blind/blind-phase.ts';
import { EnvironmentError } from '../standalone/environment-values.ts';
import type { NotaryEnvironment } from './environment.ts';

/** Parts that tests put in the place of the real ones. */
export interface MpcParts {
  /** @default TLSNotary's, one process for each session */
  readonly mpcVerifier?: MpcVerifier;
  /** @default TLSNotary's of 0.1.0-alpha.12, one process for each session */
  readonly stockVerifier?: MpcVerifier;
}

const BLIND_PACKAGES = ['@csfloat/tlsn-wasm', 'ws'] as const;

/**
 * The notary of the sessions, or why there is none: the operator wants none, or has not installed what it needs.
 * @throws EnvironmentError if the operator asks for what is not installed
 */
export function createBlindSessions(
  environment: NotaryEnvironment,
  { mpcVerifier, stockVerifier }: MpcParts,
  deps: Omit<BlindNotaryOptions, 'verifier' | 'stockVerifier'>,
): BlindNotary | string {
  const { MPC_SESSIONS: sessions, MPC_READY_SESSIONS: ready, MPC_MEMORY_MIB: memoryMiB } = environment;
  if (sessions === 0) return 'This notary offers no blind sessions: its operator has set MPC_SESSIONS to 0.';
  const missing = BLIND_PACKAGES.find((name) => !isInstalled(name));
  if (missing !== undefined) {
    const reason = missingPackage(missing, 'A blind notary');
    // Asked for by its own variable, it has to be there.
    if (sessions !== undefined) throw new EnvironmentError(`MPC_SESSIONS: ${reason}`);
    return `This notary offers no blind sessions. ${reason}`;
  }
  return createBlindNotary({
    ...deps,
    verifier: mpcVerifier ?? createMpcVerifier({ memoryMiB, ready }),
    stockVerifier: offersStock(environment) ? (stockVerifier ?? createStockVerifier({ memoryMiB })) : undefined,
    concurrency: sessions,
    maxSentData: environment.MPC_MAX_SENT_DATA,
    maxRecvData: environment.MPC_MAX_RECV_DATA,
    phases: { ...PHASE_LIMITS, ready: environment.MPC_READY_SECONDS * 1_000 },
  });
}

function offersStock({ TLSN_PROVERS: who }: NotaryEnvironment): boolean {
  if (who === 'off') return false;
  if (isInstalled('tlsn-wasm')) return true;
  if (who === 'token') return false;
  throw new EnvironmentError(`TLSN_PROVERS: ${missingPackage('tlsn-wasm', 'A notary for provers of TLSNotary')}`);
}
