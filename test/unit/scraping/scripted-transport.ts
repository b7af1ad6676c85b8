/** A transport that answers from a script and remembers what it was asked. */
import type { ScrapingTransport, TransportRequest, TransportResponse } from '../../../adapters/scraping/index.ts';

export type Script = (
  request: TransportRequest,
  index: number,
) => Partial<TransportResponse> | Promise<Partial<TransportResponse>>;

export interface ScriptedTransport extends ScrapingTransport {
  readonly requests: readonly TransportRequest[];
  readonly forgotten: readonly string[];
}

export function scriptedTransport(script: Script): ScriptedTransport {
  const requests: TransportRequest[] = [];
  const forgotten: string[] = [];
  return {
    requests,
    forgotten,
    async send(request) {
      requests.push(request);
      const answer = await script(request, requests.length - 1);
      return { status: 200, headers: {}, body: new Uint8Array(), ...answer };
    },
    async forget(key) {
      forgotten.push(key);
    },
    async close() {},
  };
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
