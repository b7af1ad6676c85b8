/** One request on its way to its response: what every step of the dispatcher is given, and at last the handler of the row. */
import type { Caller } from '../../../core/access/token.ts';
import type { ByteShare } from '../byte-counter.ts';
import type { TakenLimit } from '../limits.ts';
import type { HttpRequest } from '../message.ts';
import { headerOf, requestIdOf } from '../request-headers.ts';
import type { Dialect, Route, RouteInput } from '../route.ts';

/** A class, since making an object with getters of its own takes a microsecond. */
export class Exchange implements RouteInput<unknown, unknown, unknown> {
  readonly route: Route;
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly dialect: Dialect;
  /** Of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Set by `admit`. Null on routes that need no caller. */
  caller: Caller | null = null;
  /** Of the quota of the caller, then of the row's own limits. The answer tells what is left, also if it is a failure. */
  taken: TakenLimit[] = [];
  /** What the request holds of bodies and answers, once it is admitted. Null on routes without a body. */
  share: ByteShare | null = null;
  // Set by `receiveInput`.
  params: unknown;
  query: unknown;
  body: unknown;
  rawBody: Uint8Array | null = null;
  readonly hold = (bytes: number): void => this.share?.take(bytes);
  readonly #publicUrl: string | undefined;

  /** @param publicUrl without a trailing slash; undefined: the URL that the request was sent to */
  constructor(route: Route, request: HttpRequest, publicUrl: string | undefined) {
    this.route = route;
    this.request = request;
    this.requestId = requestIdOf(request.headers, request.requestId);
    this.dialect = route.dialect ?? 'engagement';
    this.#publicUrl = publicUrl;
  }

  get ip(): string {
    return this.request.ip();
  }

  get baseUrl(): string {
    return this.#publicUrl ?? this.request.baseUrl();
  }

  get signal(): AbortSignal {
    return this.request.signal();
  }

  header(name: string): string | undefined {
    return headerOf(this.request.headers, name);
  }
}
