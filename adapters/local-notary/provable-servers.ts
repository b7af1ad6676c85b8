import { createHash } from 'node:crypto';
import { keepNewest } from '../../core/keep-newest.ts';
import type { CertificateChecker, CertificateVerdict } from '../../core/ports/certificate-checker.ts';
import type { TlsRecord } from '../../core/ports/tls-exchange.ts';
import { schemeOfVariant } from '../../core/web-proof/tlsnotary/signature-schemes.ts';
import { keyExchangeMessage } from '../../core/web-proof/tlsnotary/verify-identity.ts';

/** How long a chain that was found good needs no second look, and how many are remembered. */
const REMEMBERED_SECONDS = 60;
const MAX_REMEMBERED = 1_000;

/** Says whether verifiers will accept the handshake with a server. */
export type CheckServer = (
  serverName: string,
  time: number,
  handshake: TlsRecord['handshake'],
) => Promise<CertificateVerdict>;

/**
 * Asks the strict checker of the verifier, which knows rules that Node's TLS does not (name constraints, algorithms, path
 * lengths). It takes milliseconds, so a chain that passed is remembered for a minute. Dates and the signature over the key
 * exchange change from one handshake to the next; Node's TLS has checked them in this very handshake.
 */
export function createCheckServer(certificates: CertificateChecker): CheckServer {
  const passed = new Map<string, number>();

  return async (serverName, time, handshake) => {
    const scheme = schemeOfVariant(handshake.scheme);
    if (scheme === undefined) return { ok: false, reason: 'the server signs in a way that verifiers do not know' };
    const key = digest(serverName, handshake);
    const seen = passed.get(key);
    if (seen !== undefined && Math.abs(time - seen) < REMEMBERED_SECONDS) return { ok: true };
    const verdict = await certificates.check({
      certificates: handshake.certificates,
      serverName,
      time,
      keyExchange: { scheme, message: keyExchangeMessage(handshake), signature: handshake.signature },
    });
    if (verdict.ok) keepNewest(passed, key, time, MAX_REMEMBERED);
    else passed.delete(key);
    return verdict;
  };
}

/** Name, scheme and chain, each with its length, so that no two lists read the same. */
function digest(serverName: string, { scheme, certificates }: TlsRecord['handshake']): string {
  const hash = createHash('sha256').update(`${serverName}\n${scheme}\n`);
  for (const certificate of certificates) hash.update(`${certificate.length}\n`).update(certificate);
  return hash.digest('hex');
}
