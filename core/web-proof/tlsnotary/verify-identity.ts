import type { CertificateChecker, CertificateVerdict } from '../../ports/certificate-checker.ts';
import type { Presentation, ServerIdentity } from './presentation.ts';
import { isServerName } from './server-name.ts';
import { schemeOfVariant } from './signature-schemes.ts';
import { certificateOpeningHash } from './struct-hash.ts';
import { demand, sameBytes } from './verification-error.ts';

/** Curve type "named curve", secp256r1, length of the point. */
const KEY_EXCHANGE_PARAMETERS = Uint8Array.of(0x03, 0x00, 0x17, 0x41);

/**
 * Checks that the named server took part in the session. The handshake data is what the notary's attestation commits
 * to. The key exchange is the attested one and signed by the certificate, and the certificate is good for the name.
 * @returns the server's name in canonical form.
 * @throws DomainError `INTERNAL_SERVER_ERROR` naming the failed check.
 */
export async function verifyIdentity(
  identity: ServerIdentity,
  body: Presentation['body'],
  certificates: CertificateChecker,
): Promise<string> {
  const { opening } = identity;
  const commitment = body.certificateCommitment.value;
  demand(
    sameBytes(certificateOpeningHash(commitment.algorithm, opening), commitment.value),
    'the handshake data does not match the certificate commitment',
  );
  demand(
    sameBytes(opening.serverEphemeralKey, body.serverEphemeralKey.value),
    'the server ephemeral key is not the attested one',
  );
  const { name } = identity;
  demand(isServerName(name), 'the server name is not a DNS name in lower case, without a trailing dot');
  demand(opening.certificates.length > 0, 'there is no server certificate');
  const verdict = await checkHandshake(certificates, opening, name, body.connectionInfo.value.time);
  demand(verdict.ok, verdict.ok ? '' : verdict.reason);
  return name;
}

/** Whether a server with this name could have presented and signed this at that time, as `CertificateChecker` says. */
export async function checkHandshake(
  checker: CertificateChecker,
  handshake: Omit<ServerIdentity['opening'], 'blinder'>,
  serverName: string,
  time: number,
): Promise<CertificateVerdict> {
  const { certificates, signature } = handshake;
  const scheme = schemeOfVariant(handshake.scheme);
  if (scheme === undefined) return { ok: false, reason: 'the signature scheme of the key exchange is not supported' };
  const keyExchange = { scheme, message: keyExchangeMessage(handshake), signature };
  return checker.check({ certificates, serverName, time, keyExchange });
}

/** What the server signs in TLS 1.2: both randoms, then its key exchange parameters. */
export function keyExchangeMessage(
  opening: Pick<ServerIdentity['opening'], 'clientRandom' | 'serverRandom' | 'serverEphemeralKey'>,
): Uint8Array {
  const { clientRandom, serverRandom, serverEphemeralKey } = opening;
  return Uint8Array.from([...clientRandom, ...serverRandom, ...KEY_EXCHANGE_PARAMETERS, ...serverEphemeralKey]);
}
