/** A local notary and a verifier that trust a test authority, for tests that prove over the wire. */
import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { createLocalNotary, type LocalNotaryOptions, notaryKey } from '../../adapters/local-notary/index.ts';
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import type { Notary } from '../../core/ports/notary.ts';
import { createProve, proveRequestSchema } from '../../core/web-proof/prove.ts';
import { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof, type VerifiedWebProof, type WebProof } from '../../core/web-proof/verify.ts';
import type { TestAuthority } from './tls-origin.ts';

export interface ProvingSetup {
  readonly notary: Notary;
  /** Parses like the route does, then proves. */
  prove(body: unknown): Promise<WebProof>;
  verify(proof: WebProof): Promise<VerifiedWebProof>;
  proveAndVerify(body: unknown): Promise<VerifiedWebProof>;
}

/** Every name resolves to loopback, which the guard is told to allow. */
export function setUpProving(authority: TestAuthority, options: Partial<LocalNotaryOptions> = {}): ProvingSetup {
  const certificates = createX509CertificateChecker({ extraRoots: [authority.root.pem], nodeRoots: false });
  const decoder = createZlibContentDecoder();
  const key = notaryKey(new Uint8Array(32).fill(7));
  const notary = createLocalNotary({
    url: 'https://notary.test',
    key,
    guard: createEgressGuard({ allow: ['127.0.0.0/8'], lookup: async () => [{ address: '127.0.0.1' }] }),
    certificates,
    decoder,
    extraRoots: [authority.root.pem],
    timeoutMs: 5_000,
    ...options,
  });
  const prove = createProve({ notaries: [notary] });
  const verify = createVerifyWebProof({
    certificates,
    decoder,
    trustedNotaries: createTrustedNotaries([{ fingerprint: key.fingerprint }]),
    signatures: createNodeSignatureVerifier(),
  });
  const setup: ProvingSetup = {
    notary,
    prove: async (body) => prove(proveRequestSchema.parse(body), AbortSignal.timeout(10_000)),
    verify,
    proveAndVerify: async (body) => verify(await setup.prove(body)),
  };
  return setup;
}
