/** Web proofs: the embedded notary, remote ones, proving and verifying. The parts are loaded by the first request. */

import { createJmespathEvaluator } from '../../../adapters/jmespath-worker/index.ts';
import { late } from '../../../core/late.ts';
import { createNotaryChoice, createProve } from '../../../core/web-proof/prove.ts';
import { createVerifyBatch } from '../../../core/web-proof/verify-batch.ts';
import { createNotaryRoutes } from '../../http/routes/notary.ts';
import { createWebProofCallbackRoutes } from '../../http/routes/web-proof-callback.ts';
import { createWebProverRoutes } from '../../http/routes/web-prover.ts';
import type { ResolvedConfig } from '../config.ts';
import { ContainerModule } from '../container.ts';
import { observedProve } from '../observed.ts';
import { provide, provideLate } from '../token.ts';
import { named, PARTS, TOKENS } from '../tokens.ts';

/** With cryptography and certificates: loaded by the first instance that needs a part. */
const webProofParts = () => import('../web-proof-parts.ts');

/** With another notary in place of the embedded one, only seals need the key: they are signed for notaries that this host trusts. */
const usesOwnKey = ({ adapters, services }: ResolvedConfig) =>
  adapters.notary === undefined || services.includes('zk-prover');

export const webProofModule = new ContainerModule((options) => {
  provideLate(options, TOKENS.certificateChecker, named('config'), async ({ config }) =>
    (await webProofParts()).makeCertificateChecker(config),
  );
  provideLate(options, TOKENS.contentDecoder, {}, async () => (await webProofParts()).makeContentDecoder());
  provideLate(options, TOKENS.notaryKey, named('config', 'logger'), async ({ config: { notary }, logger }) => {
    const { freshNotaryKey, loadNotaryKey, notaryKey } = await import('../../../adapters/local-notary/notary-key.ts');
    if ('secret' in notary.key) return notaryKey(notary.key.secret);
    if ('file' in notary.key) return loadNotaryKey(notary.key.file);
    logger.warn(
      {},
      'the storage is in memory, so the key of the notary is kept nowhere: set NOTARY_KEY_FILE to keep it',
    );
    return freshNotaryKey();
  });
  provideLate(
    options,
    TOKENS.trustedNotaries,
    named('config', 'resolve', 'logger'),
    async ({ config, resolve, logger }) => {
      const key = usesOwnKey(config) ? await resolve(TOKENS.notaryKey) : undefined;
      return (await webProofParts()).makeTrustedNotaries(config, key, logger);
    },
  );
  provideLate(options, PARTS.verifyWebProof, named('trustedNotaries', 'certificates', 'decoder'), async (parts) =>
    (await webProofParts()).makeVerifyWebProof(parts),
  );
  provideLate(
    options,
    PARTS.transcripts,
    named('config', 'certificates', 'decoder', 'trustedNotaries', 'verifyWebProof'),
    async (parts) => (await webProofParts()).makeTranscripts(parts),
  );
  provide(options, TOKENS.queryEvaluator, {}, () => createJmespathEvaluator());
  provideLate(
    options,
    TOKENS.localNotary,
    named('config', 'transcripts', 'key', 'guard', 'certificates', 'decoder', 'evaluator', 'clock', 'random'),
    async (parts) => (await webProofParts()).makeLocalNotary(parts),
  );
  provideLate(
    options,
    TOKENS.notaries,
    {
      ...named('config', 'resolve', 'guard', 'certificates', 'decoder', 'clock', 'random', 'logger'),
      verify: PARTS.verifyWebProof,
    },
    async ({ config, resolve, ...context }) =>
      (await webProofParts()).makeNotaries(config, () => resolve(TOKENS.localNotary), context),
  );
  provide(options, PARTS.webProofs, named('resolve'), ({ resolve }) =>
    late(async () => {
      const [notaries, transcripts, evaluator] = await Promise.all([
        resolve(TOKENS.notaries),
        resolve(PARTS.transcripts),
        resolve(TOKENS.queryEvaluator),
      ]);
      return { notaries, transcripts, evaluator };
    }),
  );
  // A bad key file stops the start; the rest is loaded by the first request.
  provide(
    options,
    PARTS.openedAtStart,
    named('config', 'resolve'),
    ({ config, resolve }) =>
      async () =>
        usesOwnKey(config) && resolve(TOKENS.notaryKey),
  );
  provide(options, TOKENS.closeable, named('webProofs'), ({ webProofs }) => ({
    close: async () => {
      const made = await webProofs.ifMade();
      if (made === undefined) return;
      const { notaries, evaluator, transcripts } = made;
      await Promise.all([...notaries, evaluator, transcripts].map((part) => part.close()));
    },
  }));
});

export const webProverModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.routes,
    named('access', 'telemetry', 'webProofs'),
    ({ access: { usage }, telemetry, webProofs }) =>
      createWebProverRoutes({
        usage,
        useCases: late(async () => {
          const { notaries, transcripts } = await webProofs();
          return {
            prove: observedProve(createProve({ notaries }), telemetry),
            notaryOf: createNotaryChoice({ notaries }),
            verifyBatch: createVerifyBatch({ transcripts }),
            transcripts,
          };
        }),
      }),
  );
});

export const notaryModule = new ContainerModule((options) => {
  provide(options, TOKENS.routes, named('resolve'), ({ resolve }) =>
    createNotaryRoutes({ notary: () => resolve(TOKENS.localNotary) }),
  );
});

/** Where proofs meet engagement: linking an account by a proof of its profile. */
export const webProofCallbackModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.engagementRoutes,
    named('config', 'storage', 'platforms', 'clock', 'relay', 'webProofs'),
    ({ config: { webProofCallback }, webProofs, ...deps }) => {
      const accept = late(async () => {
        const [{ acceptWebProof }, { createVerifyInTurn }, { transcripts }] = await Promise.all([
          import('../../../core/engagement/connections/accept-web-proof.ts'),
          import('../../../core/web-proof/transcribe.ts'),
          webProofs(),
        ]);
        return acceptWebProof({ ...deps, verify: createVerifyInTurn(transcripts) });
      });
      return createWebProofCallbackRoutes({
        acceptWebProof: async (...args) => (await accept())(...args),
        secret: webProofCallback.secret,
        clock: deps.clock,
      });
    },
  );
});
