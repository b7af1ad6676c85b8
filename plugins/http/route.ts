/**
 * One row of the route table: everything that Credence knows about an operation, declared once. The dispatcher, both
 * mounts, the OpenAPI document and the tests read the same rows.
 */
import type { ZodType, z } from 'zod';
import type { Caller } from '../../core/engagement/token.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { LimitRule } from '../../core/ports/rate-limiter.ts';

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * Who may call: anyone; any valid token; roles `client` and `admin`; role `admin` only; `callback`: no bearer token, the
 * row itself checks the caller (a signature, an unguessable link).
 */
export type Access = 'public' | 'token' | 'client' | 'admin' | 'callback';

/** How success and failure look on the wire: three dialects of one error model. */
export type Dialect = 'engagement' | 'v2' | 'v1';

export interface RouteInput<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Null exactly on `public` and `callback` routes. */
  readonly caller: Caller | null;
  readonly requestId: string;
  readonly ip: string;
  /** URL under which clients reach this mount, without a trailing slash: `PUBLIC_URL`, or what the request was sent to. */
  readonly baseUrl: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /**
   * Counts bytes that are held for this request beyond its body, until it is answered; nothing on routes without a body.
   * @throws DomainError `SERVICE_UNAVAILABLE` when too many are held already
   */
  readonly hold: (bytes: number) => void;
  /** One request header by lower-case name. */
  header(name: string): string | undefined;
}

export interface Reply {
  readonly status: number;
  /** Sent as JSON, or as it is when it is a string and `contentType` is set. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LimitUse {
  readonly rule: LimitRule;
  readonly key: string;
  readonly units: number;
}

export interface ResponseDoc {
  readonly description: string;
  /** The JSON body's schema; absent for bodies that are not JSON. */
  readonly schema?: ZodType;
  /** Of a body that is not JSON, for example `text/html`. */
  readonly contentType?: string;
  readonly example?: unknown;
}

/** What is known of a request before its body is understood. */
export interface UnreadRequest {
  /** The body's bytes as received, none when there is no body; null when the host has parsed it already. */
  readonly rawBody: Uint8Array | null;
  /** One request header by lower-case name. */
  header(name: string): string | undefined;
}

export interface RouteSpec<P extends ZodType, Q extends ZodType, B extends ZodType> {
  /** `operationId` of the OpenAPI document. */
  readonly id: string;
  readonly method: HttpMethod;
  /** With `{name}` placeholders, for example `/admin/brands/{brandId}/webhooks`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly access: Access;
  /** `engagement` by default. */
  readonly dialect?: Dialect;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** A missing body is then `{}`-like: the schema sees `undefined`. */
  readonly bodyOptional?: boolean;
  /** The code of a body or query that fails its schema; `INVALID_REQUEST` by default. */
  readonly invalidCode?: ErrorCode;
  /** 64 KiB by default. */
  readonly maxBodyBytes?: number;
  /** Also accept `application/x-www-form-urlencoded` (for the server-rendered pages). */
  readonly form?: boolean;
  /** Checks who sent the bytes of a body, before anything is made of them. Throws a `DomainError` for a stranger. */
  readonly checkSender?: (request: UnreadRequest) => void;
  /** Asked by machines every few seconds: successes are logged at `debug`. */
  readonly probe?: boolean;
  readonly responses: Readonly<Record<number, ResponseDoc>>;
  /** Codes beyond those that follow from access, schemas and limits. */
  readonly errors?: readonly ErrorCode[];
  /** What this request takes from which limits; checked after validation, before the handler. */
  readonly limits?: (input: RouteInput<z.output<P>, z.output<Q>, z.output<B>>) => readonly LimitUse[];
  readonly handle: (input: RouteInput<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Reply>;
}

/** A row with its types forgotten, as the table holds it. */
export type Route = RouteSpec<ZodType, ZodType, ZodType>;

/** Declares a row; the handler sees the parsed types of its schemas. */
export function defineRoute<
  P extends ZodType = z.ZodUndefined,
  Q extends ZodType = z.ZodUndefined,
  B extends ZodType = z.ZodUndefined,
>(spec: RouteSpec<P, Q, B>): Route {
  // Sound because the dispatcher hands `handle` and `limits` only what these very schemas have parsed.
  return spec as unknown as Route;
}
