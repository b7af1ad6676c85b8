import { createHash } from 'node:crypto';
import { keepNewest } from '../../core/keep-newest.ts';
import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import type { TlsRecord } from '../../core/ports/tls-exchange.ts';
import { LIMITS } from '../../core/web-proof/tlsnotary/limits.ts';
import { schemeOfVariant } from '../../core/web-proof/tlsnotary/signature-schemes.ts';
import { keyExchangeMessage } from '../../core/web-proof/tlsnotary/verify-identity.ts';
import { NotaryFailure } from './failures.ts';

/** How long a chain that was found good needs no second look, and how many are remembered. */
const REMEMBERED_SECONDS = 60;
const MAX_REMEMBERED = 1_000;

/**
 * Makes sure that a presentation can hold the handshake with a server, and that verifiers will accept it.
 * @throws NotaryFailure with the reason if not
 */
export type CheckServer = (serverName: string, time: number, handshake: TlsRecord['handshake']) => Promise<void>;

/**
 * Asks the strict checker of the verifier, which knows rules that Node's TLS does not (name constraints, algorithms, path
 * lengths). It takes milliseconds, so a chain that passed is remembered for a minute. Dates and the signature over the key
 * exchange change from one handshake to the next; Node's TLS has checked them in this very handshake.
 */
export function createCheckServer(certificates: CertificateChecker): CheckServer {
  const passed = new Map<string, number>();

  return async (serverName, time, handshake) => {
    checkSize(handshake.certificates);
    const scheme = schemeOfVariant(handshake.scheme);
    if (scheme === undefined) throw unprovable('the server signs in a way that verifiers do not know');
    const key = digest(serverName, handshake);
    const seen = passed.get(key);
    if (seen !== undefined && Math.abs(time - seen) < REMEMBERED_SECONDS) return;
    const verdict = await certificates.check({
      certificates: handshake.certificates,
      serverName,
      time,
      keyExchange: { scheme, message: keyExchangeMessage(handshake), signature: handshake.signature },
    });
    if (verdict.ok) return keepNewest(passed, key, time, MAX_REMEMBERED);
    passed.delete(key);
    throw unprovable(verdict.reason);
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

/** Name, scheme and chain, each with its length, so that no two lists read the same. */
function digest(serverName: string, { scheme, certificates }: TlsRecord['handshake']): string {
  const hash = createHash('sha256').update(`${serverName}\n${scheme}\n`);
  for (const certificate of certificates) hash.update(`${certificate.length}\n`).update(certificate);
  return hash.digest('hex');
}
