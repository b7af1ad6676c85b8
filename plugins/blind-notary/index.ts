/**
 * Blind notaries for Credence: sessions of MPC-TLS, in which the notary takes part in a TLS connection without seeing its plaintext.
 * `blindNotary` is a plugin of an instance that is a notary. `mpcNotary` is a notary of an instance that proves with such a one.
 */
import { checkOptions, type NotaryAdapter } from 'credence/kit';
import type { NotarizeRequest, WebProof } from 'credence/ports';
import { type MpcNotaryOptions, mpcNotaryOptions } from './options.ts';
import type { BlindProveOptions } from './prover/one-proof.ts';

export type { MpcProver, MpcVerifier } from './mpc-tls.ts';
export type { BlindNotaryOptions, MpcNotaryOptions } from './options.ts';
export { blindNotary } from './plugin.ts';
export type { BlindProveOptions } from './prover/one-proof.ts';
export type { BlindProgress } from './prover/prove-blind.ts';

/**
 * A blind notary that somebody else runs, as a value: `createCredence({ notary: mpcNotary({ url, token, fingerprint }) })`, or one of
 * `remoteNotaries`. The request is made by this instance together with the notary, which never has what a proof hides.
 * @throws ConfigurationError naming every unusable option
 */
export function mpcNotary(options: MpcNotaryOptions): NotaryAdapter {
  const settings = checkOptions('mpcNotary', mpcNotaryOptions, options);
  return {
    async create(context) {
      const { createMpcNotary } = await import('./prover/mpc-notary.ts');
      return createMpcNotary(settings, {
        ...context,
        onProgress: (progress) =>
          context.logger.info({ notaryUrl: settings.url, ...progress }, 'a blind proof is being made'),
      });
    },
  };
}

/** See `BlindProveOptions`: makes one proof, without an instance. */
export async function proveBlind(request: NotarizeRequest, options: BlindProveOptions): Promise<WebProof> {
  const made = await import('./prover/one-proof.ts');
  return made.proveBlind(request, options);
}
