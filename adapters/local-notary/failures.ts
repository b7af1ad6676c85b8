import { DomainError, isDomainError } from '../../core/errors.ts';
import { HandshakeUnusable } from './handshake.ts';

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
};

const HANDSHAKE_REFUSED = /HANDSHAKE_FAILURE/;
const NO_TLS_12 = /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|WRONG_VERSION_NUMBER|VERSION_TOO_LOW/;
const NO_COMMON_CURVE = /WRONG_CURVE|UNSUPPORTED_ELLIPTIC_CURVE|WRONG_SIGNATURE_TYPE|WRONG_CIPHER/;

const NO_HTTP_1 = /NO_APPLICATION_PROTOCOL/;

/** True when the server found nothing in our offer that it could use. */
export function isHandshakeRefusal(error: unknown): boolean {
  return HANDSHAKE_REFUSED.test(codeOf(error));
}

/** Any failure of a connection as what the caller may see; nothing of the server's own text is passed on. */
export function connectionFailure(serverName: string, error: unknown): DomainError {
  if (isDomainError(error)) return error;
  return new DomainError('INTERNAL_SERVER_ERROR', `${serverName} cannot be proven: ${reasonOf(error)}.`, {
    cause: error,
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof NotaryFailure) return error.message;
  if (error instanceof HandshakeUnusable) return `the server ${error.message}; ${NEEDED}`;
  const code = codeOf(error);
  const certificate = Object.hasOwn(CERTIFICATE_ERRORS, code) ? CERTIFICATE_ERRORS[code] : undefined;
  if (certificate !== undefined) return certificate;
  if (NO_TLS_12.test(code)) return `the server offers no TLS 1.2; ${NEEDED}`;
  if (HANDSHAKE_REFUSED.test(code) || NO_COMMON_CURVE.test(code)) {
    return `the server offers no TLS 1.2 key exchange that can be proven, or demands a client certificate; ${NEEDED}`;
  }
  if (NO_HTTP_1.test(code)) return 'the server does not speak HTTP/1.1';
  if (code.startsWith('ERR_SSL')) return `the TLS handshake failed (${code})`;
  return code === '' ? 'the connection failed' : `the connection failed (${code})`;
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' && /^[A-Z0-9_/]{1,80}$/i.test(error.code) ? error.code : '';
}
