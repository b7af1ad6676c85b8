/** A notary with its routes: everything of the host but the socket. */
import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { createJmespathEvaluator } from '../../adapters/jmespath-worker/index.ts';
import { createLocalNotary, loadNotaryKey } from '../../adapters/local-notary/index.ts';
import { createMemoryRateLimiter } from '../../adapters/memory-rate-limiter/index.ts';
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { createVerificationWorkers } from '../../adapters/verification-worker/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { pemRoots } from '../../adapters/x509/pem.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import type { Caller } from '../../core/access/token.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { equalText } from '../../core/security/constant-time.ts';
import { hashToken } from '../../core/security/token-hash.ts';
import { createAttestQueries, createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import { createVerifyInTurn } from '../../core/web-proof/transcribe.ts';
import { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof } from '../../core/web-proof/verify.ts';
import { packageVersion } from '../../plugins/compose/version.ts';
import { createDispatcher } from '../../plugins/http/dispatcher.ts';
import type { Mountable } from '../../plugins/http/mountable.ts';
import { createOpenApiDocument } from '../../plugins/http/openapi.ts';
import type { Route } from '../../plugins/http/route.ts';
import { createNotaryRoutes } from '../../plugins/http/routes/notary.ts';
import { createServiceRoutes } from '../../plugins/http/routes/service.ts';
import { EnvironmentError, readTextFile } from '../standalone/environment-values.ts';
import type { NotaryEnvironment } from './environment.ts';
import { OVERVIEW } from './overview.ts';

export interface NotaryService extends Mountable {
  /** SHA-256 of the public key: what clients pin. */
  readonly fingerprint: string;
  close(): Promise<void>;
}

/** @throws EnvironmentError for an unusable CA file, KeyFileError for an unusable key file */
export function createNotaryService(environment: NotaryEnvironment, logger: Logger): NotaryService {
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
  // A notary stores nothing, answers neither.
  const notaryRoutes = createNotaryRoutes({ notary: async () => notary });
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
      authenticate: authenticateBy(environment.NOTARY_TOKENS),
      limiter: createMemoryRateLimiter(),
      logger,
    }),
    async close() {
      await Promise.all([notary.close(), evaluator.close(), transcripts.close()]);
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
