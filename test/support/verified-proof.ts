/** What `VerifyWebProof` says about a proof of one HTTP exchange, as if its checks had been made. */

import type { ProvableExchange } from '../../core/web-proof/attested-values/extension.ts';
import { exchangeWith } from '../../core/web-proof/attested-values/sealable.ts';
import { parseRequest } from '../../core/web-proof/http/parse-request.ts';
import { parseResponse } from '../../core/web-proof/http/parse-response.ts';
import { requestAddress } from '../../core/web-proof/http/request-host.ts';
import { decodeUtf8 } from '../../core/web-proof/http/text.ts';
import type { Extension } from '../../core/web-proof/tlsnotary/presentation.ts';
import type { VisibleBytes } from '../../core/web-proof/tlsnotary/visible-bytes.ts';
import type { VerifiedWebProof } from '../../core/web-proof/verify.ts';
import { hiding } from './hidden-parts.ts';
import { assembleProof, seededRandom, testSigner } from './proof-builder.ts';

export interface ExchangeOptions {
  readonly method?: string;
  readonly host?: string;
  /** The `Host` header; the host by default. */
  readonly authority?: string;
  readonly target?: string;
  readonly headers?: readonly string[];
  readonly requestBody?: string;
  readonly status?: number;
  readonly body?: string | Uint8Array;
  /** Hidden in the request, and in the response; of a list, each where it first stands. */
  readonly hide?: string | readonly string[];
  readonly reason?: string;
  /** Header lines of the response. */
  readonly answerHeaders?: readonly string[];
  /** Of the notary, with whose key the attestation is signed; made for what the proof shows. */
  readonly extensionsOf?: (shown: ProvableExchange) => readonly Extension[];
  /** Unix seconds. */
  readonly time?: number;
  /** Exchanges with the same seed have the same attestation. */
  readonly seed?: number;
}

const encoder = new TextEncoder();

/** Signs nothing: the signature of a verified proof is not checked again. */
const signer = { ...testSigner, sign: () => new Uint8Array(64) };

export async function verifiedProof(options: ExchangeOptions = {}): Promise<VerifiedWebProof> {
  const { method = 'GET', host = 'www.instagram.com', authority = host, target = '/', headers = [] } = options;
  const { requestBody = '', reason = 'X' } = options;
  const { status = 200, hide = [], time = 0, seed = 1, answerHeaders = [], extensionsOf } = options;
  const body = typeof options.body === 'string' ? encoder.encode(options.body) : (options.body ?? new Uint8Array());
  const head = [`${method} ${target} HTTP/1.1`, `host: ${authority}`, ...headers];
  const sent = withHidden(encoder.encode(`${head.join('\r\n')}\r\n\r\n${requestBody}`), hide);
  const answerHead = [`HTTP/1.1 ${status} ${reason}`, ...answerHeaders, `content-length: ${body.length}`];
  const answer = encoder.encode(`${answerHead.join('\r\n')}\r\n\r\n`);
  const received = withHidden(Uint8Array.from([...answer, ...body]), hide);
  const request = parseRequest(sent);
  const response = parseResponse(received, method);
  const content = ({ bytes, hidden }: typeof request.body) => ({ text: decodeUtf8(bytes), content: { bytes, hidden } });
  const { hostShown, url, urlHidden } = requestAddress(request, sent, host);
  const random = seededRandom(seed).bytes;
  const part = random(32);
  const presentation = await assembleProof({
    signer,
    time,
    serverName: host,
    handshake: {
      certificates: [part],
      scheme: 3,
      signature: part,
      clientRandom: part,
      serverRandom: part,
      serverEphemeralKey: random(65),
    },
    sent: sent.bytes,
    received: received.bytes,
    random,
  });
  return {
    serverDomain: host,
    serverName: host,
    notaryKeyFingerprint: 'f'.repeat(64),
    notaryTrusted: true,
    tlsTimestamp: time,
    request: { ...request, ...content(request.body) },
    response: { ...response, ...content(response.body) },
    hostConfirmed: hostShown,
    notarization: null,
    url,
    urlHidden,
    extensions:
      extensionsOf?.(exchangeWith({ request, url, tlsTimestamp: time }, { status, body: response.body })) ?? [],
    transcript: { sent, received },
    presentation,
  };
}

function withHidden(bytes: Uint8Array, hide: string | readonly string[]): VisibleBytes {
  const texts = typeof hide === 'string' ? [hide] : hide;
  const hidden = texts
    .map((text) => ({ text, start: Buffer.from(bytes).indexOf(text) }))
    .filter(({ start }) => start !== -1)
    .map(({ text, start }) => ({ start, end: start + Buffer.byteLength(text) }));
  return hiding(bytes, hidden);
}
