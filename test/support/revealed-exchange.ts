import { parseRequest } from '../../core/web-proof/http/parse-request.ts';
import { allVisible } from '../../core/web-proof/http/visible-bytes.ts';
import type { RevealedExchange } from '../../core/web-proof/notarize/notarize.ts';

/** What a notary signs of an answer with this JSON, nothing of which is hidden. */
export function revealedExchange(json: unknown): RevealedExchange {
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const nothing = { bytes: new Uint8Array(), revealed: [], hidden: [] };
  return {
    serverName: 'a.test',
    tlsTimestamp: 1,
    request: parseRequest(allVisible(bytesOf('GET / HTTP/1.1\r\nhost: a.test\r\n\r\n'))),
    method: 'GET',
    url: 'https://a.test/',
    requestBody: new Uint8Array(),
    sent: nothing,
    received: nothing,
    status: 200,
    responseBody: { bytes: bytesOf(JSON.stringify(json)), hidden: [] },
  };
}
