import { describe, expect, it } from 'vitest';
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/x509-certificate-checker.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/zlib-content-decoder.ts';
import { isDomainError } from '../../core/errors.ts';
import { buildPresentation } from '../../core/web-proof/tlsnotary/build.ts';
import { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof } from '../../core/web-proof/verify.ts';
import { runs } from '../support/property-runs.ts';
import { createRememberingChecker } from '../support/remembering-checker.ts';
import * as example from '../support/worked-example.ts';

const verify = createVerifyWebProof({
  certificates: createRememberingChecker(
    createX509CertificateChecker({ extraRoots: [example.rootCertificate], nodeRoots: false }),
  ),
  decoder: createZlibContentDecoder(),
  trustedNotaries: createTrustedNotaries([]),
  // As in a host. `signature-verifiers.test.ts` shows that it agrees with the one in JavaScript.
  signatures: createNodeSignatureVerifier(),
});
const proof = await buildPresentation(example);

async function outcome(bytes: Uint8Array): Promise<string> {
  const data = Buffer.from(bytes).toString('hex');
  try {
    await verify({ data, version: '0.1.0-alpha.12', meta: { notaryUrl: 'https://notary.example' } });
    return 'accepted';
  } catch (error) {
    return isDomainError(error, 'INVALID_PRESENTATION', 'INTERNAL_SERVER_ERROR') ? 'refused' : `failed: ${error}`;
  }
}

describe('a proof with one bit changed', () => {
  it('is refused, wherever it is', async () => {
    expect(await outcome(proof)).toBe('accepted');
    const survivors: string[] = [];
    // One bit of each byte, another one of the next; `PROPERTY_RUNS=8` changes every bit. Of hashes and texts, which hold large
    // bytes, every second byte is enough.
    const bits = Math.min(8, runs(1).numRuns);
    for (let at = 0; at < proof.length * bits; at++) {
      const byte = Math.floor(at / bits);
      if (bits === 1 && byte % 2 === 1 && (proof[byte] ?? 0) >= 16) continue;
      const bit = (byte * 3 + (at % bits)) % 8;
      const changed = Uint8Array.from(proof);
      changed[byte] = (changed[byte] ?? 0) ^ (1 << bit);
      const result = await outcome(changed);
      if (result !== 'refused') survivors.push(`byte ${byte} bit ${bit}: ${result}`);
    }
    expect(survivors).toEqual([]);
  });
});
