/** A notary with its routes: everything of the host but the socket. */
import type { Server } from 'node:http';
import { hexToBytes } from '@noble/hashes/utils.js';
import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { createJmespathEvaluator } from '../../adapters/jmespath-worker/index.ts';
import { createLocalNotary, loadNotaryKey, publicKeyPem } from '../../adapters/local-notary/index.ts';
import { createMemoryRateLimiter } from '../../adapters/memory-rate-limiter/index.ts';
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { createTelemetry } from '../../adapters/telemetry/index.ts';
import { createVerificationWorkers } from '../../adapters/verification-worker/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { pemRoots } from '../../adapters/x509/pem.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import type { Caller } from '../../core/access/token.ts';
import { DomainError } from '../../core/errors.ts';
import { systemClock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { equalText } from '../../core/security/constant-time.ts';
import { hashToken } from '../../core/security/token-hash.ts';
import { createAttestQueries, createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import { createSecp256k1Signer } from '../../core/web-proof/tlsnotary/attestation-signer.ts';
import { createVerifyInTurn } from '../../core/web-proof/transcribe.ts';
import { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof } from '../../core/web-proof/verify.ts';
import { packageVersion } from '../../plugins/compose/version.ts';
import { createDispatcher } from '../../plugins/http/dispatcher.ts';
import type { Mountable } from '../../plugins/http/mountable.ts';
import { createOpenApiDocument } from '../../plugins/http/openapi.ts';
import type { Route } from '../../plugins/http/route.ts';
import { createNotaryRoutes } from '../../plugins/http/routes/notary.ts';
import { createNotarySessionRoutes } from '../../plugins/http/routes/notary-sessions.ts';
import { createServiceRoutes } from '../../plugins/http/routes/service.ts';
import { createStockProverRoutes } from '../../plugins/http/routes/stock-provers.ts';
import { acceptSessions, STOCK_BASES } from '../../plugins/http/session-upgrades.ts';
import { EnvironmentError, readTextFile } from '../standalone/environment-values.ts';
import { createBlindSessions, type MpcParts } from './blind-sessions.ts';
import type { NotaryEnvironment } from './environment.ts';
import { OVERVIEW } from './overview.ts';

export interface NotaryService extends Mountable {
  /** SHA-256 of the public key: what clients pin. */
  readonly fingerprint: string;
  /** Lets provers join blind sessions on this server; call it before the server listens. */
  attach(server: Server): void;
  close(): Promise<void>;
}

/** @throws EnvironmentError for an unusable CA file, KeyFileError for an unusable key file */
export function createNotaryService(
  environment: NotaryEnvironment,
  logger: Logger,
  parts: MpcParts = {},
): NotaryService {
  const key = loadNotaryKey(environment.NOTARY_KEY_FILE);
  const extraRoots = environment.TLS_EXTRA_CA_FILE === '' ? [] : [readRoots(environment.TLS_EXTRA_CA_FILE)];
  const certificates = createX509CertificateChecker({ extraRoots });
  const decoder = createZlibContentDecoder();
  const valuesSigner = createValuesSigner(key.secretKey);
  const evaluator = createJmespathEvaluator();
  const trustedNotaries = createTrustedNotaries([]);
  const transcripts = createVerificationWorkers(
    { extraRoots, trustedNotaries },
    createVerifyWebProof({ certificates, decoder, trustedNotaries, signatures: createNodeSignatureVerifier() }),
  );
  const verify = createVerifyInTurn(transcripts);
  const notary = createLocalNotary({
    url: environment.NOTARY_URL,
    key,
    guard: createEgressGuard({ allow: environment.EGRESS_ALLOW, ports: environment.EGRESS_PORTS }),
    certificates,
    decoder,
    extraRoots,
    concurrency: environment.NOTARY_CONCURRENCY,
    timeoutMs: environment.NOTARY_TIMEOUT_SECONDS * 1000,
    attestationExtensions: createValuesExtensions(valuesSigner, systemRandom),
    attestQueries: createAttestQueries({ signer: valuesSigner, fingerprint: key.fingerprint, verify, evaluator }),
  });
  const telemetry = createTelemetry();
  const blind = createBlindSessions(environment, parts, {
    signer: createSecp256k1Signer(key.secretKey),
    fingerprint: hexToBytes(key.fingerprint),
    certificates,
    decoder,
    clock: systemClock,
    random: systemRandom,
    attestationExtensions: createValuesExtensions(valuesSigner, systemRandom),
    logger,
    // Figures only: nothing of what was sent or received.
    onSession(session) {
      logger.info({ session }, 'a blind session has ended');
      telemetry.blindSessionEnded(session);
    },
  });
  const limiter = createMemoryRateLimiter();
  const authenticate = authenticateBy(environment.NOTARY_TOKENS);
  const blindOrWhy = () => {
    if (typeof blind !== 'string') return blind;
    throw new DomainError('NOT_SUPPORTED', blind);
  };
  const stock = {
    blind: blindOrWhy,
    // Where there are none, they are told so.
    provers: environment.TLSN_PROVERS === 'anyone' ? ('anyone' as const) : ('token' as const),
    publicKey: () => publicKeyPem(key.publicKey),
    build: `credence/${packageVersion()}`,
  };
  const notaryRoutes = [
    ...createNotaryRoutes({ notary: async () => notary }),
    ...createNotarySessionRoutes({ blind: blindOrWhy }),
    // Provers of TLSNotary are told an address, with the version behind it or without.
    ...STOCK_BASES.flatMap((base) => createStockProverRoutes({ ...stock, base })),
  ];
  // A notary stores nothing, answers neither.
  const routes: Route[] = notaryRoutes.map((route) => ({ ...route, idempotencyKeys: false }));
  routes.push(
    ...createServiceRoutes({
      health: async () => ({ ready: true, checks: {} }),
      metrics: () => telemetry.metrics({ jobs: null, ...(typeof blind !== 'string' && { blind: blind.now }) }),
      // Tokens of a notary have no roles.
      metricsAccess: 'token',
      openApiDocument: async () =>
        createOpenApiDocument(routes, {
          ...OVERVIEW,
          version: packageVersion(),
          serverUrl: environment.NOTARY_URL,
        }),
    }),
  );
  return {
    fingerprint: key.fingerprint,
    routes,
    dispatcher: createDispatcher({
      authenticate,
      limiter,
      logger,
      telemetry,
    }),
    attach(server) {
      if (typeof blind !== 'string') acceptSessions(server, { notary: blindOrWhy, authenticate, limiter, logger });
    },
    async close() {
      await Promise.all([notary.close(), evaluator.close(), transcripts.close()]);
      if (typeof blind !== 'string') await blind.close();
      await telemetry.close();
    },
  };
}

function readRoots(path: string): string {
  const variable = 'TLS_EXTRA_CA_FILE';
  const result = pemRoots.safeParse(readTextFile(variable, path));
  if (result.success) return result.data;
  throw new EnvironmentError(`${variable}: ${path} ${result.error.issues[0]?.message}`);
}

function authenticateBy(tokens: readonly string[]): (token: string) => Promise<Caller | null> {
  const known = tokens.map(hashToken);
  return async (token) => {
    const hash = hashToken(token);
    // All are compared, so that time does not tell which one was nearly right.
    const index = known.map((candidate) => equalText(candidate, hash)).indexOf(true);
    return index === -1 ? null : { role: 'client', tokenId: null, externalId: null, key: `notary-token:${index}` };
  };
}
