/** A black-box client of the HTTP API. */
import { Agent, type IncomingMessage, request } from 'node:http';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonValue;
}

/** JSON as a test walks through it. */
export interface JsonValue {
  readonly [key: string]: JsonValue;
}

export interface ApiClient {
  call(method: string, path: string, options?: CallOptions): Promise<ApiAnswer>;
}

export interface CallOptions {
  readonly body?: unknown;
  /** Instead of `body`: sent as it is. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  /** Null sends none; the client's own by default. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

const agent = new Agent({ keepAlive: true });

export function createApiClient(baseUrl: string, token: string): ApiClient {
  return {
    async call(method, path, options = {}) {
      const bearer = options.token === undefined ? token : options.token;
      const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
      const {
        statusCode = 0,
        rawHeaders,
        text,
      } = await exchange(baseUrl + path, method, body, {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      });
      return answerOf(statusCode, rawHeaders, text);
    },
  };
}

/** Headers and JSON are read when they are asked for: many tests look at the status alone. */
function answerOf(status: number, rawHeaders: readonly string[], text: string): ApiAnswer {
  let headers: Headers | undefined;
  let json: JsonValue | undefined;
  return {
    status,
    text,
    get headers() {
      if (headers === undefined) {
        headers = new Headers();
        for (let at = 0; at < rawHeaders.length; at += 2)
          headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
      }
      return headers;
    },
    get json() {
      json ??= parse(text);
      return json;
    },
  };
}

/** One of the thousands of exchanges of a run: `fetch` takes four times the processor time. Redirects are not followed. */
function exchange(
  url: string,
  method: string,
  body: string | Uint8Array | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Pick<IncomingMessage, 'statusCode' | 'rawHeaders'> & { readonly text: string }> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method, agent, headers: { ...length, ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        text += piece;
      });
      answer.on('error', reject);
      answer.on('end', () => resolve({ statusCode: answer.statusCode, rawHeaders: answer.rawHeaders, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
