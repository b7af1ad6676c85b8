import type { ResponseEnd } from '../web-proof/notarize/response-end.ts';
import type { CertificateOpening } from '../web-proof/tlsnotary/presentation.ts';

/** One request over TLS, and how much of an answer is accepted. */
export interface TlsRequest {
  /** Lower case, no trailing dot: for the certificate and SNI. */
  readonly serverName: string;
  readonly port: number;
  /** The plaintext to send once the server's certificate has been accepted. */
  readonly bytes: Uint8Array;
  /** Most plaintext bytes to accept. */
  readonly maxReceived: number;
  readonly end: ResponseEnd;
}

/** One finished connection: what went through it, and the handshake that proves with whom. */
export interface TlsRecord {
  /** Unix seconds, taken before connecting. */
  readonly time: number;
  /** All application data received. */
  readonly received: Uint8Array;
  readonly handshake: Omit<CertificateOpening, 'blinder'>;
}

/**
 * Makes one exchange over TLS 1.2 with an ECDHE key on P-256, the only connection that this proof format can express. The
 * certificate is checked before anything is sent.
 */
export interface TlsExchange {
  /** @throws DomainError as `Notary.notarize` says; rejects with the signal's reason when that fires. */
  exchange(request: TlsRequest, signal: AbortSignal): Promise<TlsRecord>;
}
