import type { ContentDecoder } from '../../ports/content-decoder.ts';
import type { RandomSource } from '../../ports/random-source.ts';
import type { TlsExchange } from '../../ports/tls-exchange.ts';
import { authorityOf, serverExtension } from '../host-binding.ts';
import { type DecodedContent, decodeContent } from '../http/decode-content.ts';
import type { HttpRequest } from '../http/message.ts';
import { parseRequest } from '../http/parse-request.ts';
import { parseResponse } from '../http/parse-response.ts';
import { requestAddress } from '../http/request-host.ts';
import { type NotarizeRequest, policyOf } from '../prove-request.ts';
import { type PlainExchange, redactExchange } from '../redaction/redact.ts';
import type { AttestationSigner } from '../tlsnotary/attestation-signer.ts';
import { buildPresentation } from '../tlsnotary/build.ts';
import type { Extension } from '../tlsnotary/presentation.ts';
import { type ByteRange, sliceRanges } from '../tlsnotary/ranges.ts';
import { allVisible, layOut, type VisibleBytes } from '../tlsnotary/visible-bytes.ts';
import { checkRequest } from './check-request.ts';
import { writeRequest } from './request-message.ts';
import { createResponseEnd } from './response-end.ts';

/** What a presentation will show, for those who add to the attestation: exactly what its verifiers will see. */
export interface RevealedExchange {
  /** Unix seconds. */
  readonly tlsTimestamp: number;
  readonly request: HttpRequest;
  /** Absolute; hidden bytes are `HIDDEN_URL_BYTE`. */
  readonly url: string;
  readonly status: number;
  /** The response's body, decoded; null when its content coding is unknown. */
  readonly responseBody: DecodedContent | null;
  /** Bytes are hidden that a prover chose and that the notary never saw: the fingerprint of that blind notary, 32 bytes. */
  readonly hiddenByProver?: Uint8Array | undefined;
  /** A prover held the connection, and the response ends with it: it may be the beginning of a longer one. */
  readonly mayBeCutShort?: boolean | undefined;
}

/** Adds signed fields to an attestation. They are public: never put anything there that is hidden. */
export type AttestationExtensions = (
  revealed: RevealedExchange,
) => readonly Extension[] | Promise<readonly Extension[]>;

export interface NotarizeDeps {
  readonly tls: TlsExchange;
  readonly signer: AttestationSigner;
  readonly decoder: ContentDecoder;
  readonly random: RandomSource;
  readonly attestationExtensions: AttestationExtensions;
}

export interface Notarized {
  /** The bytes of the presentation. */
  readonly presentation: Uint8Array;
  /** What the caller should know about the redaction, in sentences. */
  readonly warnings: readonly string[];
}

/**
 * Makes a request and signs what came back, with everything that is to be hidden left out.
 * @returns a function from a request to its presentation; it throws as `Notary.notarize` says.
 */
export function createNotarize(deps: NotarizeDeps) {
  const { tls, signer, decoder, random, attestationExtensions } = deps;
  return async (request: NotarizeRequest, signal: AbortSignal): Promise<Notarized> => {
    const { serverName, port, bytes: sent } = writeRequest(request);
    const checked = await checkRequest(request, sent, decoder, signal);
    const end = createResponseEnd(request.method);
    const record = await tls.exchange({ serverName, port, bytes: sent, maxReceived: request.maxRecvData, end }, signal);
    const received = record.received.subarray(0, end.tunnelStart);
    const exchange: PlainExchange = { request: checked, response: parseResponse(allVisible(received), request.method) };
    const revealed = await redactExchange(exchange, policyOf(request), decoder, signal);
    const server = { name: serverName, port };
    // As verifiers read it, so that no proof is made that they could not read.
    const transcript = { sent: masked(sent, revealed.sent), received: masked(received, revealed.received) };
    const shown = await readRevealed(transcript, { authority: authorityOf(server), time: record.time }, decoder);
    signal.throwIfAborted();
    const presentation = await buildPresentation({
      signer,
      random,
      time: record.time,
      serverName,
      handshake: record.handshake,
      sent,
      received,
      revealed,
      extensions: [serverExtension(server), ...(await attestationExtensions(shown))],
    });
    return { presentation, warnings: revealed.warnings };
  };
}

/** What is shown of `raw`. */
function masked(raw: Uint8Array, revealed: readonly ByteRange[]): VisibleBytes {
  return layOut(sliceRanges(raw, revealed), revealed, raw.length);
}

/** What is known of a session besides its transcript. */
export interface RevealedSession {
  /** In the place of a `Host` header that is hidden: the server's name, and the port unless 443. */
  readonly authority: string;
  /** Unix seconds. */
  readonly time: number;
  /** Fingerprint of the notary (32 bytes) if it is a blind one. */
  readonly blindNotary?: Uint8Array;
}

/** The exchange that verifiers will read in a redacted transcript. @throws DomainError `INTERNAL_SERVER_ERROR` if they could not */
export async function readRevealed(
  { sent, received }: { readonly sent: VisibleBytes; readonly received: VisibleBytes },
  { authority, time, blindNotary }: RevealedSession,
  decoder: ContentDecoder,
): Promise<RevealedExchange> {
  const request = parseRequest(sent);
  const response = parseResponse(received, request.method);
  const isPartlyHidden = sent.hidden.length > 0 || received.hidden.length > 0;
  return {
    hiddenByProver: isPartlyHidden ? blindNotary : undefined,
    mayBeCutShort: blindNotary !== undefined && response.body.endsWithConnection,
    tlsTimestamp: time,
    request,
    url: requestAddress(request, sent, authority).url,
    status: response.status,
    responseBody: await decodeContent(response, decoder),
  };
}
