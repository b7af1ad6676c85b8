/** A notary host that offers blind sessions, and clients of it. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { createMpcNotary, type MpcNotaryOptions } from '../../adapters/mpc-notary/index.ts';
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { MpcProver, MpcVerifier } from '../../core/ports/mpc-tls.ts';
import type { Notary } from '../../core/ports/notary.ts';
import { createProve, proveRequestSchema } from '../../core/web-proof/prove.ts';
import { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof, type VerifyWebProof, type WebProof } from '../../core/web-proof/verify.ts';
import { readNotaryEnvironment } from '../../hosts/notary/environment.ts';
import { createNotaryService } from '../../hosts/notary/service.ts';
import { createApp } from '../../hosts/standalone/app.ts';
import type { TestAuthority } from './tls-origin.ts';

export const NOTARY_TOKEN = 'a-token-of-the-notary';

export interface BlindSetup extends AsyncDisposable {
  /** Of the notary, with the version. */
  readonly url: string;
  readonly fingerprint: string;
  readonly verify: VerifyWebProof;
  client(options?: Partial<MpcNotaryOptions>): Notary;
  prove(body: unknown, client?: Notary): Promise<WebProof>;
}

/** Every name resolves to loopback for the clients. */
export async function setUpBlindNotary(
  authority: TestAuthority,
  engines: {
    readonly verifier: MpcVerifier;
    readonly prover: () => MpcProver;
    readonly stockVerifier?: MpcVerifier;
  },
  variables: Readonly<Record<string, string>> = {},
): Promise<BlindSetup> {
  const folder = mkdtempSync(join(tmpdir(), 'credence-blind-'));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, authority.root.pem);
  const environment = readNotaryEnvironment({
    NOTARY_KEY_FILE: join(folder, 'notary.key'),
    NOTARY_TOKENS: `${NOTARY_TOKEN}, another-token-of-it`,
    TLS_EXTRA_CA_FILE: caFile,
    MPC_SESSIONS: '2',
    ...variables,
  });
  const service = createNotaryService(environment, silentLogger, {
    mpcVerifier: engines.verifier,
    ...(engines.stockVerifier && { stockVerifier: engines.stockVerifier }),
  });
  const app = await createApp(service);
  service.attach(app.server);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/v0.1.0-alpha.12`;
  const certificates = createX509CertificateChecker({ extraRoots: [authority.root.pem], nodeRoots: false });
  const decoder = createZlibContentDecoder();
  const verify = createVerifyWebProof({
    certificates,
    decoder,
    trustedNotaries: createTrustedNotaries([{ fingerprint: service.fingerprint }]),
    signatures: createNodeSignatureVerifier(),
  });
  const clients: Notary[] = [];
  const setup: Omit<BlindSetup, typeof Symbol.asyncDispose> = {
    url,
    fingerprint: service.fingerprint,
    verify,
    client(options = {}) {
      const client = createMpcNotary({
        url,
        token: NOTARY_TOKEN,
        fingerprint: service.fingerprint,
        guard: createEgressGuard({ allow: ['127.0.0.0/8'], lookup: async () => [{ address: '127.0.0.1' }] }),
        certificates,
        extraRoots: [authority.root.pem],
        decoder,
        verify,
        prover: engines.prover(),
        ...options,
      });
      clients.push(client);
      return client;
    },
    prove: (body, client = setup.client()) =>
      createProve({ notaries: [client] })(proveRequestSchema.parse(body), AbortSignal.timeout(120_000)),
  };
  return {
    ...setup,
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      await Promise.all([app.close(), service.close()]);
    },
  };
}
