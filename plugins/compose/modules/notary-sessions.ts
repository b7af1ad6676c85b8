/** The blind sessions of the embedded notary, for provers of Credence and stock ones. The parts are loaded by the first session. */
import { ContainerModule } from 'inversify';
import { createNotarySessionRoutes } from '../../http/routes/notary-sessions.ts';
import { createStockProverRoutes } from '../../http/routes/stock-provers.ts';
import { acceptSessions, STOCK_BASES } from '../../http/session-upgrades.ts';
import { later, provide, provideLate } from '../token.ts';
import { PARTS, TOKENS } from '../tokens.ts';
import { packageVersion } from '../version.ts';

const load = () => import('../blind-parts.ts');

export const notarySessionsModule = new ContainerModule((options) => {
  provideLate(options, TOKENS.mpcVerifier, { config: TOKENS.config }, async ({ config }) =>
    (await load()).makeMpcVerifier(config),
  );
  provideLate(options, TOKENS.stockMpcVerifier, { config: TOKENS.config }, async ({ config }) =>
    (await load()).makeStockVerifier(config),
  );
  provideLate(
    options,
    PARTS.blindNotary,
    {
      config: TOKENS.config,
      key: TOKENS.notaryKey,
      verifier: TOKENS.mpcVerifier,
      stock: later({ verifier: TOKENS.stockMpcVerifier }),
      certificates: TOKENS.certificateChecker,
      decoder: TOKENS.contentDecoder,
      clock: TOKENS.clock,
      random: TOKENS.random,
      logger: TOKENS.logger,
      telemetry: TOKENS.telemetry,
    },
    async ({ stock, ...parts }) => {
      const offersStock = parts.config.notary.sessions?.stockProvers !== 'off';
      const stockVerifier = offersStock ? (await stock()).verifier : undefined;
      return (await load()).makeBlindNotary({ ...parts, stockVerifier });
    },
  );
  provide(options, PARTS.notarySessions, { parts: later({ blind: PARTS.blindNotary }) }, ({ parts }) => parts);
  provide(options, TOKENS.closeable, { parts: PARTS.notarySessions }, ({ parts }) => ({
    close: async () => (await parts.ifMade())?.blind.close(),
  }));
  provide(options, TOKENS.routes, { parts: PARTS.notarySessions }, ({ parts }) =>
    createNotarySessionRoutes({ blind: async () => (await parts()).blind }),
  );
  provide(
    options,
    TOKENS.attach,
    {
      parts: PARTS.notarySessions,
      authenticate: PARTS.authenticate,
      limiter: TOKENS.rateLimiter,
      logger: TOKENS.logger,
    },
    ({ parts, ...deps }) =>
      (server, { prefix, identify } = {}) =>
        acceptSessions(server, { ...deps, notary: async () => (await parts()).blind, prefix, identify }),
  );
  provide(
    options,
    TOKENS.routes,
    {
      config: TOKENS.config,
      parts: PARTS.notarySessions,
      keys: later({ key: TOKENS.notaryKey }),
    },
    ({ config, parts, keys }) => {
      const provers = config.notary.sessions?.stockProvers ?? 'off';
      if (provers === 'off') return [];
      return STOCK_BASES.flatMap((base) =>
        createStockProverRoutes({
          base,
          blind: async () => (await parts()).blind,
          provers,
          publicKey: async () => (await load()).publicKeyPem((await keys()).key.publicKey),
          build: `credence/${packageVersion()}`,
        }),
      );
    },
  );
});
