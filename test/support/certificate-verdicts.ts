/** What our two certificate checkers and the official verifier say of a chain below a root. */
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { createPortableCertificateChecker } from '../../adapters/x509/portable/portable-certificate-checker.ts';
import { encodePresentation } from '../../core/web-proof/tlsnotary/encode.ts';
import { verifyPresentation } from '../../core/web-proof/tlsnotary/verify-presentation.ts';
import { assembleProof, type ProofSpec } from './proof-builder.ts';
import type { IssuedCertificate } from './test-ca.ts';
import { createOracle, type OracleVerdict } from './tlsn-oracle.ts';

export interface CertificateVerdicts {
  /** Why ours refuses; null when it accepts. */
  readonly ours: string | null;
  /** The same of the checker in JavaScript alone. */
  readonly withoutNode: string | null;
  readonly official: OracleVerdict;
}

type Shown = Pick<ProofSpec, 'handshake' | 'random'> & Partial<ProofSpec>;

/** @param root from `issueOracleRoot` */
export function certificateVerdicts(root: IssuedCertificate): (shown: Shown) => Promise<CertificateVerdicts> {
  const oracle = createOracle(root);
  const checkers = [
    createX509CertificateChecker({ extraRoots: [root.pem], nodeRoots: false }),
    createPortableCertificateChecker({ extraRoots: [root.pem], mozillaRoots: false }),
  ];
  // Of notaries: only certificates are compared here, so this is the fast one.
  const signatures = createNodeSignatureVerifier();
  const ascii = (text: string) => new TextEncoder().encode(text);

  return async (shown) => {
    const presentation = await assembleProof({
      sent: ascii('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n'),
      received: ascii('HTTP/1.1 204 No Content\r\n\r\n'),
      ...shown,
    });
    const [ours = null, withoutNode = null] = await Promise.all(
      checkers.map((by) =>
        verifyPresentation(presentation, by, signatures).then(
          () => null,
          (error: Error) => error.message,
        ),
      ),
    );
    return { ours, withoutNode, official: await oracle(encodePresentation(presentation)) };
  };
}
