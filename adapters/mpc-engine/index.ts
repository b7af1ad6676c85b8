/**
 * Prover and verifier of MPC-TLS: TLSNotary's own, from `@csfloat/tlsn-wasm` 0.1.0-alpha.14, one process for each session; for stock
 * provers the verifier of `tlsn-wasm` 0.1.0-alpha.12. A package is loaded by its first session only.
 */
import type { MpcProver, MpcVerifier } from '../../core/ports/mpc-tls.ts';
import { createEngineProver, createEngineVerifier } from './engine.ts';
import type { MpcEngineOptions } from './options.ts';
import { engineFiles } from './package-files.ts';

export { EngineError } from './engine-handle.ts';
export { type MpcEngineOptions, mpcEngineOptions } from './options.ts';
export { UnknownEngineError } from './package-files.ts';

/** The verifier that a blind notary runs. @throws ZodError for options out of range */
export function createMpcVerifier(options: MpcEngineOptions = {}): MpcVerifier {
  return createEngineVerifier(options, () => engineFiles());
}

/** The verifier for stock provers of TLSNotary 0.1.0-alpha.12. @throws ZodError for options out of range */
export function createStockVerifier(options: MpcEngineOptions = {}): MpcVerifier {
  return createEngineVerifier(options, () => engineFiles('tlsn-wasm'));
}

/** The prover that a client of a blind notary runs. @throws ZodError for options out of range */
export function createMpcProver(options: MpcEngineOptions = {}): MpcProver {
  return createEngineProver(options, () => engineFiles());
}
