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

/** A body as JSON, or as text; 200 by default. */
export interface JsonAnswer extends Partial<Omit<TransportResponse, 'body'>> {
  readonly body?: unknown;
}

/** Answers with JSON, or text. */
export function answeringTransport(answer: (path: string, request: TransportRequest) => JsonAnswer): ScriptedTransport {
  return scriptedTransport((request) => {
    const { body = '', ...head } = answer(new URL(request.url).pathname, request);
    return { ...head, body: bytes(typeof body === 'string' ? body : JSON.stringify(body)) };
  });
}
