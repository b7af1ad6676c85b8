import type { SignatureScheme } from '../web-proof/tlsnotary/signature-schemes.ts';

/** What a server presented in a TLS handshake. */
export interface CertificateClaim {
  /** DER, the server's own first, the rest in any order. Hostile. */
  readonly certificates: readonly Uint8Array[];
  /** A DNS name in lower case, without a trailing dot; already known to be well-formed. */
  readonly serverName: string;
  /** Unix seconds: validity is judged at this time, not now. */
  readonly time: number;
  readonly keyExchange: {
    readonly scheme: SignatureScheme;
    /** What the server signed. */
    readonly message: Uint8Array;
    readonly signature: Uint8Array;
  };
}

/** Accepted, or why not. */
export type CertificateVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * Decides whether a TLS server with this name could have presented these certificates at that time and signed that key
 * exchange. Checks name, chain to a trusted root, use, validity, algorithms, key sizes and signature. A root that is sent along is
 * not trusted by that. Work is bounded whatever the certificates say.
 */
export interface CertificateChecker {
  /** Never throws for hostile input: what cannot be parsed is a verdict. The reason reads on from "Verification failed: ". */
  check(claim: CertificateClaim): Promise<CertificateVerdict>;
}
