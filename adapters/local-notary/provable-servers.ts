import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import type { TlsRecord } from '../../core/ports/tls-exchange.ts';
import { LIMITS } from '../../core/web-proof/tlsnotary/limits.ts';
import { schemeOfVariant } from '../../core/web-proof/tlsnotary/signature-schemes.ts';
import { keyExchangeMessage } from '../../core/web-proof/tlsnotary/verify-identity.ts';
import { NotaryFailure } from './failures.ts';

/**
 * Makes sure that a presentation can hold the handshake with a server, and that verifiers will accept it.
 * @throws NotaryFailure with the reason if not
 */
export type CheckServer = (serverName: string, time: number, handshake: TlsRecord['handshake']) => Promise<void>;

/**
 * Asks the strict checker of the verifier, which knows rules that Node's TLS does not (name constraints, algorithms, path
 * lengths). It remembers the chains that it accepted.
 */
export function createCheckServer(certificates: CertificateChecker): CheckServer {
  return async (serverName, time, handshake) => {
    checkSize(handshake.certificates);
    const scheme = schemeOfVariant(handshake.scheme);
    if (scheme === undefined) throw unprovable('the server signs in a way that verifiers do not know');
    const verdict = await certificates.check({
      certificates: handshake.certificates,
      serverName,
      time,
      keyExchange: { scheme, message: keyExchangeMessage(handshake), signature: handshake.signature },
    });
    if (!verdict.ok) throw unprovable(verdict.reason);
  };
}

function unprovable(reason: string): NotaryFailure {
  return new NotaryFailure(`its certificate cannot be proven: ${reason}`);
}

/** @throws NotaryFailure for a chain that a presentation cannot hold. */
function checkSize(certificates: readonly Uint8Array[]): void {
  if (certificates.length > LIMITS.certificates) {
    throw new NotaryFailure(
      `the server sends ${certificates.length} certificates, but a proof holds at most ${LIMITS.certificates}: shorten its chain`,
    );
  }
  if (certificates.some(({ length }) => length > LIMITS.certificate)) {
    throw new NotaryFailure(`the server sends a certificate of more than ${LIMITS.certificate} bytes`);
  }
}
