/**
 * Blind notaries for Credence: sessions of MPC-TLS, in which the notary takes part in a TLS connection without seeing its plaintext.
 * `blindNotary` is a plugin of an instance that is a notary. `mpcNotary` is a notary of an instance that proves with such a one.
 */
import {
  ConfigurationError,
  ContainerModule,
  type CredencePlugin,
  checkOptions,
  type Late,
  late,
  type NotaryAdapter,
  named,
  packageVersion,
  provide,
  TOKENS,
  token,
} from 'credence/kit';
import type { NotarizeRequest, WebProof } from 'credence/ports';
import type { BlindNotary } from './notary/blind-notary.ts';
import { type BlindNotaryOptions, blindNotaryOptions, type MpcNotaryOptions, mpcNotaryOptions } from './options.ts';
import type { BlindProveOptions } from './prover/one-proof.ts';
import { createNotarySessionRoutes } from './routes/notary-sessions.ts';
import { createStockProverRoutes } from './routes/stock-provers.ts';
import { acceptSessions, STOCK_BASES } from './session-upgrades.ts';

export type { MpcProver, MpcVerifier } from './mpc-tls.ts';
export type { BlindNotaryOptions, MpcNotaryOptions } from './options.ts';
export type { BlindProveOptions } from './prover/one-proof.ts';
export type { BlindProgress } from './prover/prove-blind.ts';

/**
 * A blind notary that somebody else runs, as a value: `createCredence({ notary: mpcNotary({ url, token, fingerprint }) })`, or one of
 * `remoteNotaries`. The request is made by this instance together with the notary, which never has what a proof hides.
 * @throws ConfigurationError naming every unusable option
 */
export function mpcNotary(options: MpcNotaryOptions): NotaryAdapter {
  const settings = checkOptions('mpcNotary', mpcNotaryOptions.strict(), options);
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

const BLIND_NOTARY = token<Late<BlindNotary>>('blind-notary');

/**
 * Sessions of a blind notary, for the service `notary`: provers make their requests themselves, by MPC-TLS with this notary. It never
 * has what a proof hides. They are joined over WebSockets, so call `credence.attach(server)`.
 *
 *     createCredence({ services: ['notary'], plugins: [blindNotary({ concurrency: 2 })] });
 *
 * @throws ConfigurationError naming every unusable option
 */
export function blindNotary(options: BlindNotaryOptions = {}): CredencePlugin {
  const settings = checkOptions('blindNotary', blindNotaryOptions, options);
  const { stockProvers } = settings;
  const sessions = new ContainerModule((container) => {
    provide(container, BLIND_NOTARY, named('resolve', 'clock', 'random', 'logger'), ({ resolve, ...parts }) =>
      late(async () => {
        const [{ createBlindNotary }, key, certificates, decoder] = await Promise.all([
          import('./notary/blind-notary.ts'),
          resolve(TOKENS.notaryKey),
          resolve(TOKENS.certificateChecker),
          resolve(TOKENS.contentDecoder),
        ]);
        return createBlindNotary(settings, { ...parts, key, certificates, decoder });
      }),
    );
    provide(container, TOKENS.closeable, { blind: BLIND_NOTARY }, ({ blind }) => ({
      close: async () => (await blind.ifMade())?.close(),
    }));
    provide(container, TOKENS.metrics, { blind: BLIND_NOTARY }, ({ blind }) => {
      return async () => (await blind.ifMade())?.metrics() ?? '';
    });
    provide(
      container,
      TOKENS.attach,
      { blind: BLIND_NOTARY, ...named('authenticate', 'limiter', 'logger') },
      ({ blind, ...deps }) =>
        (server, { prefix, identify } = {}) =>
          acceptSessions(server, { ...deps, notary: blind, prefix, identify }),
    );
    provide(
      container,
      TOKENS.routes,
      { blind: BLIND_NOTARY, ...named('config', 'resolve') },
      ({ config, blind, resolve }) => {
        if (!config.services.includes('notary')) throw withoutService();
        const routes = createNotarySessionRoutes({ blind });
        if (stockProvers === 'off') return routes;
        const stock = {
          blind,
          provers: stockProvers,
          async publicKey() {
            const { publicKeyPem } = await import('credence/adapters/local-notary');
            return publicKeyPem((await resolve(TOKENS.notaryKey)).publicKey);
          },
          build: `credence/${packageVersion()}`,
        };
        // Provers of TLSNotary are told an address, with the version behind it or without.
        return [...routes, ...STOCK_BASES.flatMap((base) => createStockProverRoutes({ ...stock, base }))];
      },
    );
  });
  return { name: 'blind-notary', modules: [sessions] };
}

function withoutService(): ConfigurationError {
  const message = 'needs the service `notary`: add it to `services`, or leave blindNotary() out';
  return new ConfigurationError(`plugins: blindNotary() ${message}`, { issues: [{ field: 'blindNotary', message }] });
}
