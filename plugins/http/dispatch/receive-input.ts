/** Third step: parses path, query and body, and makes of them what a handler is given. */
import type { Caller } from '../../../core/access/token.ts';
import type { HttpRequest } from '../message.ts';
import { parseInput } from '../parse-input.ts';
import type { RouteInput } from '../route.ts';
import type { Exchange } from './exchange.ts';
import { checkHeaders, receiveBody } from './receive-body.ts';
import { headerOf } from './request-headers.ts';

export type AnyInput = RouteInput<unknown, unknown, unknown>;

/**
 * Returns the input of the row's handler, at once if there is no body. Path and query are checked before the body is read.
 * @param publicUrl without a trailing slash; undefined: the URL that the request was sent to
 * @throws DomainError for input that does not fit, and what `receiveBody` throws
 */
export function receiveInput(exchange: Exchange, publicUrl: string | undefined): AnyInput | Promise<AnyInput> {
  const { route, request, shares } = exchange;
  const params = parseInput(route.params, request.params, 'path');
  const query = route.query
    ? parseInput(route.query, queryObject(request.query), 'query', route.invalidCode)
    : undefined;
  checkHeaders(exchange);
  if (shares === null) return new Input(exchange, publicUrl, { params, query, body: undefined });
  return receiveBody(exchange, shares).then((body) => new Input(exchange, publicUrl, { params, query, body }));
}

/** A class, since making an object with getters of its own takes a microsecond. */
class Input implements AnyInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: Caller | null;
  readonly requestId: string;
  readonly hold: (bytes: number) => void;
  readonly #request: HttpRequest;
  readonly #publicUrl: string | undefined;

  constructor(
    { caller, requestId, request, shares }: Exchange,
    publicUrl: string | undefined,
    { params, query, body }: Pick<AnyInput, 'params' | 'query' | 'body'>,
  ) {
    this.params = params;
    this.query = query;
    this.body = body;
    this.caller = caller;
    this.requestId = requestId;
    const share = shares?.own;
    this.hold = (bytes) => share?.take(bytes);
    this.#request = request;
    this.#publicUrl = publicUrl;
  }

  get ip(): string {
    return this.#request.ip;
  }

  get baseUrl(): string {
    return this.#publicUrl ?? this.#request.baseUrl;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  header(name: string): string | undefined {
    return headerOf(this.#request.headers, name);
  }
}

/** Repeated parameters keep the first value; `__proto__` is a name like any other. */
function queryObject(query: string): Record<string, string> {
  const result: Record<string, string> = Object.create(null);
  if (query === '') return result;
  for (const [name, value] of new URLSearchParams(query)) result[name] ??= value;
  return result;
}
