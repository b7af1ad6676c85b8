/** Requests that no well-meaning client sends: the path and the body go out as they are. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface WireRequest {
  readonly method?: string;
  /** Not encoded, not resolved. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sends the body in chunks without announcing its length. */
  readonly chunked?: boolean;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function sendRaw(
  baseUrl: string,
  { method = 'GET', path, headers, body, chunked }: WireRequest,
): Promise<WireAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const length = body === undefined || chunked === true ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path, headers: { ...length, ...headers }, agent: false });
    let answered = false;
    outgoing.on('response', async (response) => {
      answered = true;
      try {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: await text(response) });
      } catch (error) {
        reject(error);
      }
    });
    outgoing.on('error', (error) => {
      // A server that refuses early may hang up while the body is still being sent.
      if (!answered) reject(error);
    });
    if (body !== undefined && chunked === true) outgoing.flushHeaders();
    outgoing.end(body);
  });
}
