/** A notary with its routes: everything of the host but the socket. */
import type { Server } from 'node:http';
import { hexToBytes } from '@noble/hashes/utils.js';
import { type BlindNotary, type BlindNotaryOptions, createBlindNotary } from '../../adapters/blind-notary/index.ts';
import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { createJmespathEvaluator } from '../../adapters/jmespath-worker/index.ts';
import { createLocalNotary, loadNotaryKey } from '../../adapters/local-notary/index.ts';
import { createMemoryRateLimiter } from '../../adapters/memory-rate-limiter/index.ts';
import { createMpcVerifier } from '../../adapters/mpc-engine/index.ts';
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { isInstalled, missingPackage } from '../../adapters/package-loader/index.ts';
import { createVerificationWorkers } from '../../adapters/verification-worker/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { pemRoots } from '../../adapters/x509/pem.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import type { Caller } from '../../core/access/token.ts';
import { DomainError } from '../../core/errors.ts';
import { systemClock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { MpcVerifier } from '../../core/ports/mpc-tls.ts';
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
import { acceptSessions } from '../../plugins/http/session-upgrades.ts';
import { EnvironmentError, readTextFile } from '../standalone/environment-values.ts';
import type { NotaryEnvironment } from './environment.ts';
import { OVERVIEW } from './overview.ts';

/** Parts that tests put in the place of the real ones. */
export interface NotaryParts {
  /** @default TLSNotary's, one process for each session */
  readonly mpcVerifier?: MpcVerifier;
}

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
  parts: NotaryParts = {},
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
    attestationExtensions: createValuesExtensions(valuesSigner),
    attestQueries: createAttestQueries({ signer: valuesSigner, fingerprint: key.fingerprint, verify, evaluator }),
  });
  const blind = createBlind(environment, parts, {
    signer: createSecp256k1Signer(key.secretKey),
    fingerprint: hexToBytes(key.fingerprint),
    certificates,
    decoder,
    clock: systemClock,
    random: systemRandom,
    attestationExtensions: createValuesExtensions(valuesSigner),
    logger,
  });
  const authenticate = authenticateBy(environment.NOTARY_TOKENS);
  const notaryRoutes = [
    ...createNotaryRoutes({ notary: async () => notary }),
    ...createNotarySessionRoutes({
      blind() {
        if (typeof blind !== 'string') return blind;
        throw new DomainError('NOT_SUPPORTED', blind);
      },
    }),
  ];
  // A notary stores nothing, answers neither.
  const routes: Route[] = notaryRoutes.map((route) => ({ ...route, idempotencyKeys: false }));
  routes.push(
    ...createServiceRoutes({
      health: async () => ({ ready: true, checks: {} }),
      openApiDocument: async () =>
        createOpenApiDocument(routes, { ...OVERVIEW, version: packageVersion(), serverUrl: environment.NOTARY_URL }),
    }),
  );
  return {
    fingerprint: key.fingerprint,
    routes,
    dispatcher: createDispatcher({
      authenticate,
      limiter: createMemoryRateLimiter(),
      logger,
    }),
    attach(server) {
      if (typeof blind !== 'string') acceptSessions(server, { notary: blind, authenticate });
    },
    async close() {
      await Promise.all([notary.close(), evaluator.close(), transcripts.close()]);
      if (typeof blind !== 'string') await blind.close();
    },
  };
}

/** Or why there is none: the operator wants none, or has not installed what it needs. */
function createBlind(
  environment: NotaryEnvironment,
  { mpcVerifier }: NotaryParts,
  deps: Omit<BlindNotaryOptions, 'verifier'>,
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
    concurrency: sessions,
    // Figures only: nothing of what was sent or received.
    onSession: (session) => deps.logger.info({ session }, 'a blind session has ended'),
    maxSentData: environment.MPC_MAX_SENT_DATA,
    maxRecvData: environment.MPC_MAX_RECV_DATA,
  });
}

const BLIND_PACKAGES = ['@csfloat/tlsn-wasm', 'ws'] as const;

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
