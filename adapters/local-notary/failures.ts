import { DomainError, isDomainError } from '../../core/errors.ts';
import { asksForClientCertificate, HandshakeUnusable } from './handshake.ts';

/** A failure whose text is meant for the caller; reads on from "api.example.com cannot be proven: ". */
export class NotaryFailure extends Error {
  override readonly name = 'NotaryFailure';
}

const NEEDED = 'proofs need TLS 1.2 with ECDHE over P-256 and AES-GCM';

/** What certificate errors of Node's TLS mean to the caller. */
const CERTIFICATE_ERRORS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed, not issued by a trusted authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an authority that is not trusted',
  CERT_SIGNATURE_FAILURE: 'its certificate comes from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate comes from an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate does not lead to a trusted authority: the server probably leaves out an intermediate certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  INVALID_PURPOSE: 'its certificate is not for TLS servers',
  // Node has no code for the rest: names that an authority may not vouch for, critical extensions that nobody knows.
  UNSPECIFIED: 'its certificate is refused: an authority of its chain may not vouch for this name, or a rule is broken',
};

/**
 * Alerts of servers that find nothing in our offer, and complaints of OpenSSL about servers that answer with something else
 * all the same. Example: a certificate on P-384, say, when only P-256 was offered.
 */
const HANDSHAKE_REFUSED =
  /HANDSHAKE_FAILURE|INSUFFICIENT_SECURITY|ILLEGAL_PARAMETER|UNSUPPORTED_CERTIFICATE|WRONG_CURVE|UNSUPPORTED_ELLIPTIC_CURVE|WRONG_SIGNATURE_TYPE|WRONG_CIPHER|WRONG_CERTIFICATE_TYPE|NO_SUITABLE|EE_KEY_TOO_SMALL/;
const NO_TLS_12 = /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW/;
const NO_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|HTTPS_PROXY_REQUEST/;
const NO_HTTP_1 = /NO_APPLICATION_PROTOCOL/;
const TOO_LARGE = /EXCESSIVE_MESSAGE_SIZE/;
const BAD_MAC = /BAD_RECORD_MAC|DECRYPTION_FAILED|DECRYPT_ERROR|CIPHER_OPERATION_FAILED/;

/** True when no certificate, key exchange or cipher suite of the server fits our offer, or none of ours its own. */
export function isHandshakeRefusal(error: unknown): boolean {
  return HANDSHAKE_REFUSED.test(codeOf(error));
}

/**
 * A failure of TLS or TCP in the handshake. A server that wants a client certificate ends it without saying so.
 * @param server what the server has sent
 */
export function handshakeFailure(error: unknown, server: Buffer, hasEnded: boolean): unknown {
  const code = codeOf(error);
  if (/ALERT|ECONNRESET|EPIPE/.test(code) && asksForClientCertificate(server))
    return new NotaryFailure('the server demands a client certificate, which no proof can show');
  const isEnd = hasEnded && code === 'ECONNRESET';
  return isEnd ? new NotaryFailure('the server ended the connection in the TLS handshake') : error;
}

/** A refusal whose reason was found; it reads on from "the server ". */
export function handshakeRefused(reason: string, cause?: unknown): NotaryFailure {
  return new NotaryFailure(`the server ${reason}; ${NEEDED}`, { cause });
}

/** A failure of TLS or TCP after the handshake. */
export function answerFailure(error: unknown): NotaryFailure {
  const code = codeOf(error);
  if (code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new NotaryFailure('the connection was closed before the answer was complete');
  const what = BAD_MAC.test(code)
    ? 'a TLS record failed its integrity check (MAC), so the connection was disturbed'
    : 'the connection broke off';
  return new NotaryFailure(`${what} before the answer was complete${code === '' ? '' : ` (${code})`}`, {
    cause: error,
  });
}

/** Any failure of a connection as what the caller may see; nothing of the server's own text is passed on. */
export function connectionFailure(serverName: string, error: unknown): DomainError {
  if (isDomainError(error)) return error;
  return new DomainError('INTERNAL_SERVER_ERROR', `${serverName} cannot be proven: ${reasonOf(error)}.`, {
    cause: withoutCertificates(error),
  });
}

/** Node adds the server's chain to some errors. The server chooses its size, and it leads back to itself: loggers fail on it. */
function withoutCertificates(error: unknown): unknown {
  if (!(error instanceof Error) || !('cert' in error)) return error;
  const code = codeOf(error);
  return Object.assign(new Error(reasonOf(error)), { code });
}

function reasonOf(error: unknown): string {
  if (error instanceof NotaryFailure) return error.message;
  if (error instanceof HandshakeUnusable) return handshakeRefused(error.message).message;
  const code = codeOf(error);
  const certificate = Object.hasOwn(CERTIFICATE_ERRORS, code) ? CERTIFICATE_ERRORS[code] : undefined;
  if (certificate !== undefined) return certificate;
  if (NO_TLS_12.test(code)) return `the server offers no TLS 1.2; ${NEEDED}`;
  if (NO_TLS.test(code)) return 'the server does not speak TLS on this port';
  if (TOO_LARGE.test(code)) return 'the server sends more certificates than a proof can hold: shorten its chain';
  if (HANDSHAKE_REFUSED.test(code)) return `the server refuses the TLS handshake (${code}); ${NEEDED}`;
  if (NO_HTTP_1.test(code)) return 'the server does not speak HTTP/1.1';
  if (code.startsWith('ERR_SSL')) return `the TLS handshake failed (${code})`;
  return code === '' ? 'the connection failed' : `the connection failed (${code})`;
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' && /^[A-Z0-9_/]{1,80}$/i.test(error.code) ? error.code : '';
}
