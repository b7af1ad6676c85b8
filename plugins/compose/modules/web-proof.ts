/** Web proofs: the embedded notary, remote ones, proving and verifying. */
import { ContainerModule } from 'inversify';
import { createHttpNotary } from '../../../adapters/http-notary/index.ts';
import { createJmespathEvaluator } from '../../../adapters/jmespath-worker/index.ts';
import { createLocalNotary, loadNotaryKey, notaryKey } from '../../../adapters/local-notary/index.ts';
import { createNodeSignatureVerifier } from '../../../adapters/node-signatures/index.ts';
import { createTrustedNotariesFile } from '../../../adapters/trusted-notaries-file/index.ts';
import { createVerificationWorkers, type VerificationSettings } from '../../../adapters/verification-worker/index.ts';
import { createX509CertificateChecker } from '../../../adapters/x509/index.ts';
import { createZlibContentDecoder } from '../../../adapters/zlib-decoder/index.ts';
import { acceptWebProof } from '../../../core/engagement/connections/accept-web-proof.ts';
import type { Notary } from '../../../core/ports/notary.ts';
import {
  createAttestQueries,
  createValuesExtensions,
} from '../../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../../core/web-proof/attested-values/values-key.ts';
import { createProve } from '../../../core/web-proof/prove.ts';
import { createTranscriptsInProcess, createVerifyInTurn } from '../../../core/web-proof/transcribe.ts';
import { createTrustedNotaries, type TrustedNotaries } from '../../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof, type VerifyWebProof } from '../../../core/web-proof/verify.ts';
import { createVerifyBatch } from '../../../core/web-proof/verify-batch.ts';
import { createNotaryRoutes } from '../../http/routes/notary.ts';
import { createWebProofCallbackRoutes } from '../../http/routes/web-proof-callback.ts';
import { createWebProverRoutes } from '../../http/routes/web-prover.ts';
import { observedProve } from '../observed.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';

/** What the embedded notary is called when nothing says where it can be reached. */
const UNNAMED_NOTARY = 'https://notary.invalid';

/** Parts that a thread can make for itself; one that a user has put in their place stays in this thread. */
const OURS = new WeakSet<object>();
/** What a thread needs to verify as these do. */
const THREADED = new WeakMap<VerifyWebProof, VerificationSettings>();

function ours<T extends object>(part: T): T {
  OURS.add(part);
  return part;
}

/** The parts; nothing is made or read before a route needs it. */
export const webProofModule = new ContainerModule((options) => {
  provide(options, TOKENS.certificateChecker, { config: TOKENS.config }, ({ config: { extraRoots } }) =>
    ours(createX509CertificateChecker({ extraRoots })),
  );
  provide(options, TOKENS.contentDecoder, {}, () => ours(createZlibContentDecoder()));
  provide(
    options,
    TOKENS.notaryKey,
    { config: TOKENS.config },
    ({
      config: {
        notary: { key },
      },
    }) => ('secret' in key ? notaryKey(key.secret) : loadNotaryKey(key.file)),
  );
  provide(
    options,
    TOKENS.trustedNotaries,
    { config: TOKENS.config, notaryKey: TOKENS.notaryKey, logger: TOKENS.logger },
    ({ config, notaryKey: { fingerprint }, logger }): TrustedNotaries => {
      const fixed = createTrustedNotaries([{ fingerprint }, ...config.trustedNotaries]);
      if (config.trustedNotariesFile === undefined) return fixed;
      const inFile = createTrustedNotariesFile({ path: config.trustedNotariesFile, logger });
      return { isTrusted: (key, time) => fixed.isTrusted(key, time) || inFile.isTrusted(key, time) };
    },
  );
  provide(
    options,
    TOKENS.verifyWebProof,
    {
      config: TOKENS.config,
      certificates: TOKENS.certificateChecker,
      decoder: TOKENS.contentDecoder,
      trustedNotaries: TOKENS.trustedNotaries,
    },
    ({ config: { extraRoots }, certificates, decoder, trustedNotaries }) => {
      const signatures = createNodeSignatureVerifier();
      const verify = createVerifyWebProof({ certificates, decoder, trustedNotaries, signatures });
      if (OURS.has(certificates) && OURS.has(decoder)) THREADED.set(verify, { extraRoots, trustedNotaries });
      return verify;
    },
  );
  provide(options, TOKENS.transcripts, { verify: TOKENS.verifyWebProof }, ({ verify }) => {
    const settings = THREADED.get(verify);
    return settings === undefined ? createTranscriptsInProcess(verify) : createVerificationWorkers(settings, verify);
  });
  provide(options, TOKENS.queryEvaluator, {}, () => createJmespathEvaluator());
  provide(
    options,
    TOKENS.localNotary,
    {
      config: TOKENS.config,
      key: TOKENS.notaryKey,
      guard: TOKENS.egressGuard,
      certificates: TOKENS.certificateChecker,
      decoder: TOKENS.contentDecoder,
      transcripts: TOKENS.transcripts,
      evaluator: TOKENS.queryEvaluator,
      clock: TOKENS.clock,
      random: TOKENS.random,
    },
    ({ config, key, guard, certificates, decoder, transcripts, evaluator, clock, random }) => {
      const verify = createVerifyInTurn(transcripts);
      const signer = createValuesSigner(key.secretKey);
      return createLocalNotary({
        url: config.notary.url ?? config.publicUrl ?? UNNAMED_NOTARY,
        extraRoots: config.extraRoots,
        key,
        guard,
        certificates,
        decoder,
        clock,
        random,
        attestationExtensions: createValuesExtensions(signer, random),
        attestQueries: createAttestQueries({ signer, fingerprint: key.fingerprint, verify, evaluator, random }),
      });
    },
  );
  provide(
    options,
    TOKENS.notaries,
    { config: TOKENS.config, local: TOKENS.localNotary, verify: TOKENS.verifyWebProof, clock: TOKENS.clock },
    ({ config: { remoteNotaries }, local, verify, clock }): readonly [Notary, ...Notary[]] => [
      local,
      ...remoteNotaries.map((remote) => createHttpNotary({ ...remote, verify, clock })),
    ],
  );
  provide(
    options,
    TOKENS.closeable,
    { notaries: TOKENS.notaries, evaluator: TOKENS.queryEvaluator, transcripts: TOKENS.transcripts },
    ({ notaries, evaluator, transcripts }) => ({
      close: async () => {
        await Promise.all([...notaries, evaluator, transcripts].map((part) => part.close()));
      },
    }),
  );
});

export const webProverModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.routes,
    { notaries: TOKENS.notaries, transcripts: TOKENS.transcripts, usage: TOKENS.usage, telemetry: TOKENS.telemetry },
    ({ notaries, transcripts, usage, telemetry }) =>
      createWebProverRoutes({
        prove: observedProve(createProve({ notaries }), telemetry),
        transcripts,
        verifyBatch: createVerifyBatch(transcripts),
        usage,
      }),
  );
});

export const notaryModule = new ContainerModule((options) => {
  provide(options, TOKENS.routes, { notary: TOKENS.localNotary }, ({ notary }) => createNotaryRoutes({ notary }));
});

/** Where proofs meet engagement: linking an account by a proof of its profile. */
export const webProofCallbackModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.engagementRoutes,
    {
      config: TOKENS.config,
      storage: TOKENS.storage,
      platforms: TOKENS.platforms,
      transcripts: TOKENS.transcripts,
      clock: TOKENS.clock,
    },
    ({ config: { webProofCallback }, storage, platforms, transcripts, clock }) =>
      createWebProofCallbackRoutes({
        acceptWebProof: acceptWebProof({
          storage,
          platforms,
          verify: createVerifyInTurn(transcripts),
          clock,
          clockToleranceMs: webProofCallback.clockToleranceSeconds * 1000,
        }),
        secret: webProofCallback.secret,
        clock,
      }),
  );
});
