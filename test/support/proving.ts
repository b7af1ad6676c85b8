/** A local notary and a verifier that trust a test authority, for tests that prove over the wire. */

import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { createLocalNotary, type LocalNotaryOptions, notaryKey } from '../../adapters/local-notary/index.ts';
import { createProve, proveRequestSchema } from '../../core/web-proof/prove.ts';
import type { TestAuthority } from './tls-origin.ts';
import { testVerifier } from './verifier.ts';

/** Every name resolves to loopback, which the guard is told to allow. */
export function setUpProving(authority: TestAuthority, options: Partial<LocalNotaryOptions> = {}) {
  const key = notaryKey(new Uint8Array(32).fill(7));
  const { certificates, decoder, verify } = testVerifier(authority.root, [key.fingerprint]);
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
  const proveParsed = createProve({ notaries: [notary] });
  /** Parses like the route does, then proves. */
  const prove = async (body: unknown) => proveParsed(proveRequestSchema.parse(body), AbortSignal.timeout(10_000));
  return { notary, prove, verify, proveAndVerify: async (body: unknown) => verify(await prove(body)) };
}
