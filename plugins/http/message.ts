/** What passes between a mount and the dispatcher: a request and a response without a framework. */

/** A body as the framework offers it: raw bytes still to be read, or what the host's own parser made of them. */
export type BodySource =
  | { readonly kind: 'none' }
  | { readonly kind: 'stream'; readonly stream: BodyStream }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'parsed'; readonly value: unknown };

/** Node's own request stream; `destroy` ends the connection. */
export interface BodyStream extends AsyncIterable<Uint8Array> {
  /** Ends the connection. */
  destroy?(): unknown;
}

/** The part of Node's requests, of HTTP/1 and HTTP/2, that tells which headers were sent. */
export interface RawRequest {
  readonly httpVersion: string;
  /** Names and values in turn, as they arrived. */
  readonly rawHeaders: readonly string[];
}

/** A request without a framework. */
export interface HttpRequest {
  readonly method: string;
  /** What the host calls the request in its own log; unset if it has no name for it. */
  readonly requestId?: string | undefined;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The query string without `?`. */
  readonly query: string;
  /** By lower-case name; repeated headers joined as Node does. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: BodySource;
  /** The headers as they arrived; unset if the host has no access to them. */
  readonly raw?: RawRequest;
  /** The framework's own request, for a host's `identify` hook. */
  readonly native: unknown;
  // Functions, since most routes ask for none of these.
  /** The client's address; behind a proxy only as far as the host trusts it. */
  ip(): string;
  /** Scheme, host and mount path as the framework sees them, without a trailing slash. */
  baseUrl(): string;
  /** Aborted when the client goes away before the answer. */
  signal(): AbortSignal;
}

/** A response without a framework. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes if it is no text, or if many answers share it, so that no connection has its own copy. */
  readonly body: string | Uint8Array;
  /** Sent instead of `body`: its text, in pieces of some tens of kilobytes, made while the client takes them. */
  readonly streamed?: AsyncIterable<string>;
  /** Set for a large answer, which counts as held: the mount calls it when the answer is sent or nobody waits for it. */
  readonly release?: () => void;
}
