/** An instance that trusts the test notary and takes web-proof callbacks, and proofs for it of any exchange. */
import { serviceSignature } from '../../core/engagement/webhooks/signature.ts';
import { notaryKeyFingerprint } from '../../core/web-proof/tlsnotary/verify-attestation.ts';
import { startInstance } from './instance.ts';
import { testSigner, wholeProof } from './proof-builder.ts';
import { issueLeaf, issueRoot } from './test-ca.ts';

export const CALLBACK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

/** An exchange as it goes over the wire. */
export interface RawExchange {
  /** The name on the certificate; `www.instagram.com` by default. */
  readonly host?: string;
  /** The `Host` header; the host by default. */
  readonly authority?: string;
  readonly method?: string;
  readonly target?: string;
  /** Lines of the request's head. */
  readonly headers?: readonly string[];
  readonly requestBody?: string;
  readonly status?: string;
  /** Lines of the answer's head; JSON by default. */
  readonly answerHeaders?: readonly string[];
  readonly body?: string;
  /** Sends the body in chunks of so many bytes. */
  readonly chunk?: number;
  /** Unix seconds of the session; now by default. */
  readonly time?: number;
}

export async function startCallbackWorld() {
  const root = issueRoot();
  const leaf = issueLeaf(root, ['www.instagram.com', 'i.instagram.com', 'www.tiktok.com', 'mallory.test']);
  let seed = 1;
  const instance = await startInstance({
    config: {
      services: ['engagement', 'web-prover'],
      extraRoots: [root.pem],
      notary: { key: { secret: new Uint8Array(32).fill(9) } },
      trustedNotaries: [{ fingerprint: notaryKeyFingerprint(testSigner.verifyingKey) }],
      webProofCallback: { secret: CALLBACK_SECRET },
    },
  });
  return {
    instance,
    proofOf(exchange: RawExchange) {
      const { host: serverName = 'www.instagram.com', time } = exchange;
      const { sent, received } = wireOf(exchange, serverName);
      return wholeProof({ ...(time === undefined ? {} : { time }), serverName, leaf, sent, received, seed: seed++ });
    },
    /** Opens a connection request, and reads its code from its page. */
    async openRequest(externalId: string, handle?: string, platform = 'instagram') {
      const body = { platform, externalId, ...(handle ? { inputs: { handle } } : {}) };
      const { json } = await instance.api.call('POST', '/social-accounts/connect', { body });
      const page = await (await fetch(String(json.data?.redirectUrl))).text();
      const code = /credence-[a-z0-9]+/.exec(page)?.[0] ?? 'no code';
      return { requestId: String(json.data?.requestId), code, page };
    },
    /** Posts a callback, signed unless other headers are given. */
    post(body: unknown, headers?: Record<string, string>) {
      const raw = JSON.stringify(body);
      const signed = { 'x-service-signature': serviceSignature(CALLBACK_SECRET, raw) };
      return instance.api.call('POST', '/web-proofs/callback', { raw, token: null, headers: headers ?? signed });
    },
    close: () => instance.close(),
  };
}

function wireOf(exchange: RawExchange, serverName: string) {
  const { authority = serverName, method = 'GET', target = '/', headers = [], requestBody = '' } = exchange;
  const { status = '200 OK', answerHeaders = ['content-type: application/json'], body = '{}', chunk } = exchange;
  const head = [`${method} ${target} HTTP/1.1`, `host: ${authority}`, ...headers, 'connection: close'];
  const bytes = Buffer.from(body);
  const framing = chunk === undefined ? `content-length: ${bytes.length}` : 'transfer-encoding: chunked';
  const answer = Buffer.from(`${[`HTTP/1.1 ${status}`, ...answerHeaders, framing].join('\r\n')}\r\n\r\n`);
  return {
    sent: Buffer.from(`${head.join('\r\n')}\r\n\r\n${requestBody}`),
    received: Buffer.concat([answer, ...(chunk === undefined ? [bytes] : chunksOf(bytes, chunk))]),
  };
}

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    chunks.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return [...chunks, Buffer.from('0\r\n\r\n')];
}
