/** A host that offers blind sessions as a notary, and clients of it. */
import { randomBytes } from 'node:crypto';
import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { notaryKey } from '../../adapters/local-notary/index.ts';
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { Notary } from '../../core/ports/notary.ts';
import { createProve, proveRequestSchema } from '../../core/web-proof/prove.ts';
import { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof, type VerifyWebProof, type WebProof } from '../../core/web-proof/verify.ts';
import { createApp } from '../../hosts/standalone/app.ts';
import type { MpcProver, MpcVerifier } from '../../plugins/blind-notary/mpc-tls.ts';
import {
  type BlindNotaryOptions,
  type MpcNotaryOptions,
  mpcNotaryOptions,
} from '../../plugins/blind-notary/options.ts';
import { blindNotary } from '../../plugins/blind-notary/plugin.ts';
import { createMpcNotary, type MpcNotaryDeps } from '../../plugins/blind-notary/prover/mpc-notary.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import type { TestAuthority } from './tls-origin.ts';

/** Has the rights of an administrator. */
export const NOTARY_TOKEN = 'a-token-of-the-notary';

export interface BlindSetup extends AsyncDisposable {
  /** Of the notary, with the version. */
  readonly url: string;
  readonly fingerprint: string;
  /** Another token that the notary lets in. */
  readonly otherToken: string;
  readonly verify: VerifyWebProof;
  client(options?: Partial<MpcNotaryOptions & MpcNotaryDeps>): Notary;
  prove(body: unknown, client?: Notary): Promise<WebProof>;
}

/** Every name resolves to loopback for the clients. */
export async function setUpBlindNotary(
  authority: TestAuthority,
  engines: { readonly verifier: MpcVerifier; readonly prover: () => MpcProver; readonly stockVerifier?: MpcVerifier },
  options: BlindNotaryOptions = {},
  secret = new Uint8Array(randomBytes(32)),
): Promise<BlindSetup> {
  const { fingerprint } = notaryKey(secret);
  const { verifier, stockVerifier } = engines;
  const credence = createCredence(
    {
      storage: 'sqlite::memory:',
      services: ['notary'],
      adminToken: NOTARY_TOKEN,
      notary: { key: { secret } },
      extraRoots: [authority.root.pem],
      plugins: [blindNotary({ concurrency: 2, stockProvers: 'token', verifier, stockVerifier, ...options })],
    },
    { logger: silentLogger },
  );
  const app = await createApp(credence);
  credence.attach(app.server);
  await credence.start();
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/v0.1.0-alpha.12`;
  const certificates = createX509CertificateChecker({ extraRoots: [authority.root.pem], nodeRoots: false });
  const decoder = createZlibContentDecoder();
  const verify = createVerifyWebProof({
    certificates,
    decoder,
    trustedNotaries: createTrustedNotaries([{ fingerprint }]),
    signatures: createNodeSignatureVerifier(),
  });
  const clients: Notary[] = [];
  const setup: Omit<BlindSetup, typeof Symbol.asyncDispose> = {
    url,
    fingerprint,
    otherToken: (await credence.tokens.create({ name: 'other', role: 'client' })).token,
    verify,
    client(given = {}) {
      const settings = mpcNotaryOptions.parse({ url, token: NOTARY_TOKEN, fingerprint, readySessions: 0, ...given });
      const client = createMpcNotary(settings, {
        guard: createEgressGuard({ allow: ['127.0.0.0/8'], lookup: async () => [{ address: '127.0.0.1' }] }),
        certificates,
        extraRoots: [authority.root.pem],
        decoder,
        verify,
        clock: systemClock,
        logger: silentLogger,
        onProgress: () => {},
        prover: engines.prover(),
        ...given,
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
      // Blind sessions keep their connections open, and the application waits for these.
      await Promise.all([app.close(), credence.stop()]);
    },
  };
}
