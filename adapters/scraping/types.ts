/**
 * The types that the platform adapters share. An identity asks, a request says what is asked, and a verdict is the adapter's
 * reading of the answer. The client does rate limits, retries, rotation and deadlines; the adapter only reads answers.
 */
import type { DomainError } from '../../core/errors.ts';
import type { CallTime } from './deadline.ts';

/** Who a request is sent as: nobody in particular, or one logged-in session. Each has its own cookies and connection. */
export interface Identity {
  readonly kind: 'anonymous' | 'session';
  /** Safe to log: `anonymous-1`, `session-2`; never a secret. */
  readonly label: string;
  /** The cookie's value that would be sent to the base URL. */
  cookie(name: string): Promise<string | undefined>;
  /** Stores a cookie as if the base URL had set it. */
  setCookie(name: string, value: string): Promise<void>;
  /** Short-lived facts learned as this identity (page tokens); forgotten when the identity is rotated. */
  readonly memory: Map<string, string>;
}

/** One request below the base URL. The client adds cookies and the headers of a browser. */
export interface ScrapingRequest {
  readonly method?: 'GET' | 'POST' | 'HEAD' | 'DELETE';
  /** Path and query below the base URL, beginning with `/`; or a URL on one of the client's `hosts`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One answer, of any status. */
export interface ScrapingResponse {
  readonly url: string;
  readonly status: number;
  /** Decompressed and decoded as UTF-8; at most `maxBodyBytes`. */
  readonly text: string;
  /** What `Retry-After` asks for, a number or an HTTP date. */
  readonly retryAfterSeconds?: number | undefined;
  /** A header's first value, by its lower-case name. */
  header(name: string): string | null;
}

/** What an adapter makes of one answer. */
export type Verdict<T> =
  /** With `restSeconds`, the class of endpoints is left alone for so long: the answer says that its allowance is nearly spent. */
  | { readonly kind: 'ok'; readonly value: T; readonly restSeconds?: number | undefined }
  /**
   * A clear answer that asking again would not change (not found, private, …). Thrown as it is, never retried. With
   * `unlessAgreed` it is the word of one session, which may be blocked: thrown only if another session says the same.
   * Otherwise `unlessAgreed` is thrown, or what another session reads is returned.
   */
  | { readonly kind: 'permanent'; readonly error: DomainError; readonly unlessAgreed?: DomainError }
  /** Asked too often: backed off and retried while the deadline lets it, then `SCRAPING_RATE_LIMITED`. */
  | { readonly kind: 'throttled'; readonly retryAfterSeconds?: number | undefined }
  /**
   * This identity is refused, and the next session is tried. A session becomes `dead` (logged out) or `quarantined` (checkpoint)
   * if the answer says so. `sent-away` does not say why: it counts against this endpoint, and the session is dead once another
   * endpoint sends it away too. An anonymous identity is replaced by a new one on a fresh connection; then
   * `PLATFORM_UNAVAILABLE`.
   */
  | { readonly kind: 'blocked'; readonly reason: string; readonly session?: 'sent-away' | 'dead' | 'quarantined' }
  /**
   * The answer cannot be read: `PLATFORM_UNAVAILABLE` with `details.reason`, after `retries` more attempts (0 by default)
   * that back off first; `immediately` skips that wait. Many different posts in a row open the circuit. With
   * `othersMayRead` it may be this session's own trouble: up to two other active sessions are asked first.
   */
  | {
      readonly kind: 'unreadable';
      readonly reason: string;
      readonly retries?: number;
      readonly immediately?: boolean;
      readonly othersMayRead?: boolean;
      /** What a server in trouble asks for: no attempt before, and told to the caller. The client reads it of 5xx answers. */
      readonly retryAfterSeconds?: number | undefined;
    };

/** Sends one request more as the same identity, within the same attempt: for tokens that the request needs. */
export type SendAs = (request: ScrapingRequest) => Promise<ScrapingResponse>;

/** How one thing is asked for, and how its answer is read. */
export interface ScrapingCall<T> {
  /**
   * How many throttled answers are put up with (4 by default). 1 where there is another way to the same data: trying that is
   * better than waiting.
   */
  readonly throttledAttempts?: number;
  /** The longest wait for the pace that is put up with, in milliseconds; by default as long as the call has time. */
  readonly pacePatienceMs?: number;
  /** The class that the pace goes by, for example `page` or `graphql`. */
  readonly endpoint: string;
  /**
   * Which endpoint of the class is asked, for example `likers`. The circuit breaker and the health of sessions go by it; logs and
   * errors name it. The class itself by default.
   */
  readonly kind?: string;
  readonly as: 'anonymous' | 'session';
  /** Whose allowance the call spends, where a platform counts by the account that is read: rates and rests are the account's own. */
  readonly account?: string;
  /** Built again for every attempt, since tokens and cookies belong to the identity. */
  readonly request:
    | ScrapingRequest
    | ((identity: Identity, send: SendAs, time: CallTime) => ScrapingRequest | Promise<ScrapingRequest>);
  /**
   * Reads the answer. Use `time` rather than the one of the port call. Must not throw for odd bodies (what it throws is passed on
   * as it is, unretried).
   */
  readonly read: (response: ScrapingResponse, identity: Identity, time: CallTime) => Verdict<T> | Promise<Verdict<T>>;
}

/** How often a class of endpoints may be asked by one identity. At most `burst + units per window` in any window. */
export interface Rate {
  /** Requests that may go out without waiting. */
  readonly burst: number;
  /** After the burst, one more request every so many milliseconds. */
  readonly refillEveryMs: number;
  /** Least time between two requests. */
  readonly spacingMs: number;
  readonly concurrency: number;
}

/**
 * Sends one HTTP request: a `fetch` for one exchange. Bring your own for a browser's TLS fingerprint (a client that imitates
 * one, a headless browser) or another network. It may reject with any error: that counts as a broken connection, is tried
 * twice more, and its text is shown to nobody.
 *
 * - Redirects are not followed: 3xx is an answer. Every `set-cookie` line is handed back, cookies are the caller's matter.
 * - The body is decompressed. Stop reading beyond `maxBodyBytes` (throw `BodyTooLargeError`); a larger body is refused anyway.
 * - `signal` fires at the request's deadline (15 s by default) or when the caller gives up: stop then. The caller continues
 *   at once, whatever the transport does.
 * - `headers` hold what a browser of the configured user agent sends, in lower case. A transport that imitates a browser
 *   may put its own in their place, but must keep `cookie` and the headers that begin with `x-`.
 */
export type SendRequest = (request: TransportRequest) => Promise<TransportResponse>;

/** A `SendRequest` that holds connections. */
export interface ScrapingTransport {
  /** See `SendRequest`. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Drops the connections of one identity, so that its next request opens a fresh one. */
  forget(connectionKey: string): Promise<void>;
  /** Called once by each adapter that uses it. */
  close(): Promise<void>;
}

/** One HTTP request as a transport sends it. */
export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Requests with the same key may share connections and a sticky proxy; others never do. */
  readonly connectionKey: string;
  /** The configured proxy for this connection (`{session}` already replaced), credentials included; undefined without one. */
  readonly proxyUrl: string | undefined;
  /** Of the decompressed body. */
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal;
}

/** One HTTP answer as a transport returns it. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}
