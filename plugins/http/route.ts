/**
 * One row of the route table: everything that Credence knows about an operation, declared once. The dispatcher, both
 * mounts, the OpenAPI document and the tests read the same rows.
 */
import { type ZodType, z } from 'zod';
import type { AuditKind } from '../../core/access/audit.ts';
import type { Caller } from '../../core/access/token.ts';
import type { DomainError, ErrorCode } from '../../core/errors.ts';
import type { LimitRule } from '../../core/ports/rate-limiter.ts';
import type { BrandRule } from './brand-access.ts';
import type { HttpRequest } from './message.ts';
import { idParam } from './schemas.ts';

/** The tag of what browsers load: no operations, so they are not in the OpenAPI document. */
export const PAGES = 'Pages';

/** What only the document tells of a row. */
type Documented = 'tag' | 'summary' | 'description' | 'responses';

type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Method and path of a row, as people write them: `PATCH /admin/brands/{brandId}`. */
export type Endpoint = `${HttpMethod} ${string}`;

/**
 * Who may call: anyone; any valid token; roles `client` and `admin`; role `admin` only. With `callback` there is no bearer token:
 * the route itself checks the caller (a signature, an unguessable link). With `anyone` a token is welcome: without one, the caller is a
 * stranger.
 */
export type Access = 'public' | 'token' | 'anyone' | 'client' | 'admin' | 'callback';

/** How success and failure look on the wire: three dialects of one error model. */
export type Dialect = 'engagement' | 'v2' | 'v1';

/** What a handler is given. */
export interface RouteInput<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The bytes of the body on rows with `checkSender`; null in process, and if the host has parsed it already. */
  readonly rawBody: Uint8Array | null;
  /** Null on `public` and `callback` routes, and for strangers on routes for `anyone`. */
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

/** What a handler returns. */
export interface Reply {
  readonly status: number;
  /**
   * Sent as JSON, or as it is when it is text or bytes and `contentType` is set. Answers may share bytes. What the schema of the
   * status does not name is left out, so that a handler may return whole entities.
   */
  readonly body?: unknown;
  /**
   * The rows of a list without pages, in pieces of some hundred. They are sent as the `data` of the body while they are read, and no
   * faster than the client takes them.
   */
  readonly rows?: AsyncIterable<readonly unknown[]>;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a request takes from one limit. */
export interface LimitUse {
  readonly rule: LimitRule;
  readonly key: string;
  readonly units: number;
  /** Of the refusal; `SCRAPING_RATE_LIMITED` by default. */
  readonly code?: ErrorCode;
}

/** A documented response. */
export interface ResponseDoc<S extends ZodType = ZodType> {
  readonly description: string;
  /** The JSON body's schema; absent for bodies that are not JSON. */
  readonly schema?: S;
  /** Of a body that is not JSON, for example `text/html`. */
  readonly contentType?: string;
  readonly example?: unknown;
}

/** What is known of a request before its body is understood. */
export interface UnreadRequest {
  /** The body's bytes as received, none when there is no body; null when the host has parsed it already. */
  readonly rawBody: Uint8Array | null;
  /** By lower-case name, without those that were repeated. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** One request header by lower-case name. */
  header(name: string): string | undefined;
}

/** The documented responses of a row by status. */
export type Responses = Readonly<Record<number, ResponseDoc>>;

/** A value that its receiver may not change. */
export type Returned<T> = T extends Date | Uint8Array | ((...values: never[]) => unknown)
  ? T
  : T extends readonly (infer E)[]
    ? readonly Returned<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Returned<T[K]> }
      : T;

/** Instead of a body that holds nothing but a list: its rows, while they are read. */
type RowsOf<Status, Body> = Body extends { readonly data: readonly (infer Row)[] }
  ? { readonly status: Status; readonly rows: AsyncIterable<readonly Returned<Row>[]> }
  : never;

/** What a handler may return: for each documented status the values that its schema describes, dates as `Date`. Without schemas, any reply. */
export type ReplyOf<R extends Responses> = [Extract<R[keyof R], { readonly schema: ZodType }>] extends [never]
  ? Reply
  : {
      [Status in keyof R & number]: R[Status] extends { readonly schema: infer S extends ZodType }
        ?
            | { readonly status: Status; readonly body: Returned<z.output<S>>; readonly headers?: Reply['headers'] }
            | RowsOf<Status, z.output<S>>
        : Reply & { readonly status: Status };
    }[keyof R & number];

/** The placeholders of a path as numbers. */
type IdsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: number } & IdsOf<Rest>
  : unknown;

type ParamsOf<E extends string, P extends ZodType> = P extends z.ZodUndefined ? IdsOf<E> : z.output<P>;

interface RouteSpec<E extends string, P extends ZodType, Q extends ZodType, B extends ZodType, R extends Responses> {
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly access: Access;
  /** Takes the token in `X-API-Key` too, as clients of others send it. */
  readonly apiKey?: boolean;
  /** What a token of one brand may do here. Every row that needs a caller says it; a row that does not refuses such tokens. */
  readonly brand?: BrandRule<RouteInput<ParamsOf<E, P>, z.output<Q>, z.output<B>>>;
  /** `engagement` by default. */
  readonly dialect?: Dialect;
  /** What an action of this row changes: if an administrator or a brand calls it, it is recorded in the audit log. GET changes nothing. */
  readonly audit?: AuditKind;
  /** The placeholders of the path. Without it each is an id. */
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
  /** Refuses a stranger by the headers alone, before the body is read. Throws a `DomainError`. */
  readonly checkHeaders?: (header: (name: string) => string | undefined) => void;
  /** Checks who sent the bytes of a body, before anything is made of them. Throws a `DomainError` for a stranger. */
  readonly checkSender?: (request: UnreadRequest) => void;
  /** False: repeated requests run again whatever their `Idempotency-Key`, since they change nothing. */
  readonly idempotencyKeys?: boolean;
  /** Makes a web proof, which counts against the quota of the token. */
  readonly makesWebProof?: boolean;
  /** Takes nothing from the quota of the token. */
  readonly unmetered?: boolean;
  /** Asked by machines every few seconds: successes are logged at `debug`. */
  readonly probe?: boolean;
  readonly responses: R;
  /** What a person sees of a failure, with its status. Undefined: JSON. */
  readonly failurePage?: (error: DomainError, request: HttpRequest) => Reply | undefined;
  /** Codes beyond those that follow from access, schemas and limits. */
  readonly errors?: readonly ErrorCode[];
  /**
   * Refuses an input that the handler would refuse before it does anything. Such a request takes nothing from the limits, nor
   * from the quota of web proofs.
   */
  readonly checkInput?: (input: RouteInput<ParamsOf<E, P>, z.output<Q>, z.output<B>>) => void | Promise<void>;
  /** What this request takes from which limits; checked after validation, before the handler. */
  readonly limits?: (input: RouteInput<ParamsOf<E, P>, z.output<Q>, z.output<B>>) => readonly LimitUse[];
  readonly handle: (input: RouteInput<ParamsOf<E, P>, z.output<Q>, z.output<B>>) => Promise<ReplyOf<R>>;
}

/** A row with its types forgotten, as the table holds it. */
export interface Route extends Omit<RouteSpec<string, ZodType, ZodType, ZodType, Responses>, 'handle'> {
  /** `operationId` of the OpenAPI document. */
  readonly id: string;
  readonly method: HttpMethod;
  /** With `{name}` placeholders, for example `/admin/brands/{brandId}/webhooks`. */
  readonly path: string;
  /** Answers a request whose input fits the schemas. */
  readonly handle: (input: RouteInput<unknown, unknown, unknown>) => Promise<Reply>;
}

/** A reply whose status the compiler knows, so that it can hold the body against the schema of that status. */
export function reply<const Status extends number, Body>(
  status: Status,
  body: Body,
): { readonly status: Status; readonly body: Body } {
  return { status, body };
}

/** A list that is sent while it is read: `toRow` of each item. */
export function rowsReply<const Status extends number, Item, Row>(
  status: Status,
  items: AsyncIterable<readonly Item[]>,
  toRow: (item: Item) => Row,
): { readonly status: Status; readonly rows: AsyncIterable<readonly Row[]> } {
  async function* rows() {
    for await (const some of items) yield some.map(toRow);
  }
  return { status, rows: rows() };
}

/**
 * Declares a row. The handler receives the parsed values of its schemas, and must return what the schema of a documented status
 * describes: anything else does not compile.
 * @param id the `operationId` of the OpenAPI document
 */
export function defineRoute<
  const E extends Endpoint,
  P extends ZodType = z.ZodUndefined,
  Q extends ZodType = z.ZodUndefined,
  B extends ZodType = z.ZodUndefined,
  const R extends Responses = Responses,
>(id: string, endpoint: E, spec: RouteSpec<E, P, Q, B, R>): Route {
  const [method, path] = endpoint.split(' ') as [HttpMethod, string];
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, idParam] as const);
  const params = spec.params ?? (ids.length === 0 ? undefined : z.object(Object.fromEntries(ids)));
  const audit = method === 'GET' ? undefined : spec.audit;
  // Sound because the dispatcher hands `handle` and `limits` only what these very schemas have parsed.
  return { ...spec, id, method, path, params, audit } as unknown as Route;
}

/** Declares what browsers load: no document tells of it, so its statuses need no words. */
export function definePage<
  const E extends Endpoint,
  P extends ZodType = z.ZodUndefined,
  Q extends ZodType = z.ZodUndefined,
  B extends ZodType = z.ZodUndefined,
>(
  id: string,
  endpoint: E,
  spec: Omit<RouteSpec<E, P, Q, B, Responses>, Documented> & { readonly statuses: readonly number[] },
): Route {
  const responses: Responses = Object.fromEntries(spec.statuses.map((status) => [status, { description: id }]));
  return defineRoute<E, P, Q, B>(id, endpoint, { ...spec, tag: PAGES, summary: id, responses });
}

/** A body that is sent though the row takes none: a field that does nothing would be believed. */
const NO_FIELDS = z.strictObject({});

/** What the body of a request is held against; undefined if its method has none, or the row refuses whatever is sent. */
export function bodySchemaOf({
  method,
  body,
  responses,
}: Pick<Route, 'method' | 'body' | 'responses'>): ZodType | undefined {
  const isReserved = Object.keys(responses).length === 0;
  return body ?? (method === 'GET' || isReserved ? undefined : NO_FIELDS);
}
