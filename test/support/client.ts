/** A black-box client of the HTTP API. */
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

export function createApiClient(baseUrl: string, token: string): ApiClient {
  return {
    async call(method, path, options = {}) {
      const bearer = options.token === undefined ? token : options.token;
      const hasBody = options.raw !== undefined || options.body !== undefined;
      const response = await fetch(baseUrl + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
          ...(hasBody ? { 'content-type': 'application/json' } : {}),
          ...options.headers,
        },
        ...(hasBody ? { body: options.raw ?? JSON.stringify(options.body) } : {}),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: parse(text) };
    },
  };
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
