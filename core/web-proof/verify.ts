import { hexToBytes } from '@noble/hashes/utils.js';
import { DomainError, isDomainError } from '../errors.ts';
import type { CertificateChecker } from '../ports/certificate-checker.ts';
import type { ContentDecoder } from '../ports/content-decoder.ts';
import type { SignatureVerifier } from '../ports/signature-verifier.ts';
import { blindServer, type Notarization, notarizationOf } from './blind-extension.ts';
import { authorityOf, HTTPS_PORT, signedServer } from './host-binding.ts';
import { type DecodedContent, decodeContent } from './http/decode-content.ts';
import type { HttpRequest, HttpResponse } from './http/message.ts';
import { parseRequest } from './http/parse-request.ts';
import { parseResponse } from './http/parse-response.ts';
import { requestAddress } from './http/request-host.ts';
import { decodeUtf8 } from './http/text.ts';
import { decodePresentation } from './tlsnotary/decode.ts';
import { LIMITS } from './tlsnotary/limits.ts';
import type { Extension, Presentation } from './tlsnotary/presentation.ts';
import { malformed } from './tlsnotary/reader.ts';
import { demand } from './tlsnotary/verification-error.ts';
import { verifyPresentation } from './tlsnotary/verify-presentation.ts';
import type { VerifiedTranscript } from './tlsnotary/verify-transcript.ts';
import type { TrustedNotaries } from './trusted-periods.ts';
import { isHexData, PRESENTATION_VERSIONS, type WebProof } from './web-proof-format.ts';

export type { WebProof } from './web-proof-format.ts';

const NO_IDENTITY = 'the presentation does not say which server it is from (no identity)';
const NO_TRANSCRIPT = 'the presentation shows no transcript';

/** A body, as far as it is shown. */
export interface VerifiedMessageBody {
  /**
   * The body as UTF-8; null when empty, not UTF-8, or not decodable because bytes of it are hidden. Of a request also when it
   * is not encoded as its headers say.
   */
  readonly text: string | null;
  /** The decoded bytes with their hidden offsets; null when hidden bytes or an unknown coding prevent decoding. */
  readonly content: DecodedContent | null;
}

/** What a valid proof shows. */
export interface VerifiedWebProof {
  /** As written in the proof; the format does not sign it: see `hostConfirmed`. */
  readonly serverDomain: string;
  readonly notaryKeyFingerprint: string;
  readonly notaryTrusted: boolean;
  /** Unix seconds. */
  readonly tlsTimestamp: number;
  readonly request: HttpRequest & VerifiedMessageBody;
  readonly response: HttpResponse & VerifiedMessageBody;
  /** The server's name in canonical form: lower case, no trailing dot. */
  readonly serverName: string;
  /**
   * The notary signed the server's name, or the request reveals a `Host` that names it. False for proofs of other notaries that
   * hide it: then any name on the certificate may be here. `hostProblem` says so in words.
   */
  readonly hostConfirmed: boolean;
  /** Absolute URL of the request, with the signed port when `Host` is hidden; hidden bytes are `HIDDEN_URL_BYTE`. */
  readonly url: string;
  /** True when the URL has hidden bytes. */
  readonly urlHidden: boolean;
  readonly extensions: readonly Extension[];
  /** How the proof was made, if its notary signed that; null for notaries of others. */
  readonly notarization: Notarization | null;
  /** Both directions at full length with revealed and hidden ranges. */
  readonly transcript: VerifiedTranscript;
  readonly presentation: Presentation;
}

export interface VerifyWebProofDeps {
  readonly certificates: CertificateChecker;
  readonly decoder: ContentDecoder;
  readonly trustedNotaries: TrustedNotaries;
  /** In JavaScript by default, which runs everywhere. */
  readonly signatures?: SignatureVerifier;
}

/** For whom a proof is verified, if proofs wait for their turn. */
export interface VerifyCall {
  readonly caller?: string | undefined;
  /** Ends the wait for the turn. */
  readonly signal?: AbortSignal | undefined;
}

/** Verifies a web proof and returns what it shows. @throws DomainError `INVALID_PRESENTATION` or `INTERNAL_SERVER_ERROR` */
export type VerifyWebProof = (webProof: WebProof, call?: VerifyCall) => Promise<VerifiedWebProof>;

/**
 * The verify use case. An untrusted notary is reported, not refused.
 * @throws DomainError (from the function that is returned) `INVALID_REQUEST` for an unknown version; `INVALID_PRESENTATION`
 * when the data cannot be decoded; `INTERNAL_SERVER_ERROR`, naming the check, when it is not true, has no identity or no
 * transcript, or its transcript is not one HTTP exchange
 */
export function createVerifyWebProof(deps: VerifyWebProofDeps): VerifyWebProof {
  const { certificates, decoder, trustedNotaries, signatures } = deps;
  return async (webProof) => {
    if (!PRESENTATION_VERSIONS.includes(webProof.version)) {
      throw new DomainError('INVALID_REQUEST', `version must be one of ${PRESENTATION_VERSIONS.join(', ')}.`);
    }
    const presentation = decodePresentation(decodeHex(webProof.data));
    // Before the work: what lacks one of them could ask for much of it.
    demand(presentation.identity !== null, NO_IDENTITY);
    demand(presentation.transcript !== null, NO_TRANSCRIPT);
    const verified = await verifyPresentation(presentation, certificates, signatures);
    const { serverName, transcript, time, notaryKeyFingerprint } = verified;
    demand(serverName !== null, NO_IDENTITY);
    demand(transcript !== null, NO_TRANSCRIPT);

    const request = parseRequest(transcript.sent);
    const response = parseResponse(transcript.received, request.method);
    const signed = signedServer(verified.extensions);
    for (const name of [signed?.name, blindServer(verified.extensions)]) {
      demand(
        (name ?? serverName) === serverName,
        `the notary signed the server ${name}, but the server is said to be ${serverName}`,
      );
    }
    const { authorities, hostShown, url, urlHidden } = requestAddress(
      request,
      transcript.sent,
      signed === null ? serverName : authorityOf(signed),
    );
    for (const { host, port } of authorities) {
      demand(host === serverName, `the revealed request is for ${host}, but the server is said to be ${serverName}`);
      demand(
        signed === null || Number(port ?? HTTPS_PORT) === signed.port,
        `the revealed request is for port ${port ?? HTTPS_PORT}, but the notary signed port ${signed?.port}`,
      );
    }
    const requestBody = bodyOf(await requestContent(request, decoder));
    const responseBody = bodyOf(await decodeContent(response, decoder));
    return {
      serverDomain: serverName,
      notaryKeyFingerprint,
      notaryTrusted: trustedNotaries.isTrusted(notaryKeyFingerprint, time),
      tlsTimestamp: time,
      request: { ...request, ...requestBody },
      response: { ...response, ...responseBody },
      serverName,
      hostConfirmed: signed !== null || hostShown,
      url,
      urlHidden,
      extensions: verified.extensions,
      notarization: notarizationOf(verified.extensions),
      transcript,
      presentation: verified.presentation,
    };
  };
}

function decodeHex(data: string): Uint8Array {
  if (data.length > 2 * LIMITS.presentation) throw malformed(`it is larger than ${LIMITS.presentation} bytes`);
  if (!isHexData(data)) throw malformed('it is not hex digits in pairs');
  return hexToBytes(data);
}

/** A request is proven as it was sent. A body that does not match its headers does not invalidate the proof: null then. */
async function requestContent(request: HttpRequest, decoder: ContentDecoder): Promise<DecodedContent | null> {
  try {
    return await decodeContent(request, decoder);
  } catch (error) {
    if (isDomainError(error, 'INTERNAL_SERVER_ERROR')) return null;
    throw error;
  }
}

function bodyOf(content: DecodedContent | null): VerifiedMessageBody {
  const text = content === null || content.bytes.length === 0 ? null : decodeUtf8(content.bytes);
  return { text, content };
}
